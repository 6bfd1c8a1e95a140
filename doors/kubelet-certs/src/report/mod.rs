//! The report on its way out: one file a format.

mod json;
mod markdown;
mod prometheus;
mod sarif;
mod table;

use crate::judge::Judged;
use crate::{Config, OutputFormat, Summary, Weight};
use jiff::Timestamp;
use std::io::{self, Write};

/// Writes the report in the form that was asked for.
pub(crate) fn write(
    config: &Config,
    judged: &[Judged],
    summary: &Summary,
    out: &mut dyn Write,
) -> io::Result<()> {
    match config.output {
        OutputFormat::Table => table::write(config, judged, summary, out),
        OutputFormat::Json => json::write(config, judged, summary, out),
        OutputFormat::Sarif => sarif::write(judged, summary, out),
        OutputFormat::Markdown => markdown::write(config, judged, summary, out),
        OutputFormat::Prometheus => prometheus::write(judged, summary, out),
    }
}

/// Whoever makes a certificate may write anything into it: what is not plain ASCII is escaped, so that it steers no
/// terminal, hides nothing and has the width that it seems to have.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ' '..='~' => out.push(letter),
            other => out.extend(other.escape_default()),
        }
    }
    out
}

/// JSON without the control characters that it may hold as they are, some of which steer terminals.
fn tame(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '\n' => out.push(letter),
            letter if letter.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out
}

/// The beginning of a text that may be of any length.
fn short(text: &str, most: usize) -> String {
    let text = plain(text);
    if text.len() <= most {
        return text;
    }
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    format!("{kept}...")
}

/// `1 node`, `2 nodes`.
fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `2027-01-01T00:00:00Z`; times that no calendar knows are shown as numbers.
fn time(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |time| time.to_string())
}

/// The day of it.
fn day(seconds: i64) -> String {
    let time = time(seconds);
    time.split_once('T').map_or(time.clone(), |(day, _)| day.to_owned())
}

/// `3 nodes: 1 passes, 1 would fail, 1 unknown`.
fn totals(summary: &Summary) -> String {
    let Summary { nodes, pass, fail, unknown, warned } = summary;
    let warned = if *warned > 0 { format!(" ({warned} with warnings)") } else { String::new() };
    let passes = if *pass == 1 { "passes" } else { "pass" };
    format!(
        "{}: {pass} {passes}{warned}, {fail} would fail, {unknown} unknown",
        count(*nodes, "node")
    )
}

/// Whether it is safe, in one sentence.
fn conclusion(config: &Config, summary: &Summary) -> &'static str {
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

/// Node names that share something, as many as a line holds.
fn some(names: &[&str]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| plain(name)).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A way out and the nodes that it is for.
struct Remedy<'j> {
    title: String,
    meaning: &'static str,
    steps: Vec<&'static str>,
    nodes: Vec<&'j str>,
    weight: Weight,
}

/// What to do, each way once: by shape where the name is wrong, by rule otherwise.
fn remedies(judged: &[Judged]) -> Vec<Remedy<'_>> {
    let mut all: Vec<Remedy<'_>> = Vec::new();
    for one in judged {
        for finding in &one.findings {
            let shape = one
                .shape
                .filter(|shape| finding.rule == &crate::rule::NAME && !shape.fix.is_empty());
            let (title, meaning, steps) = match shape {
                Some(shape) => {
                    (format!("{} ({})", shape.title, shape.id), shape.meaning, shape.fix.to_vec())
                }
                None => (
                    format!("{} ({})", finding.rule.title, finding.rule.id),
                    finding.rule.why,
                    vec![finding.rule.fix],
                ),
            };
            let node = one.kubelet.node.as_str();
            match all.iter_mut().find(|known| known.title == title) {
                Some(known) if known.nodes.last() == Some(&node) => {}
                Some(known) => known.nodes.push(node),
                None => all.push(Remedy {
                    title,
                    meaning,
                    steps,
                    nodes: vec![node],
                    weight: finding.rule.weight,
                }),
            }
        }
    }
    all.sort_by_key(|remedy| remedy.weight);
    all
}

#[cfg(test)]
mod tests;
