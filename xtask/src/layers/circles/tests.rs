//! Tests of small crates in memory, with circles and without.

use super::*;

fn sources(files: &[(&str, &str)]) -> Sources {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn found_with(known: &[&str], text: &str, files: &[(&str, &str)]) -> Vec<String> {
    let known = Known { known: known.iter().map(|file| (*file).to_owned()).collect() };
    let found = check("shop", "core/shop", &sources(files), &known, ("layers.toml", text));
    found.iter().map(ToString::to_string).collect()
}

fn found(files: &[(&str, &str)]) -> Vec<String> {
    found_with(&[], "", files)
}

/// Four files in a circle: a uses b, b uses c, c uses d, d uses `last`.
fn four(last: &'static str) -> [(&'static str, &'static str); 5] {
    [
        ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\npub use a::A;\n"),
        ("a.rs", "//! A.\n\nuse crate::b::B;\npub struct A(B);\n"),
        ("b.rs", "use super::c::{self, C};\npub struct B(C);\nfn f() { c::g() }\n"),
        ("c.rs", "pub struct C(crate::d::D);\npub fn g() {}\n"),
        ("d.rs", last),
    ]
}

#[test]
fn files_in_one_direction_are_fine() {
    assert_eq!(found(&four("pub struct D;\n")), Vec::<String>::new());
}

#[test]
fn a_circle_of_four_is_listed_with_its_way_round() {
    let found = found(&four("use crate::a::A;\npub struct D(A);\n"));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with(
            "core/shop/src/a.rs:3: 4 files use each other in a circle: a.rs, b.rs, c.rs, d.rs; new in it: a.rs, b.rs, \
             c.rs, d.rs; the shortest way round: a.rs -> b.rs (B), b.rs -> c.rs (C, g), c.rs -> d.rs (D), d.rs -> a.rs \
             (A); move"
        ),
        "{found:?}"
    );
}

#[test]
fn a_circle_of_three_is_fine() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("a.rs", "use crate::b::B;\npub struct A(B);\n"),
        ("b.rs", "use crate::c::C;\npub struct B(C);\n"),
        ("c.rs", "use crate::a::A;\npub struct C(A);\n"),
    ];
    assert_eq!(found(&files), Vec::<String>::new());
}

#[test]
fn a_reexport_leads_to_the_file_that_defines_the_name() {
    for last in [
        "use crate::A;\npub struct D(A);\n",
        "pub struct D(crate::A);\n",
        "use crate as shop;\npub struct D(shop::A);\n",
    ] {
        let found = found(&four(last));
        assert_eq!(found.len(), 1, "{last}");
        assert!(found[0].contains("d.rs -> a.rs (A)"), "{found:?}");
    }
}

#[test]
fn a_parent_that_hands_names_on_is_not_in_the_circle() {
    // Every child uses what the parent defines; the parent itself uses no child.
    let child = "use super::Shared;\npub struct Child(Shared);\n";
    let parent = |body: &'static str| {
        [
            ("lib.rs", "pub mod room;\n"),
            ("room/mod.rs", body),
            ("room/a.rs", child),
            ("room/b.rs", child),
            ("room/c.rs", child),
        ]
    };
    let fine = "mod a;\nmod b;\nmod c;\npub use a::Child;\npub(crate) use b::Child as B;\npub struct Shared;\n";
    assert_eq!(found(&parent(fine)), Vec::<String>::new());
    let uses = "mod a;\nmod b;\nmod c;\npub use a::Child;\npub struct Shared;\n\
                pub enum All { A(Child), B(b::Child), C(c::Child) }\n";
    let found = found(&parent(uses));
    assert_eq!(found.len(), 1);
    assert!(found[0].contains(
        "4 files use each other in a circle: room/a.rs, room/b.rs, room/c.rs, room/mod.rs"
    ));
}

#[test]
fn what_tests_use_does_not_count() {
    for last in [
        "pub struct D;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n    fn f(_: A) {}\n}\n",
        "pub struct D;\n#[cfg(test)]\nuse crate::a::A;\n",
        "pub struct D;\n// use crate::a::A;\nconst TEXT: &str = \"crate::a::A\";\n",
    ] {
        assert_eq!(found(&four(last)), Vec::<String>::new(), "{last}");
    }
}

#[test]
fn names_from_other_crates_are_no_edges() {
    assert_eq!(
        found(&four("use a_crate::A;\nuse std::fmt::{self, Debug};\npub struct D(fmt::A);\n")),
        Vec::<String>::new()
    );
}

#[test]
fn a_known_circle_is_tolerated_and_a_new_file_in_it_is_not() {
    let files = four("use crate::a::A;\npub struct D(A);\n");
    assert_eq!(found_with(&["a.rs", "b.rs", "c.rs", "d.rs"], "", &files), Vec::<String>::new());
    let found = found_with(&["a.rs", "b.rs", "d.rs"], "", &files);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("core/shop/src/c.rs:1: 4 files"), "{found:?}");
    assert!(
        found[0].contains("new in it: c.rs; the shortest way round: c.rs -> d.rs (D)"),
        "{found:?}"
    );
}

#[test]
fn a_known_file_in_no_circle_is_stale() {
    let text = "[uses]\n[circles.shop]\nknown = [\n    \"a.rs\",\n    \"gone.rs\",\n]\n";
    let found = found_with(&["a.rs", "gone.rs"], text, &four("pub struct D;\n"));
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("layers.toml:4: a.rs of shop stands in no circle"), "{found:?}");
    assert!(
        found[1].starts_with("layers.toml:5: gone.rs of shop stands in no circle"),
        "{found:?}"
    );
}

#[test]
fn the_listing_shows_the_largest_component_with_its_edges() {
    let listing = listing("shop", &sources(&four("use crate::a::A;\npub struct D(A);\n")));
    assert_eq!(
        listing,
        "shop: 4 files: a.rs, b.rs, c.rs, d.rs\n    a.rs -> b.rs: B\n    b.rs -> c.rs: C, g\n    c.rs -> d.rs: D\n    \
         d.rs -> a.rs: A\n"
    );
}
