//! Columns and cells of a resource's tables: by the printer of its kind, or by the printer columns of its definition.

use super::ServedResource;
use ratchet_object::Node;
use ratchet_table::{age_of, cells, columns};

/// A column definition of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnDefinition<'c> {
    /// The header.
    pub(crate) name: &'c str,
    /// The type of the values.
    pub(crate) column_type: &'c str,
    /// The format of the values.
    pub(crate) format: &'c str,
    /// What the column shows.
    pub(crate) description: &'c str,
    /// 0 if the column is always printed.
    pub(crate) priority: i64,
}

/// The columns of a kind that has a printer.
pub(crate) fn printer_columns(
    group: &str,
    kind: &str,
) -> impl Iterator<Item = ColumnDefinition<'static>> {
    columns(group, kind).iter().map(|column| ColumnDefinition {
        name: column.name,
        column_type: column.kind,
        format: column.format,
        description: column.description,
        priority: column.priority.into(),
    })
}

impl ServedResource {
    /// Passes every column of its tables to `visit`, in their order.
    pub(crate) fn for_each_column(&self, visit: impl FnMut(ColumnDefinition<'_>)) {
        let Some(defined) = self.defined() else {
            return printer_columns(self.row().group, self.row().kind).for_each(visit);
        };
        let columns = defined.strategy().columns();
        let columns = columns.iter().map(|column| ColumnDefinition {
            name: &column.name,
            column_type: &column.column_type,
            format: &column.format,
            description: &column.description,
            priority: column.priority,
        });
        columns.for_each(visit);
    }

    /// The cells of an object, in the order of the columns. `now` is the Unix time in seconds.
    pub(crate) fn cells(&self, object: &Node<'_>, now: i64) -> Vec<Node<'static>> {
        match self.defined() {
            Some(defined) => defined.strategy().cells(object, |text| age_of(text, now)),
            None => cells(self.row().group, self.row().kind, object, now),
        }
    }
}
