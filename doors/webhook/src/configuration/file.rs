//! The reader of a configuration file: compares it with its schema, and collects what is wrong with it.

use super::{API_VERSION, Configuration, Fault, KIND};
use crate::exemptions::Exemptions;
use crate::mode::{Mode, RuleModes};
use ratchet_engine::ExternalIpAllowance;
use ratchet_net::CidrText;
use ratchet_object::{At, Limits, LineIndex, Node, Span, decode};

/// Reads one file.
pub(super) struct Reader<'t> {
    lines: LineIndex<'t>,
    faults: Vec<Fault>,
}

const ROOT: &[&str] = &[
    "apiVersion",
    "kind",
    "mode",
    "rules",
    "namespaceLabels",
    "exemptions",
    "externalIPs",
    "canonicalize",
];
const EXEMPTIONS: &[&str] = &["users", "groups", "serviceAccounts", "namespaces"];
const EXTERNAL_IPS: &[&str] = &["allow"];
const CANONICALIZE: &[&str] = &["users"];
const ALLOWANCE: &[&str] = &["cidrs", "namespaces", "users"];

impl<'t> Reader<'t> {
    pub(super) fn read(text: &'t str) -> Result<Configuration, Vec<Fault>> {
        let mut reader = Self { lines: LineIndex::new(text), faults: Vec::new() };
        let decoded = match decode(text, Limits::DEFAULT) {
            Ok(decoded) => decoded,
            Err(error) => {
                let span = Span { start: error.offset, end: error.offset };
                reader.add(span, "", error.message);
                return Err(reader.faults);
            }
        };
        for repeated in &decoded.repeated {
            reader.add(repeated.span, &repeated.path, "duplicate field".into());
        }
        let [document] = decoded.documents.as_slice() else {
            reader.add(Span::default(), "", "expected one document".into());
            return Err(reader.faults);
        };
        let configuration = reader.root(&At::root(document));
        reader.faults.sort_by_key(|fault| fault.at);
        if reader.faults.is_empty() { Ok(configuration) } else { Err(reader.faults) }
    }

    fn root(&mut self, root: &At<'_>) -> Configuration {
        self.fields(root, ROOT);
        for (name, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
            let at = root.field(name);
            if at.text() != Some(wanted) {
                self.add(at.span(), name, format!("must be {wanted}"));
            }
        }
        let mut modes = RuleModes::default();
        if let Some(mode) = self.mode(&root.field("mode")) {
            modes.set_all(mode);
        }
        self.rules(&root.field("rules"), &mut modes);
        let labels = root.field("namespaceLabels");
        if labels.is_set() && labels.truth().is_none() {
            self.mistyped(&labels, "true or false");
        }
        Configuration {
            modes,
            namespace_labels: labels.truth().unwrap_or(true),
            exemptions: self.exemptions(&root.field("exemptions")),
            external_ips: self.external_ips(&root.field("externalIPs")),
            canonicalized_users: self.canonicalized_users(&root.field("canonicalize")),
        }
    }

    fn rules(&mut self, rules: &At<'_>, modes: &mut RuleModes) {
        if !self.is_object(rules) {
            return;
        }
        for (selector, at) in rules.entries() {
            if let Some(mode) = self.mode(&at)
                && !modes.set(selector, mode)
            {
                let message = "no such rule or family of rules: `ratchet explain` lists them";
                self.add(at.span(), &at.path().to_string(), message.into());
            }
        }
    }

    fn exemptions(&mut self, at: &At<'_>) -> Exemptions {
        self.fields(at, EXEMPTIONS);
        let service_accounts = at.field("serviceAccounts");
        for item in service_accounts.items() {
            let text = item.text_or_empty();
            let is_account = text
                .split_once('/')
                .is_some_and(|(namespace, name)| !namespace.is_empty() && !name.is_empty());
            if !is_account {
                let message = format!("{text:?} must be NAMESPACE/NAME");
                self.add(item.span(), &item.path().to_string(), message);
            }
        }
        Exemptions {
            users: self.texts(&at.field("users")),
            groups: self.texts(&at.field("groups")),
            service_accounts: self.texts(&service_accounts),
            namespaces: self.texts(&at.field("namespaces")),
        }
    }

    fn external_ips(&mut self, at: &At<'_>) -> Option<Vec<ExternalIpAllowance>> {
        if !at.is_set() {
            return None;
        }
        self.fields(at, EXTERNAL_IPS);
        let allow = at.field("allow");
        if allow.is_set() && allow.node().is_none_or(|node| node.type_name() != "array") {
            self.mistyped(&allow, "a list");
        }
        Some(allow.items().map(|item| self.allowance(&item)).collect())
    }

    fn canonicalized_users(&mut self, at: &At<'_>) -> Vec<String> {
        self.fields(at, CANONICALIZE);
        let users = at.field("users");
        for item in users.items().filter(|item| item.text() == Some("*")) {
            let message = "must name controllers: what people write is not changed";
            self.add(item.span(), &item.path().to_string(), message.into());
        }
        self.texts(&users)
    }

    fn allowance(&mut self, at: &At<'_>) -> ExternalIpAllowance {
        self.fields(at, ALLOWANCE);
        let cidrs = at.field("cidrs");
        if cidrs.items().len() == 0 {
            self.add(cidrs.span(), &cidrs.path().to_string(), "required value".into());
        }
        let mut networks = Vec::new();
        for item in cidrs.items() {
            let text = item.text_or_empty();
            match CidrText::parse(text) {
                Ok(network) if network.is_canonical_network() => networks.push(network),
                _ => {
                    let message = format!(
                        "{text:?} must be a network in canonical form, such as 203.0.113.0/24"
                    );
                    self.add(item.span(), &item.path().to_string(), message);
                }
            }
        }
        ExternalIpAllowance {
            networks,
            namespaces: self.texts(&at.field("namespaces")),
            users: self.texts(&at.field("users")),
        }
    }

    fn mode(&mut self, at: &At<'_>) -> Option<Mode> {
        let node = at.node()?;
        let mode = Mode::of(node);
        if mode.is_none() {
            self.mistyped(at, "enforce, warn, audit or off");
        }
        mode
    }

    /// A list of texts that are not empty.
    fn texts(&mut self, at: &At<'_>) -> Vec<String> {
        if at.is_set() && at.node().is_none_or(|node| node.type_name() != "array") {
            self.mistyped(at, "a list");
        }
        for item in at.items().filter(|item| item.text_or_empty().is_empty()) {
            self.mistyped(&item, "a text");
        }
        at.items().map(|item| item.text_or_empty().to_owned()).collect()
    }

    /// Reports members that are not fields.
    fn fields(&mut self, at: &At<'_>, known: &[&str]) {
        if !self.is_object(at) {
            return;
        }
        let entries = at.node().map(Node::entries).unwrap_or_default();
        for entry in entries.iter().filter(|entry| !known.contains(&&*entry.key)) {
            let path = at.path().field(&entry.key).to_string();
            self.add(
                entry.key_span,
                &path,
                format!("unknown field; known are {}", known.join(", ")),
            );
        }
    }

    /// Whether a value is an object or absent; anything else is a fault.
    fn is_object(&mut self, at: &At<'_>) -> bool {
        let is_object = at.node().is_none_or(|node| node.type_name() == "object");
        if !is_object {
            self.mistyped(at, "an object");
        }
        is_object
    }

    fn mistyped(&mut self, at: &At<'_>, wanted: &str) {
        let found = at.node().map_or("null", Node::type_name);
        let found = match at.text() {
            Some(text) => format!("{text:?}"),
            None => found.to_owned(),
        };
        self.add(at.span(), &at.path().to_string(), format!("must be {wanted}, found {found}"));
    }

    fn add(&mut self, span: Span, field: &str, message: String) {
        let at = self.lines.line_column(span.start);
        self.faults.push(Fault { at, field: field.to_owned(), message });
    }
}
