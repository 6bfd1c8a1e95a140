//! Texts for people: control characters escaped, counts, cells of Markdown tables.

/// Text with control characters escaped, which a terminal would interpret.
pub fn visible(text: &str) -> String {
    let is_tame = |c: char| !c.is_control();
    if text.chars().all(is_tame) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| if is_tame(c) { c.to_string() } else { c.escape_default().to_string() })
        .collect()
}

/// JSON with the control characters escaped that it may contain verbatim: some control terminals.
pub fn escape_control(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\n' => out.push(c),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// `1 object`, `2 objects`, `2 patches`.
pub fn count(number: u64, noun: &str) -> String {
    let ending = if noun.ends_with("ch") { "es" } else { "s" };
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}{ending}") }
}

/// Text escaped for a cell of a Markdown table: a bar would end it, and markup would be rendered.
pub fn markdown_cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}
