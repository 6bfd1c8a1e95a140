//! Serving certificates of kubelets: names, validity, and what enforcement would do.

use alloc::string::String;
use alloc::vec::Vec;

/// The serving certificate of one node's kubelet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The node's name.
    pub node: String,
    /// The certificate's subject, if one was seen.
    pub subject: String,
    /// Its subject alternative names.
    pub names: Vec<String>,
    /// Its issuer.
    pub issuer: String,
    /// The start of its validity, in seconds since 1970.
    pub not_before: Option<i64>,
    /// The end of its validity, in seconds since 1970.
    pub not_after: Option<i64>,
    /// What enforcement of the node's name would do.
    pub state: CertificateState,
    /// What is wrong with it, a sentence each, with the rule's id.
    pub messages: Vec<String>,
    /// What to do.
    pub fixes: Vec<String>,
}

/// What enforcement of the node's name would do to connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CertificateState {
    /// They would fail.
    WouldFail,
    /// It cannot be known.
    #[default]
    Unknown,
    /// They would pass, but something deserves a look.
    Warns,
    /// They would pass.
    Passes,
}

impl CertificateState {
    /// All states, from the worst to the mildest.
    pub const ALL: [Self; 4] = [Self::WouldFail, Self::Unknown, Self::Warns, Self::Passes];

    /// The name in data and in links.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WouldFail => "would-fail",
            Self::Unknown => "unknown",
            Self::Warns => "warns",
            Self::Passes => "passes",
        }
    }

    /// The words on the page.
    pub fn title(self) -> &'static str {
        match self {
            Self::WouldFail => "Would fail",
            Self::Unknown => "Unknown",
            Self::Warns => "Passes with a warning",
            Self::Passes => "Passes",
        }
    }
}
