//! The page around the parts: head with its content security policy, header, navigation, sections, data and script.

use crate::charts::push_rules;
use crate::data::{push_data, subject};
use crate::date::time_text;
use crate::escape::html;
use crate::fallback::push_fallback;
use crate::matrix::push_matrix;
use crate::summary::{push_remarks, push_summary};
use crate::timeline::push_timeline;
use crate::topic::push_topics;
use crate::{Report, Subject};
use alloc::string::String;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use core::fmt::Write;
use sha2::{Digest, Sha256};

const STYLE: &str = concat!(
    include_str!("../assets/base.css"),
    include_str!("../assets/summary.css"),
    include_str!("../assets/tables.css"),
    include_str!("../assets/findings.css"),
    include_str!("../assets/print.css"),
);

const SCRIPT: &str = concat!(
    "(() => {\n'use strict';\n",
    include_str!("../assets/model.js"),
    include_str!("../assets/list.js"),
    include_str!("../assets/detail.js"),
    include_str!("../assets/controls.js"),
    "})();\n",
);

const ICONS: &str = include_str!("../assets/icons.svg");

const FINDINGS: &str = include_str!("../assets/findings.html");

/// The report as one HTML file.
pub(crate) fn page(report: &Report) -> String {
    // A finding is about a hundred bytes of numbers and texts.
    let mut out = String::with_capacity(150_000 + report.findings.len() * 200);
    push_head(&mut out, report);
    push_header(&mut out, report);
    out.push_str("<main id=\"main\" tabindex=\"-1\">\n");
    push_summary(&mut out, report);
    push_rules(&mut out, report);
    push_timeline(&mut out, report);
    push_matrix(&mut out, report);
    push_further(&mut out, report);
    if !report.findings.is_empty() {
        out.push_str(FINDINGS);
        push_fallback(&mut out, report);
        out.push_str("</section>\n");
    }
    let _ = write!(
        out,
        "</main>\n<footer><p>{}</p></footer>\n<script type=\"application/json\" id=\"data\">",
        html(&report.generator)
    );
    push_data(&mut out, report);
    let _ = writeln!(out, "</script>\n<script>{SCRIPT}</script>\n</body>\n</html>");
    out
}

/// The source of an inline element in a content security policy.
fn hash(text: &str) -> String {
    alloc::format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Whether there are remarks that are no gaps, or topics.
fn has_remarks(report: &Report) -> bool {
    report.notes.iter().any(|note| !note.is_gap) || !report.topics.is_empty()
}

fn push_further(out: &mut String, report: &Report) {
    if !has_remarks(report) {
        return;
    }
    out.push_str(
        "<section id=\"notes\" aria-labelledby=\"notes-title\">\n<h2 id=\"notes-title\">Notes</h2>\n",
    );
    if report.notes.iter().any(|note| !note.is_gap) {
        out.push_str("<ul>\n");
        push_remarks(out, report, false);
        out.push_str("</ul>\n");
    }
    push_topics(out, report);
    out.push_str("</section>\n");
}

fn push_head(out: &mut String, report: &Report) {
    let _ = writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src {}; \
         img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' \
         viewBox='0 0 16 16'%3E%3Cpath d='M2 12h3V9h3V6h3V3h3' fill='none' stroke='%234f46e5' stroke-width='2.4'/%3E%3C/svg%3E\">\n\
         <style>{STYLE}</style>\n</head>",
        hash(SCRIPT),
        hash(STYLE),
        html(&report.title),
    );
}

fn push_header(out: &mut String, report: &Report) {
    let _ = write!(
        out,
        "<body class=\"{}\">\n<a class=\"skip\" href=\"#main\">Skip to the summary</a>\n{ICONS}\
         <header>\n<div class=\"top\">\n<h1><bdi>{}</bdi></h1>\n<p class=\"tools\">\
         <button type=\"button\" id=\"theme\" hidden>Theme: auto</button>\
         <button type=\"button\" id=\"print\" hidden>Print</button></p>\n</div>\n<dl class=\"facts\">",
        subject(report.subject),
        html(&report.title),
    );
    let time = report.time.map(time_text).unwrap_or_default();
    let targets = report.targets.join(", ");
    let facts = [
        ("Source", &report.source),
        ("Read", &time),
        ("Target", &targets),
        ("Behavior", &report.behavior),
    ];
    for (term, text) in facts {
        if !text.is_empty() {
            let _ = write!(out, "<div><dt>{term}</dt><dd><bdi>{}</bdi></dd></div>", html(text));
        }
    }
    out.push_str("</dl>\n<nav aria-label=\"Sections\"><ul>\n");
    let has_kubelets = !report.certificates.is_empty();
    let is_kubelets = report.subject == Subject::Kubelets;
    let sections = [
        ("summary", "Summary", true),
        ("rules", "Rules", !report.findings.is_empty() || !report.counts.is_empty()),
        ("certificates", if is_kubelets { "Nodes" } else { "Certificates" }, has_kubelets),
        ("pod-security", "Pod Security", !report.namespaces.is_empty()),
        ("notes", "Notes", has_remarks(report)),
        ("findings", "Findings", !report.findings.is_empty()),
    ];
    for (id, title, _) in sections.into_iter().filter(|(_, _, is_there)| *is_there) {
        let _ = writeln!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    out.push_str("</ul></nav>\n</header>\n");
}
