//! Streams over upgraded connections: SPDY/3.1 sessions and WebSocket frames.
//!
//! kubectl and kubelets use both for exec, attach and port-forward. [`spdy`] multiplexes streams over one connection;
//! [`websocket`] parses the frames of a client. Neither buffers a message as a whole, so that the memory of a
//! connection is bounded whatever the peer sends. The modules show how a session is opened and how frames are read.
//!
//! ```
//! use bytes::BytesMut;
//! use ratchet_streams::websocket::{BINARY, write_head};
//!
//! let mut out = BytesMut::new();
//! write_head(&mut out, BINARY, 5);
//! assert_eq!(out, &b"\x82\x05"[..]);
//! ```

pub mod spdy;
pub mod websocket;
