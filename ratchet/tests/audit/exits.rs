//! Exit statuses, as docs/reference/audit.md and the help list them.

use super::harness::{BAD_SERVICE, Folder, GOOD_SERVICE, WARNED_SERVICE, run_in};

const FROZEN: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {containers: [{name: c, image: x}], dnsConfig: {nameservers: [010.0.0.1]}}
";

#[test]
fn the_worst_state_decides_and_what_was_not_seen_comes_first() {
    let broken = format!("{BAD_SERVICE}---\n{{a: [\n");
    for (dump, flags, code) in [
        (GOOD_SERVICE, &[][..], 0),
        ("", &[], 0),
        (WARNED_SERVICE, &[], 0),
        (GOOD_SERVICE, &["--warnings-as-errors"], 0),
        (WARNED_SERVICE, &["--warnings-as-errors"], 1),
        (BAD_SERVICE, &[], 1),
        (FROZEN, &[], 1),
        // What is refused in the one release only warns in the other.
        (FROZEN, &["--target-version", "1.35"], 0),
        (FROZEN, &["--target-version", "1.35,1.36"], 1),
        (&broken, &[], 2),
        (FROZEN, &["--target-version", "soon"], 2),
        (FROZEN, &["--no-such-flag"], 2),
    ] {
        let folder = Folder::with(&[("dump.yaml", dump)]);
        let arguments = [&["audit", "-f", "dump.yaml"], flags].concat();
        let output = run_in(&folder.path(""), &arguments, b"", &[]);
        assert_eq!(output.code, code, "{dump}{flags:?}: {}{}", output.stdout, output.stderr);
        let is_empty = output.stderr.contains("no audited objects were found");
        assert_eq!(is_empty, dump.is_empty(), "{}", output.stderr);
    }
}

#[test]
fn the_reference_and_the_help_have_the_same_statuses() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/audit.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("## Exit status").unwrap();
    for row in ["| 0 | nothing is refused or frozen", "| 1 | something is", "| 2 | something could"]
    {
        assert!(table.contains(row), "{row}");
    }
    let folder = Folder::with(&[]);
    let help = run_in(&folder.path(""), &["audit", "--help"], b"", &[]).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in
        ["0 nothing refused or frozen", "1 something refused", "2 something could not be seen"]
    {
        assert!(help.contains(sentence), "{sentence}: {help}");
    }
}
