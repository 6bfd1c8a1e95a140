//! Validation of FlowSchemas and PriorityLevelConfigurations.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::format_value;
use crate::name_format::{self, NameFormat};
use alloc::format;
use ratchet_object::At;

const LAST_PRECEDENCE: i64 = 10_000;
const MOST_QUEUES: i64 = 10_000_000;
/// The bits of a hash of which a hand of queues is dealt.
const HASH_BITS: u32 = 60;
const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/// Kinds of subjects, the field of each, and the errors about it.
const SUBJECTS: [(&str, &str, &str, &str); 3] = [
    (
        "User",
        "user",
        "user is required when subject kind is 'User'",
        "user is forbidden when subject kind is not 'User'",
    ),
    (
        "ServiceAccount",
        "serviceAccount",
        "serviceAccount is required when subject kind is 'ServiceAccount'",
        "serviceAccount is forbidden when subject kind is not 'ServiceAccount'",
    ),
    (
        "Group",
        "group",
        "group is required when subject kind is 'Group'",
        "group is forbidden when subject kind is not 'Group'",
    ),
];

pub(super) fn validate_schema(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let spec = root.field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    check_precedence(&root, &spec.field("matchingPrecedence"), &mut errs);
    let method = spec.field("distinguisherMethod");
    let text = method.field("type").text_or_empty();
    if method.is_set() && !matches!(text, "ByNamespace" | "ByUser") {
        // The API shows the whole method.
        let formatted = format!("{{\"Type\":{}}}", format_value::json(text));
        errs.unsupported(&method.field("type"), formatted, &["ByNamespace", "ByUser"]);
    }
    let level = spec.field("priorityLevelConfiguration").field("name");
    match level.text_or_empty() {
        "" => errs.required(&level, "must reference a priority level"),
        _ => errs.form(&level, NameFormat::Subdomain),
    }
    spec.field("rules").items().for_each(|rule| check_rule(&rule, &mut errs));
}

fn check_precedence(root: &At<'_>, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    // An unset one has a default.
    let Some(number) = at.int() else { return };
    if number <= 0 {
        errs.invalid(at, "must be a positive value");
    }
    if number > LAST_PRECEDENCE {
        errs.invalid(at, format!("must not be greater than {LAST_PRECEDENCE}"));
    }
    if number == 1 && root.field("metadata").field("name").text_or_empty() != "exempt" {
        errs.invalid(at, "only the schema named 'exempt' may have matchingPrecedence 1");
    }
}

fn check_rule(rule: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let subjects = rule.field("subjects");
    if subjects.is_empty() {
        errs.required(&subjects, "subjects must contain at least one value");
    }
    subjects.items().for_each(|subject| check_subject(&subject, errs));
    let (resources, others) = (rule.field("resourceRules"), rule.field("nonResourceRules"));
    if resources.is_empty() && others.is_empty() {
        let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
        errs.required(rule, detail);
    }
    resources.items().for_each(|rule| check_resource_rule(&rule, errs));
    for rule in others.items() {
        check_verbs(&rule.field("verbs"), errs);
        check_urls(&rule.field("nonResourceURLs"), errs);
    }
}

fn check_subject(subject: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let kind = subject.field("kind");
    let text = kind.text_or_empty();
    let Some((_, field, required, _)) = SUBJECTS.iter().find(|row| row.0 == text) else {
        let formatted = format_value::typed_string(text, errs.ctx.config.release);
        return errs.unsupported(&kind, formatted, &["Group", "ServiceAccount", "User"]);
    };
    let own = subject.field(field);
    if own.is_set() {
        let name = own.field("name");
        if errs.needs_text(&name) && *field == "serviceAccount" && name.text_or_empty() != "*" {
            errs.form(&name, NameFormat::Subdomain);
        }
        let namespace = own.field("namespace");
        match namespace.text_or_empty() {
            _ if *field != "serviceAccount" => {}
            "" => errs.required(&namespace, "must specify namespace for service account"),
            _ => errs.form(&namespace, NameFormat::Label),
        }
    } else {
        errs.required(&own, *required);
    }
    for (.., name, _, forbidden) in SUBJECTS.iter().filter(|row| row.0 != text) {
        let other = subject.field(name);
        if other.is_set() {
            errs.forbidden(&other, *forbidden);
        }
    }
}

/// Whether a list has the text that stands for everything.
fn has_all(list: &At<'_>) -> bool {
    list.items().any(|at| at.text_or_empty() == "*")
}

/// Checks that a list that has `*` has nothing else; returns whether it has `*`.
fn check_all(list: &At<'_>, others: &str, errs: &mut FieldErrors<'_, '_>) -> bool {
    let has_all = has_all(list);
    if has_all && list.len() > 1 {
        let detail = format!("if '*' is present, must not specify other {others}");
        errs.invalid_as(list, format_value::tree(list.node()), detail);
    }
    has_all
}

fn check_verbs(verbs: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if verbs.is_empty() {
        errs.required(verbs, "verbs must contain at least one value");
    } else if !check_all(verbs, "verbs", errs)
        && !verbs.items().all(|at| VERBS.contains(&at.text_or_empty()))
    {
        errs.unsupported(verbs, format_value::tree(verbs.node()), &VERBS);
    }
}

fn check_resource_rule(rule: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_verbs(&rule.field("verbs"), errs);
    let lists = [
        ("apiGroups", "resource rules must supply at least one api group", "api groups"),
        ("resources", "resource rules must supply at least one resource", "resources"),
    ];
    for (name, required, others) in lists {
        let list = rule.field(name);
        if list.is_empty() {
            errs.required(&list, required);
        }
        check_all(&list, others, errs);
    }
    let namespaces = rule.field("namespaces");
    if namespaces.is_empty() && !rule.field("clusterScope").is_true() {
        let detail =
            "resource rules that are not cluster scoped must supply at least one namespace";
        return errs.required(&namespaces, detail);
    }
    if check_all(&namespaces, "namespaces", errs) {
        return;
    }
    for at in namespaces.items() {
        let text = at.text_or_empty();
        name_format::faults(NameFormat::Label, text, |fault| {
            let detail =
                format!("each member of this list must be '*' or a DNS-1123 label; {fault}");
            errs.invalid_as(&at, quoted(text), detail);
        });
    }
}

fn check_urls(urls: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if urls.is_empty() {
        return errs.required(urls, "nonResourceURLs must contain at least one value");
    }
    if check_all(urls, "non-resource URLs", errs) {
        return;
    }
    for at in urls.items() {
        let text = at.text_or_empty();
        let wildcards = text.matches('*').count();
        let detail = match text {
            "" => "must not be empty",
            "/" => continue,
            _ if !text.starts_with('/') => "must start with slash",
            _ if text.contains(' ') => "must not contain white-space",
            _ if text.contains("//") => "must not contain double slash",
            _ if wildcards > 1 || (wildcards == 1 && !text.ends_with("/*")) => {
                "wildcard can only do suffix matching"
            }
            _ => continue,
        };
        errs.invalid_as(&at, quoted(text), detail);
    }
}

pub(super) fn validate_level(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let spec = root.field("spec");
    let [kind, limited, exempt] = ["type", "limited", "exempt"].map(|name| spec.field(name));
    let text = kind.text_or_empty();
    let is_exempt = root.field("metadata").field("name").text_or_empty() == "exempt";
    let mut errs = FieldErrors::new(ctx, verdict);
    if is_exempt != (text == "Exempt") {
        let formatted = format_value::typed_string(text, ctx.config.release);
        errs.invalid_as(&kind, formatted, "must be 'Exempt' if and only if `name` is 'exempt'");
    }
    match text {
        "Exempt" => {
            if limited.is_set() {
                errs.forbidden(&limited, "must be nil if the type is not Limited");
            }
            check_shares(&exempt, &mut errs);
            check_lending(&exempt, &mut errs);
        }
        "Limited" => {
            if exempt.is_set() {
                errs.forbidden(&exempt, "must be nil if the type is Limited");
            }
            if limited.is_set() {
                check_limited(&limited, &mut errs);
            } else {
                errs.required(&limited, "must not be empty when type is Limited");
            }
        }
        "" => errs.required(&kind, ""),
        _ => errs.one_of(&kind, &["Exempt", "Limited"]),
    }
}

fn check_shares(level: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let shares = level.field("nominalConcurrencyShares");
    if shares.int().is_some_and(|number| number < 0) {
        errs.invalid(&shares, "must be a non-negative integer");
    }
}

fn check_lending(level: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.between(&level.field("lendablePercent"), 0, 100);
}

fn check_limited(level: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_shares(level, errs);
    let response = level.field("limitResponse");
    let (kind, queuing) = (response.field("type"), response.field("queuing"));
    match kind.text_or_empty() {
        "Reject" => {
            if queuing.is_set() {
                let detail = "must be nil if limited.limitResponse.type is not Limited";
                errs.forbidden(&queuing, detail);
            }
        }
        "Queue" if queuing.is_set() => check_queuing(&queuing, errs),
        "Queue" => {
            let detail = "must not be empty if limited.limitResponse.type is Limited";
            errs.required(&queuing, detail);
        }
        "" => errs.required(&kind, ""),
        _ => errs.one_of(&kind, &["Queue", "Reject"]),
    }
    check_lending(level, errs);
    let borrowing = level.field("borrowingLimitPercent");
    if borrowing.int().is_some_and(|percent| percent < 0) {
        errs.invalid(&borrowing, "if specified, must be a non-negative integer");
    }
}

fn check_queuing(queuing: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    // Unset numbers have these defaults.
    let [length, queues, hand] =
        [("queueLengthLimit", 50), ("queues", 64), ("handSize", 8)].map(|(name, default)| {
            let at = queuing.field(name);
            (at, at.int().unwrap_or(default))
        });
    if length.1 <= 0 {
        errs.invalid(&length.0, "must be positive");
    }
    if queues.1 <= 0 {
        errs.invalid(&queues.0, "must be positive");
    } else if queues.1 > MOST_QUEUES {
        errs.invalid(&queues.0, format!("must not be greater than {MOST_QUEUES}"));
    }
    let (at, size) = (hand.0, hand.1);
    let formatted = format!("{size}");
    if size <= 0 {
        errs.invalid_as(&at, formatted, "must be positive");
    } else if size > queues.1 {
        let detail = format!("should not be greater than queues ({})", queues.1);
        errs.invalid_as(&at, formatted, detail);
    } else if !is_dealt(queues.1, size) {
        let detail = format!(
            "required entropy bits of deckSize {} and handSize {size} should not be greater than {HASH_BITS}",
            queues.1
        );
        errs.invalid_as(&at, formatted, detail);
    }
}

/// Whether a hash has enough bits to deal a hand of so many queues.
fn is_dealt(queues: i64, hand: i64) -> bool {
    let hand = u32::try_from(hand).unwrap_or(u32::MAX);
    let hands = u128::try_from(queues).unwrap_or_default().checked_pow(hand);
    hands.is_some_and(|hands| hands <= 1 << HASH_BITS)
}

#[cfg(test)]
mod tests {
    use super::is_dealt;

    #[test]
    fn hands_of_queues() {
        assert!(is_dealt(64, 10) && is_dealt(1, 1_000_000) && is_dealt(1024, 6));
        assert!(!is_dealt(64, 11) && !is_dealt(10_000_000, 3) && !is_dealt(2, 1 << 40));
    }
}
