//! A path into a JSON object, along which values are read, set and removed.

use serde_json::{Map, Value};
use std::fmt;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of a type.
    Field(&'static str),
    /// A key of a map.
    Key(String),
    /// An item of a list.
    Item(usize),
}

/// Where a value stands in an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

impl Path {
    /// The path that goes one step further.
    pub(crate) fn join(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The path without the indexes and keys that differ from one object to the next.
    pub(crate) fn general(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            match step {
                Step::Field(name) if text.is_empty() => text.push_str(name),
                Step::Field(name) => text.extend([".", name]),
                Step::Key(_) => text.push_str("{}"),
                Step::Item(_) => text.push_str("[]"),
            }
        }
        text
    }

    /// Puts a value there, and what is missing on the way.
    fn set(&self, object: &mut Value, value: Value) {
        let mut at = object;
        for step in &self.0 {
            let Some(next) = step.enter(at) else { return };
            at = next;
        }
        *at = value;
    }

    /// Changes the object here.
    pub(crate) fn change(&self, object: &mut Value, change: &Change) {
        match change {
            Change::Set(value) => self.set(object, value.clone()),
            Change::Remove => {
                self.take(object);
            }
            Change::Misspell => {
                if let (Some(value), Some((Step::Field(name), above))) =
                    (self.take(object), self.0.split_last())
                {
                    Self(above.to_vec()).join(Step::Key(format!("{name}x"))).set(object, value);
                }
            }
        }
    }

    /// Takes the value away, if there is one.
    fn take(&self, object: &mut Value) -> Option<Value> {
        let (last, parents) = self.0.split_last()?;
        let parent = parents.iter().try_fold(object, |at, step| match step {
            Step::Field(name) => at.get_mut(*name),
            Step::Key(key) => at.get_mut(key),
            Step::Item(index) => at.get_mut(*index),
        });
        match (parent, last) {
            (Some(Value::Object(map)), Step::Field(name)) => map.remove(*name),
            (Some(Value::Object(map)), Step::Key(key)) => map.remove(key),
            (Some(Value::Array(items)), Step::Item(index)) if *index < items.len() => {
                Some(items.remove(*index))
            }
            _ => None,
        }
    }
}

/// A change of one member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    Set(Value),
    Remove,
    /// Gives the member a name that nothing has.
    Misspell,
}

impl Step {
    /// The value behind this step, made if it is missing.
    fn enter<'a>(&self, at: &'a mut Value) -> Option<&'a mut Value> {
        match self {
            Self::Field(name) => member(at, name),
            Self::Key(key) => member(at, key),
            Self::Item(index) => {
                if !at.is_array() {
                    *at = Value::Array(Vec::new());
                }
                let items = at.as_array_mut()?;
                if items.len() <= *index {
                    items.resize(*index + 1, Value::Null);
                }
                items.get_mut(*index)
            }
        }
    }
}

fn member<'a>(at: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    Some(at.as_object_mut()?.entry(name).or_insert(Value::Null))
}

impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if index == 0 => write!(out, "{name}")?,
                Step::Field(name) => write!(out, ".{name}")?,
                Step::Key(key) => write!(out, "[{key}]")?,
                Step::Item(item) => write!(out, "[{item}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn path(steps: &[Step]) -> Path {
        steps.iter().fold(Path::default(), |path, step| path.join(step.clone()))
    }

    #[test]
    fn a_value_is_set_where_nothing_was() {
        let ports = path(&[Step::Field("spec"), Step::Field("ports"), Step::Item(0)]);
        let name = ports.join(Step::Field("name"));
        let mut object = json!({"kind": "Service"});
        name.set(&mut object, json!("http"));
        assert_eq!(object, json!({"kind": "Service", "spec": {"ports": [{"name": "http"}]}}));
        name.change(&mut object, &Change::Misspell);
        assert_eq!(object, json!({"kind": "Service", "spec": {"ports": [{"namex": "http"}]}}));
        assert_eq!(name.take(&mut object), None);
        ports.change(&mut object, &Change::Remove);
        assert_eq!(object, json!({"kind": "Service", "spec": {"ports": []}}));
    }

    #[test]
    fn a_path_is_told_with_and_without_indexes() {
        let labels = path(&[Step::Field("metadata"), Step::Field("labels")]);
        let label = labels.join(Step::Key("app".to_owned()));
        assert_eq!(
            (label.to_string(), label.general()),
            ("metadata.labels[app]".into(), "metadata.labels{}".into())
        );
        let item = path(&[Step::Field("rules"), Step::Item(2), Step::Field("verbs")]);
        assert_eq!(
            (item.to_string(), item.general()),
            ("rules[2].verbs".into(), "rules[].verbs".into())
        );
    }
}
