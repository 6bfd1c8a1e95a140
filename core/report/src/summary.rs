//! The summary: verdict, numbers of objects by state, answers for each target version, and who has to act.

use crate::data;
use crate::escape::html;
use crate::numbers::{ByState, count, grouped, main_target, objects_by_state, owner_counts};
use crate::verdict::{Tone, Verdict, clean_objects};
use crate::{CertificateState, Report, State, Subject};
use alloc::string::String;
use core::fmt::Write;
use ratchet_object::percent_encode;

/// Owners that the summary names.
const OWNERS: usize = 8;

/// Appends the summary.
pub(crate) fn push_summary(out: &mut String, report: &Report) {
    let verdict = Verdict::of(report);
    let tone = verdict.tone.as_str();
    let _ = writeln!(
        out,
        "<section id=\"summary\" aria-labelledby=\"verdict\">\n\
         <div class=\"verdict {tone}\">\n\
         <p class=\"question\">{}</p>\n\
         <h2 id=\"verdict\">{}<span>{}</span></h2>\n\
         <p class=\"reason\">{}</p>\n</div>",
        html(&verdict.question),
        icon(tone_icon(verdict.tone)),
        html(&verdict.answer),
        html(&verdict.reason),
    );
    push_gaps(out, report);
    if report.subject == Subject::Kubelets {
        push_certificate_tiles(out, report);
    } else {
        let numbers = objects_by_state(report, main_target_of(report));
        push_tiles(out, report, &numbers);
        push_bar(out, report, &numbers);
    }
    push_targets(out, report);
    push_owners(out, report);
    out.push_str("</section>\n");
}

/// Manifests and files are counted over all targets, stored objects for the last one.
fn main_target_of(report: &Report) -> Option<&str> {
    match report.subject {
        Subject::Cluster => main_target(report),
        Subject::Manifests | Subject::Kubelets => None,
    }
}

/// A reference to an icon of the page.
pub(crate) fn icon(name: &str) -> String {
    alloc::format!("<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#i-{name}\"/></svg>")
}

fn tone_icon(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "passes",
        Tone::Care => "warns",
        Tone::Risk => "refused-on-create",
        Tone::Bad => "error",
    }
}

fn push_gaps(out: &mut String, report: &Report) {
    if !report.notes.iter().any(|note| note.is_gap) {
        return;
    }
    out.push_str("<div class=\"gaps\"><h3>What could not be seen</h3>\n<ul>\n");
    push_remarks(out, report, true);
    out.push_str("</ul></div>\n");
}

/// Appends the notes that are gaps, or those that are not.
pub(crate) fn push_remarks(out: &mut String, report: &Report, is_gap: bool) {
    for note in report.notes.iter().filter(|note| note.is_gap == is_gap) {
        let _ = write!(out, "<li><bdi>{}</bdi>", html(&note.text));
        if !note.fix.is_empty() {
            let _ = write!(out, " <span class=\"do\"><bdi>{}</bdi></span>", html(&note.fix));
        }
        out.push_str("</li>\n");
    }
}

/// The states that a subject has numbers for.
fn states_of(subject: Subject) -> &'static [State] {
    match subject {
        Subject::Cluster => &[State::Frozen, State::RefusedOnCreate, State::Warns],
        Subject::Manifests | Subject::Kubelets => &[State::Error, State::Warning, State::Note],
    }
}

fn push_tiles(out: &mut String, report: &Report, numbers: &ByState) {
    out.push_str("<ul class=\"tiles\">\n");
    let _ = writeln!(
        out,
        "<li class=\"tile\"><b>{}</b><span>objects judged</span><small>{}</small></li>",
        grouped(report.objects),
        html(&count(report.findings.len() as u64 + report.omitted, "finding"))
    );
    for state in State::ALL {
        let number = numbers.of(state);
        if number == 0 && !states_of(report.subject).contains(&state) {
            continue;
        }
        let target = main_target_of(report)
            .filter(|_| report.targets.len() > 1)
            .map(|target| alloc::format!("&amp;target={}", percent_encode(target)))
            .unwrap_or_default();
        let _ = writeln!(
            out,
            "<li class=\"tile {name}{zero}\"><a href=\"#findings?state={name}{target}\"><b>{}</b><span>{}{}</span>\
             <small>{}</small></a></li>",
            grouped(number),
            icon(state.as_str()),
            state.title(),
            state.meaning(),
            name = state.as_str(),
            zero = if number == 0 { " zero" } else { "" },
        );
    }
    let _ = writeln!(
        out,
        "<li class=\"tile passes\"><b>{}</b><span>{}Fine</span><small>nothing was found</small></li>\n</ul>",
        grouped(clean_objects(report, numbers)),
        icon("passes"),
    );
}

fn push_certificate_tiles(out: &mut String, report: &Report) {
    out.push_str("<ul class=\"tiles\">\n");
    for state in CertificateState::ALL {
        let number = report.certificates.iter().filter(|one| one.state == state).count();
        let _ = writeln!(
            out,
            "<li class=\"tile {}{}\"><a href=\"#certificates\"><b>{}</b><span>{}{}</span></a></li>",
            state.as_str(),
            if number == 0 { " zero" } else { "" },
            grouped(number.try_into().unwrap_or(u64::MAX)),
            icon(state.as_str()),
            state.title(),
        );
    }
    out.push_str("</ul>\n");
}

/// All objects as one bar, divided by their worst state.
fn push_bar(out: &mut String, report: &Report, numbers: &ByState) {
    let clean = clean_objects(report, numbers);
    let all = numbers.sum() + clean;
    if all == 0 {
        return;
    }
    let parts = State::ALL.map(|state| (state.as_str(), state.title(), numbers.of(state)));
    let parts = parts.into_iter().chain([("passes", "Fine", clean)]);
    let parts = parts.filter(|(_, _, number)| *number > 0);
    let mut label = String::from("Objects by their worst state:");
    let (mut rects, mut x) = (String::new(), 0);
    for (name, title, number) in parts {
        let _ = write!(label, " {title} {}.", grouped(number));
        // Half a percent at least, so that one frozen object among thousands is seen.
        let width = share(number, all, 10_000).max(50);
        let _ = write!(
            rects,
            "<rect class=\"{name}\" x=\"{x}\" y=\"0\" width=\"{width}\" height=\"100\"/>"
        );
        x += width;
    }
    let _ = writeln!(
        out,
        "<svg class=\"share\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {x} 100\" \
         preserveAspectRatio=\"none\">{rects}</svg>",
        html(&label)
    );
}

/// `number` of `all` in parts of `whole`.
pub(crate) fn share(number: u64, all: u64, whole: u64) -> u64 {
    let wide = u128::from(number) * u128::from(whole) / u128::from(all.max(1));
    u64::try_from(wide).unwrap_or(whole)
}

/// The answer for each target version, where there are several.
fn push_targets(out: &mut String, report: &Report) {
    if report.subject != Subject::Cluster || report.targets.len() < 2 {
        return;
    }
    out.push_str(
        "<h3>Version by version</h3>\n<div class=\"scroll\"><table class=\"versions\">\n<thead><tr>\
         <th scope=\"col\">Upgrade to</th><th scope=\"col\">Answer</th>",
    );
    for state in states_of(report.subject) {
        let _ = write!(out, "<th scope=\"col\" class=\"number\">{}</th>", state.title());
    }
    out.push_str("<th scope=\"col\" class=\"number\">Fine</th></tr></thead>\n<tbody>\n");
    for target in &report.targets {
        let verdict = Verdict::of_cluster(report, Some(target));
        let numbers = objects_by_state(report, Some(target));
        let _ = write!(
            out,
            "<tr><th scope=\"row\"><bdi>{}</bdi></th><td class=\"answer {}\">{}{}</td>",
            html(target),
            verdict.tone.as_str(),
            icon(tone_icon(verdict.tone)),
            html(&verdict.answer)
        );
        for state in states_of(report.subject) {
            let _ = write!(
                out,
                "<td class=\"number\"><a href=\"#findings?state={}&amp;target={}\">{}</a></td>",
                state.as_str(),
                percent_encode(target),
                grouped(numbers.of(*state))
            );
        }
        let _ = writeln!(
            out,
            "<td class=\"number\">{}</td></tr>",
            grouped(clean_objects(report, &numbers))
        );
    }
    out.push_str("</tbody></table></div>\n");
}

/// The owners with the most to do.
fn push_owners(out: &mut String, report: &Report) {
    let owners = owner_counts(report);
    if report.subject == Subject::Kubelets || owners.is_empty() {
        return;
    }
    let most = owners.iter().map(|row| row.objects.sum()).max().unwrap_or(1);
    let title = if data::subject(report.subject) == "cluster" { "Who has to act" } else { "Where" };
    let _ = writeln!(out, "<h3>{title}</h3>\n<ol class=\"owners\">");
    for row in owners.iter().take(OWNERS) {
        let kind = row.owner.kind.title();
        let (name, small) = match row.owner.name.as_str() {
            "" => (kind, ""),
            name if name == kind => (name, ""),
            name => (name, kind),
        };
        let (mut rects, mut x) = (String::new(), 0);
        let mut words = String::new();
        for state in State::ALL {
            let number = row.objects.of(state);
            if number == 0 {
                continue;
            }
            let width = share(number, most, 1_000).max(8);
            let class = state.as_str();
            let _ = write!(
                rects,
                "<rect class=\"{class}\" x=\"{x}\" width=\"{width}\" height=\"10\"/>"
            );
            x += width;
            let _ = write!(
                words,
                "<i class=\"{class}\">{} {}</i> ",
                grouped(number),
                state.title().to_lowercase()
            );
        }
        let _ = writeln!(
            out,
            "<li><a href=\"#findings?owner={}\"><span class=\"who\"><bdi>{}</bdi> <small>{small}</small></span>\
             <svg class=\"bar\" aria-hidden=\"true\" viewBox=\"0 0 1024 10\" preserveAspectRatio=\"none\">{rects}</svg>\
             <span class=\"what\">{words}</span></a></li>",
            percent_encode(&alloc::format!("{kind}:{}", row.owner.name)),
            html(name),
        );
    }
    out.push_str("</ol>\n");
    if owners.len() > OWNERS {
        let _ = writeln!(
            out,
            "<p class=\"more\"><a href=\"#findings\">{} more in the list of findings</a></p>",
            grouped((owners.len() - OWNERS).try_into().unwrap_or(u64::MAX))
        );
    }
}
