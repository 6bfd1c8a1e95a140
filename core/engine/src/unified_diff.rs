//! Unified diffs of two JSON texts, as messages about immutable specs show them.
//!
//! Clients see these lines, so that the matching has to be that of the release: the longest block of equal lines first,
//! then the longest ones before and behind it, where lines that occur often only extend a block. Crates for diffs look
//! for the shortest edit instead, and show other lines.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Lines around a change.
const CONTEXT: usize = 3;

/// From this number of lines on, lines that occur often begin no block.
const MANY: usize = 200;

/// Comparisons before the search is given up: an author of objects decides how many there are.
const BUDGET: usize = 4_000_000;

/// The changes from `old` to `new`, two compact JSON texts, line by line of their indented forms; empty if there are none
/// or too many.
pub(crate) fn unified_diff(old: &str, new: &str) -> String {
    let (old, new) = (indented(old), indented(new));
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut matcher = Matcher::new(&old, &new);
    let Some(blocks) = matcher.blocks() else { return String::new() };
    let mut out = String::new();
    for hunk in hunks(&edits(&blocks)) {
        write_hunk(&hunk, &old, &new, &mut out);
    }
    out
}

/// A JSON text with a line for every value, indented by one blank a level.
fn indented(compact: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    let (mut in_text, mut is_escaped) = (false, false);
    let mut chars = compact.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(core::iter::repeat_n(' ', depth));
    };
    while let Some(char) = chars.next() {
        if in_text {
            in_text = is_escaped || char != '"';
            is_escaped = !is_escaped && char == '\\';
            out.push(char);
            continue;
        }
        match char {
            '{' | '[' => {
                out.push(char);
                match chars.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(char);
            }
            ',' => {
                out.push(char);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_text = char == '"';
                out.push(char);
            }
        }
    }
    out
}

/// Equal lines: `size` of them from `old` and from `new` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    old: usize,
    new: usize,
    size: usize,
}

/// Lines of both texts, the ends excluded.
#[derive(Clone, Copy)]
struct Region {
    old: (usize, usize),
    new: (usize, usize),
}

/// The search for equal lines.
struct Matcher<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    /// Where a line stands in the new text; lines that occur often are left out.
    positions: BTreeMap<&'a str, Vec<usize>>,
    /// Comparisons that are left.
    budget: usize,
}

impl<'a> Matcher<'a> {
    fn new(old: &'a [&'a str], new: &'a [&'a str]) -> Self {
        let mut positions = BTreeMap::<&str, Vec<usize>>::new();
        for (index, line) in new.iter().enumerate() {
            positions.entry(line).or_default().push(index);
        }
        if new.len() >= MANY {
            let often = new.len() / 100 + 1;
            positions.retain(|_, indexes| indexes.len() <= often);
        }
        Self { old, new, positions, budget: BUDGET }
    }

    /// The blocks of equal lines in order, adjacent ones joined, and an empty one at the end; `None` if there is too much
    /// to compare.
    fn blocks(&mut self) -> Option<Vec<Block>> {
        let mut found = Vec::new();
        let whole = Region { old: (0, self.old.len()), new: (0, self.new.len()) };
        let mut regions = vec![whole];
        while let Some(region) = regions.pop() {
            let block = self.longest(region)?;
            if block.size == 0 {
                continue;
            }
            found.push(block);
            let before = Region { old: (region.old.0, block.old), new: (region.new.0, block.new) };
            let behind = Region {
                old: (block.old + block.size, region.old.1),
                new: (block.new + block.size, region.new.1),
            };
            regions.extend(
                [before, behind]
                    .into_iter()
                    .filter(|region| region.old.0 < region.old.1 && region.new.0 < region.new.1),
            );
        }
        found.sort_unstable();
        let mut joined: Vec<Block> = Vec::new();
        for block in found {
            match joined.last_mut() {
                Some(last)
                    if last.old + last.size == block.old && last.new + last.size == block.new =>
                {
                    last.size += block.size;
                }
                _ => joined.push(block),
            }
        }
        joined.push(Block { old: self.old.len(), new: self.new.len(), size: 0 });
        Some(joined)
    }

    /// The longest block of a region: the first one in the old text, and there the first one in the new text.
    fn longest(&mut self, region: Region) -> Option<Block> {
        let mut best = Block { old: region.old.0, new: region.new.0, size: 0 };
        // Lengths of the blocks that end with the line before, by their end in the new text.
        let mut ending = Vec::<(usize, usize)>::new();
        for index in region.old.0..region.old.1 {
            let positions = self.positions.get(self.old.get(index)?).map_or(&[][..], Vec::as_slice);
            let start = positions.partition_point(|position| *position < region.new.0);
            let mut next = Vec::new();
            let mut ended = ending.iter().peekable();
            for &position in positions.get(start..)?.iter().take_while(|at| **at < region.new.1) {
                self.budget = self.budget.checked_sub(1)?;
                while ended.next_if(|(end, _)| end + 1 < position).is_some() {}
                let before = ended.peek().filter(|(end, _)| end + 1 == position);
                let size = before.map_or(1, |(_, size)| size + 1);
                next.push((position, size));
                if size > best.size {
                    best = Block { old: index + 1 - size, new: position + 1 - size, size };
                }
            }
            self.budget = self.budget.checked_sub(1)?;
            ending = next;
        }
        Some(self.extended(best, region))
    }

    /// The block with the equal lines around it, which occur too often to be found.
    fn extended(&self, mut block: Block, region: Region) -> Block {
        let is_equal = |old: usize, new: usize| {
            old < region.old.1 && new < region.new.1 && self.old.get(old) == self.new.get(new)
        };
        while block.old > region.old.0
            && block.new > region.new.0
            && is_equal(block.old - 1, block.new - 1)
        {
            block = Block { old: block.old - 1, new: block.new - 1, size: block.size + 1 };
        }
        while is_equal(block.old + block.size, block.new + block.size) {
            block.size += 1;
        }
        block
    }
}

/// Lines that are equal, or that replace others, which may be none on one side.
#[derive(Clone, Copy)]
struct Edit {
    is_equal: bool,
    region: Region,
}

/// What leads from the old text to the new one.
fn edits(blocks: &[Block]) -> Vec<Edit> {
    let (mut old, mut new) = (0, 0);
    let mut edits = Vec::new();
    let mut add = |is_equal, region: Region| {
        if region.old.0 < region.old.1 || region.new.0 < region.new.1 {
            edits.push(Edit { is_equal, region });
        }
    };
    for block in blocks {
        add(false, Region { old: (old, block.old), new: (new, block.new) });
        (old, new) = (block.old + block.size, block.new + block.size);
        add(true, Region { old: (block.old, old), new: (block.new, new) });
    }
    edits
}

/// Groups of changes with the lines around them.
fn hunks(edits: &[Edit]) -> Vec<Vec<Edit>> {
    let mut hunks = Vec::new();
    let mut hunk = Vec::<Edit>::new();
    for (index, edit) in edits.iter().enumerate() {
        if !edit.is_equal {
            hunk.push(*edit);
            continue;
        }
        let Region { old, new } = edit.region;
        let (is_first, is_last) = (index == 0, index + 1 == edits.len());
        let lines = old.1 - old.0;
        let head = lines.min(CONTEXT);
        let head = Edit {
            is_equal: true,
            region: Region { old: (old.0, old.0 + head), new: (new.0, new.0 + head) },
        };
        let tail = Edit {
            is_equal: true,
            region: Region {
                old: (old.0.max(old.1.saturating_sub(CONTEXT)), old.1),
                new: (new.0.max(new.1.saturating_sub(CONTEXT)), new.1),
            },
        };
        match (is_first, is_last) {
            (true, true) => return hunks,
            (true, false) => hunk.push(tail),
            (false, true) => hunk.push(head),
            (false, false) if lines > 2 * CONTEXT => {
                hunk.push(head);
                hunks.push(core::mem::take(&mut hunk));
                hunk.push(tail);
            }
            (false, false) => hunk.push(*edit),
        }
    }
    if !hunk.is_empty() {
        hunks.push(hunk);
    }
    hunks
}

fn write_hunk(hunk: &[Edit], old: &[&str], new: &[&str], out: &mut String) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let ranges = [(first.region.old.0, last.region.old.1), (first.region.new.0, last.region.new.1)];
    let [before, after] = ranges.map(|(start, end)| match end - start {
        1 => alloc::format!("{}", start + 1),
        0 => alloc::format!("{start},0"),
        lines => alloc::format!("{},{lines}", start + 1),
    });
    let _ = writeln!(out, "@@ -{before} +{after} @@");
    let mut write = |sign: char, lines: &[&str], (start, end): (usize, usize)| {
        for line in lines.get(start..end).unwrap_or_default() {
            let _ = writeln!(out, "{sign}{line}");
        }
    };
    for edit in hunk {
        if edit.is_equal {
            write(' ', old, edit.region.old);
        } else {
            write('-', old, edit.region.old);
            write('+', new, edit.region.new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_text_is_indented_as_go_does() {
        let compact = r#"{"a":[],"b":{},"c":[1,"x,{\"y\":\\"],"d":{"e":null}}"#;
        let lines = "{\n \"a\": [],\n \"b\": {},\n \"c\": [\n  1,\n  \"x,{\\\"y\\\":\\\\\"\n ],\n \"d\": {\n  \"e\": null\n }\n}";
        assert_eq!(indented(compact), lines);
    }

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let text = |value: &str| {
            let before: Vec<String> =
                (0..9).map(|index| alloc::format!("\"a{index}\":0")).collect();
            let behind: Vec<String> =
                (0..9).map(|index| alloc::format!("\"z{index}\":0")).collect();
            alloc::format!("{{{},\"m\":{value},{}}}", before.join(","), behind.join(","))
        };
        assert_eq!(
            unified_diff(&text("1"), &text("2")),
            "@@ -8,7 +8,7 @@\n  \"a6\": 0,\n  \"a7\": 0,\n  \"a8\": 0,\n- \"m\": 1,\n+ \"m\": 2,\n  \"z0\": 0,\n  \"z1\": 0,\n  \"z2\": 0,\n"
        );
        assert_eq!(unified_diff(&text("1"), &text("1")), "");
    }

    #[test]
    fn additions_and_removals_count_their_lines() {
        assert_eq!(
            unified_diff("[\"a\"]", "[\"a\",\"b\"]"),
            "@@ -1,3 +1,4 @@\n [\n- \"a\"\n+ \"a\",\n+ \"b\"\n ]\n"
        );
        assert_eq!(unified_diff("null", "{\"a\":1}"), "@@ -1 +1,3 @@\n-null\n+{\n+ \"a\": 1\n+}\n");
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let list = |first: &str, last: &str| {
            let middle = (0..20).map(|index| index.to_string()).collect::<Vec<_>>().join(",");
            alloc::format!("[{first},{middle},{last}]")
        };
        let diff = unified_diff(&list("100", "200"), &list("101", "201"));
        let heads: Vec<&str> = diff.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(heads, ["@@ -1,5 +1,5 @@", "@@ -20,5 +20,5 @@"]);
    }

    #[test]
    fn lines_that_occur_often_begin_no_block() {
        // Two hundred lines, one of which is every other line.
        let list = |start: usize| {
            let lines = (start..start + 100).map(|index| alloc::format!("0,{index}"));
            alloc::format!("[{}]", lines.collect::<Vec<_>>().join(","))
        };
        let diff = unified_diff(&list(1), &list(2));
        assert_eq!(diff.lines().filter(|line| line.starts_with('-')).count(), 3, "{diff}");
        assert_eq!(diff.lines().filter(|line| line.starts_with('+')).count(), 3, "{diff}");
    }

    #[test]
    fn a_search_without_end_is_given_up() {
        let list = |start: usize| {
            let lines = (0..60_000).map(|index| ((index * 7 + start) % 150).to_string());
            alloc::format!("[{}]", lines.collect::<Vec<_>>().join(","))
        };
        assert!(unified_diff(&list(0), &list(3)).is_empty());
    }
}
