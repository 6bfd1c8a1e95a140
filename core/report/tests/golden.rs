//! The page of a small report, compared with the stored one: styles and scripts are left out, the browser tests them.

use ratchet_report::{
    Certificate, CertificateState, Finding, Level, LevelResult, NamespaceLevels, Note, ObjectRef,
    Owner, OwnerKind, Report, RuleText, State, render,
};

const STORED: &str = include_str!("golden/small.html");

fn small() -> Report {
    let finding = |name: &str, target: &str, state| Finding {
        object: ObjectRef {
            api_version: "v1".into(),
            kind: "Service".into(),
            namespace: "shop".into(),
            name: name.into(),
        },
        owner: Owner { kind: OwnerKind::HelmRelease, name: "shop/web".into() },
        field: "spec.externalIPs[0]".into(),
        value: Some("010.0.0.7".into()),
        fix: Some("10.0.0.7".into()),
        rule: "RTC-IP-001".into(),
        state,
        message: "must not have leading 0s".into(),
        target: target.into(),
        ..Finding::default()
    };
    Report {
        title: "Audit of <production>".into(),
        source: "context production".into(),
        time: Some(1_794_902_400),
        generator: "ratchet".into(),
        targets: vec!["1.35".into(), "1.36".into()],
        behavior: "released".into(),
        objects: 12,
        findings: vec![
            finding("web", "1.35", State::Warns),
            finding("web", "1.36", State::Frozen),
            finding("a</script>&\u{202e}", "1.36", State::RefusedOnCreate),
        ],
        rules: vec![RuleText {
            id: "RTC-IP-001".into(),
            title: "canonical addresses".into(),
            demands: "No leading zeros.".into(),
            fix: "Remove them.".into(),
        }],
        namespaces: vec![NamespaceLevels {
            namespace: "shop".into(),
            pods: 3,
            enforced: Some(Level::Restricted),
            restricted: LevelResult { violations: 2, reasons: vec!["runAsNonRoot != true".into()] },
            ..NamespaceLevels::default()
        }],
        certificates: vec![Certificate {
            node: "worker-1".into(),
            subject: "CN=system:node:worker-1".into(),
            not_before: Some(1_780_000_000),
            not_after: Some(1_800_000_000),
            state: CertificateState::Passes,
            ..Certificate::default()
        }],
        notes: vec![Note {
            is_gap: true,
            text: "secrets: no right to list".into(),
            fix: "grant it".into(),
        }],
        ..Report::default()
    }
}

/// The page without the contents of its style and its script, and without their hashes.
fn skeleton(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    for (start, end) in
        [("script-src ", "; img-src"), ("<style>", "</style>"), ("<script>", "</script>")]
    {
        let (before, after) = rest.split_once(start).unwrap_or((rest, ""));
        let (_, after) = after.split_once(end).unwrap_or(("", after));
        out.push_str(before);
        out.push_str(start);
        out.push_str(end);
        rest = after;
    }
    out.push_str(rest);
    out
}

#[test]
fn a_small_report_is_the_stored_page() {
    let page = skeleton(&render(&small()));
    if page != STORED {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("small.html");
        let written = std::fs::write(&path, &page);
        panic!(
            "the page differs from tests/golden/small.html; what it is now stands in {} ({written:?})",
            path.display()
        );
    }
}

#[test]
fn the_same_report_gives_the_same_bytes_in_any_order() {
    let report = small();
    let mut turned = small();
    turned.findings.reverse();
    turned.rules.reverse();
    assert_eq!(render(&report), render(&turned));
}

#[test]
fn an_empty_report_is_a_page() {
    let page = render(&Report::default());
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(!page.contains("id=\"findings\""));
}

#[test]
fn the_page_names_no_other_address() {
    let page = render(&small());
    let outside: Vec<&str> = page.matches("http://").chain(page.matches("https://")).collect();
    // The names of SVG's namespace: in the icon, and in the script that makes icons.
    assert_eq!(outside.len(), page.matches("http://www.w3.org/2000/svg").count());
}
