//! The `scale` subresource: where replicas and selectors stand in an object.

use super::strategy::Strategy;
use crate::errors::{ErrorList, float, quoted};
use crate::path::Path;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use ratchet_object::{Node, Value, go_syntax};

/// The most replicas that a Scale can name.
const MAX_REPLICAS: i64 = 2_147_483_647;

/// Why an object has no scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScaleError {
    /// The number of replicas is not set; the path is where it should stand.
    Missing(String),
    /// A value has another type.
    Accessor(String),
}

impl fmt::Display for ScaleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => {
                write!(f, "the spec replicas field {} does not exist", quoted(path))
            }
            Self::Accessor(message) => f.write_str(message),
        }
    }
}

impl core::error::Error for ScaleError {}

impl Strategy {
    /// The Scale of an object, and before it whether its replicas are set.
    pub fn scale_of(&self, object: &Node<'_>) -> Option<Result<(bool, Node<'static>), ScaleError>> {
        let scale = self.scale.as_ref()?;
        let read = || -> Result<(bool, Node<'static>), String> {
            let replicas = nested_int(object, &scale.spec_replicas_path)?;
            let status = nested_int(object, &scale.status_replicas_path)?.unwrap_or_default();
            let mut status = Node::map([("replicas", Node::int(status))]);
            if let Some(path) = scale.label_selector_path.as_deref().filter(|path| !path.is_empty())
            {
                let selector = nested_text(object, path)?.unwrap_or_default();
                if !selector.is_empty() {
                    status.set("selector", Node::string(selector));
                }
            }
            let mut metadata = Node::empty_map();
            for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
                if let Some(value) = object.find(&["metadata", name]) {
                    metadata.set(name, value.clone().into_owned());
                }
            }
            let mut spec = Node::empty_map();
            if let Some(replicas) = replicas.filter(|replicas| *replicas != 0) {
                spec.set("replicas", Node::int(replicas));
            }
            let node = Node::map([
                ("kind", Node::string("Scale")),
                ("apiVersion", Node::string("autoscaling/v1")),
                ("metadata", metadata),
                ("spec", spec),
                ("status", status),
            ]);
            Ok((replicas.is_some(), node))
        };
        Some(read().map_err(ScaleError::Accessor))
    }

    /// The Scale of an object whose replicas are set.
    pub fn read_scale(&self, object: &Node<'_>) -> Option<Result<Node<'static>, ScaleError>> {
        let path = &self.scale.as_ref()?.spec_replicas_path;
        Some(self.scale_of(object)?.and_then(|(has_replicas, scale)| match has_replicas {
            true => Ok(scale),
            false => Err(ScaleError::Missing(path.clone())),
        }))
    }

    /// Writes the replicas of a Scale into an object.
    pub fn write_scale(&self, object: &mut Node<'_>, scale: &Node<'_>) {
        let Some(paths) = &self.scale else { return };
        let replicas = scale.find(&["spec", "replicas"]).and_then(Node::as_int).unwrap_or_default();
        let mut steps: Vec<String> = steps(&paths.spec_replicas_path).map(Into::into).collect();
        let Some(last) = steps.pop() else { return };
        let mut node = object;
        for step in steps {
            if !matches!(node.get(&step), Some(Node { value: Value::Map(_), .. })) {
                node.set(step.clone(), Node::empty_map());
            }
            match node.get_mut(&step) {
                Some(below) => node = below,
                None => return,
            }
        }
        node.set(last, Node::int(replicas));
    }

    pub(super) fn validate_scale_spec(&self, object: &Node<'_>, errors: &mut ErrorList) {
        if let Some(scale) = &self.scale {
            replicas(object, &scale.spec_replicas_path, errors);
        }
    }

    pub(super) fn validate_scale_status(&self, object: &Node<'_>, errors: &mut ErrorList) {
        let Some(scale) = &self.scale else { return };
        replicas(object, &scale.status_replicas_path, errors);
        if let Some(path) = scale.label_selector_path.as_deref()
            && let Err(error) = nested_text(object, path)
        {
            errors.invalid(&Path::root(path), object.span, quoted(""), error);
        }
    }
}

fn replicas(object: &Node<'_>, path: &str, errors: &mut ErrorList) {
    let at = Path::root(path);
    match nested_int(object, path) {
        Err(error) => errors.invalid(&at, object.span, "0", error),
        Ok(Some(number)) if number < 0 => {
            let detail = "should be a non-negative integer";
            errors.invalid(&at, object.span, number.to_string(), detail);
        }
        Ok(Some(number)) if number > MAX_REPLICAS => {
            let detail = alloc::format!("should be less than or equal to {MAX_REPLICAS}");
            errors.invalid(&at, object.span, number.to_string(), detail);
        }
        Ok(_) => {}
    }
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.strip_prefix('.').unwrap_or(path).split('.')
}

/// The value at a path; an error if something on the way is no object.
fn nested<'n>(object: &'n Node<'n>, path: &str) -> Result<Option<&'n Node<'n>>, String> {
    let mut node = object;
    let mut walked = String::new();
    for step in steps(path) {
        walked.push('.');
        walked.push_str(step);
        match &node.value {
            Value::Null => return Ok(None),
            Value::Map(_) => {}
            // The path names what was looked for.
            _ => return Err(accessor_error(&walked, node, "map[string]interface{}")),
        }
        match node.get(step) {
            Some(below) => node = below,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

fn nested_int(object: &Node<'_>, path: &str) -> Result<Option<i64>, String> {
    match nested(object, path)? {
        None => Ok(None),
        Some(node) => match node.value {
            Value::Int(number) => Ok(Some(number)),
            _ => Err(accessor_error(&dotted(path), node, "int64")),
        },
    }
}

fn nested_text(object: &Node<'_>, path: &str) -> Result<Option<String>, String> {
    match nested(object, path)? {
        None => Ok(None),
        Some(node) => match node.text() {
            Some(text) => Ok(Some(text.into())),
            None => Err(accessor_error(&dotted(path), node, "string")),
        },
    }
}

fn dotted(path: &str) -> String {
    steps(path).fold(String::new(), |all, step| all + "." + step)
}

fn accessor_error(path: &str, node: &Node<'_>, expected: &str) -> String {
    let actual = go_syntax::type_name(node);
    alloc::format!(
        "{path} accessor error: {} is of the type {actual}, expected {expected}",
        go_text(node)
    )
}

/// A value as Go's `%v` writes it.
fn go_text(node: &Node<'_>) -> String {
    match &node.value {
        Value::Null => "<nil>".into(),
        Value::Text(text) => text.to_string(),
        Value::Float(number) => float(*number, false),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(go_text).collect();
            alloc::format!("[{}]", items.join(" "))
        }
        Value::Map(entries) => {
            let mut members: Vec<String> = entries
                .iter()
                .map(|entry| alloc::format!("{}:{}", entry.key, go_text(&entry.node)))
                .collect();
            members.sort_unstable();
            alloc::format!("map[{}]", members.join(" "))
        }
        _ => node.to_json(),
    }
}
