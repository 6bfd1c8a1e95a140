//! `Exemptions`, the users, namespaces and runtime classes that Pod Security does not evaluate.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use ratchet_net::{Quoted, dns};

/// Exempt users, namespaces and runtime classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// Users by name.
    pub usernames: Vec<String>,
    /// Namespaces by name.
    pub namespaces: Vec<String>,
    /// Runtime classes by name.
    pub runtime_classes: Vec<String>,
}

impl Exemptions {
    /// Whether a user is exempt.
    pub fn holds_user(&self, name: &str) -> bool {
        self.usernames.iter().any(|user| user == name)
    }

    /// Whether a namespace is exempt.
    pub fn holds_namespace(&self, name: &str) -> bool {
        self.namespaces.iter().any(|namespace| namespace == name)
    }

    /// Whether a pod's runtime class is exempt; a pod without one is not.
    pub fn holds_runtime_class(&self, name: &str) -> bool {
        !name.is_empty() && self.runtime_classes.iter().any(|class| class == name)
    }

    /// Errors about invalid and duplicate names, with the messages of Kubernetes.
    pub(super) fn errors(&self) -> Vec<String> {
        let namespaces = list_faults("namespaces", &self.namespaces, namespace_faults);
        let classes = list_faults("runtimeClasses", &self.runtime_classes, class_faults);
        let users = list_faults("usernames", &self.usernames, user_faults);
        namespaces.into_iter().chain(classes).chain(users).collect()
    }
}

fn list_faults(list: &str, names: &[String], faults: fn(&str) -> Vec<String>) -> Vec<String> {
    let message_of = |(index, name): (usize, &String)| {
        let before = names.iter().take(index);
        let message = match faults(name).as_slice() {
            [] if before.into_iter().any(|other| other == name) => {
                format!("Duplicate value: {}", Quoted(name))
            }
            [] => return None,
            faults => format!("Invalid value: {}: {}", Quoted(name), faults.join(", ")),
        };
        Some(format!("exemptions.{list}[{index}]: {message}"))
    };
    names.iter().enumerate().filter_map(message_of).collect()
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters \
    or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', \
    regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn namespace_faults(name: &str) -> Vec<String> {
    let pattern = if dns::subdomain(name).pattern { LABEL } else { "must not contain dots" };
    messages(dns::label(name), "must be no more than 63 characters", pattern)
}

fn class_faults(name: &str) -> Vec<String> {
    messages(dns::subdomain(name), "must be no more than 253 characters", SUBDOMAIN)
}

fn user_faults(name: &str) -> Vec<String> {
    if name.is_empty() { vec!["username must not be empty".to_string()] } else { Vec::new() }
}

fn messages(faults: dns::NameFaults, too_long: &str, pattern: &str) -> Vec<String> {
    let message = |fault| match fault {
        dns::NameFault::TooLong => too_long.to_string(),
        dns::NameFault::Pattern => pattern.to_string(),
    };
    faults.iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::testing::texts;

    #[test]
    fn names_are_compared_exactly_and_no_class_is_not_exempt() {
        let exemptions = Exemptions {
            usernames: texts(&["system:admin"]),
            namespaces: texts(&["kube-system"]),
            runtime_classes: texts(&["", "kata"]),
        };
        assert!(exemptions.holds_user("system:admin") && !exemptions.holds_user("admin"));
        assert!(exemptions.holds_namespace("kube-system") && !exemptions.holds_namespace("kube"));
        assert!(exemptions.holds_runtime_class("kata") && !exemptions.holds_runtime_class(""));
    }

    #[test]
    fn faults_are_told_list_by_list() {
        let exemptions = Exemptions {
            usernames: texts(&["a", "", "a"]),
            namespaces: texts(&["a", "a", "a.b", "A"]),
            runtime_classes: texts(&["a.b", "a.b", "_"]),
        };
        assert_eq!(
            exemptions.errors(),
            [
                "exemptions.namespaces[1]: Duplicate value: \"a\"",
                "exemptions.namespaces[2]: Invalid value: \"a.b\": must not contain dots",
                &format!("exemptions.namespaces[3]: Invalid value: \"A\": {LABEL}"),
                "exemptions.runtimeClasses[1]: Duplicate value: \"a.b\"",
                &format!("exemptions.runtimeClasses[2]: Invalid value: \"_\": {SUBDOMAIN}"),
                "exemptions.usernames[1]: Invalid value: \"\": username must not be empty",
                "exemptions.usernames[2]: Duplicate value: \"a\"",
            ]
        );
    }
}
