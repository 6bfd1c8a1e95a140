//! Markdown tables.

/// Renders a table; bars and line breaks in cells are escaped.
pub(super) fn table<const N: usize>(
    heads: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let head = line(&heads.map(str::to_owned));
    let rule = format!("|{}\n", "---|".repeat(N));
    let body: String = rows.into_iter().map(|row| line(&row)).collect();
    format!("{head}{rule}{body}")
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> =
        cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_in_a_cell_makes_no_new_cell() {
        let table = table(["a", "b"], [["x|y".to_owned(), "one\ntwo".to_owned()]]);
        assert_eq!(table, "| a | b |\n|---|---|\n| x\\|y | one two |\n");
    }
}
