//! Rule RTC-DNS-001: a DNS search name is a subdomain; relaxed validation also accepts underscores and a single dot.

use crate::context::ValidationContext;
use crate::difference::{DNS_RATCHET, Difference, LEADING_UNDERSCORES};
use crate::views::texts;
use crate::{Cause, FieldError, Origin, Ratchet, Rule, StoredValues, Verdict, format_value};
use ratchet_net::dns::{self, SearchReading, Underscores};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-DNS-001",
    fields: &["Pod spec.dnsConfig.searches[], also in every pod template"],
    title: "DNS search name",
    origin: Origin::Kep(4427),
    demands: "Each entry of `dnsConfig.searches` is a lower case DNS subdomain of at most 253 characters. With the relaxed reading it may also hold underscores, or be a single dot. At most 32 entries, at most 2048 characters in all.",
    why: "Search names end in resolv.conf. The strict reading kept pods from finding legacy names with underscores (`_sip._tcp.abc_d.example.com`) and from asking outside first (`.`).",
    fix: "Use lower case letters, digits, dashes and dots; on releases before 1.33, turn on the gate RelaxedDNSSearchValidation for underscores and the single dot.",
    ratchet: Ratchet::ByList,
    versions: "Strict up to 1.31; relaxed behind the gate RelaxedDNSSearchValidation in 1.32 (off) and 1.33 (on), always since 1.34.",
};

pub(crate) const STRICT_PATTERN: &str = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const RELAXED_PATTERN: &str = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

/// Message of the proposal for a name that the release accepts: the relaxed pattern would match it.
const PROPOSED_PATTERN: &str = r"an underscore may stand only where a dash may, and each label must start and end with a lower case alphanumeric character (e.g. 'abc_d.example.com', regex used for validation is '[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

const MOST_ENTRIES: usize = 32;
const MOST_BYTES: usize = 2048;

/// Checks the list; `old` is the stored list, if any.
pub(crate) fn check(
    ctx: &ValidationContext<'_>,
    searches: &At<'_>,
    old: Option<At<'_>>,
    verdict: &mut Verdict,
) {
    let release = ctx.config.release;
    let entries = texts(searches);
    if entries.len() > MOST_ENTRIES {
        let error = FieldError::new(
            &RULE,
            Cause::Invalid,
            searches,
            "must not have more than 32 search paths",
        );
        verdict.add_error(error.with_value(format_value::list(&entries, release)));
    }
    let joined =
        entries.iter().map(|entry| entry.len()).sum::<usize>() + entries.len().saturating_sub(1);
    if joined > MOST_BYTES {
        let detail =
            "must not have more than 2048 characters (including spaces) in the search list";
        let error = FieldError::new(&RULE, Cause::Invalid, searches, detail);
        verdict.add_error(error.with_value(format_value::list(&entries, release)));
    }
    let reading = reading(ctx, old);
    // By the proposal, a stored name never blocks an update.
    let stored: StoredValues<'_> = match old.filter(|_| ctx.config.follows_proposal(&DNS_RATCHET)) {
        Some(old) => texts(&old).into_iter().collect(),
        None => StoredValues::NOTHING,
    };
    for at in searches.items().filter(|at| !stored.holds(at.text_or_empty())) {
        check_entry(ctx, &at, reading, old, verdict);
    }
}

fn check_entry(
    ctx: &ValidationContext<'_>,
    at: &At<'_>,
    reading: SearchReading,
    old: Option<At<'_>>,
    verdict: &mut Verdict,
) {
    let (value, faults) = dns::search_name(at.text_or_empty(), reading);
    let difference = || decided_by(ctx, at.text_or_empty(), reading, old);
    if faults.too_long {
        let error = FieldError::invalid(&RULE, at, value, "must be no more than 253 characters");
        verdict.add_error(error.with_difference(difference()));
    }
    if faults.pattern {
        let difference = difference();
        let pattern = match (reading, difference) {
            (SearchReading::Strict, _) => STRICT_PATTERN,
            (_, Some(row)) if *row == LEADING_UNDERSCORES => PROPOSED_PATTERN,
            (SearchReading::Relaxed(_), _) => RELAXED_PATTERN,
        };
        verdict
            .add_error(FieldError::invalid(&RULE, at, value, pattern).with_difference(difference));
    }
}

/// Relaxed with the gate, or where the stored list already needs it.
fn reading(ctx: &ValidationContext<'_>, old: Option<At<'_>>) -> SearchReading {
    let config = ctx.config;
    let by_proposal = config.follows_proposal(&DNS_RATCHET);
    if config.relaxed_dns() || old.is_some_and(|old| needs_relaxed(&old, by_proposal)) {
        SearchReading::Relaxed(underscores(config.follows_proposal(&LEADING_UNDERSCORES)))
    } else {
        SearchReading::Strict
    }
}

fn underscores(by_proposal: bool) -> Underscores {
    if by_proposal { Underscores::WhereDashMayStand } else { Underscores::LeadingToo }
}

/// Whether a stored entry needs relaxed validation.
fn needs_relaxed(old: &At<'_>, by_proposal: bool) -> bool {
    old.items().any(|at| {
        let text = at.text_or_empty();
        if by_proposal {
            !dns::search_name(text, SearchReading::Strict).1.is_ok()
        } else {
            text == "." || text.contains('_')
        }
    })
}

/// The difference without which this entry would pass.
fn decided_by(
    ctx: &ValidationContext<'_>,
    text: &str,
    reading: SearchReading,
    old: Option<At<'_>>,
) -> Option<&'static Difference> {
    let passes = |reading| dns::search_name(text, reading).1.is_ok();
    match reading {
        SearchReading::Relaxed(Underscores::WhereDashMayStand) => {
            passes(SearchReading::Relaxed(Underscores::LeadingToo)).then_some(&LEADING_UNDERSCORES)
        }
        SearchReading::Relaxed(Underscores::LeadingToo) => None,
        SearchReading::Strict => {
            let by_other = !ctx.config.follows_proposal(&DNS_RATCHET);
            let other = SearchReading::Relaxed(underscores(by_other));
            let is_relaxed = old.is_some_and(|old| needs_relaxed(&old, by_other));
            (is_relaxed && passes(other)).then_some(&DNS_RATCHET)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;
    use regex_automata::meta::Regex;

    /// The regex that a message quotes.
    fn quoted(message: &str) -> Regex {
        let pattern = message.split_once("regex used for validation is '").unwrap().1;
        let pattern = pattern.strip_suffix("')").unwrap();
        Regex::new(&format!("^(?:{pattern})$")).unwrap()
    }

    /// Every string of up to five of these characters.
    fn texts() -> Vec<String> {
        let mut all = Vec::from([String::new()]);
        let mut last = all.clone();
        for _ in 0..5 {
            let longer =
                |text: &String| ["a", "_", "-", "."].map(|letter| format!("{text}{letter}"));
            last = last.iter().flat_map(longer).collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn each_message_quotes_the_pattern_by_which_names_are_read() {
        for (message, reading) in [
            (STRICT_PATTERN, SearchReading::Strict),
            (RELAXED_PATTERN, SearchReading::Relaxed(Underscores::LeadingToo)),
            (PROPOSED_PATTERN, SearchReading::Relaxed(Underscores::WhereDashMayStand)),
        ] {
            let regex = quoted(message);
            for text in texts().iter().filter(|text| !text.ends_with('.')) {
                let (_, faults) = dns::search_name(text, reading);
                assert_eq!(faults.pattern, !regex.is_match(text), "{reading:?} {text:?}");
            }
        }
    }
}
