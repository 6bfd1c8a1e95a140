//! `Slot`, a place for values in an object, based on `FIELDS`: its path, its kind of value and its ratchet.

use crate::laws::sample::{Families, Fault, Sample, ValueKind};
use ratchet_engine::{ApiConfig, Class, FIELDS, Field, Part, Ratchet};
use serde_json::{Value as Json, json};

/// A place for values of one field.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The row of `FIELDS`, if any.
    pub(crate) field: Option<&'static Field>,
    pub(crate) value_kind: ValueKind,
    pub(crate) families: Families,
    /// Values of two families, at most one of each.
    pub(crate) is_pair: bool,
    pointer: String,
    layout: Layout,
    /// An older single field that mirrors the first value.
    twin: Option<&'static str>,
    /// The path in field errors, with `[]` for every index.
    pub(crate) error_path: String,
    /// The path in warnings; `None` where the API does not warn.
    pub(crate) warning_path: Option<String>,
    /// Slots of the same group share their stored values.
    pub(crate) group: String,
    /// A path whose errors hide those of the slot.
    pub(crate) shadow: Option<&'static str>,
    /// The part through which it is written.
    pub(crate) writes: Part,
    /// Whether the canonical form is required, whatever the row says.
    newer: bool,
}

/// The layout of the values in the object.
#[derive(Clone, Debug)]
enum Layout {
    /// One string.
    Text,
    /// A list of strings.
    Texts,
    /// A list of objects, with the string at this path of each.
    Items(&'static [&'static str]),
}

impl Slot {
    /// A slot of the field with this number; `pointer` leads to the string, or to the list.
    pub(crate) fn field(number: u8, pointer: &str) -> Self {
        let row = FIELDS.iter().find(|row| row.number == number).unwrap();
        let value_kind = match class(row) {
            Class::LegacyAddress | Class::Address => ValueKind::Address,
            Class::LegacyNetwork | Class::Network => ValueKind::Network,
            Class::InterfaceAddress => ValueKind::Interface,
            Class::Follows(_) => panic!("{} follows a field that follows another", row.path),
        };
        // `ips[]` is a list of strings, `ips[].ip` one of objects, `name` a string.
        let layout = match row.path.rsplit_once("[]").map(|(_, rest)| rest) {
            None => Layout::Text,
            Some("") => Layout::Texts,
            Some(".ip") => Layout::Items(&["ip"]),
            Some(".ipBlock.cidr") => Layout::Items(&["ipBlock", "cidr"]),
            Some(other) => panic!("no form for {other}"),
        };
        Self { field: Some(row), ..Self::new(value_kind, pointer, layout) }
    }

    /// A string that is no address.
    pub(crate) fn name(value_kind: ValueKind, pointer: &str) -> Self {
        Self::new(value_kind, pointer, Layout::Text)
    }

    /// A list of strings that are no addresses.
    pub(crate) fn names(value_kind: ValueKind, pointer: &str) -> Self {
        Self::new(value_kind, pointer, Layout::Texts)
    }

    /// A list of objects whose `hostname` is a name.
    pub(crate) fn hostnames(value_kind: ValueKind, pointer: &str) -> Self {
        Self::new(value_kind, pointer, Layout::Items(&["hostname"]))
    }

    fn new(value_kind: ValueKind, pointer: &str, layout: Layout) -> Self {
        let mut path = String::new();
        for step in pointer.split('/').skip(1) {
            match step.parse::<usize>() {
                Ok(_) => path.push_str("[]"),
                Err(_) if path.is_empty() => path.push_str(step),
                Err(_) => path.push_str(&format!(".{step}")),
            }
        }
        match layout {
            Layout::Text => {}
            Layout::Texts => path.push_str("[]"),
            Layout::Items(names) => path.push_str(&format!("[].{}", names.join("."))),
        }
        let is_status = pointer.starts_with("/status");
        Self {
            field: None,
            value_kind,
            families: Families::Either,
            is_pair: false,
            pointer: pointer.into(),
            layout,
            twin: None,
            error_path: path.clone(),
            warning_path: Some(path.clone()),
            group: path,
            shadow: None,
            writes: if is_status { Part::STATUS } else { Part::Main },
            newer: false,
        }
    }

    pub(crate) fn error_path(mut self, path: &str) -> Self {
        self.error_path = path.into();
        self
    }

    pub(crate) fn warning_path(mut self, path: &str) -> Self {
        self.warning_path = Some(path.into());
        self
    }

    pub(crate) fn without_warning(mut self) -> Self {
        self.warning_path = None;
        self
    }

    pub(crate) fn group(mut self, group: &str) -> Self {
        self.group = group.into();
        self
    }

    pub(crate) fn shadow(mut self, path: &'static str) -> Self {
        self.shadow = Some(path);
        self
    }

    pub(crate) fn families(mut self, families: Families) -> Self {
        self.families = families;
        self
    }

    pub(crate) fn pair(mut self) -> Self {
        self.is_pair = true;
        self
    }

    pub(crate) fn twin(mut self, pointer: &'static str) -> Self {
        (self.twin, self.is_pair) = (Some(pointer), true);
        self
    }

    pub(crate) fn text(mut self) -> Self {
        self.layout = Layout::Text;
        self
    }

    pub(crate) fn newer(mut self) -> Self {
        self.newer = true;
        self
    }

    /// The most values that it can have.
    pub(crate) fn most(&self) -> usize {
        match self.layout {
            Layout::Text => 1,
            _ if self.is_pair => 2,
            _ => 3,
        }
    }

    /// The path of the values, as `FIELDS` writes it.
    pub(crate) fn place(&self) -> String {
        Self::new(self.value_kind, &self.pointer, self.layout.clone()).error_path
    }

    /// The ratchet on update. A field that follows another ratchets with it.
    pub(crate) fn ratchet(&self) -> Ratchet {
        match (self.field, self.value_kind) {
            (Some(row), _) => row.ratchet,
            (None, ValueKind::Search) => Ratchet::ByList,
            (None, ValueKind::Level) => Ratchet::ByValue,
            _ => Ratchet::Never,
        }
    }

    /// Puts values into an object; no values leave it unchanged.
    pub(crate) fn fill(&self, object: &mut Json, samples: &[Sample]) {
        let Some(first) = samples.first() else { return };
        let value = match self.layout {
            Layout::Text => json!(first.text),
            Layout::Texts => samples.iter().map(|sample| json!(sample.text)).collect(),
            Layout::Items(names) => {
                samples.iter().map(|sample| item(names, &sample.text)).collect()
            }
        };
        put(object, &self.pointer, value);
        if let Some(twin) = self.twin {
            put(object, twin, json!(first.text));
        }
    }

    /// The rule that refuses a value which is not stored, as the proposals specify it.
    pub(crate) fn refused_by(&self, sample: &Sample, in_force: InForce) -> Option<&'static str> {
        let newer = self.newer
            || self.field.is_some_and(|row| matches!(class(row), Class::Address | Class::Network));
        let is_special = |row: &Field| matches!(row.number, 1 | 2 | 13 | 23);
        let spelling =
            if self.value_kind == ValueKind::Network { "RTC-IP-002" } else { "RTC-IP-001" };
        match (self.value_kind, sample.fault) {
            (_, Fault::Fine) => None,
            (ValueKind::Interface, Fault::Broken) => Some("RTC-IP-004"),
            (ValueKind::Interface, _) => Some("RTC-IP-003"),
            (ValueKind::Address | ValueKind::Network, fault) => match fault {
                Fault::Broken => Some(spelling),
                Fault::Zeros | Fault::Mapped | Fault::HostBits => {
                    (newer || in_force.strict_ip).then_some(spelling)
                }
                Fault::Loose => newer.then_some("RTC-IP-003"),
                _ => self.field.is_some_and(is_special).then_some("RTC-IP-005"),
            },
            (ValueKind::Search, Fault::Relaxed) => (!in_force.relaxed_dns).then_some("RTC-DNS-001"),
            (ValueKind::Search, _) => Some("RTC-DNS-001"),
            (ValueKind::Level, _) => in_force.pod_security.then_some("RTC-PSA-019"),
            _ => Some("RTC-API-004"),
        }
    }
}

/// Settings that decide whether a value is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InForce {
    pub(crate) strict_ip: bool,
    pub(crate) relaxed_dns: bool,
    pub(crate) pod_security: bool,
}

impl InForce {
    /// The strictest settings of all gates and plugins.
    pub(crate) const STRICTEST: Self =
        Self { strict_ip: true, relaxed_dns: false, pod_security: true };

    pub(crate) fn by(config: &ApiConfig) -> Self {
        Self {
            strict_ip: config.strict_ip(),
            relaxed_dns: config.relaxed_dns(),
            pod_security: config.plugins.pod_security,
        }
    }
}

/// The class of a row, or of the row that it follows.
fn class(row: &Field) -> Class {
    match row.class {
        Class::Follows(path) => {
            let other = FIELDS.iter().find(|other| other.kind == row.kind && other.path == path);
            other.unwrap_or_else(|| panic!("{} follows nothing", row.path)).class
        }
        class => class,
    }
}

fn item(names: &[&str], text: &str) -> Json {
    names.iter().rev().fold(json!(text), |inner, name| json!({ *name: inner }))
}

/// Writes a value at a JSON pointer, creating the maps on the way.
pub(crate) fn put(object: &mut Json, pointer: &str, value: Json) {
    let mut at = object;
    for step in pointer.split('/').skip(1) {
        let name = step.replace("~1", "/");
        at = match name.parse::<usize>() {
            Ok(index) => at.get_mut(index).unwrap_or_else(|| panic!("no item at {pointer}")),
            Err(_) => {
                if at.is_null() {
                    *at = json!({});
                }
                at.as_object_mut().unwrap().entry(name).or_insert(Json::Null)
            }
        };
    }
    *at = value;
}
