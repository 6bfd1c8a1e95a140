//! Printer columns and the cells of objects.

use super::strategy::Strategy;
use crate::definition::Column;
use crate::errors::{float, tree};
use crate::json_path::JsonPath;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

/// One of `additionalPrinterColumns`, or of the columns that every kind has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// The header.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub column_type: String,
    /// The format of the values.
    pub format: String,
    /// What the column shows; empty for the columns that every resource has.
    pub description: String,
    /// 0 if the column is always printed.
    pub priority: i64,
}

/// The columns behind the name.
#[derive(Debug, Default)]
pub(super) struct Columns(Vec<(TableColumn, JsonPath)>);

impl Columns {
    /// Compiles columns; those from the first one with a malformed path on are left out, as in the reference.
    pub(super) fn compile(columns: &[Column]) -> Self {
        let age = Column {
            name: "Age".into(),
            column_type: "date".into(),
            json_path: ".metadata.creationTimestamp".into(),
            ..Column::default()
        };
        let columns = if columns.is_empty() { &[age][..] } else { columns };
        let compiled = columns.iter().map_while(|column| {
            let path = JsonPath::parse(&column.json_path)?;
            let description = match (column.description.as_str(), column.name.as_str()) {
                ("", "Age") if column.json_path == ".metadata.creationTimestamp" => String::new(),
                ("", _) => alloc::format!(
                    "Custom resource definition column (in JSONPath format): {}",
                    column.json_path
                ),
                (description, _) => description.to_string(),
            };
            let column = TableColumn {
                name: column.name.clone(),
                column_type: column.column_type.clone(),
                format: column.format.clone(),
                description,
                priority: column.priority,
            };
            Some((column, path))
        });
        Self(compiled.collect())
    }
}

impl Strategy {
    /// The columns of tables, the name first.
    pub fn columns(&self) -> Vec<TableColumn> {
        let name = TableColumn {
            name: "Name".into(),
            column_type: "string".into(),
            format: "name".into(),
            description: String::new(),
            priority: 0,
        };
        core::iter::once(name)
            .chain(self.columns.0.iter().map(|(column, _)| column.clone()))
            .collect()
    }

    /// The cells of an object, one for each column. `age` gives the text of a point in time, or `None` for what is no
    /// such point.
    pub fn cells(
        &self,
        object: &Node<'_>,
        age: impl Fn(&str) -> Option<String>,
    ) -> Vec<Node<'static>> {
        let mut cells = vec![Node::string(object.metadata().name().to_string())];
        for (column, path) in &self.columns.0 {
            let found = path.first(object);
            let cell = found.and_then(|found| cell(&column.column_type, found.node(), &age));
            cells.push(cell.unwrap_or_else(|| Node::new(Value::Null)));
        }
        cells
    }
}

fn cell(
    column_type: &str,
    node: &Node<'_>,
    age: impl Fn(&str) -> Option<String>,
) -> Option<Node<'static>> {
    match (column_type, &node.value) {
        ("string", Value::Null) => Some(Node::string("<no value>")),
        ("string", _) => Some(Node::string(plain_text(node))),
        ("integer", Value::Int(number)) => Some(Node::int(*number)),
        // Fractions are cut.
        ("integer", Value::Float(number)) => Some(Node::int(*number as i64)),
        ("number", Value::Int(number)) => Some(Node::new(Value::Float(*number as f64))),
        ("number", Value::Float(number)) => Some(Node::new(Value::Float(*number))),
        ("boolean", Value::Bool(truth)) => Some(Node::bool(*truth)),
        ("date", Value::Text(text)) => {
            Some(Node::string(age(text).unwrap_or_else(|| "<invalid>".into())))
        }
        _ => None,
    }
}

/// A value as text: as it is, or as JSON if it is a list or an object.
pub(super) fn plain_text(node: &Node<'_>) -> String {
    match &node.value {
        Value::Null => String::new(),
        Value::Text(text) => text.to_string(),
        Value::Float(number) => float(*number, false),
        _ => tree(Some(node)),
    }
}
