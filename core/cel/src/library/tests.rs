//! Tests of invariants that hold for every library.

use super::{LIBRARIES, Signature};
use alloc::collections::BTreeSet;

#[test]
fn every_signature_can_be_read() {
    for library in LIBRARIES {
        assert!(!library.overloads.is_empty(), "{}", library.name);
        for row in library.overloads {
            assert!(Signature::parse(row.signature).is_some(), "{}", row.signature);
        }
    }
}

#[test]
fn no_function_is_declared_twice() {
    let mut seen = BTreeSet::new();
    for row in LIBRARIES.iter().flat_map(|library| library.overloads) {
        assert!(seen.insert(row.signature), "{}", row.signature);
    }
}
