//! Values of trees under their declared types (apiserver's `UnstructuredToVal`).

use super::{DeclKind, DeclType, Members, TypedList, TypedMap};
use crate::strfmt;
use crate::{List, Map, Text, Timestamp, Value};
use alloc::format;
use ratchet_object::{Node, Value as Tree};

impl DeclType {
    /// The value of a node of this type. A node that does not fit is a value that cannot be used.
    pub fn value<'t>(&'t self, node: &'t Node<'t>) -> Value<'t> {
        match (&self.kind, &node.value) {
            (_, Tree::Null) if self.nullable => Value::Null,
            (DeclKind::Preserved, _) => Value::of(node),
            (_, Tree::Null) => {
                Value::invalid("invalid data, got null for schema with nullable=false")
            }
            (DeclKind::Object(fields), Tree::Map(entries)) => {
                let members = Members::Fields(fields);
                Value::Map(Map::Typed(TypedMap { entries, members }))
            }
            (DeclKind::Map { values }, Tree::Map(entries)) => {
                let members = Members::Values(values);
                Value::Map(Map::Typed(TypedMap { entries, members }))
            }
            (DeclKind::List { items, topology }, Tree::List(nodes)) => {
                Value::List(List::Typed(TypedList { nodes, items, topology }))
            }
            (DeclKind::String | DeclKind::IntOrString, Tree::Text(text)) => {
                Value::Text(Text::Borrowed(text))
            }
            (DeclKind::Int | DeclKind::IntOrString, Tree::Int(number)) => Value::Int(*number),
            (DeclKind::Double, Tree::Int(number)) => Value::Double(*number as f64),
            (DeclKind::Double, Tree::Float(number)) => Value::Double(*number),
            (DeclKind::Bool, Tree::Bool(truth)) => Value::Bool(*truth),
            (_, Tree::Text(text)) => self.formatted(text),
            _ => self.violation(node),
        }
    }

    /// The value of a string with a format.
    fn formatted<'t>(&self, text: &str) -> Value<'t> {
        let (value, format) = match self.kind {
            DeclKind::Duration => {
                (strfmt::parse_duration(text).map(Value::Duration), "Invalid duration")
            }
            DeclKind::Date => {
                let time = strfmt::parse_date(text).map(Value::Timestamp);
                (time, "Invalid date formatted string")
            }
            DeclKind::DateTime => {
                let time = strfmt::parse_date_time(text).map(Value::Timestamp);
                (time, "Invalid date-time formatted string")
            }
            DeclKind::Bytes => {
                (strfmt::decode_bytes(text).map(Value::bytes), "Invalid byte formatted string")
            }
            _ => {
                return Value::invalid(&format!(
                    "invalid data, expected {}",
                    self.expected("string")
                ));
            }
        };
        value.unwrap_or_else(|| Value::invalid(&format!("{format} {text}")))
    }

    fn violation<'t>(&self, node: &Node<'_>) -> Value<'t> {
        Value::invalid(&format!("invalid data, expected {}", self.expected(go_type(node))))
    }

    fn expected(&self, actual: &str) -> alloc::string::String {
        match self.kind {
            DeclKind::Object(_) | DeclKind::Map { .. } => {
                "a map for the provided schema with type=object".into()
            }
            DeclKind::List { .. } => "an array for the provided schema with type=array".into(),
            DeclKind::IntOrString => "XIntOrString value to be either a string or integer".into(),
            DeclKind::Double => format!("float, got {actual}"),
            DeclKind::Int => format!("int, got {actual}"),
            DeclKind::Bool => format!("bool, got {actual}"),
            _ => format!("string, got {actual}"),
        }
    }
}

/// The name of a node's Go type.
fn go_type(node: &Node<'_>) -> &'static str {
    match node.value {
        Tree::Null => "<nil>",
        Tree::Bool(_) => "bool",
        Tree::Int(_) => "int64",
        Tree::Float(_) => "float64",
        Tree::Text(_) => "string",
        Tree::List(_) => "[]interface {}",
        Tree::Map(_) => "map[string]interface {}",
    }
}

impl<'t> TypedList<'t> {
    /// The item at `index`.
    pub(crate) fn get(&self, index: usize) -> Option<Value<'t>> {
        self.nodes.get(index).map(|node| self.items.value(node))
    }
}

impl<'t> TypedMap<'t> {
    /// The name in the tree of the member that expressions call `name`, and its type.
    pub(crate) fn member<'n>(&self, name: &'n str) -> Option<(&'n str, &'t DeclType)>
    where
        't: 'n,
    {
        match self.members {
            Members::Values(values) => Some((name, values)),
            Members::Fields(fields) => {
                fields.identified(name).map(|field| (&*field.name, &*field.ty))
            }
        }
    }

    /// The value of a member's node; `null` is absent from an object.
    pub(crate) fn value(&self, node: &'t Node<'t>, ty: &'t DeclType) -> Option<Value<'t>> {
        let is_absent = matches!(self.members, Members::Fields(_)) && node.is_null();
        (!is_absent).then(|| ty.value(node))
    }

    /// The member that expressions call `name`.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'t>> {
        let (key, ty) = self.member(name)?;
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        self.value(&entry.node, ty)
    }

    /// The member that the tree calls `name`, as it is there.
    pub(crate) fn raw(&self, name: &str) -> Option<Value<'t>> {
        self.entries.iter().find(|entry| entry.key == name).map(|entry| Value::of(&entry.node))
    }

    /// The key and the value at a position; what the type does not declare is as it is in the tree.
    pub(crate) fn entry(&self, index: usize) -> Option<(Value<'t>, Value<'t>)> {
        let entry = self.entries.get(index)?;
        let (key, value) = match self.members {
            Members::Values(values) => (&*entry.key, values.value(&entry.node)),
            Members::Fields(fields) => match fields.named(&entry.key) {
                Some(field) => (
                    field.identifier.as_deref().unwrap_or(&field.name),
                    field.ty.value(&entry.node),
                ),
                None => (&*entry.key, Value::of(&entry.node)),
            },
        };
        Some((Value::Text(Text::Borrowed(key)), value))
    }
}

impl Value<'_> {
    /// A value that cannot be used; using it is an error with this message.
    pub(crate) fn invalid(message: &str) -> Self {
        Self::Invalid(message.into())
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(time: Timestamp) -> Self {
        Self::Timestamp(time)
    }
}
