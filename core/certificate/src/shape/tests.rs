//! Tests of each shape on matching and nearly matching certificates.

extern crate std;

use super::*;
use crate::Key;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;
use std::path::Path;
use std::process::Command;

fn facts(names: &[&str], organization: &str, issuer: &str) -> Facts {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    Facts {
        common_names: owned(names),
        organizations: owned(&[organization]),
        subject: String::new(),
        issuer: String::new(),
        issuer_common_names: owned(&[issuer]),
        dns_names: owned(&["a.example"]),
        addresses: Vec::new(),
        other_names: 0,
        not_before: 0,
        not_after: 1,
        is_self_issued: false,
        is_ca: false,
        serial: String::new(),
        key: Key::Ed25519,
        usages: Vec::new(),
    }
}

#[test]
fn every_shape_is_recognised() {
    let node = NodeName::new("a").unwrap();
    let rows: &[(&[&str], &str, &str, &str)] = &[
        (&["system:node:a"], "system:nodes", "kubernetes", "csr-issued"),
        (&["system:node:a"], "", "company", "node-named"),
        (&["system:node:a"], "system:masters", "company", "node-named"),
        (&["system:node:b"], "system:nodes", "kubernetes", "another-node"),
        (&["system:node:"], "system:nodes", "kubernetes", "custom"),
        (&["a@1700000000"], "", "a-ca@1700000000", "self-generated"),
        (&["a@1700000001"], "", "a-ca@1700000000", "self-generated"),
        (&["a@1700000000"], "", "b-ca@1700000000", "custom"),
        (&["a@x"], "", "a-ca@x", "custom"),
        (&["a@"], "", "a-ca@", "custom"),
        (&["a"], "", "k3s-server-ca@1700000000", "k3s"),
        (&["a"], "", "rke2-server-ca@1700000000", "rke2"),
        (&["a"], "", "k3s-server-ca", "host-named"),
        (&["a"], "", "company", "host-named"),
        (&["A.example"], "", "company", "host-named"),
        (&["b"], "", "company", "custom"),
        (&["SYSTEM:NODE:a"], "system:nodes", "kubernetes", "custom"),
        (&[], "system:nodes", "kubernetes", "nameless"),
        (&[""], "system:nodes", "kubernetes", "nameless"),
        (&["system:node:a", "system:node:b"], "system:nodes", "kubernetes", "several-names"),
        (&["system:node:a", "system:node:a"], "system:nodes", "kubernetes", "several-names"),
    ];
    for (names, organization, issuer, id) in rows {
        let shape = Shape::of(&facts(names, organization, issuer), &node);
        assert_eq!(shape.id, *id, "{names:?} by {issuer}");
    }
    let issued = facts(&["system:node:a"], "system:nodes", "system:node:a");
    let own = Facts { is_self_issued: true, ..issued };
    assert_eq!(Shape::of(&own, &node).id, "node-named");
    let is_covered = |id| rows.iter().any(|row| row.3 == id);
    assert!(SHAPES.iter().all(|shape| is_covered(shape.id)), "a shape without a certificate");
}

#[test]
fn the_table_is_whole() {
    for (at, shape) in SHAPES.iter().enumerate() {
        assert!(SHAPES.iter().skip(at + 1).all(|other| other.id != shape.id), "{}", shape.id);
        for text in [shape.title, shape.recognised, shape.meaning] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{}", shape.id);
        }
        let passes = matches!(shape.id, "csr-issued" | "node-named");
        assert_eq!(shape.fix.is_empty(), passes, "{}", shape.id);
    }
}

/// The commands of a text: what is in backticks and begins with the name of a program that creates
/// something.
fn commands(steps: &[&str]) -> Vec<String> {
    let quoted = |step: &str| -> Vec<String> {
        step.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
    };
    let is_run =
        |command: &String| command.starts_with("printf ") || command.starts_with("openssl x509 ");
    steps.iter().flat_map(|step| quoted(step)).filter(is_run).collect()
}

/// A hostile request: it is for another node, and wants to be a CA and everybody.
const HOSTILE: &str = "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout kubelet.key -subj '/O=system:masters/CN=system:node:victim' -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign' -addext 'subjectAltName=DNS:victim,IP:10.0.0.9' -out kubelet.csr";
const AUTHORITY: &str = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -subj /CN=kubernetes -out ca.crt";

fn run(folder: &Path, command: &str) {
    let output =
        Command::new("sh").args(["-e", "-c", command]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The result of the printed commands on a hostile request.
fn signed_as_printed(steps: &[&str]) -> Facts {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), AUTHORITY);
    run(folder.path(), HOSTILE);
    let commands = commands(steps);
    assert!(commands.iter().any(|command| command.starts_with("openssl x509 ")), "{steps:?}");
    for command in commands {
        let mut command = command
            .replace("<node>", "node-a")
            .replace("<hostname>", "node-a.example")
            .replace("<address>", "10.0.0.1");
        for place in ["k3s", "rke2"] {
            let place = format!("/var/lib/rancher/{place}/server/tls/server-ca.");
            command = command.replace(&place, "ca.");
        }
        run(folder.path(), &command);
    }
    let pem = std::fs::read(folder.path().join("kubelet.crt")).unwrap();
    let (_, block) = x509_parser::pem::parse_x509_pem(&pem).unwrap();
    Facts::from_der(&block.contents).unwrap()
}

fn assert_chosen_by_the_administrator(facts: &Facts, of: &str) {
    assert!(!facts.is_ca, "{of}");
    assert_eq!(facts.subject, "O=system:nodes,CN=system:node:node-a", "{of}");
    assert_eq!(facts.dns_names, ["node-a.example"], "{of}");
    assert_eq!(facts.addresses, ["10.0.0.1".parse::<core::net::IpAddr>().unwrap()], "{of}");
    assert_eq!(facts.usages, [crate::Usage::ServerAuth], "{of}");
}

/// Needs openssl, as whoever follows the advice does.
#[test]
fn whoever_follows_the_advice_signs_no_authority() {
    let mut signing = 0;
    for shape in SHAPES {
        let is_signed = shape.fix.iter().any(|step| step.contains("openssl x509 "));
        if is_signed {
            signing += 1;
            assert_chosen_by_the_administrator(&signed_as_printed(shape.fix), shape.id);
        }
    }
    assert_eq!(signing, 6);
}

/// The commands of the document are those of the program, with a node of their own.
#[test]
fn the_document_gives_the_same_advice() {
    let document = include_str!("../../../../docs/how-to/kubelet-certificates.md");
    let block = document.split("```").find(|block| block.contains("openssl x509 -req"));
    let block = block.and_then(|block| block.strip_prefix("sh\n")).unwrap();
    let (request_commands, signing) = block.split_once("# where the authority is\n").unwrap();
    assert!(request_commands.contains("openssl req -new"));
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), AUTHORITY);
    run(folder.path(), HOSTILE);
    run(folder.path(), signing);
    let pem = std::fs::read(folder.path().join("kubelet.crt")).unwrap();
    let (_, block) = x509_parser::pem::parse_x509_pem(&pem).unwrap();
    assert_chosen_by_the_administrator(&Facts::from_der(&block.contents).unwrap(), "the document");
    // The one option with which a node could write its own extensions.
    for text in document.lines().filter(|line| line.contains("copy_extensions")) {
        assert!(text.contains("never"), "{text}");
    }
}
