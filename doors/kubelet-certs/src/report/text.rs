//! Texts that several report formats share: escaping, counts, times, totals, the conclusion.

use crate::{Config, Summary};
use jiff::Timestamp;
use ratchet_formats::count;

/// Text with everything but printable ASCII escaped: a certificate may contain anything, and must not control the
/// terminal, hide text or break the columns.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' => out.push(c),
            other => out.extend(other.escape_default()),
        }
    }
    out
}

/// A text cut to at most `most` bytes.
pub(super) fn short(text: &str, most: usize) -> String {
    let text = plain(text);
    if text.len() <= most {
        return text;
    }
    let prefix: String = text.chars().take(most.saturating_sub(3)).collect();
    format!("{prefix}...")
}

/// RFC 3339 (`2027-01-01T00:00:00Z`); times out of range are plain numbers.
pub(super) fn time(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |time| time.to_string())
}

/// The date part of a time.
pub(super) fn day(seconds: i64) -> String {
    let time = time(seconds);
    time.split_once('T').map_or(time.clone(), |(day, _)| day.to_owned())
}

/// `3 nodes: 1 passes, 1 would fail, 1 unknown`.
pub(super) fn totals(summary: &Summary) -> String {
    let Summary { nodes, pass, fail, unknown, warned } = summary;
    let warned = if *warned > 0 { format!(" ({warned} with warnings)") } else { String::new() };
    let passes = if *pass == 1 { "passes" } else { "pass" };
    format!(
        "{}: {pass} {passes}{warned}, {fail} would fail, {unknown} unknown",
        count(*nodes, "node")
    )
}

/// One sentence on whether enforcement is safe.
pub(super) fn conclusion(config: &Config, summary: &Summary) -> &'static str {
    match summary.exit_code() {
        0 if config.authority.is_none() => {
            "Every certificate bears its node's name: --enable-kubelet-cert-cn-validation can be turned on if the API server's --kubelet-certificate-authority has signed them all."
        }
        0 => {
            "Every certificate bears its node's name: --enable-kubelet-cert-cn-validation can be turned on."
        }
        1 => {
            "Do not turn on --enable-kubelet-cert-cn-validation yet: connections to some nodes would fail."
        }
        _ if summary.fail > 0 => {
            "Do not turn on --enable-kubelet-cert-cn-validation yet: connections to some nodes would fail, and some could not be looked at."
        }
        _ if summary.nodes == 0 => "Nothing was looked at.",
        _ => {
            "It cannot be told whether --enable-kubelet-cert-cn-validation is safe: some nodes could not be looked at."
        }
    }
}

/// The first `MOST` node names, and the number of the rest.
pub(super) fn some(names: &[&str]) -> String {
    const MOST: usize = 8;
    let listed: Vec<String> = names.iter().take(MOST).map(|name| plain(name)).collect();
    match names.len().saturating_sub(MOST) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}
