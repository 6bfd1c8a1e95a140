//! Connections to kubelets, each asked for by the name of its node and verified for that node.

mod alerts;
mod body;
mod dial;
mod error;
mod files;
mod generation;
mod kubelets;
mod line;
mod notices;
mod others;
mod pace;
mod pool;
mod proxy;
mod settings;
mod stream;
mod tls;
mod verifier;
mod words;

pub use body::PooledBody;
pub use error::KubeletError;
pub use files::OpenError;
pub use kubelets::{Connected, Kubelets, Witness};
pub use others::{Others, Scheme};
pub use proxy::Proxies;
pub use ratchet_certificate::{NameFault, NodeName};
pub use settings::{
    Endpoint, KeyFiles, NameCheck, Settings, Timing, Trust, Verification, authority,
};
pub use stream::Connection;
