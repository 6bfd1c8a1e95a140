//! Text with ANSI colours as a terminal shows it: lines of styled characters.

/// How a character looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) is_bold: bool,
    /// One of the eight colours of terminals.
    pub(super) colour: Option<u8>,
}

/// A line of characters with their styles.
pub(super) type Line = Vec<(char, Style)>;

/// Splits a text into lines and takes the escape sequences out; blanks at the end of a line are left out.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut style = Style::default();
    for text in text.lines() {
        let mut line = Line::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some((codes, after)) = escape(rest) {
                codes.split(';').for_each(|code| style.apply(code));
                rest = after;
                continue;
            }
            line.push((first, style));
            rest = rest.split_at(first.len_utf8()).1;
        }
        while line.pop_if(|(c, _)| *c == ' ').is_some() {}
        lines.push(line);
    }
    lines
}

/// The codes of the sequence `ESC [ codes m` that a text begins with, and the rest.
fn escape(text: &str) -> Option<(&str, &str)> {
    let (codes, rest) = text.strip_prefix("\u{1b}[")?.split_once('m')?;
    codes.bytes().all(|byte| byte.is_ascii_digit() || byte == b';').then_some((codes, rest))
}

impl Style {
    fn apply(&mut self, code: &str) {
        match code.parse().unwrap_or(0_u8) {
            0 => *self = Self::default(),
            1 => self.is_bold = true,
            22 => self.is_bold = false,
            39 => self.colour = None,
            // Bright colours are shown as the plain ones.
            code @ (30..=37 | 90..=97) => self.colour = Some(code % 10),
            _ => {}
        }
    }
}

/// Breaks lines at the width of a terminal.
pub(super) fn wrap(lines: &[Line], columns: usize) -> Vec<Line> {
    let mut wrapped = Vec::new();
    for line in lines {
        match line.is_empty() {
            true => wrapped.push(Line::new()),
            false => wrapped.extend(line.chunks(columns.max(1)).map(<[_]>::to_vec)),
        }
    }
    wrapped
}

/// The characters alone.
pub(super) fn plain(lines: &[Line]) -> String {
    lines.iter().flat_map(|line| line.iter().map(|(c, _)| *c).chain(['\n'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out_of_the_text() {
        let lines = lines("a\u{1b}[1;31mb\u{1b}[0mc  \n\u{1b}[94m\u{1b}[1md\n\u{1b}[22;39me\n");
        assert_eq!(plain(&lines), "abc\nd\ne\n");
        let bold = |colour| Style { is_bold: true, colour: Some(colour) };
        let none = Style::default();
        assert_eq!(lines[0], [('a', none), ('b', bold(1)), ('c', none)]);
        // A style goes on into the next line.
        assert_eq!(lines[1..], [vec![('d', bold(4))], vec![('e', none)]]);
    }

    #[test]
    fn what_is_no_colour_stays() {
        assert_eq!(plain(&lines("\u{1b}[2Jm [1m\n")), "\u{1b}[2Jm [1m\n");
    }

    #[test]
    fn long_lines_are_broken_and_empty_ones_stay() {
        assert_eq!(plain(&wrap(&lines("abcde\n\nab\n"), 2)), "ab\ncd\ne\n\nab\n");
    }
}
