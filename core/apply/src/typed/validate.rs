//! Validation of values against their types, in the words of structured-merge-diff.

use super::{Level, items};
use crate::path_element::PathElement;
use crate::schema::{ListType, MapType, One, Relation, Scalar, TypeRef};
use crate::value::{GoSyntax, Plain, go_type};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use ratchet_object::{Node, Value};

/// Whether sets and lists with keys may hold an item twice. Applied configurations may not, stored objects may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    Allowed,
    Refused,
}

/// A value that does not fit its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValidationError {
    path: String,
    message: String,
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

/// The errors of one value: one as it is, several on lines of their own.
pub(crate) fn message(errors: &[ValidationError]) -> String {
    if let [error] = errors {
        return error.to_string();
    }
    errors.iter().fold(String::from("errors:"), |text, error| format!("{text}\n  {error}"))
}

/// More errors than these tell nobody anything, and a hostile body could make millions.
const MAX_ERRORS: usize = 1000;

/// The most bytes of paths in errors: a long name can be part of many.
const MAX_PATHS: usize = 1 << 20;

/// Checks an object; or the message about all that does not fit.
pub(crate) fn validate(
    object: &Node<'_>,
    ty: TypeRef<'_>,
    duplicates: Duplicates,
) -> Result<(), String> {
    let mut walk = Validation { errors: Vec::new(), path: Vec::new(), path_bytes: 0, duplicates };
    walk.value(object, ty, Level::Object);
    if walk.errors.is_empty() { Ok(()) } else { Err(message(&walk.errors)) }
}

struct Validation<'a> {
    errors: Vec<ValidationError>,
    path: Vec<PathElement<'a>>,
    /// The length of all paths in errors.
    path_bytes: usize,
    duplicates: Duplicates,
}

impl<'a> Validation<'a> {
    fn report(&mut self, message: String) {
        if self.errors.len() < MAX_ERRORS && self.path_bytes < MAX_PATHS {
            let path: String = self.path.iter().map(ToString::to_string).collect();
            self.path_bytes += path.len();
            self.errors.push(ValidationError { path, message });
        }
    }

    fn below(&mut self, element: PathElement<'a>, node: &'a Node<'a>, ty: TypeRef<'a>, at: Level) {
        self.path.push(element);
        self.value(node, ty, at);
        self.path.pop();
    }

    fn value(&mut self, node: &'a Node<'a>, ty: TypeRef<'a>, level: Level) {
        match ty.atom().deduce(Some(node)).first() {
            One::Map(map) => self.map(node, map, level),
            One::Scalar(scalar) => self.scalar(node, scalar),
            One::List(list) => self.list(node, list),
            One::Nothing => self.report("schema error: invalid atom: inlined".to_string()),
        }
    }

    fn scalar(&mut self, node: &'a Node<'a>, scalar: Scalar) {
        let fault = match (scalar, &node.value) {
            (_, Value::Null) => return,
            (Scalar::Numeric, Value::Int(_) | Value::Float(_))
            | (Scalar::String, Value::Text(_))
            | (Scalar::Boolean, Value::Bool(_)) => return,
            (Scalar::Untyped, Value::List(_) | Value::Map(_)) => {
                format!("expected any scalar, got &{{{}}}", Plain(node))
            }
            (Scalar::Untyped, _) => return,
            (Scalar::Numeric, value) => {
                format!("expected numeric (int or float), got {}", go_type(value))
            }
            (Scalar::String, _) => {
                let value = GoSyntax(node);
                format!("expected string, got &value.valueUnstructured{{Value:{value}}}")
            }
            (Scalar::Boolean, _) => format!("expected boolean, got &{{{}}}", Plain(node)),
        };
        self.report(fault);
    }

    fn map(&mut self, node: &'a Node<'a>, map: MapType<'a>, level: Level) {
        let entries = match &node.value {
            Value::Null => return,
            Value::Map(entries) => entries,
            _ => return self.report(format!("expected map, got &{{{}}}", Plain(node))),
        };
        for entry in entries {
            let Some(level) = level.member(&entry.key) else { continue };
            let element = PathElement::Field(&entry.key);
            match map.member(&entry.key) {
                Some(ty) => self.below(element, &entry.node, ty, level),
                None => {
                    self.path.push(element);
                    self.report("field not declared in schema".to_string());
                    self.path.pop();
                    return;
                }
            }
        }
    }

    fn list(&mut self, node: &'a Node<'a>, list: ListType<'a>) {
        let items = match &node.value {
            Value::Null => return,
            Value::List(items) => items,
            _ => return self.report(format!("expected list, got &{{{}}}", Plain(node))),
        };
        if let Relation::Atomic = list.relation {
            for (index, item) in (0..).zip(items) {
                self.below(PathElement::Index(index), item, list.items, Level::Inside);
            }
            return;
        }
        let mut elements = Vec::with_capacity(items.len());
        let mut fault = None;
        for (index, item) in items.iter().enumerate() {
            match items::element(&list, item) {
                Ok(element) => elements.push(element),
                // Without its element nothing can be said about an item, nor about those behind it.
                Err(error) => {
                    fault = Some(format!("element {index}: {error}"));
                    break;
                }
            }
        }
        let repeated = self.repeated(&elements);
        for (index, (element, item)) in elements.into_iter().zip(items).enumerate() {
            if repeated.binary_search(&index).is_ok() {
                self.report(format!("duplicate entries for key {element}"));
            }
            self.below(element, item, list.items, Level::Inside);
        }
        if let Some(fault) = fault {
            self.report(fault);
        }
    }

    /// The indices of elements that are there before, sorted.
    fn repeated(&self, elements: &[PathElement<'a>]) -> Vec<usize> {
        if self.duplicates == Duplicates::Allowed {
            return Vec::new();
        }
        let mut sorted: Vec<(&PathElement<'a>, usize)> =
            elements.iter().enumerate().map(|(index, element)| (element, index)).collect();
        sorted.sort();
        let pairs = sorted.iter().zip(sorted.iter().skip(1));
        let mut repeated: Vec<usize> =
            pairs.filter(|(one, other)| one.0 == other.0).map(|(_, other)| other.1).collect();
        repeated.sort_unstable();
        repeated
    }
}
