//! `Configuration`: modes, exemptions and the external IPs that are allowed, from one file.

mod file;

use crate::exemptions::Exemptions;
use crate::mode::{Mode, RuleModes};
use file::Reader;
use ratchet_engine::ExternalIpAllowance;
use ratchet_object::{LineColumn, Node};

pub(crate) const API_VERSION: &str = "ratchet/v1alpha1";
pub(crate) const KIND: &str = "WebhookConfiguration";

/// The prefix of the labels of a namespace that set modes there: `ratchet/mode`, `ratchet/RTC-IP`, `ratchet/RTC-IP-001`.
const LABEL_PREFIX: &str = "ratchet/";
/// The label of all rules.
const LABEL_OF_ALL: &str = "mode";

/// The configuration of the webhook. Without a file every rule is enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The modes of rules.
    pub modes: RuleModes,
    /// Whether labels of a namespace hold before `modes`, as those of Pod Security do.
    pub namespace_labels: bool,
    /// Who and what is not judged.
    pub exemptions: Exemptions,
    /// Allowed external IPs; `None` leaves external IPs alone.
    pub external_ips: Option<Vec<ExternalIpAllowance>>,
    /// The controllers whose addresses are made canonical, by user name; a `*` at the end stands for any rest.
    pub canonicalized_users: Vec<String>,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            modes: RuleModes::default(),
            namespace_labels: true,
            exemptions: Exemptions::default(),
            external_ips: None,
            canonicalized_users: Vec::new(),
        }
    }
}

/// What is wrong with a configuration file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The position in the file.
    pub at: LineColumn,
    /// The path of the field; empty for the file as a whole.
    pub field: String,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: ", self.at.line, self.at.column)?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

impl Configuration {
    /// Reads the text of a configuration file; every fault is reported.
    pub fn parse(text: &str) -> Result<Self, Vec<Fault>> {
        Reader::read(text)
    }

    /// The mode of a rule in a namespace whose modes are these.
    pub fn mode_of(&self, id: &str, namespace: &RuleModes) -> Mode {
        namespace.find(id).or_else(|| self.modes.find(id)).unwrap_or_default()
    }

    /// Whether addresses that a user writes are made canonical.
    pub fn canonicalizes(&self, user: &str) -> bool {
        self.canonicalized_users.iter().any(|own| match own.strip_suffix('*') {
            Some(start) => user.starts_with(start),
            None => own == user,
        })
    }

    /// The modes that the labels of a namespace set, and the labels that set none.
    pub fn modes_of_namespace(&self, labels: Option<&Node<'_>>) -> (RuleModes, Vec<String>) {
        let (mut modes, mut faults) = (RuleModes::default(), Vec::new());
        if !self.namespace_labels {
            return (modes, faults);
        }
        for entry in labels.map(Node::entries).unwrap_or_default() {
            let Some(selector) = entry.key.strip_prefix(LABEL_PREFIX) else { continue };
            let value = entry.node.text().unwrap_or_default();
            let is_set = Mode::parse(value).is_some_and(|mode| {
                if selector == LABEL_OF_ALL {
                    modes.set_all(mode);
                }
                selector == LABEL_OF_ALL || modes.set(selector, mode)
            });
            if !is_set {
                faults.push(format!("{}={value}", entry.key));
            }
        }
        (modes, faults)
    }
}

#[cfg(test)]
mod tests;
