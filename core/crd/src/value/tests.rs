//! Values against schemas, on both sides of every check.

use super::{Correlation, Origin, validate};
use crate::errors::ErrorList;
use crate::path::Path;
use crate::testing::{schema, texts, tree};
use alloc::string::String;
use alloc::vec::Vec;

fn found(spec: &str, value: &str) -> Vec<String> {
    let spec = alloc::format!("{{type: object, properties: {{f: {spec}}}}}");
    let value = tree(&alloc::format!("{{f: {value}}}"));
    let mut errors = ErrorList::default();
    validate(&schema(&spec), &value, &Path::NIL, Origin::Request, None, &mut errors);
    texts(errors)
}

const NOT_WHOLE: [&str; 2] = [
    "f: Invalid value: \"number\": f in body must be of type integer: \"number\"",
    "<nil>: Invalid value: \"\": Checked value must be of type integer (default format) in f",
];

#[test]
fn checks_and_their_texts() {
    // Schema, accepted values, and refused ones with their errors.
    type Case<'c> = (&'c str, &'c [&'c str], &'c [(&'c str, &'c [&'c str])]);
    let cases: &[Case<'_>] = &[
        (
            "{type: integer}",
            &["1", "-1", "1.0"],
            &[
                ("1.5", &NOT_WHOLE),
                (
                    "x",
                    &[
                        "f: Invalid value: \"string\": f in body must be of type integer: \"string\"",
                    ],
                ),
                (
                    "null",
                    &["f: Invalid value: \"null\": f in body must be of type integer: \"null\""],
                ),
            ],
        ),
        ("{type: integer, nullable: true}", &["null"], &[]),
        (
            "{type: number}",
            &["1", "1.5"],
            &[(
                "true",
                &["f: Invalid value: \"boolean\": f in body must be of type number: \"boolean\""],
            )],
        ),
        (
            "{x-kubernetes-int-or-string: true}",
            &["1", "x"],
            &[(
                "true",
                &[
                    "f: Invalid value: \"boolean\": f in body must be of type integer,string: \"boolean\"",
                ],
            )],
        ),
        (
            "{type: integer, format: int32}",
            &["1"],
            &[(
                "3000000000",
                &[
                    "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in f",
                ],
            )],
        ),
        (
            "{type: string, enum: [a, b]}",
            &["a"],
            &[("c", &["f: Unsupported value: \"c\": supported values: \"a\", \"b\""])],
        ),
        (
            "{type: integer, enum: [1, 2]}",
            &["1", "2.0"],
            &[("3", &["f: Unsupported value: 3: supported values: \"1\", \"2\""])],
        ),
        (
            "{type: string, nullable: true, enum: [a]}",
            &["a"],
            &[("null", &["f: Unsupported value: null: supported values: \"a\""])],
        ),
        (
            "{type: string, minLength: 2, maxLength: 3}",
            &["ab", "éàü"],
            &[
                ("a", &["f: Invalid value: \"a\": f in body should be at least 2 chars long"]),
                ("abcd", &["f: Too long: may not be more than 3 bytes"]),
            ],
        ),
        (
            "{type: string, pattern: ^a}",
            &["ab"],
            &[("ba", &["f: Invalid value: \"ba\": f in body should match '^a'"])],
        ),
        (
            "{type: string, format: date-time}",
            &["'2024-01-02T03:04:05Z'"],
            &[
                ("x", &["f: Invalid value: \"x\": f in body must be of type date-time: \"x\""]),
                (
                    "5",
                    &[
                        "f: Invalid value: \"int64\": f in body must be of type date-time: \"int64\"",
                    ],
                ),
            ],
        ),
        ("{type: string, format: colour}", &["x"], &[]),
        (
            "{type: integer, minimum: 2, maximum: 5}",
            &["2", "5"],
            &[
                ("1", &["f: Invalid value: 1: f in body should be greater than or equal to 2"]),
                ("6", &["f: Invalid value: 6: f in body should be less than or equal to 5"]),
            ],
        ),
        (
            "{type: integer, minimum: 2, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true}",
            &["3"],
            &[
                ("2", &["f: Invalid value: 2: f in body should be greater than 2"]),
                ("5", &["f: Invalid value: 5: f in body should be less than 5"]),
            ],
        ),
        (
            "{type: number, maximum: 2.5}",
            &["2.5", "2"],
            &[("2.6", &["f: Invalid value: 2.6: f in body should be less than or equal to 2.5"])],
        ),
        (
            "{type: integer, maximum: 2.5}",
            &[],
            &[(
                "3",
                &[
                    "<nil>: Invalid value: \"\": Maximum boundary value must be of type integer (default format) in f",
                    "f: Invalid value: 3: f in body should be less than or equal to 2.5",
                ],
            )],
        ),
        (
            "{type: integer, multipleOf: 3}",
            &["6", "0"],
            &[("7", &["f: Invalid value: 7: f in body should be a multiple of 3"])],
        ),
        (
            "{type: number, multipleOf: 0.5}",
            &["1.5"],
            &[("1.3", &["f: Invalid value: 1.3: f in body should be a multiple of 0.5"])],
        ),
        (
            "{type: array, items: {type: string}, minItems: 1, maxItems: 2}",
            &["[a]"],
            &[
                ("[]", &["f: Invalid value: 0: f in body should have at least 1 items"]),
                ("[a, b, c]", &["f: Too many: 3: must have at most 2 items"]),
                (
                    "[a, 1]",
                    &[
                        "f[1]: Invalid value: \"integer\": f[1] in body must be of type string: \"integer\"",
                    ],
                ),
            ],
        ),
        (
            "{type: object, minProperties: 1, maxProperties: 1, additionalProperties: {type: integer}}",
            &["{a: 1}"],
            &[
                ("{}", &["f: Invalid value: 0: f in body should have at least 1 properties"]),
                ("{a: 1, b: 2}", &["f: Too many: 2: must have at most 1 item"]),
                (
                    "{a: x}",
                    &[
                        "f.a: Invalid value: \"string\": f.a in body must be of type integer: \"string\"",
                    ],
                ),
            ],
        ),
        (
            "{type: object, properties: {a: {type: integer}}, required: [a, b]}",
            &["{a: 1, b: 2}"],
            &[("{a: 1}", &["f.b: Required value"])],
        ),
        (
            "{type: object, properties: {a: {type: integer}}, additionalProperties: false}",
            &["{a: 1}"],
            &[("{b: 1}", &["f: Invalid value: \"b\": f.b in body is a forbidden property"])],
        ),
        (
            "{type: integer, anyOf: [{maximum: 3}, {minimum: 8}]}",
            &["2", "9"],
            &[(
                "5",
                &[
                    "<nil>: Invalid value: \"\": \"f\" must validate at least one schema (anyOf)",
                    "f: Invalid value: 5: f in body should be less than or equal to 3",
                ],
            )],
        ),
        (
            "{type: integer, allOf: [{minimum: 3}, {maximum: 8}]}",
            &["5"],
            &[(
                "2",
                &[
                    "f: Invalid value: 2: f in body should be greater than or equal to 3",
                    "<nil>: Invalid value: \"\": \"f\" must validate all the schemas (allOf)",
                ],
            )],
        ),
        (
            "{type: integer, allOf: [{minimum: 3}]}",
            &["5"],
            &[(
                "2",
                &[
                    "f: Invalid value: 2: f in body should be greater than or equal to 3",
                    "<nil>: Invalid value: \"\": \"f\" must validate all the schemas (allOf). None validated",
                ],
            )],
        ),
        (
            "{type: integer, oneOf: [{minimum: 3}, {maximum: 5}]}",
            &["2", "9"],
            &[(
                "4",
                &[
                    "<nil>: Invalid value: \"\": \"f\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
                ],
            )],
        ),
        (
            "{type: integer, oneOf: [{minimum: 3}, {minimum: 5}]}",
            &["4"],
            &[(
                "2",
                &[
                    "<nil>: Invalid value: \"\": \"f\" must validate one and only one schema (oneOf). Found none valid",
                    "f: Invalid value: 2: f in body should be greater than or equal to 3",
                ],
            )],
        ),
        (
            "{type: integer, not: {minimum: 3}}",
            &["2"],
            &[("4", &["<nil>: Invalid value: \"\": \"f\" must not validate the schema (not)"])],
        ),
        ("{type: object, x-kubernetes-preserve-unknown-fields: true}", &["{a: {b: 1}}"], &[]),
        ("{x-kubernetes-preserve-unknown-fields: true}", &["1", "[]", "{a: b}"], &[]),
    ];
    for (spec, good, bad) in cases {
        for value in *good {
            assert_eq!(found(spec, value), [""; 0], "{spec} {value}");
        }
        for (value, expected) in *bad {
            assert_eq!(found(spec, value), *expected, "{spec} {value}");
        }
    }
}

#[test]
fn the_best_of_several_alternatives_is_told() {
    let spec = "{type: object, properties: {a: {type: string}, b: {type: integer}}, anyOf: [{properties: {a: {minLength: 3}}, required: [c]}, {properties: {a: {minLength: 2}}}]}";
    assert_eq!(
        found(spec, "{a: x, b: 1}"),
        [
            "<nil>: Invalid value: \"\": \"f\" must validate at least one schema (anyOf)",
            "f.a: Invalid value: \"x\": f.a in body should be at least 3 chars long",
            "f.c: Required value",
        ]
    );
}

#[test]
fn unchanged_values_may_stay() {
    let spec = schema(
        "{type: object, properties: {f: {type: string, maxLength: 2}, g: {type: object, properties: {h: {type: integer}}, required: [i]}, l: {type: array, items: {type: string, maxLength: 1}}}}",
    );
    let update = |new: &str, old: &str| {
        let (new, old) = (tree(new), tree(old));
        let correlation = Correlation { new: &new, old: &old, schema: &spec };
        let mut errors = ErrorList::default();
        validate(&spec, &new, &Path::NIL, Origin::Request, Some(correlation), &mut errors);
        texts(errors)
    };
    assert!(update("{f: long, g: {h: 1}, x: 1}", "{f: long, g: {h: 1}, x: 2}").is_empty());
    assert_eq!(update("{f: longer}", "{f: long}"), ["f: Too long: may not be more than 2 bytes"]);
    assert_eq!(update("{g: {h: 2}}", "{g: {h: 1}}"), ["g.i: Required value"]);
    assert_eq!(
        update("{l: [ab, c]}", "{l: [ab]}"),
        ["l[0]: Too long: may not be more than 1 byte"]
    );
    assert!(update("{l: [ab], f: x}", "{l: [ab], f: y}").is_empty());
}
