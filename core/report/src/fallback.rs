//! The findings for readers without script: a table of the first of them.

use crate::Report;
use crate::data::sorted;
use crate::escape::html;
use crate::numbers::{count, grouped};
use alloc::string::String;
use core::fmt::Write;

/// Rows of the table; a browser without script has no other way to bear thousands.
const ROWS: usize = 300;

/// Appends the table.
pub(crate) fn push_fallback(out: &mut String, report: &Report) {
    let all = report.findings.len();
    let _ = writeln!(
        out,
        "<noscript>\n<p class=\"lead\">{}; the first {} are listed. Filters, search and sorting need script.</p>\n\
         <div class=\"scroll\"><table class=\"plain\">\n<thead><tr><th scope=\"col\">State</th><th scope=\"col\">Object</th>\
         <th scope=\"col\">Field</th><th scope=\"col\">Value</th><th scope=\"col\">Fix</th><th scope=\"col\">Rule</th>\
         <th scope=\"col\">Version</th></tr></thead>\n<tbody>",
        count(all.try_into().unwrap_or(u64::MAX), "finding"),
        grouped(all.min(ROWS).try_into().unwrap_or(u64::MAX)),
    );
    for finding in sorted(report).into_iter().take(ROWS) {
        let object = &finding.object;
        let slash = if object.namespace.is_empty() { "" } else { "/" };
        let fix = finding.fix.as_deref().or(finding.hint.as_deref()).unwrap_or_default();
        let _ = write!(out, "<tr><td>{}</td>", finding.state.title());
        let name = alloc::format!("{} {}{slash}{}", object.kind, object.namespace, object.name);
        let value = finding.value.as_deref().unwrap_or_default();
        for cell in [&name, &finding.field, value, fix, &finding.rule, &finding.target] {
            let _ = write!(out, "<td><bdi>{}</bdi></td>", html(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n</noscript>\n");
}
