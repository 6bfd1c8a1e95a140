//! What a column is, and what a kind's row in the tables of this crate is.

use crate::shown::{Cells, Shown};

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub name: &'static str,
    /// `string`, `integer`, `boolean` or `date`.
    pub kind: &'static str,
    /// `name` if its cells name objects, else nothing.
    pub format: &'static str,
    /// What its cells tell.
    pub description: &'static str,
    /// 0 if it is always shown, 1 if only in wide tables.
    pub priority: u8,
}

impl Column {
    /// The same column, shown in wide tables only.
    pub(crate) const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    /// The same column, naming objects.
    pub(crate) const fn of_names(self) -> Self {
        Self { format: "name", ..self }
    }

    const fn of(kind: &'static str, name: &'static str, description: &'static str) -> Self {
        Self { name, kind, format: "", description, priority: 0 }
    }
}

/// How objects of one kind are shown.
pub(crate) struct Row {
    /// The group of the kind.
    pub(crate) group: &'static str,
    /// The kind.
    pub(crate) kind: &'static str,
    /// Its columns.
    pub(crate) columns: &'static [Column],
    /// Fills them.
    pub(crate) cells: fn(&Shown<'_>) -> Cells,
}

/// What the column Created At tells.
pub(crate) const CREATED: &str = "When the object was created, by the clock of the server, in UTC.";

/// The name of an object.
pub(crate) const NAME: Column =
    text("Name", "The name of the object, unique among its kind in its namespace.").of_names();
/// The age of an object.
pub(crate) const AGE: Column = text("Age", "The time since the object was created.");
/// The containers of a template.
pub(crate) const CONTAINERS: Column =
    text("Containers", "The names of the containers in the template.").wide();
/// The images of a template.
pub(crate) const IMAGES: Column =
    text("Images", "The images that the containers in the template run.").wide();
/// The pods of a controller.
pub(crate) const SELECTOR: Column =
    text("Selector", "The labels of the pods that belong to the object.").wide();

/// A column of texts.
pub(crate) const fn text(name: &'static str, description: &'static str) -> Column {
    Column::of("string", name, description)
}

/// A column of whole numbers.
pub(crate) const fn integer(name: &'static str, description: &'static str) -> Column {
    Column::of("integer", name, description)
}

/// A column of truths.
pub(crate) const fn boolean(name: &'static str, description: &'static str) -> Column {
    Column::of("boolean", name, description)
}

/// A column of points in time.
pub(crate) const fn date(name: &'static str, description: &'static str) -> Column {
    Column::of("date", name, description)
}
