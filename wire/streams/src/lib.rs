//! Streams over upgraded connections: SPDY/3.1 sessions and WebSocket frames.
//!
//! kubectl and kubelets use both for exec, attach and port-forward. [`spdy`] multiplexes streams over one connection;
//! [`websocket`] parses the frames of a client. Neither buffers a message as a whole, so that the memory of a
//! connection is bounded whatever the peer sends. Each module has an example.

pub mod spdy;
pub mod websocket;
