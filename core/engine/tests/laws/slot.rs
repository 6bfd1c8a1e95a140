//! Places that hold values, driven by the table of fields: where they stand, how they are read and what ratchets.

use crate::laws::sample::{Families, Fault, Sample, Sort};
use ratchet_engine::{Class, FIELDS, Field, Part, Policy, Ratchet};
use serde_json::{Value as Json, json};

/// A place that holds values of one field.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The row of the table of fields, where the place has one.
    pub(crate) field: Option<&'static Field>,
    pub(crate) sort: Sort,
    pub(crate) families: Families,
    /// Values of two families, at most one of each.
    pub(crate) is_pair: bool,
    pointer: String,
    form: Form,
    /// An older single field that says the first value too.
    twin: Option<&'static str>,
    /// The field as problems name it, with `[]` for every index.
    pub(crate) told: String,
    /// The same as warnings name it; none where nobody is warned.
    pub(crate) warned: Option<String>,
    /// Places with the same group share what is kept.
    pub(crate) group: String,
    /// A problem here makes the API silent about the slot.
    pub(crate) shadow: Option<&'static str>,
    /// The part through which it is written.
    pub(crate) writes: Part,
    /// Whether only the canonical form will do, whatever the row says.
    newer: bool,
}

/// How the values stand in the object.
#[derive(Clone, Debug)]
enum Form {
    /// One text.
    Text,
    /// A list of texts.
    Texts,
    /// A list of objects, with the text at this path of each.
    Items(&'static [&'static str]),
}

impl Slot {
    /// A place of the field with this number: `pointer` leads to the text, or to the list.
    pub(crate) fn field(number: u8, pointer: &str) -> Self {
        let row = FIELDS.iter().find(|row| row.number == number).unwrap();
        let sort = match class(row) {
            Class::LegacyAddress | Class::Address => Sort::Address,
            Class::LegacyNetwork | Class::Network => Sort::Network,
            Class::InterfaceAddress => Sort::Interface,
            Class::Follows(_) => panic!("{} follows a field that follows another", row.path),
        };
        // `ips[]` is a list of texts, `ips[].ip` one of objects, `name` a text.
        let form = match row.path.rsplit_once("[]").map(|(_, rest)| rest) {
            None => Form::Text,
            Some("") => Form::Texts,
            Some(".ip") => Form::Items(&["ip"]),
            Some(".ipBlock.cidr") => Form::Items(&["ipBlock", "cidr"]),
            Some(other) => panic!("no form for {other}"),
        };
        Self { field: Some(row), ..Self::new(sort, pointer, form) }
    }

    /// A text that is no address.
    pub(crate) fn name(sort: Sort, pointer: &str) -> Self {
        Self::new(sort, pointer, Form::Text)
    }

    /// A list of texts that are no addresses.
    pub(crate) fn names(sort: Sort, pointer: &str) -> Self {
        Self::new(sort, pointer, Form::Texts)
    }

    /// A list of objects whose `hostname` is a name.
    pub(crate) fn hostnames(sort: Sort, pointer: &str) -> Self {
        Self::new(sort, pointer, Form::Items(&["hostname"]))
    }

    fn new(sort: Sort, pointer: &str, form: Form) -> Self {
        let mut path = String::new();
        for step in pointer.split('/').skip(1) {
            match step.parse::<usize>() {
                Ok(_) => path.push_str("[]"),
                Err(_) if path.is_empty() => path.push_str(step),
                Err(_) => path.push_str(&format!(".{step}")),
            }
        }
        match form {
            Form::Text => {}
            Form::Texts => path.push_str("[]"),
            Form::Items(names) => path.push_str(&format!("[].{}", names.join("."))),
        }
        let is_status = pointer.starts_with("/status");
        Self {
            field: None,
            sort,
            families: Families::Either,
            is_pair: false,
            pointer: pointer.into(),
            form,
            twin: None,
            told: path.clone(),
            warned: Some(path.clone()),
            group: path,
            shadow: None,
            writes: if is_status { Part::STATUS } else { Part::Main },
            newer: false,
        }
    }

    pub(crate) fn told(mut self, path: &str) -> Self {
        self.told = path.into();
        self
    }

    pub(crate) fn warned(mut self, path: &str) -> Self {
        self.warned = Some(path.into());
        self
    }

    pub(crate) fn never_warned(mut self) -> Self {
        self.warned = None;
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
        self.form = Form::Text;
        self
    }

    pub(crate) fn newer(mut self) -> Self {
        self.newer = true;
        self
    }

    /// How many values it holds at most.
    pub(crate) fn most(&self) -> usize {
        match self.form {
            Form::Text => 1,
            _ if self.is_pair => 2,
            _ => 3,
        }
    }

    /// Where the values stand, as the table of fields writes paths.
    pub(crate) fn place(&self) -> String {
        Self::new(self.sort, &self.pointer, self.form.clone()).told
    }

    /// What may stay on update. A field that follows another ratchets with it.
    pub(crate) fn ratchet(&self) -> Ratchet {
        match (self.field, self.sort) {
            (Some(row), _) => row.ratchet,
            (None, Sort::Search) => Ratchet::ByList,
            (None, Sort::Level) => Ratchet::ByValue,
            _ => Ratchet::Never,
        }
    }

    /// Puts values into an object; none leave it as it is.
    pub(crate) fn fill(&self, object: &mut Json, samples: &[Sample]) {
        let Some(first) = samples.first() else { return };
        let value = match self.form {
            Form::Text => json!(first.text),
            Form::Texts => samples.iter().map(|sample| json!(sample.text)).collect(),
            Form::Items(names) => samples.iter().map(|sample| item(names, &sample.text)).collect(),
        };
        put(object, &self.pointer, value);
        if let Some(twin) = self.twin {
            put(object, twin, json!(first.text));
        }
    }

    /// The rule that refuses a value which nobody kept, by the words of the proposals.
    pub(crate) fn refused_by(&self, sample: &Sample, in_force: InForce) -> Option<&'static str> {
        let newer = self.newer
            || self.field.is_some_and(|row| matches!(class(row), Class::Address | Class::Network));
        let is_special = |row: &Field| matches!(row.number, 1 | 2 | 13 | 23);
        let spelling = if self.sort == Sort::Network { "RTC-IP-002" } else { "RTC-IP-001" };
        match (self.sort, sample.fault) {
            (_, Fault::Fine) => None,
            (Sort::Interface, Fault::Broken) => Some("RTC-IP-004"),
            (Sort::Interface, _) => Some("RTC-IP-003"),
            (Sort::Address | Sort::Network, fault) => match fault {
                Fault::Broken => Some(spelling),
                Fault::Zeros | Fault::Mapped | Fault::HostBits => {
                    (newer || in_force.strict_ip).then_some(spelling)
                }
                Fault::Loose => newer.then_some("RTC-IP-003"),
                _ => self.field.is_some_and(is_special).then_some("RTC-IP-005"),
            },
            (Sort::Search, Fault::Relaxed) => (!in_force.relaxed_dns).then_some("RTC-DNS-001"),
            (Sort::Search, _) => Some("RTC-DNS-001"),
            (Sort::Level, _) => in_force.pod_security.then_some("RTC-PSA-019"),
            _ => Some("RTC-API-004"),
        }
    }
}

/// What decides whether a value is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InForce {
    pub(crate) strict_ip: bool,
    pub(crate) relaxed_dns: bool,
    pub(crate) pod_security: bool,
}

impl InForce {
    /// Everything that some gate or plugin could refuse.
    pub(crate) const STRICTEST: Self =
        Self { strict_ip: true, relaxed_dns: false, pod_security: true };

    pub(crate) fn by(policy: &Policy) -> Self {
        Self {
            strict_ip: policy.strict_ip(),
            relaxed_dns: policy.relaxed_dns(),
            pod_security: policy.plugins.pod_security,
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

/// Writes a value where a JSON pointer leads, making the maps on the way.
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
