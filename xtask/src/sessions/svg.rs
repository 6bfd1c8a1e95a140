//! A picture of a terminal as SVG, without scripts and fonts of its own.

use super::screen::{Line, Style};

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
         font-size=\"{SIZE}\" fill=\"{FOREGROUND}\">\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let y = (number as f64).mul_add(HEIGHT, MARGIN + SIZE);
        for (column, piece) in pieces(line) {
            out += &text(column, y, piece);
        }
    }
    out + "</g>\n</svg>\n"
}

/// The pieces of a line that are drawn at once, each with its column: words of one style.
fn pieces(line: &Line) -> Vec<(usize, &[(char, Style)])> {
    let mut found = Vec::new();
    let mut column = 0;
    let is_blank = |(c, _): &(char, Style)| *c == ' ';
    let belong = |a: &(char, Style), b: &(char, Style)| a.1 == b.1 && is_blank(a) == is_blank(b);
    for word in line.chunk_by(belong) {
        if !word.iter().all(is_blank) {
            found.push((column, word));
        }
        column += word.len();
    }
    found
}

/// One piece, as wide as its columns: words stand below each other whatever font is there.
fn text(column: usize, y: f64, piece: &[(char, Style)]) -> String {
    let x = (column as f64).mul_add(WIDTH, MARGIN);
    let length = piece.len() as f64 * WIDTH;
    let style = piece.first().map(|(_, style)| *style).unwrap_or_default();
    let colour = style.colour.and_then(|colour| COLOURS.get(usize::from(colour)));
    let colour = colour.map(|colour| format!(" fill=\"{colour}\"")).unwrap_or_default();
    let bold = if style.is_bold { " font-weight=\"bold\"" } else { "" };
    let text: String = piece.iter().map(|(c, _)| *c).collect();
    let text = escape(&text);
    format!("<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{length:.1}\"{colour}{bold}>{text}</text>\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::screen::lines;
    use super::*;

    #[test]
    fn every_word_has_its_place_and_its_style() {
        let picture = draw("a & b", &lines("<x> \u{1b}[1;31mred\u{1b}[0m\n\nlast\n"));
        assert!(picture.contains("<title>a &amp; b</title>"), "{picture}");
        for text in [
            "<text x=\"16.0\" y=\"30\" textLength=\"25.2\">&lt;x&gt;</text>\n",
            "<text x=\"49.6\" y=\"30\" textLength=\"25.2\" fill=\"#ff7b72\" font-weight=\"bold\">red</text>\n",
            "<text x=\"16.0\" y=\"70\" textLength=\"33.6\">last</text>\n",
        ] {
            assert!(picture.contains(text), "{picture}");
        }
        assert_eq!(picture.matches("<text ").count(), 3, "{picture}");
        assert!(picture.contains("width=\"91\" height=\"92\""), "{picture}");
    }

    #[test]
    fn nothing_is_an_empty_terminal() {
        assert!(draw("", &[]).contains("width=\"32\" height=\"32\""));
    }
}
