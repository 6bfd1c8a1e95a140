//! Client for kubelets: connections are requested by node name and verified for that node.
//!
//! Beside it are clients for other servers: pods and services, whom nobody verifies, and webhooks, whose bundle of CAs
//! verifies them.
//!
//! ```
//! use ratchet_kubelet::{Endpoint, NodeName};
//!
//! let node = NodeName::new("worker-1").unwrap();
//! let endpoint = Endpoint { node, host: "fd00::1".into(), port: 10250 };
//! assert_eq!(endpoint.authority(), "[fd00::1]:10250");
//! ```

mod alerts;
mod body;
mod dial;
mod error;
mod extensions;
mod files;
mod generation;
mod http_connection;
mod kubelets;
mod lookup;
mod notices;
mod others;
mod pool;
mod proxy;
mod read_pacing;
mod roots;
mod settings;
mod stream;
mod tls;
mod verified;
mod verifier;
mod webhook;
mod x509_messages;

pub use body::PooledBody;
pub use error::KubeletError;
pub use extensions::{ExtensionServer, ExtensionTrust, Extensions};
pub use files::OpenError;
pub use kubelets::{ConnectionCounts, KubeletClient, Witness};
pub use lookup::lookup;
pub use others::{Others, Scheme};
pub use proxy::Proxies;
pub use ratchet_certificate::{NameFault, NodeName};
pub use roots::{BundleError, TrustedRoots};
pub use settings::{
    ClientKeyFiles, Endpoint, NameCheck, Settings, Timing, Trust, Verification, authority,
};
pub use stream::Connection;
pub use verified::{Destination, VerifiedClient, VerifiedPeer};
pub use webhook::{
    CallError, CallTimeout, MAX_RESPONSE_BYTES, ServiceResolver, WebhookClient, WebhookCredentials,
    WebhookResponse, WebhookUser, WebhookUsers,
};
