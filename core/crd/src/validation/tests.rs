//! Definitions on both sides of every rule.

use super::{ErrorList, validate_definition};
use crate::testing::{texts, tree};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A definition of widgets whose spec has these members, and whose version these.
fn definition(spec: &str, version: &str) -> String {
    alloc::format!(
        "{{metadata: {{name: widgets.example.com}}, spec: {{group: example.com, scope: Namespaced, names: {{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}, {spec} versions: [{{name: v1, served: true, storage: true, {version}}}]}}}}"
    )
}

fn errors(new: &str) -> Vec<String> {
    let mut errors = ErrorList::default();
    validate_definition(&tree(new), None, 36, &mut errors);
    texts(errors)
}

fn update(new: &str, old: &str) -> Vec<String> {
    let mut errors = ErrorList::default();
    validate_definition(&tree(new), Some(&tree(old)), 36, &mut errors);
    texts(errors)
}

/// The errors of a schema of `spec.f`, without the beginning of their paths.
fn schema_errors(field: &str) -> Vec<String> {
    let schema = alloc::format!(
        "schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{f: {field}}}}}}}}}}}"
    );
    let prefix = "spec.validation.openAPIV3Schema.properties[spec].properties[f]";
    errors(&definition("", &schema)).iter().map(|error| error.replace(prefix, "f")).collect()
}

const SCHEMA: &str = "schema: {openAPIV3Schema: {type: object}}";

#[test]
fn a_plain_definition_is_valid() {
    assert_eq!(errors(&definition("", SCHEMA)), [""; 0]);
}

#[test]
fn groups_scopes_and_names() {
    let cases = [
        (
            "group: example.com",
            "group: example",
            "spec.group: Invalid value: \"example\": should be a domain with at least one dot",
        ),
        ("group: example.com", "group: ''", "spec.group: Required value"),
        (
            "scope: Namespaced",
            "scope: Everywhere",
            "spec.scope: Unsupported value: \"Everywhere\": supported values: \"Cluster\", \"Namespaced\"",
        ),
        ("scope: Namespaced", "scope: ''", "spec.scope: Required value"),
        (
            "listKind: WidgetList",
            "listKind: Widget",
            "spec.names.listKind: Invalid value: \"Widget\": kind and listKind may not be the same",
        ),
        ("singular: widget,", "", "spec.names.singular: Required value"),
    ];
    for (from, to, expected) in cases {
        assert_eq!(errors(&definition("", SCHEMA).replace(from, to)), [expected], "{to}");
    }
    let bad = definition("", SCHEMA)
        .replace("kind: Widget,", "kind: Wid_get, shortNames: [A], categories: [b c],");
    assert_eq!(errors(&bad).len(), 3);
}

#[test]
fn versions() {
    let two = |second: &str| {
        definition("", SCHEMA)
            .replace("}]}}", &alloc::format!("}}, {{name: {second}, {SCHEMA}}}]}}}}"))
    };
    assert_eq!(errors(&two("v2")), [""; 0]);
    let fields = |text: &str| -> Vec<String> {
        errors(text)
            .iter()
            .map(|error| error.split(':').next().unwrap_or_default().to_string())
            .collect()
    };
    assert_eq!(fields(&two("v1")), ["spec.versions"]);
    assert_eq!(fields(&two("v2, storage: true")), ["spec.versions", "status.storedVersions"]);
    assert_eq!(fields(&two("V2")), ["spec.versions[1].name"]);
    let none = definition("", SCHEMA).replace("storage: true, ", "");
    assert_eq!(fields(&none), ["spec.versions", "status.storedVersions"]);
    assert!(errors(&none)[0].contains(r#"Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"#));
    assert_eq!(
        errors(&definition("", "")),
        ["spec.versions[0].schema.openAPIV3Schema: Required value"]
    );
    assert_eq!(
        errors(&definition("", &alloc::format!("{SCHEMA}, deprecationWarning: x"))),
        [
            "spec.versions[0].deprecationWarning: Invalid value: \"x\": can only be set for deprecated versions"
        ]
    );
}

#[test]
fn what_versions_share_is_told_once() {
    let version = "schema: {openAPIV3Schema: {type: object, properties: {a: {type: array}}}}";
    let one = definition("", version);
    assert_eq!(
        errors(&one),
        ["spec.validation.openAPIV3Schema.properties[a].items: Required value: must be specified"]
    );
    let two = one.replace("}]}}", &alloc::format!("}}, {{name: v2, {SCHEMA}}}]}}}}"));
    assert_eq!(
        errors(&two),
        [
            "spec.versions[0].schema.openAPIV3Schema.properties[a].items: Required value: must be specified"
        ]
    );
}

#[test]
fn schemas() {
    let cases: &[(&str, &[&str])] = &[
        ("{type: string}", &[]),
        (
            "{type: text}",
            &[
                "f.type: Unsupported value: \"text\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
            ],
        ),
        ("{}", &["f.type: Required value: must not be empty for specified object fields"]),
        (
            "{type: array, items: {}}",
            &["f.items.type: Required value: must not be empty for specified array items"],
        ),
        (
            "{type: string, pattern: '('}",
            &[
                "f.pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
            ],
        ),
        ("{type: string, $ref: a}", &["f.$ref: Forbidden: $ref is not supported"]),
        (
            "{type: array, items: {type: string}, uniqueItems: true}",
            &[
                "f.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            ],
        ),
        (
            "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}",
            &[
                "f.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
            ],
        ),
        ("{type: object, properties: {a: {type: string}}, additionalProperties: true}", &[]),
        (
            "{type: object, x-kubernetes-preserve-unknown-fields: false}",
            &[
                "f.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
            ],
        ),
        (
            "{type: string, x-kubernetes-list-type: set}",
            &[
                "f.type: Invalid value: \"string\": must be array if x-kubernetes-list-type is specified",
            ],
        ),
        (
            "{type: array, items: {type: object}, x-kubernetes-list-type: set}",
            &[
                "f.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
            ],
        ),
        (
            "{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
            &[
                "f.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            ],
        ),
        (
            "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}",
            &[],
        ),
        (
            "{type: array, items: {type: object, properties: {k: {type: string}}, required: [k]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [j]}",
            &[
                "f.x-kubernetes-list-map-keys: Invalid value: [\"j\"]: entries must all be names of item properties",
            ],
        ),
        (
            "{type: integer, anyOf: [{type: integer}]}",
            &["f.anyOf[0].type: Forbidden: must be empty to be structural"],
        ),
        ("{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}", &[]),
        (
            "{type: string, default: 1}",
            &[
                "f.default: Invalid value: \"integer\":  in body must be of type string: \"integer\"",
            ],
        ),
        (
            "{type: object, default: {a: 1}}",
            &["f.default: Invalid value: {\"a\":1}: must not have unknown fields"],
        ),
        (
            "{type: integer, default: 3, x-kubernetes-validations: [{rule: self > 5}]}",
            &["f.default: Invalid value: 3: failed rule: self > 5"],
        ),
        ("{type: integer, default: 7, x-kubernetes-validations: [{rule: self > 5}]}", &[]),
        (
            "{type: object, x-kubernetes-embedded-resource: true}",
            &[
                "f.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
            ],
        ),
    ];
    for (field, expected) in cases {
        assert_eq!(schema_errors(field), *expected, "{field}");
    }
}

#[test]
fn rules() {
    let rule = |rule: &str| {
        schema_errors(&alloc::format!("{{type: integer, x-kubernetes-validations: [{rule}]}}"))
    };
    assert!(rule("{rule: self > 1}").is_empty());
    let cases = [
        (
            "{rule: ' '}",
            "f.x-kubernetes-validations[0].rule: Required value: rule is not specified",
        ),
        (
            "{rule: self > 1, message: ' '}",
            "f.x-kubernetes-validations[0].message: Invalid value: \" \": must be non-empty if specified",
        ),
        (
            "{rule: self > 1, reason: Bad}",
            "f.x-kubernetes-validations[0].reason: Unsupported value: \"Bad\": supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"",
        ),
        (
            "{rule: self > 1, fieldPath: .a}",
            "f.x-kubernetes-validations[0].fieldPath: Invalid value: \".a\": must be a valid path",
        ),
        (
            "{rule: self}",
            "f.x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: cel expression must evaluate to a bool",
        ),
        (
            "{rule: 'true', messageExpression: self}",
            "f.x-kubernetes-validations[0].messageExpression: Invalid value: {\"Rule\":\"true\",\"Message\":\"\",\"MessageExpression\":\"self\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: messageExpression must evaluate to a string",
        ),
        (
            "{rule: 'true', optionalOldSelf: true}",
            "f.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(rule(text), [expected], "{text}");
    }
    let old = schema_errors(
        "{type: array, maxItems: 5, items: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: self == oldSelf}]}}",
    );
    assert_eq!(
        old,
        [
            "f.items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": oldSelf cannot be used on the uncorrelatable portion of the schema within f"
        ]
    );
}

#[test]
fn costs() {
    let list = |items: u32, length: u32| {
        schema_errors(&alloc::format!(
            "{{type: array, maxItems: {items}, items: {{type: string, maxLength: {length}}}, x-kubernetes-validations: [{{rule: 'self.all(x, self.exists_one(y, x == y))'}}]}}"
        ))
    };
    assert!(list(20, 10).is_empty());
    assert_eq!(
        list(1000, 100),
        [
            "f.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 4.4x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
        ]
    );
    let unbounded = schema_errors(
        "{type: array, items: {type: string, x-kubernetes-validations: [{rule: \"self.matches('^a+b+c+$')\"}]}}",
    );
    assert_eq!(unbounded.len(), 3);
    assert!(unbounded[0].contains("more than 100x") && unbounded[1].contains("contributed to"));
    assert!(unbounded[2].starts_with("spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total"));
}

#[test]
fn updates_keep_names_and_stored_versions() {
    let old = definition("", SCHEMA).replace("metadata:", "status: {storedVersions: [v1], conditions: [{type: Established, status: 'True'}]}, metadata:");
    assert_eq!(update(&definition("", SCHEMA), &old), [""; 0]);
    let kind = definition("", SCHEMA).replace("kind: Widget,", "kind: Gadget,");
    assert_eq!(
        update(&kind, &old),
        ["spec.names.kind: Invalid value: \"Gadget\": field is immutable"]
    );
    let group = definition("", SCHEMA).replace("group: example.com", "group: example.org");
    assert_eq!(
        update(&group, &old),
        ["spec.group: Invalid value: \"example.org\": field is immutable"]
    );
    let version = definition("", SCHEMA).replace("name: v1", "name: v2");
    assert_eq!(update(&version, &old).len(), 1);
    assert!(update(&version, &old)[0].starts_with("status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previously"));
}

#[test]
fn updates_do_not_refuse_what_is_stored() {
    let bad = "schema: {openAPIV3Schema: {type: object, properties: {l: {type: array, x-kubernetes-list-type: set, items: {type: object}}}}}";
    assert_eq!(errors(&definition("", bad)).len(), 1);
    let old = definition("", bad).replace("metadata:", "status: {storedVersions: [v1]}, metadata:");
    assert_eq!(update(&definition("", bad), &old), [""; 0]);
    let costly = "schema: {openAPIV3Schema: {type: object, properties: {l: {type: array, maxItems: 1000, items: {type: string, maxLength: 100}, x-kubernetes-validations: [{rule: 'self.all(x, self.exists_one(y, x == y))'}]}}}}";
    assert_eq!(errors(&definition("", costly)).len(), 1);
    let old =
        definition("", costly).replace("metadata:", "status: {storedVersions: [v1]}, metadata:");
    assert_eq!(update(&definition("", costly), &old), [""; 0]);
}

#[test]
fn conversion_webhooks() {
    let hook = |client: &str| {
        errors(&definition(
            &alloc::format!(
                "conversion: {{strategy: Webhook, webhook: {{conversionReviewVersions: [v1], clientConfig: {client}}}}},"
            ),
            SCHEMA,
        ))
    };
    assert!(hook("{url: 'https://example.com/c'}").is_empty());
    assert!(hook("{service: {name: s, namespace: ns, path: /convert}}").is_empty());
    let cases = [
        (
            "{}",
            "spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required",
        ),
        (
            "{url: 'http://example.com'}",
            "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
        ),
        (
            "{url: 'https://me@example.com'}",
            "spec.conversion.webhookClientConfig.url: Invalid value: \"me\": user information is not permitted in the URL",
        ),
        (
            "{service: {namespace: ns}}",
            "spec.conversion.webhookClientConfig.service.namespace: Required value",
        ),
        (
            "{service: {name: s, namespace: ns, path: convert}}",
            "spec.conversion.webhookClientConfig.service.path: Invalid value: \"convert\": must start with a '/'",
        ),
    ];
    for (client, expected) in cases {
        assert_eq!(hook(client), [expected], "{client}");
    }
    let none = errors(&definition(
        "conversion: {strategy: None, webhook: {conversionReviewVersions: [v1]}},",
        SCHEMA,
    ));
    assert_eq!(
        none,
        [
            "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook"
        ]
    );
}

#[test]
fn columns_and_fields() {
    let version = |more: &str| {
        let schema = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, o: {type: object}}}}}}";
        errors(&definition("", &alloc::format!("{schema}, {more}")))
    };
    assert!(version("additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.a}], selectableFields: [{jsonPath: .spec.a}]").is_empty());
    let cases = [
        ("additionalPrinterColumns: [{type: text, jsonPath: spec}]", 3),
        ("selectableFields: [{jsonPath: .spec.b}]", 1),
        ("selectableFields: [{jsonPath: .spec.o}, {jsonPath: .spec.a}, {jsonPath: .spec.a}]", 2),
        ("subresources: {scale: {specReplicasPath: .spec.n}}", 1),
        (
            "subresources: {scale: {specReplicasPath: .status.n, statusReplicasPath: .status.n, labelSelectorPath: .metadata.x}}",
            2,
        ),
    ];
    for (more, count) in cases {
        assert_eq!(version(more).len(), count, "{more}");
    }
}

#[test]
fn hostile_definitions_are_refused_or_cost_what_they_are_long() {
    // A pattern that alone is too large, and more than fit together.
    let huge = "(".repeat(10) + &"\\\\pL{1000}".repeat(3) + &")".repeat(10);
    let found = schema_errors(&alloc::format!("{{type: string, pattern: \"{huge}\"}}"));
    assert!(found.len() == 1 && found[0].contains("expression too large"), "{found:?}");
    let many: String = (0..20)
        .map(|number| {
            alloc::format!("p{number}: {{type: string, pattern: '\\pL{{1000}}{number}'}}, ")
        })
        .collect();
    let found = schema_errors(&alloc::format!("{{type: object, properties: {{{many}}}}}"));
    assert_eq!(
        found,
        ["spec.versions: Forbidden: the patterns of all schemas together are too large"]
    );
    // Many of an ordinary size are fine.
    let many: String = (0..2000)
        .map(|number| {
            alloc::format!(
                "p{number}: {{type: string, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'}}, "
            )
        })
        .collect();
    let found = schema_errors(&alloc::format!("{{type: object, properties: {{{many}}}}}"));
    assert_eq!(found, [""; 0]);
    // A million letters.
    let long = "a".repeat(1 << 20);
    let found = schema_errors(&alloc::format!("{{type: string, pattern: '{long}'}}"));
    assert!(found.len() <= 1, "{}", found.len());
    for pattern in ["(a*)*$", "(a|a)*b", "(x+x+)+y"] {
        let found = schema_errors(&alloc::format!("{{type: string, pattern: '{pattern}'}}"));
        assert_eq!(found, [""; 0], "{pattern}");
    }
    // A large enumeration.
    let values: Vec<String> = (0..50_000).map(|number| alloc::format!("v{number}")).collect();
    let found = schema_errors(&alloc::format!("{{type: string, enum: [{}]}}", values.join(", ")));
    assert_eq!(found, [""; 0]);
    // As deep as a definition can be.
    let mut deep = String::from("{type: string}");
    for _ in 0..60 {
        deep = alloc::format!("{{type: object, properties: {{d: {deep}}}}}");
    }
    assert_eq!(schema_errors(&deep), [""; 0]);
    // Many rules, and rules with long messages.
    let message = "m".repeat(2048);
    let rules: Vec<String> = (0..200)
        .map(|number| alloc::format!("{{rule: 'self.size() > {number}', message: {message}}}"))
        .collect();
    let field = alloc::format!(
        "{{type: string, maxLength: 10, x-kubernetes-validations: [{}]}}",
        rules.join(", ")
    );
    assert_eq!(schema_errors(&field), [""; 0]);
    let field = "{type: array, items: {type: string, x-kubernetes-validations: [{rule: \"self.matches('(a*)*b')\"}]}}";
    assert!(schema_errors(field)[0].contains("exceeds budget"), "{:?}", schema_errors(field));
}
