//! Exec, attach and port-forward: WebSocket towards the client, SPDY towards the kubelet.

#![allow(dead_code, reason = "nothing asks for it yet; the subresources of pods will")]

mod channels;
mod negotiate;
mod outcome;
mod socket;
#[cfg(test)]
mod tests;
mod translate;
mod tunnel;
mod websocket;

#[allow(unused_imports, reason = "nothing asks for it yet; the subresources of pods will")]
pub(crate) use self::{
    channels::Streams,
    negotiate::{
        Protocol, Refused, Way, handshake, is_spdy, is_upgrade, offered, refused_upgrade,
        to_kubelet, tunnel_handshake, tunnel_to_kubelet, tunnelled, way,
    },
    translate::{Kubelet, translate},
    tunnel::tunnel,
};
