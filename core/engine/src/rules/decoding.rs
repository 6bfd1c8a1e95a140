//! Rules of decoding: unknown fields, duplicate fields, wrong types, unparsable documents and unknown kinds.

use crate::{Origin, Ratchet, Rule};

/// A field that the kind does not have.
pub static UNKNOWN_FIELD: Rule = Rule {
    id: "RTC-API-007",
    fields: &["every field"],
    title: "unknown field",
    origin: Origin::Api,
    demands: "Every field is one that the kind has.",
    why: "A misspelled field is dropped silently where nobody looks: the setting that you think is in force is not there.",
    fix: "Correct the spelling or the place of the field, or remove it.",
    ratchet: Ratchet::Never,
    versions: "kubectl asks for it by default since 1.27 (`--validate=strict`).",
};

/// A duplicate field.
pub static REPEATED_FIELD: Rule = Rule {
    id: "RTC-API-008",
    fields: &["every field"],
    title: "field written twice",
    origin: Origin::Api,
    demands: "A field stands once in its object.",
    why: "Readers differ in which of the two they take: a reviewer reads the first, the API takes the last.",
    fix: "Remove one of the two.",
    ratchet: Ratchet::Never,
    versions: "kubectl asks for it by default since 1.27 (`--validate=strict`).",
};

/// A value whose type does not match its field.
pub static WRONG_TYPE: Rule = Rule {
    id: "RTC-API-009",
    fields: &["every field"],
    title: "value of the wrong type",
    origin: Origin::Api,
    demands: "A value has the type that its field has.",
    why: "The API cannot read the object at all and answers 400.",
    fix: "Quote what must be text, unquote what must be a number or a truth value, and write lists as lists.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

/// A text that is no JSON or YAML document.
pub static UNREADABLE: Rule = Rule {
    id: "RTC-API-010",
    fields: &["the whole document"],
    title: "unreadable document",
    origin: Origin::Api,
    demands: "A manifest is JSON or YAML with `apiVersion` and `kind`.",
    why: "What cannot be read cannot be judged: the check then says so (exit status 2) rather than let it pass.",
    fix: "Give a readable JSON or YAML document: the message says what is in the way, and where.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

/// A kind that its API group does not have.
pub static UNKNOWN_KIND: Rule = Rule {
    id: "RTC-API-011",
    fields: &["apiVersion, kind"],
    title: "no such kind",
    origin: Origin::Api,
    demands: "`apiVersion` and `kind` name a kind that the API has.",
    why: "A kind in the wrong group or in a version that was removed cannot be created at all.",
    fix: "Correct `apiVersion`; `kubectl api-resources` lists what a cluster has.",
    ratchet: Ratchet::Never,
    versions: "Judged by the kinds of 1.36.",
};
