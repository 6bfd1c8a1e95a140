//! The command `ratchet explain`: prints what a rule demands, why it exists, and how to fix a violation.

use crate::command_result::CommandResult;
use ratchet_audit::RULES as AUDIT_RULES;
use ratchet_check::RULES as CHECK_RULES;
use ratchet_engine::{DIFFERENCES, Origin, RULES, Rule};
use ratchet_kubelet_certs::RULES as CERTIFICATE_RULES;
use std::io::Write;

const CERTIFICATE_ORIGIN: &str = "KEP-4872";

pub(crate) fn run(id: Option<&str>, out: &mut dyn Write) -> CommandResult {
    let Some(id) = id else {
        for rule in RULES.iter().chain(CHECK_RULES).chain(AUDIT_RULES) {
            writeln!(out, "{}  {} ({})", rule.id, rule.title, rule.origin)?;
        }
        for rule in CERTIFICATE_RULES {
            writeln!(out, "{}  {} ({CERTIFICATE_ORIGIN})", rule.id, rule.title)?;
        }
        return Ok(0);
    };
    if let Some(rule) = RULES
        .iter()
        .chain(CHECK_RULES)
        .chain(AUDIT_RULES)
        .find(|rule| rule.id.eq_ignore_ascii_case(id))
    {
        explain(rule, out)?;
    } else if let Some(rule) =
        CERTIFICATE_RULES.iter().find(|rule| rule.id.eq_ignore_ascii_case(id))
    {
        explain_certificate(rule, out)?;
    } else {
        return Err(format!("no rule is called {id:?}: `ratchet explain` lists them all").into());
    }
    Ok(0)
}

/// Explains a rule of `ratchet kubelet-certs`, which has neither fields nor a ratchet.
fn explain_certificate(
    rule: &ratchet_kubelet_certs::Rule,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    writeln!(out, "{}: {}\n", rule.id, rule.title)?;
    for (title, text) in [("Why", rule.why), ("Fix", rule.fix)] {
        writeln!(out, "{title}\n{}\n", wrap(text))?;
    }
    writeln!(out, "From\n  {CERTIFICATE_ORIGIN}; `ratchet kubelet-certs`")
}

fn explain(rule: &Rule, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{}: {}\n", rule.id, rule.title)?;
    let sections = [
        ("Demands", rule.demands),
        ("Why", rule.why),
        ("Fix", rule.fix),
        ("What is stored already", rule.ratchet.meaning()),
        ("Versions", rule.versions),
    ];
    for (title, text) in sections {
        writeln!(out, "{title}\n{}\n", wrap(text))?;
    }
    writeln!(out, "From\n  {}", rule.origin)?;
    writeln!(out, "\nFields")?;
    for field in rule.all_fields() {
        writeln!(out, "{}", wrap(&field))?;
    }
    if let Origin::Kep(kep) = rule.origin {
        let rows: Vec<_> = DIFFERENCES.iter().filter(|row| row.kep == kep).collect();
        if !rows.is_empty() {
            writeln!(out, "\nWhere the proposal and released Kubernetes differ (--behavior)")?;
        }
        for row in rows {
            writeln!(
                out,
                "  {}\n{}\n{}",
                row.id,
                wrap(&format!("proposal: {}", row.proposal)),
                wrap(&format!("released: {}", row.released))
            )?;
        }
    }
    Ok(())
}

/// Wraps a text into indented lines of at most eighty characters.
fn wrap(text: &str) -> String {
    let mut lines = vec![String::from(" ")];
    for word in text.split_whitespace() {
        let full =
            lines.last().is_some_and(|line| line.len() > 1 && line.len() + word.len() + 1 > 80);
        if full {
            lines.push(String::from(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}
