//! Exec, attach and port-forward: WebSocket towards the client, SPDY towards the kubelet.

mod channels;
mod negotiate;
mod outcome;
mod socket;
#[cfg(test)]
mod tests;
mod translate;
mod tunnel;

pub(crate) use self::{
    channels::Streams,
    negotiate::{
        NOT_UPGRADED, Protocol, Refused, Way, handshake, is_spdy, is_upgrade, refused_upgrade,
        to_kubelet, tunnel_handshake, tunnel_to_kubelet, way,
    },
    translate::{Kubelet, translate},
    tunnel::tunnel,
};
