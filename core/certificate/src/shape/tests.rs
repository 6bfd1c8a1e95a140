//! Each shape on certificates that have it, and on those that nearly have it.

use super::*;
use crate::Key;
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

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
    let seen = |id| rows.iter().any(|row| row.3 == id);
    assert!(SHAPES.iter().all(|shape| seen(shape.id)), "a shape without a certificate");
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
