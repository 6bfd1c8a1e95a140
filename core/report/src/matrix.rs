//! The matrix of namespaces and Pod Security levels: what is enforced, what would pass, and why not.

use crate::escape::html;
use crate::numbers::{count, grouped};
use crate::summary::icon;
use crate::{Level, LevelResult, NamespaceLevels, Report};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// Rows that are shown before the reader asks for the rest.
pub(crate) const FIRST_ROWS: usize = 200;

/// Appends the matrix, if namespaces were judged.
pub(crate) fn push_matrix(out: &mut String, report: &Report) {
    if report.namespaces.is_empty() {
        return;
    }
    let mut rows: Vec<&NamespaceLevels> = report.namespaces.iter().collect();
    rows.sort_by(|a, b| (a.strictest(), &a.namespace).cmp(&(b.strictest(), &b.namespace)));
    let number_of = |level| {
        let with = rows.iter().filter(|row| row.strictest() == level).count();
        count(with.try_into().unwrap_or(u64::MAX), "namespace")
    };
    let _ = writeln!(
        out,
        "<section id=\"pod-security\" aria-labelledby=\"pod-security-title\">\n\
         <h2 id=\"pod-security-title\">Pod Security</h2>\n\
         <p class=\"lead\">{} could enforce <b>restricted</b> today, {} <b>baseline</b>; {} only <b>privileged</b>.</p>\n\
         <div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">Namespace</th>\
         <th scope=\"col\" class=\"number\">Pods</th><th scope=\"col\">privileged</th><th scope=\"col\">baseline</th>\
         <th scope=\"col\">restricted</th><th scope=\"col\">Enforced</th><th scope=\"col\">Could enforce</th></tr></thead>\n<tbody>",
        number_of(Level::Restricted),
        number_of(Level::Baseline),
        number_of(Level::Privileged),
    );
    for (at, row) in rows.iter().enumerate() {
        if at == FIRST_ROWS {
            out.push_str("</tbody>\n<tbody class=\"rest\" hidden>\n");
        }
        push_row(out, row);
    }
    out.push_str("</tbody></table></div>\n");
    push_rest_button(out, rows.len(), "namespace");
    out.push_str("</section>\n");
}

fn push_row(out: &mut String, row: &NamespaceLevels) {
    let _ = write!(
        out,
        "<tr><th scope=\"row\"><bdi>{}</bdi></th><td class=\"number\">{}</td><td class=\"level yes\">{}<span>passes</span></td>",
        html(&row.namespace),
        grouped(row.pods),
        icon("passes")
    );
    push_level(out, &row.baseline);
    push_level(out, &row.restricted);
    let strictest = row.strictest();
    let enforced = row.enforced.map_or("no label", Level::name);
    // A label that is stricter than what runs refuses the next rollout.
    let (class, note) = match row.enforced {
        Some(level) if level > strictest => ("bad", " <small>pods would not start again</small>"),
        Some(level) if level == strictest => ("good", ""),
        _ => ("", ""),
    };
    let _ = writeln!(
        out,
        "<td class=\"answer {class}\">{enforced}{note}</td><td><span class=\"pill {0}\">{0}</span></td></tr>",
        strictest.name()
    );
}

fn push_level(out: &mut String, result: &LevelResult) {
    if result.passes() {
        let _ = write!(out, "<td class=\"level yes\">{}<span>passes</span></td>", icon("passes"));
        return;
    }
    let label = count(result.violations, "pod");
    if result.reasons.is_empty() {
        let _ = write!(out, "<td class=\"level no\">{}<span>{label}</span></td>", icon("error"));
        return;
    }
    let _ = write!(
        out,
        "<td class=\"level no\"><details><summary>{}<span>{label}</span></summary><ul>",
        icon("error")
    );
    for reason in &result.reasons {
        let _ = write!(out, "<li><bdi>{}</bdi></li>", html(reason));
    }
    out.push_str("</ul></details></td>");
}

/// A button that shows the hidden rows of the table before it.
pub(crate) fn push_rest_button(out: &mut String, rows: usize, noun: &str) {
    if rows > FIRST_ROWS {
        let more = (rows - FIRST_ROWS).try_into().unwrap_or(u64::MAX);
        let _ = writeln!(
            out,
            "<p class=\"more\"><button type=\"button\" class=\"show-rest\">Show {} more</button></p>",
            count(more, noun).trim_start()
        );
    }
}
