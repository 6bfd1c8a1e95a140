//! Unified diffs of two texts with the same number of lines.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Lines around a change.
const CONTEXT: usize = 3;

/// The changes from `old` to `new` as a unified diff that `patch -p1` and `git apply` take. Edits replace values within
/// lines, so that both texts have the same number of them.
pub fn unified_diff(file: &str, old: &str, new: &str) -> String {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let (old, new) = (lines(old), lines(new));
    let changed: Vec<usize> = old
        .iter()
        .zip(&new)
        .enumerate()
        .filter(|(_, (old, new))| old != new)
        .map(|(at, _)| at)
        .collect();
    let mut out = String::new();
    if changed.is_empty() {
        return out;
    }
    let name = file.trim_start_matches("./").trim_start_matches('/');
    out.push_str(&format!("--- a/{name}\n+++ b/{name}\n"));
    let mut rest = changed.as_slice();
    while let Some(&first) = rest.first() {
        // Changes whose surroundings touch share a hunk.
        let count = 1 + rest.windows(2).take_while(|pair| is_near(pair)).count();
        let (hunk, later) = rest.split_at(count);
        let last = hunk.last().copied().unwrap_or(first);
        let (begin, end) = (first.saturating_sub(CONTEXT), (last + CONTEXT + 1).min(old.len()));
        write_hunk(begin, end, (&old, &new), &mut out);
        rest = later;
    }
    out
}

fn is_near(pair: &[usize]) -> bool {
    matches!(pair, [one, next] if next - one <= 2 * CONTEXT)
}

fn write_hunk(begin: usize, end: usize, (old, new): (&[&str], &[&str]), out: &mut String) {
    let count = end - begin;
    let range =
        if count == 1 { format!("{}", begin + 1) } else { format!("{},{count}", begin + 1) };
    out.push_str(&format!("@@ -{range} +{range} @@\n"));
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (old, new) in old.iter().zip(new).take(end).skip(begin) {
        if old == new {
            flush(&mut removed, &mut added, out);
            line(' ', old, out);
        } else {
            removed.push(*old);
            added.push(*new);
        }
    }
    flush(&mut removed, &mut added, out);
}

fn flush(removed: &mut Vec<&str>, added: &mut Vec<&str>, out: &mut String) {
    removed.drain(..).for_each(|text| line('-', text, out));
    added.drain(..).for_each(|text| line('+', text, out));
}

fn line(mark: char, text: &str, out: &mut String) {
    out.push(mark);
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_three_lines_around_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\r\n14";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\r\nfourteen";
        let wanted = "--- a/x/y.yaml\n+++ b/x/y.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -11,4 +11,4 @@\n 11\n 12\n 13\r\n-14\n\\ No newline at end of file\n+fourteen\n\\ No newline at end of file\n";
        assert_eq!(unified_diff("./x/y.yaml", old, new), wanted);
        assert_eq!(unified_diff("a", old, old), "");
        assert_eq!(unified_diff("a", "x\n", "y\n"), "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n");
    }
}
