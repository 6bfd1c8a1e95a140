//! Protocol translation for exec, attach and portforward: WebSocket for the client, SPDY for the kubelet.

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
        NOT_UPGRADED, Protocol, HandshakeError, StreamRoute, handshake, is_spdy, is_upgrade, upgrade_error_message,
        to_kubelet, tunnel_handshake, tunnel_to_kubelet, stream_route,
    },
    translate::{Kubelet, translate},
    tunnel::tunnel,
};
