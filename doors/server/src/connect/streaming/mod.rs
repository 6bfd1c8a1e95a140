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
        HandshakeError, NOT_UPGRADED, Protocol, StreamRoute, handshake, is_spdy, is_upgrade,
        stream_route, to_kubelet, tunnel_handshake, tunnel_to_kubelet, upgrade_error_message,
    },
    translate::{KubeletConnection, translate},
    tunnel::tunnel,
};
