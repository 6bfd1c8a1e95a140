//! The chart of findings: a row a rule, a bar a target version.

use crate::escape::html;
use crate::numbers::{grouped, rule_counts, targets};
use crate::summary::share;
use crate::{Report, RuleText};
use alloc::string::String;
use core::fmt::Write;
use ratchet_object::percent_encode;

/// Appends the chart, if there are findings to count.
pub(crate) fn push_rules(out: &mut String, report: &Report) {
    let targets = targets(report);
    let rows = rule_counts(report, &targets);
    if rows.is_empty() {
        return;
    }
    let most = rows.iter().flat_map(|row| row.by_target.iter()).max().copied().unwrap_or(1);
    out.push_str(
        "<section id=\"rules\" aria-labelledby=\"rules-title\">\n<h2 id=\"rules-title\">Rules and versions</h2>\n\
         <p class=\"lead\">How many findings each rule has under each target version. A bar leads to its findings.</p>\n\
         <div class=\"scroll\"><table class=\"chart\">\n<thead><tr><th scope=\"col\">Rule</th>",
    );
    for target in &targets {
        let name = if target.is_empty() { "findings" } else { target };
        let _ = write!(out, "<th scope=\"col\"><bdi>{}</bdi></th>", html(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        let text = report.rules.iter().find(|text| text.id == row.rule);
        let title = text.map_or("", |RuleText { title, .. }| title);
        let _ = write!(
            out,
            "<tr><th scope=\"row\"><code>{}</code> <span><bdi>{}</bdi></span></th>",
            html(row.rule),
            html(title)
        );
        for (target, number) in targets.iter().zip(&row.by_target) {
            if *number == 0 {
                out.push_str("<td class=\"none\">0</td>");
                continue;
            }
            let mut link = alloc::format!("#findings?rule={}", percent_encode(row.rule));
            if targets.len() > 1 {
                let _ = write!(link, "&amp;target={}", percent_encode(target));
            }
            let _ = write!(
                out,
                "<td><a href=\"{link}\"><svg class=\"bar\" aria-hidden=\"true\" viewBox=\"0 0 1000 10\" \
                 preserveAspectRatio=\"none\"><rect class=\"track\" width=\"1000\" height=\"10\"/>\
                 <rect class=\"{}\" width=\"{}\" height=\"10\"/></svg><b>{}</b></a></td>",
                row.worst.as_str(),
                share(*number, most, 1_000).max(12),
                grouped(*number)
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n</section>\n");
}
