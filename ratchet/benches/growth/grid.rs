//! A table of figures: what was measured down, sizes across.

use std::fmt;

/// Rows of figures, one column a size.
pub(crate) struct Grid {
    title: String,
    unit: &'static str,
    sizes: Vec<usize>,
    rows: Vec<(&'static str, Vec<String>)>,
}

impl Grid {
    pub(crate) fn new(title: &str, unit: &'static str, sizes: &[usize]) -> Self {
        Self { title: title.to_owned(), unit, sizes: sizes.to_vec(), rows: Vec::new() }
    }

    /// Adds the next figure of a row and prints it at once.
    pub(crate) fn add(&mut self, what: &'static str, figure: String) {
        println!("  {what}: {figure}");
        match self.rows.iter_mut().find(|(known, _)| *known == what) {
            Some((_, figures)) => figures.push(figure),
            None => self.rows.push((what, vec![figure])),
        }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "| {} |", self.title)?;
        self.sizes.iter().try_for_each(|size| write!(out, " {size} {} |", self.unit))?;
        writeln!(out, "\n|---|{}", "---|".repeat(self.sizes.len()))?;
        self.rows
            .iter()
            .try_for_each(|(what, figures)| writeln!(out, "| {what} | {} |", figures.join(" | ")))
    }
}
