//! A picture of a terminal as SVG, without scripts and fonts of its own.

use super::screen::{Line, Style};
use std::fmt::Write;

/// Height of a line, width of a character and size of the letters, in pixels.
const HEIGHT: f64 = 20.0;
const WIDTH: f64 = 8.4;
const SIZE: f64 = 14.0;

/// Space around the text.
const MARGIN: f64 = 16.0;

const BACKGROUND: &str = "#0d1117";
const FOREGROUND: &str = "#e6edf3";

/// The eight colours of terminals, from black to white.
const COLOURS: [&str; 8] =
    ["#8b949e", "#ff7b72", "#7ee787", "#f2cc60", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3"];

/// Draws lines of text.
pub(super) fn draw(title: &str, lines: &[Line]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = (columns as f64).mul_add(WIDTH, 2.0 * MARGIN).ceil();
    let height = (lines.len() as f64).mul_add(HEIGHT, 2.0 * MARGIN).ceil();
    let title = escape(title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"{SIZE}\" fill=\"{FOREGROUND}\" xml:space=\"preserve\" style=\"white-space: pre\">\n"
    );
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let y = (number as f64).mul_add(HEIGHT, MARGIN + SIZE);
        // Columns stand below each other whatever font is there.
        let length = line.len() as f64 * WIDTH;
        let _ = write!(out, "<text x=\"{MARGIN}\" y=\"{y}\" textLength=\"{length:.1}\">");
        for run in line.chunk_by(|(_, a), (_, b)| a == b) {
            let text: String = run.iter().map(|(c, _)| *c).collect();
            let style = run.first().map(|(_, style)| *style).unwrap_or_default();
            out += &span(&escape(&text), style);
        }
        out += "</text>\n";
    }
    out + "</g>\n</svg>\n"
}

/// A run of characters of one style.
fn span(text: &str, style: Style) -> String {
    let colour = style.colour.and_then(|colour| COLOURS.get(usize::from(colour)));
    let colour = colour.map(|colour| format!(" fill=\"{colour}\"")).unwrap_or_default();
    let bold = if style.is_bold { " font-weight=\"bold\"" } else { "" };
    match style == Style::default() {
        true => text.to_owned(),
        false => format!("<tspan{colour}{bold}>{text}</tspan>"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::screen::lines;
    use super::*;

    #[test]
    fn a_line_is_a_text_and_a_style_a_span() {
        let picture = draw("a & b", &lines("<x> \u{1b}[1;31mred\u{1b}[0m\n\nlast\n"));
        assert!(picture.contains("<title>a &amp; b</title>"), "{picture}");
        let first = "<text x=\"16\" y=\"30\" textLength=\"58.8\">&lt;x&gt; \
                     <tspan fill=\"#ff7b72\" font-weight=\"bold\">red</tspan></text>\n";
        assert!(picture.contains(first), "{picture}");
        assert!(picture.contains("y=\"70\" textLength=\"33.6\">last</text>"), "{picture}");
        assert_eq!(picture.matches("<text ").count(), 2, "{picture}");
        assert!(picture.contains("width=\"91\" height=\"92\""), "{picture}");
    }

    #[test]
    fn nothing_is_an_empty_terminal() {
        assert!(draw("", &[]).contains("width=\"32\" height=\"32\""));
    }
}
