//! A scanner of Markdown: prose without fenced blocks, code spans, links, headings and fenced blocks.

/// A piece of a text and the byte at which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    pub(super) start: usize,
    pub(super) text: &'t str,
}

/// The line of a byte, counted from one.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).matches('\n').count() + 1
}

/// The text with fenced blocks blanked, so that only prose is left; bytes keep their positions.
pub(super) fn prose(text: &str) -> String {
    let mut is_fenced = false;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        if is_fence || is_fenced {
            out.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            out.push_str(line);
        }
        is_fenced ^= is_fence;
    }
    out
}

/// The fenced blocks in one of these languages, each with the position of its first line.
pub(super) fn blocks<'t>(text: &'t str, languages: &[&str]) -> Vec<Piece<'t>> {
    let mut found = Vec::new();
    let (mut at, mut open) = (0, None);
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let Some(language) = line.trim().strip_prefix("```") else { continue };
        match open.take() {
            None => open = Some((languages.contains(&language), end)),
            Some((true, begin)) => {
                let text = text.get(begin..start).unwrap_or_default();
                found.push(Piece { start: begin, text });
            }
            Some(_) => {}
        }
    }
    found
}

/// The code spans of prose, without their backticks; a span does not leave its paragraph.
pub(super) fn code_spans(prose: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    for paragraph in prose.split_inclusive("\n\n") {
        let mut ticks = paragraph.match_indices('`').map(|(at, _)| at);
        while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
            let text = paragraph.get(open + 1..close).unwrap_or_default();
            found.push(Piece { start: at + open + 1, text });
        }
        at += paragraph.len();
    }
    found
}

/// The targets of the links in prose: what stands between `](` and `)`.
pub(super) fn links(prose: &str) -> Vec<Piece<'_>> {
    let targets = prose.match_indices("](").filter_map(|(at, _)| {
        let rest = prose.get(at + 2..)?;
        Some(Piece { start: at + 2, text: rest.get(..rest.find(')')?)? })
    });
    targets.collect()
}

/// The anchors of the headings, as code hosts make them: lower case, without punctuation, dashes for blanks.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then(|| letter.to_ascii_lowercase()),
    });
    letters.collect()
}

/// The section below a heading of the second level, and where it begins.
pub(super) fn section<'t>(text: &'t str, heading: &str) -> Option<Piece<'t>> {
    let line = format!("## {heading}\n");
    let at = if text.starts_with(&line) { 0 } else { text.find(&format!("\n{line}"))? + 1 };
    let start = at + line.len();
    let rest = text.get(start..)?;
    let end = rest.find("\n## ").unwrap_or(rest.len());
    Some(Piece { start, text: rest.get(..end)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# A b\n\nsee `x` in [y](z.md#w)\n\n```diff\n+ `no` [n](o)\n```\n\n## C, d\n`e`\n## F\n";

    #[test]
    fn prose_has_spans_and_links_and_blocks_have_none() {
        let prose = prose(TEXT);
        assert_eq!(prose.len(), TEXT.len());
        let spans: Vec<&str> = code_spans(&prose).iter().map(|span| span.text).collect();
        assert_eq!(spans, ["x", "e"]);
        let links: Vec<&str> = links(&prose).iter().map(|link| link.text).collect();
        assert_eq!(links, ["z.md#w"]);
        assert_eq!(line_of(TEXT, code_spans(&prose)[1].start), 10);
        let spans: Vec<Piece<'_>> = code_spans("a ` b\n\n`c`");
        assert_eq!(spans, [Piece { start: 8, text: "c" }]);
    }

    #[test]
    fn a_block_is_found_by_its_language() {
        assert_eq!(blocks(TEXT, &["diff"])[0].text, "+ `no` [n](o)\n");
        assert_eq!(blocks(TEXT, &["sh"]), []);
        assert_eq!(blocks("```sh\nopen", &["sh"]), []);
    }

    #[test]
    fn headings_are_anchors_and_sections() {
        assert_eq!(anchors(TEXT), ["a-b", "c-d", "f"]);
        assert_eq!(anchors("## `ratchet check`: how-to\n"), ["ratchet-check-how-to"]);
        assert_eq!(section(TEXT, "C, d").unwrap().text, "`e`");
        assert_eq!(section(TEXT, "A b"), None);
        assert_eq!(section("## One\ntext\n", "One").unwrap().text, "text\n");
    }
}
