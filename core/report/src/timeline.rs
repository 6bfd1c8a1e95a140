//! Certificates of kubelets as a timeline: a row a node, a bar from the start to the end of its validity.

use crate::date::{date_of, date_text, month_name, months_later};
use crate::escape::html;
use crate::matrix::{FIRST_ROWS, push_rest_button};
use crate::numbers::count;
use crate::summary::icon;
use crate::{Certificate, CertificateState, Report};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use ratchet_object::calendar::{DAY, Date};

/// Width of the timeline in its own units.
const WIDTH: i64 = 1_000;

/// The longest time that the axis covers: longer lives end in an arrow.
const LONGEST: i64 = 460 * DAY;

/// The time axis of all rows.
struct Axis {
    start: i64,
    end: i64,
    now: Option<i64>,
}

impl Axis {
    fn of(report: &Report) -> Self {
        let ends = report.certificates.iter().filter_map(|one| one.not_after);
        let latest = ends.clone().max().unwrap_or(0);
        let earliest = ends.min().unwrap_or(0);
        let (start, end) = match report.time {
            // A month back shows what has expired, and a month ahead leaves room for what is well.
            Some(now) => {
                let now = clamp(now);
                let start = clamp(earliest).clamp(now - 90 * DAY, now) - 30 * DAY;
                (start, clamp(latest).clamp(now + 60 * DAY, start + LONGEST))
            }
            None => {
                let end = clamp(latest);
                (clamp(earliest).clamp(end - LONGEST, end) - 90 * DAY, end)
            }
        };
        Self { start, end: end.max(start + 30 * DAY), now: report.time.map(clamp) }
    }

    /// The place of a time; outside of the axis it is an end of it.
    fn x(&self, time: i64) -> i64 {
        let time = clamp(time).clamp(self.start, self.end);
        (time - self.start) * WIDTH / (self.end - self.start)
    }

    /// The first days of months, thinned out to about a dozen.
    fn ticks(&self) -> Vec<Date> {
        let months = (self.end - self.start) / (30 * DAY);
        let step = (months / 8).max(1);
        let first = months_later(date_of(self.start), 1);
        (0..=months)
            .step_by(usize::try_from(step).unwrap_or(1))
            .map(|month| months_later(first, month))
            .take_while(|date| date.day_number() * DAY < self.end)
            .collect()
    }
}

/// A time within years that have dates, so that sums do not overflow.
fn clamp(time: i64) -> i64 {
    time.clamp(-62_000_000_000, 253_000_000_000)
}

/// Appends the timeline, if there are certificates.
pub(crate) fn push_timeline(out: &mut String, report: &Report) {
    if report.certificates.is_empty() {
        return;
    }
    let axis = Axis::of(report);
    let mut rows: Vec<&Certificate> = report.certificates.iter().collect();
    rows.sort_by(|a, b| {
        let key = |one: &Certificate| (one.state, one.not_after.unwrap_or(i64::MAX));
        key(a).cmp(&key(b)).then_with(|| a.node.cmp(&b.node))
    });
    out.push_str(
        "<section id=\"certificates\" aria-labelledby=\"certificates-title\">\n\
         <h2 id=\"certificates-title\">Kubelet certificates</h2>\n",
    );
    let _ = writeln!(out, "<p class=\"lead\">{}</p>", lead(report));
    out.push_str(
        "<div class=\"scroll\"><table class=\"timeline\">\n<thead><tr><th scope=\"col\">Node</th>\
         <th scope=\"col\">With the name enforced</th><th scope=\"col\" class=\"axis\"><span class=\"unseen\">Validity</span>",
    );
    push_axis(out, &axis);
    out.push_str("</th><th scope=\"col\" class=\"number\">Expires</th></tr></thead>\n<tbody>\n");
    for (at, row) in rows.iter().enumerate() {
        if at == FIRST_ROWS {
            out.push_str("</tbody>\n<tbody class=\"rest\" hidden>\n");
        }
        push_row(out, row, &axis);
    }
    out.push_str("</tbody></table></div>\n");
    push_rest_button(out, rows.len(), "node");
    out.push_str("</section>\n");
}

fn lead(report: &Report) -> String {
    let Some(now) = report.time else {
        return "From the start to the end of each certificate's validity.".into();
    };
    let number = |from: i64, to: i64| {
        let ends = report.certificates.iter().filter_map(|one| one.not_after);
        ends.filter(|end| (from..to).contains(end)).count().try_into().unwrap_or(u64::MAX)
    };
    let expired: u64 = number(i64::MIN, now);
    let soon: u64 = number(now, now.saturating_add(30 * DAY));
    let all = report.certificates.len().try_into().unwrap_or(u64::MAX);
    alloc::format!(
        "{}: <b>{expired}</b> expired, <b>{soon}</b> within the next 30 days.",
        count(all, "node")
    )
}

fn push_axis(out: &mut String, axis: &Axis) {
    let _ = write!(out, "<svg class=\"ticks\" aria-hidden=\"true\" viewBox=\"0 0 {WIDTH} 24\">");
    for date in axis.ticks() {
        let x = axis.x(date.day_number() * DAY);
        let label =
            if date.month == 1 { alloc::format!("{}", date.year) } else { month_name(date).into() };
        let _ = write!(
            out,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"18\" y2=\"24\"/><text x=\"{x}\" y=\"14\">{label}</text>"
        );
    }
    out.push_str("</svg>");
}

fn push_row(out: &mut String, row: &Certificate, axis: &Axis) {
    let state = row.state.as_str();
    let _ = write!(
        out,
        "<tr class=\"{state}\"><th scope=\"row\"><bdi>{}</bdi></th><td><details><summary class=\"badge {state}\">{}{}</summary>\
         <div class=\"certificate\">",
        html(&row.node),
        icon(state),
        row.state.title()
    );
    for message in &row.messages {
        let _ = write!(out, "<p><bdi>{}</bdi></p>", html(message));
    }
    out.push_str("<dl>");
    let names = row.names.join(", ");
    for (term, text) in [("Subject", &row.subject), ("Names", &names), ("Issuer", &row.issuer)] {
        if !text.is_empty() {
            let _ = write!(out, "<dt>{term}</dt><dd><bdi>{}</bdi></dd>", html(text));
        }
    }
    out.push_str("</dl>");
    for fix in &row.fixes {
        let _ = write!(out, "<p class=\"do\"><bdi>{}</bdi></p>", html(fix));
    }
    out.push_str("</div></details></td><td class=\"axis\">");
    push_bar(out, row, axis);
    let expires = row.not_after.map_or_else(|| "not seen".into(), |end| date_text(date_of(end)));
    let _ = writeln!(out, "</td><td class=\"number\">{expires}</td></tr>");
}

fn push_bar(out: &mut String, row: &Certificate, axis: &Axis) {
    let (Some(start), Some(end)) = (row.not_before, row.not_after) else { return };
    let label =
        alloc::format!("valid from {} to {}", date_text(date_of(start)), date_text(date_of(end)));
    let goes_on = clamp(end) > axis.end;
    let x2 = if goes_on { 986 } else { axis.x(end) };
    let x1 = axis.x(start.min(end)).min(x2);
    let class = match (axis.now, row.state) {
        (Some(now), _) if end < now => "would-fail",
        (Some(now), CertificateState::Passes) if end < now.saturating_add(30 * DAY) => "warns",
        (_, state) => state.as_str(),
    };
    let _ = write!(
        out,
        "<svg class=\"life\" role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {WIDTH} 20\" preserveAspectRatio=\"none\">\
         <rect class=\"{class}\" x=\"{x1}\" y=\"5\" width=\"{}\" height=\"10\"/>",
        (x2 - x1).max(4)
    );
    if let Some(now) = axis.now {
        let x = axis.x(now);
        let _ = write!(out, "<line class=\"now\" x1=\"{x}\" x2=\"{x}\" y1=\"0\" y2=\"20\"/>");
    }
    if goes_on {
        let _ = write!(out, "<path class=\"{class}\" d=\"M986 0 L1000 10 L986 20 Z\"/>");
    }
    out.push_str("</svg>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn no_time_leaves_the_axis() {
        for (from, to, time) in [
            (i64::MIN, i64::MAX, Some(i64::MAX)),
            (i64::MAX, i64::MIN, Some(i64::MIN)),
            (0, 0, None),
            (i64::MIN, i64::MAX, None),
        ] {
            let one = Certificate {
                not_before: Some(from),
                not_after: Some(to),
                ..Certificate::default()
            };
            let report = Report { certificates: vec![one], time, ..Report::default() };
            let axis = Axis::of(&report);
            assert!(axis.start < axis.end);
            for time in [from, to, 0] {
                assert!((0..=WIDTH).contains(&axis.x(time)));
            }
            assert!(axis.ticks().len() < 40);
            let mut out = String::new();
            push_timeline(&mut out, &report);
            assert!(out.contains("class=\"life\""));
        }
    }

    #[test]
    fn what_expires_soon_is_counted() {
        let ends = [10 * DAY, 20 * DAY, 500 * DAY, 99 * DAY];
        let certificates =
            ends.map(|end| Certificate { not_after: Some(end), ..Certificate::default() });
        let report = Report {
            time: Some(15 * DAY),
            certificates: certificates.to_vec(),
            ..Report::default()
        };
        assert_eq!(lead(&report), "4 nodes: <b>1</b> expired, <b>1</b> within the next 30 days.");
    }
}
