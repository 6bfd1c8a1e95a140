//! SPDY/3.1 as kubectl and kubelets speak it: many streams over one connection that was upgraded from HTTP/1.1.
