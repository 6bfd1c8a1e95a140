//! A small kubelet for tests: real TLS with any certificate, real logs, real processes, real sockets.
