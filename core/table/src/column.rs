//! Columns of tables, and the printer of a kind.

use crate::printed_object::{Cells, PrintedObject};

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The column header, which kubectl prints in upper case.
    pub name: &'static str,
    /// `string`, `integer`, `boolean` or `date`.
    pub kind: &'static str,
    /// `name` if its cells name objects, else nothing.
    pub format: &'static str,
    /// A description of the cells.
    pub description: &'static str,
    /// 0 if the column is always printed, 1 if only in wide tables.
    pub priority: u8,
}

impl Column {
    /// The same column, in wide tables only.
    pub(crate) const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    /// The same column, with the format `name`.
    pub(crate) const fn with_name_format(self) -> Self {
        Self { format: "name", ..self }
    }

    const fn of(kind: &'static str, name: &'static str, description: &'static str) -> Self {
        Self { name, kind, format: "", description, priority: 0 }
    }
}

/// The printer of one kind.
pub(crate) struct Row {
    /// The group of the kind.
    pub(crate) group: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) columns: &'static [Column],
    /// Formats an object as one cell per column.
    pub(crate) cells: fn(&PrintedObject<'_>) -> Cells,
}

/// The description of the column Created At.
pub(crate) const CREATED: &str = "When the object was created, by the clock of the server, in UTC.";

pub(crate) const NAME: Column =
    text("Name", "The name of the object, unique among its kind in its namespace.")
        .with_name_format();
pub(crate) const AGE: Column = text("Age", "The time since the object was created.");
/// The containers of a pod template.
pub(crate) const CONTAINERS: Column =
    text("Containers", "The names of the containers in the template.").wide();
/// The images of a pod template.
pub(crate) const IMAGES: Column =
    text("Images", "The images that the containers in the template run.").wide();
/// The selector of a controller.
pub(crate) const SELECTOR: Column =
    text("Selector", "The labels of the pods that belong to the object.").wide();

/// A string column.
pub(crate) const fn text(name: &'static str, description: &'static str) -> Column {
    Column::of("string", name, description)
}

/// An integer column.
pub(crate) const fn integer(name: &'static str, description: &'static str) -> Column {
    Column::of("integer", name, description)
}

/// A boolean column.
pub(crate) const fn boolean(name: &'static str, description: &'static str) -> Column {
    Column::of("boolean", name, description)
}

/// A date column.
pub(crate) const fn date(name: &'static str, description: &'static str) -> Column {
    Column::of("date", name, description)
}
