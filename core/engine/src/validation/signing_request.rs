//! Validation of CertificateSigningRequests: signer, usages, conditions and the issued certificate.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::{self, NameFormat};
use crate::rules::names;
use crate::{FieldError, Part, format_value};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;
use ratchet_object::At;

/// The supported key usages, in the order in which the API lists them.
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// The signer of requests without a signer name in the beta API.
const LEGACY_SIGNER: &str = "kubernetes.io/legacy-unknown";
/// The shortest `expirationSeconds`.
const SHORTEST: i64 = 600;
/// Conditions that are only ever true, and cannot be removed.
const DECISIONS: [&str; 3] = ["Approved", "Denied", "Failed"];
/// Conditions that approvers set, and signers do not.
const APPROVALS: [&str; 2] = ["Approved", "Denied"];
/// Limits in bytes; a signer name is a domain, a slash, a subdomain, a dot and a label.
const LONGEST_DOMAIN: usize = 253;
const LONGEST_SIGNER: usize = LONGEST_DOMAIN + 1 + 253 + 1 + 63;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let (root, old) = (ctx.change.new_root(), ctx.change.old_root());
    let mut errs = FieldErrors::new(ctx, verdict);
    // The spec cannot change: it was validated on create.
    if old.is_none() {
        check_spec(&root.field("spec"), &mut errs);
    }
    let status = root.field("status");
    let Some(old) = old else { return check_conditions(&status, None, &mut errs) };
    let before = old.field("status");
    check_conditions(&status, Some(before), &mut errs);
    check_decisions(&status, &before, &mut errs);
    let (certificate, stored) = (status.field("certificate"), before.field("certificate"));
    if !certificate.equals(&stored) {
        if ctx.change.part != Part::STATUS {
            errs.forbidden(&certificate, "updates may not set certificate content");
        } else if !stored.text_or_empty().is_empty() {
            errs.forbidden(&certificate, "updates may not modify existing certificate content");
        }
    }
}

fn check_spec(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let usages = spec.field("usages");
    if usages.is_empty() {
        errs.required(&usages, "");
    }
    for usage in usages.items() {
        let text = usage.text_or_empty();
        if !USAGES.contains(&text) {
            errs.unsupported(
                &usage,
                format_value::typed_string(text, errs.ctx.config.release),
                &USAGES,
            );
        }
    }
    let mut seen = BTreeSet::new();
    for usage in usages.items() {
        let text = usage.text_or_empty();
        if !seen.insert(text) {
            errs.duplicate(&usage, format_value::typed_string(text, errs.ctx.config.release));
        }
    }
    let signer = spec.field("signerName");
    if signer.text_or_empty() == LEGACY_SIGNER {
        errs.invalid(&signer, "the legacy signerName is not allowed via this API version");
    } else {
        check_signer(&signer, errs);
    }
    let life = spec.field("expirationSeconds");
    if life.int().is_some_and(|seconds| seconds < SHORTEST) {
        errs.invalid(&life, "may not specify a duration less than 600 seconds (10 minutes)");
    }
}

/// Checks a signer name, a domain with a path.
pub(super) fn check_signer(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    if text.is_empty() {
        return errs.required(at, "");
    }
    let halves = text.split_once('/').filter(|(_, path)| !path.contains('/'));
    let Some((domain, path)) = halves else {
        let detail =
            "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return errs.invalid(at, detail);
    };
    if domain.len() > LONGEST_DOMAIN {
        errs.too_long(at, LONGEST_DOMAIN);
    }
    check_labels(at, domain, NameFormat::Label, errs);
    if !domain.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        errs.invalid_as(at, quoted(domain), detail);
    }
    check_labels(at, path, NameFormat::Subdomain, errs);
    if text.len() > LONGEST_SIGNER {
        errs.too_long(at, LONGEST_SIGNER);
    }
}

/// Reports the format violations of the first bad label.
fn check_labels(at: &At<'_>, text: &str, format: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    let Some(bad) = text.split('.').find(|label| !name_format::is_valid(format, label)) else {
        return;
    };
    name_format::faults(format, bad, |detail| {
        let detail = format!("validating label {}: {detail}", quoted(bad));
        errs.verdict.add_error(FieldError::invalid(&names::FORMS, at, text, detail));
    });
}

/// Checks the conditions of a new status; stored invalid ones may stay.
fn check_conditions(status: &At<'_>, before: Option<At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let release = errs.ctx.config.release;
    let list = status.field("conditions");
    // By their types, which differ unless a stored status is odd: equal ones have the same.
    let mut stored: BTreeMap<&str, Vec<At<'_>>> = BTreeMap::new();
    for one in before.iter().flat_map(|before| before.field("conditions").items()) {
        stored.entry(type_of(&one)).or_default().push(one);
    }
    let is_stored = |item: &At<'_>| {
        stored.get(type_of(item)).is_some_and(|all| all.iter().any(|one| item.equals(one)))
    };
    let may_repeat = stored.values().any(|all| all.len() > 1);
    let may_be_empty = stored.contains_key("");
    let may_be_both = APPROVALS.iter().all(|kind| stored.contains_key(kind));
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for item in list.items() {
        let (kind, status) = (type_of(&item), item.field("status"));
        if kind.is_empty() && !may_be_empty {
            errs.required(&item.field("type"), "");
        }
        let allowed: &[&str] =
            if DECISIONS.contains(&kind) { &["True"] } else { &["False", "True", "Unknown"] };
        match status.text_or_empty() {
            _ if is_stored(&item) => {}
            "" => errs.required(&status, ""),
            text if !allowed.contains(&text) => {
                errs.unsupported(&status, format_value::typed_string(text, release), allowed);
            }
            _ => {}
        }
        let other = match kind {
            "Approved" => "Denied",
            "Denied" => "Approved",
            _ => "",
        };
        if !other.is_empty() && seen.contains(other) && !may_be_both {
            let detail = "Approved and Denied conditions are mutually exclusive";
            errs.invalid_as(&list, format_value::typed_string(kind, release), detail);
        }
        if !seen.insert(kind) && !may_repeat {
            errs.duplicate(&item.field("type"), format_value::typed_string(kind, release));
        }
    }
}

fn type_of<'a>(condition: &At<'a>) -> &'a str {
    condition.field("type").text_or_empty()
}

/// The conditions of a type.
fn all_of<'a>(status: &At<'a>, kind: &str) -> Vec<At<'a>> {
    status.field("conditions").items().filter(|item| type_of(item) == kind).collect()
}

/// Checks that decisions are not removed, and that only the approval subresource makes them.
fn check_decisions(status: &At<'_>, before: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let list = status.field("conditions");
    for kind in DECISIONS {
        if all_of(status, kind).len() < all_of(before, kind).len() {
            let kind = quoted(kind);
            errs.forbidden(&list, format!("updates may not remove a condition of type {kind}"));
        }
    }
    if errs.ctx.change.part == Part::Sub("approval") {
        return;
    }
    for kind in APPROVALS {
        let (new, old) = (all_of(status, kind), all_of(before, kind));
        let is_same = new.iter().zip(&old).all(|(new, old)| new.equals(old));
        let verb = match new.len() {
            count if count > old.len() => "add",
            count if count == old.len() && !is_same => "modify",
            _ => continue,
        };
        let kind = quoted(kind);
        errs.forbidden(&list, format!("updates may not {verb} a condition of type {kind}"));
    }
}

#[cfg(test)]
mod tests {
    use crate::{ApiConfig, Behavior, Change, Facts, Part, Release, judge};
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;
    use ratchet_object::{Limits, Object, decode};

    const USAGES: &str = r#"supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping""#;
    const GOOD: &str = "{request: eA==, signerName: example.com/a, usages: [client auth]}";

    fn object(spec: &str, status: &str) -> Object<'static> {
        let text = format!(
            "{{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {{name: r, resourceVersion: '1'}}, spec: {spec}, status: {status}}}"
        );
        Object::new(decode(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned())
    }

    fn errors(change: &Change<'_>) -> Vec<String> {
        let config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
        let verdict = judge(change, &Facts::default(), &config);
        verdict.errors.iter().map(|one| format!("{}: {}", one.field, one.message())).collect()
    }

    fn created(spec: &str) -> Vec<String> {
        errors(&Change::create(&object(spec, "{}")).unwrap())
    }

    fn updated(part: Part, old: &str, new: &str) -> Vec<String> {
        let (old, new) = (object(GOOD, old), object(GOOD, new));
        errors(&Change::update(&old, &new).unwrap().through(part))
    }

    #[test]
    fn usages_are_known_and_given_once() {
        assert!(created(GOOD).is_empty());
        let with = |usages: &str| created(&GOOD.replace("[client auth]", usages));
        assert_eq!(with("[]"), ["spec.usages: Required value"]);
        assert_eq!(
            with("[client auth, flying, client auth]"),
            [
                format!("spec.usages[1]: Unsupported value: \"flying\": {USAGES}"),
                "spec.usages[2]: Duplicate value: \"client auth\"".to_string(),
            ]
        );
    }

    #[test]
    fn signers_are_named_after_domains() {
        let with = |signer: &str| created(&GOOD.replace("example.com/a", signer));
        let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        let subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        let format =
            "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        for good in ["kubernetes.io/kubelet-serving", "a.b/c.d"] {
            assert!(with(good).is_empty(), "{good}");
        }
        assert_eq!(with("''"), ["spec.signerName: Required value"]);
        for bad in ["abc", "a.b/c/d"] {
            assert_eq!(with(bad), [format!("spec.signerName: Invalid value: \"{bad}\": {format}")]);
        }
        assert_eq!(
            with("ab/c"),
            [
                "spec.signerName: Invalid value: \"ab\": should be a domain with at least two segments separated by dots"
            ]
        );
        assert_eq!(
            with("a.B.C/d"),
            [format!("spec.signerName: Invalid value: \"a.B.C\": validating label \"B\": {label}")]
        );
        assert_eq!(
            with("a.b/c_d"),
            [format!(
                "spec.signerName: Invalid value: \"c_d\": validating label \"c_d\": {subdomain}"
            )]
        );
        assert_eq!(
            with("kubernetes.io/legacy-unknown"),
            [
                "spec.signerName: Invalid value: \"kubernetes.io/legacy-unknown\": the legacy signerName is not allowed via this API version"
            ]
        );
        let long = format!("{}a/b", "abcdefgh.".repeat(29));
        assert_eq!(with(&long), ["spec.signerName: Too long: may not be more than 253 bytes"]);
    }

    #[test]
    fn a_certificate_lives_ten_minutes_at_least() {
        let with = |seconds: i64| {
            created(&GOOD.replace("request", &format!("expirationSeconds: {seconds}, request")))
        };
        assert!(with(600).is_empty());
        assert_eq!(
            with(599),
            [
                "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)"
            ]
        );
    }

    #[test]
    fn conditions_say_what_they_may() {
        let errors_of =
            |new: &str| updated(Part::Sub("approval"), "{}", &format!("{{conditions: [{new}]}}"));
        assert!(
            errors_of("{type: Approved, status: 'True'}, {type: Odd, status: Unknown}").is_empty()
        );
        for kind in ["Approved", "Denied", "Failed"] {
            assert_eq!(
                errors_of(&format!("{{type: {kind}, status: 'False'}}")),
                [
                    "status.conditions[0].status: Unsupported value: \"False\": supported values: \"True\""
                ]
            );
        }
        assert_eq!(
            errors_of("{type: Odd, status: Maybe}, {status: 'True'}, {type: Other}"),
            [
                "status.conditions[0].status: Unsupported value: \"Maybe\": supported values: \"False\", \"True\", \"Unknown\"",
                "status.conditions[1].type: Required value",
                "status.conditions[2].status: Required value",
            ]
        );
        assert_eq!(
            errors_of("{type: Approved, status: 'True'}, {type: Denied, status: 'True'}"),
            [
                "status.conditions: Invalid value: \"Denied\": Approved and Denied conditions are mutually exclusive"
            ]
        );
        assert_eq!(
            errors_of("{type: Odd, status: 'True'}, {type: Odd, status: 'True'}"),
            ["status.conditions[1].type: Duplicate value: \"Odd\""]
        );
    }

    #[test]
    fn what_was_bad_before_may_stay() {
        let bad = "{conditions: [{type: Approved, status: 'False'}, {type: Denied, status: 'True'}, {type: '', status: ''}, {type: ''}]}";
        for part in [Part::Main, Part::STATUS, Part::Sub("approval")] {
            assert!(updated(part, bad, bad).is_empty(), "{part:?}");
        }
    }

    #[test]
    fn what_is_decided_stays_decided_and_only_approvers_decide() {
        let condition = |kind: &str| format!("{{conditions: [{{type: {kind}, status: 'True'}}]}}");
        for kind in ["Approved", "Denied", "Failed"] {
            let removed = format!(
                "status.conditions: Forbidden: updates may not remove a condition of type \"{kind}\""
            );
            for part in [Part::Main, Part::STATUS, Part::Sub("approval")] {
                assert_eq!(updated(part, &condition(kind), "{}"), core::slice::from_ref(&removed));
            }
            assert!(updated(Part::Sub("approval"), "{}", &condition(kind)).is_empty());
        }
        assert!(updated(Part::STATUS, "{}", &condition("Failed")).is_empty());
        for kind in ["Approved", "Denied"] {
            let added = format!(
                "status.conditions: Forbidden: updates may not add a condition of type \"{kind}\""
            );
            assert_eq!(updated(Part::STATUS, "{}", &condition(kind)), [added]);
        }
    }

    #[test]
    fn a_certificate_is_given_once() {
        let (none, some, other) = ("{}", "{certificate: eA==}", "{certificate: eQ==}");
        assert!(updated(Part::STATUS, none, some).is_empty());
        assert!(updated(Part::STATUS, some, some).is_empty());
        let again =
            "status.certificate: Forbidden: updates may not modify existing certificate content";
        assert_eq!(updated(Part::STATUS, some, other), [again]);
        assert_eq!(updated(Part::STATUS, some, none), [again]);
        let set = "status.certificate: Forbidden: updates may not set certificate content";
        assert_eq!(updated(Part::Sub("approval"), none, some), [set]);
    }
}
