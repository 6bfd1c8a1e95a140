//! Topics: what is known beside the findings, a list of lines under a title, and a manifest that belongs to it.

use crate::Report;
use crate::escape::html;
use crate::numbers::grouped;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// Lines about one topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// Its title: `External IPs in use`.
    pub title: String,
    /// The lines.
    pub rows: Vec<String>,
    /// Number of lines that are not among them.
    pub omitted: u64,
    /// What the manifest does, and its text; both empty if there is none.
    pub manifest: (String, String),
}

/// Appends the topics, each folded: most of them are long, and none of them decides about an upgrade.
pub(crate) fn push_topics(out: &mut String, report: &Report) {
    for topic in &report.topics {
        let _ = writeln!(
            out,
            "<details class=\"topic\"><summary><bdi>{}</bdi></summary>\n<ul>",
            html(&topic.title)
        );
        for row in &topic.rows {
            let _ = writeln!(out, "<li><bdi>{}</bdi></li>", html(row));
        }
        if topic.omitted > 0 {
            let _ = writeln!(out, "<li>and {} more</li>", grouped(topic.omitted));
        }
        out.push_str("</ul>\n");
        let (about, text) = &topic.manifest;
        if !text.is_empty() {
            let _ = write!(out, "<p>{}</p>\n<pre tabindex=\"0\">", html(about));
            for line in text.lines() {
                let _ = writeln!(out, "{}", html(line));
            }
            out.push_str("</pre>\n");
        }
        out.push_str("</details>\n");
    }
}
