//! Field and label selectors of access reviews: validation and conversion for the authorizers.

use super::fields::{ValidationErrors, texts};
use ratchet_object::Node;
use ratchet_object::selector::{
    FieldSelector, LabelSelector, label_key_faults, label_value_faults,
};

/// The parsed selectors of a review.
pub(super) struct Selectors {
    /// The field selector in query syntax.
    pub(super) fields: String,
    /// Errors for the parts that were ignored.
    pub(super) ignored: Vec<&'static str>,
}

const UNUSABLE_VALUES: &str = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
const MISSING_VALUES: &str = "must be specified when `operator` is 'In' or 'NotIn'";

/// Validates the selectors of `resourceAttributes`. Unknown operators pass, because newer servers may know them.
pub(super) fn validate(resource: &Node<'_>, errors: &mut ValidationErrors) {
    for (member, is_label) in [("fieldSelector", false), ("labelSelector", true)] {
        let Some(selector) = resource.get(member).filter(|node| !node.is_null()) else { continue };
        let field = format!("spec.resourceAttributes.{member}");
        let raw = selector.text_at(&["rawSelector"]);
        let requirements = selector.get("requirements").map(Node::items).unwrap_or_default();
        if !raw.is_empty() && !requirements.is_empty() {
            let quoted = ratchet_net::Quoted(raw).to_string();
            let detail = "may not specified at the same time as requirements";
            errors.invalid(&format!("{field}.rawSelector"), &quoted, detail);
        }
        if raw.is_empty() && requirements.is_empty() {
            let detail =
                format!("when {field} is specified, requirements or rawSelector is required");
            errors.required(&format!("{field}.requirements"), &detail);
        }
        for (at, requirement) in requirements.iter().enumerate() {
            let field = format!("{field}.requirements[{at}]");
            let key = requirement.text_at(&["key"]);
            if !is_label && key.is_empty() {
                errors.required(&format!("{field}.key"), "must be specified");
            }
            let values = texts(requirement.get("values"));
            match requirement.text_at(&["operator"]) {
                "In" | "NotIn" if values.is_empty() => {
                    errors.required(&format!("{field}.values"), MISSING_VALUES);
                }
                "Exists" | "DoesNotExist" if !values.is_empty() => {
                    errors.forbidden(&format!("{field}.values"), UNUSABLE_VALUES);
                }
                _ => {}
            }
            if is_label {
                validate_label(&field, key, &values, errors);
            }
        }
    }
}

fn validate_label(field: &str, key: &str, values: &[String], errors: &mut ValidationErrors) {
    let quoted = |text: &str| ratchet_net::Quoted(text).to_string();
    for detail in label_key_faults(key) {
        errors.invalid(&format!("{field}.key"), &quoted(key), &detail);
    }
    for (at, value) in values.iter().enumerate() {
        for detail in label_value_faults(value) {
            errors.invalid(&format!("{field}.values[{at}]"), &quoted(value), &detail);
        }
    }
}

/// Parses valid selectors. A part that cannot be parsed is ignored, which asks for more access and never for less.
pub(super) fn parse(resource: &Node<'_>) -> Selectors {
    let mut ignored = Vec::new();
    let (fields, broken) = fields(resource.get("fieldSelector"));
    if broken {
        ignored.push(match fields.is_empty() {
            true => "spec.resourceAttributes.fieldSelector ignored due to parse error",
            false => "spec.resourceAttributes.fieldSelector partially ignored due to parse error",
        });
    }
    match labels(resource.get("labelSelector")) {
        (_, false) => {}
        (0, true) => {
            ignored.push("spec.resourceAttributes.labelSelector ignored due to parse error");
        }
        (_, true) => ignored
            .push("spec.resourceAttributes.labelSelector partially ignored due to parse error"),
    }
    Selectors { fields, ignored }
}

/// The field selector in query syntax, and whether a part of it was ignored.
fn fields(selector: Option<&Node<'_>>) -> (String, bool) {
    let Some(selector) = selector else { return (String::new(), false) };
    let raw = selector.text_at(&["rawSelector"]);
    if !raw.is_empty() {
        return match FieldSelector::parse(raw) {
            Ok(_) => (raw.to_owned(), false),
            Err(_) => (String::new(), true),
        };
    }
    let requirements = selector.get("requirements").map(Node::items).unwrap_or_default();
    let terms: Vec<Option<String>> = requirements
        .iter()
        .map(|requirement| {
            let values = texts(requirement.get("values"));
            let [value] = values.as_slice() else { return None };
            let sign = match requirement.text_at(&["operator"]) {
                "In" => "=",
                "NotIn" => "!=",
                _ => return None,
            };
            let key = requirement.text_at(&["key"]);
            // No field has such a name, and it must not be parsed as several terms.
            let is_field = !key.contains(['=', '!', ',', '\\']);
            Some(if is_field { format!("{key}{sign}{}", escaped(value)) } else { String::new() })
        })
        .collect();
    let broken = terms.iter().any(Option::is_none);
    let terms = terms.into_iter().flatten().filter(|term| !term.is_empty());
    (terms.collect::<Vec<_>>().join(","), broken)
}

/// Escapes a value for a field selector.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for letter in value.chars() {
        if matches!(letter, '\\' | ',' | '=') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// The number of label requirements, and whether a part was ignored.
fn labels(selector: Option<&Node<'_>>) -> (usize, bool) {
    let Some(selector) = selector else { return (0, false) };
    let raw = selector.text_at(&["rawSelector"]);
    if !raw.is_empty() {
        return match LabelSelector::parse(raw) {
            Ok(parsed) => (parsed.requirements().len(), false),
            Err(_) => (0, true),
        };
    }
    let requirements = selector.get("requirements").map(Node::items).unwrap_or_default();
    let known = |requirement: &&Node<'_>| {
        matches!(requirement.text_at(&["operator"]), "In" | "NotIn" | "Exists" | "DoesNotExist")
    };
    let count = requirements.iter().filter(known).count();
    (count, count < requirements.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn errors(resource: &str) -> Vec<String> {
        let mut errors = ValidationErrors::default();
        validate(&node(resource), &mut errors);
        let causes = errors.into_causes();
        let field = |field: &str| field.replace("spec.resourceAttributes.", "");
        causes
            .into_iter()
            .map(|cause| format!("{}: {}", field(&cause.field), cause.message))
            .collect()
    }

    #[test]
    fn selectors_are_raw_or_required_and_well_made() {
        for member in ["fieldSelector", "labelSelector"] {
            assert_eq!(
                errors(&format!("{{{member}: {{}}}}")),
                [format!(
                    "{member}.requirements: Required value: when spec.resourceAttributes.{member} is specified, requirements or rawSelector is required"
                )]
            );
            assert_eq!(
                errors(&format!(
                    "{{{member}: {{rawSelector: a=b, requirements: [{{key: a, operator: In}}, {{key: a, operator: Exists, values: [x]}}, {{key: a, operator: Later, values: [x]}}]}}}}"
                )),
                [
                    format!(
                        "{member}.rawSelector: Invalid value: \"a=b\": may not specified at the same time as requirements"
                    ),
                    format!(
                        "{member}.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
                    ),
                    format!(
                        "{member}.requirements[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                    ),
                ]
            );
            assert!(errors(&format!("{{{member}: {{rawSelector: '((('}}}}")).is_empty());
        }
        assert_eq!(
            errors("{fieldSelector: {requirements: [{operator: Exists}]}}"),
            ["fieldSelector.requirements[0].key: Required value: must be specified"]
        );
        let labels =
            errors("{labelSelector: {requirements: [{key: '-', operator: In, values: ['-']}]}}");
        assert_eq!(labels.len(), 2, "{labels:?}");
        assert!(
            labels[0]
                .starts_with("labelSelector.requirements[0].key: Invalid value: \"-\": name part ")
        );
        assert!(labels[1].starts_with(
            "labelSelector.requirements[0].values[0]: Invalid value: \"-\": a valid label"
        ));
    }

    #[test]
    fn what_cannot_be_read_is_ignored_and_told() {
        let parse = |text: &str| {
            let Selectors { fields, ignored } = parse(&node(text));
            (fields, ignored.join("; "))
        };
        let expected = |fields: &str, ignored: &str| (fields.to_owned(), ignored.to_owned());
        assert_eq!(parse("{}"), expected("", ""));
        assert_eq!(
            parse(
                "{fieldSelector: {rawSelector: 'a=b'}, labelSelector: {rawSelector: 'a in (b)'}}"
            ),
            expected("a=b", "")
        );
        assert_eq!(
            parse("{fieldSelector: {rawSelector: 'a'}, labelSelector: {rawSelector: '('}}"),
            expected(
                "",
                "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error"
            )
        );
        assert_eq!(
            parse(
                "{fieldSelector: {requirements: [{key: a, operator: In, values: ['b,c=\\d']}, {key: e, operator: NotIn, values: [f]}, {key: g, operator: Exists}]}}"
            ),
            expected(
                "a=b\\,c\\=\\\\d,e!=f",
                "spec.resourceAttributes.fieldSelector partially ignored due to parse error"
            )
        );
        assert_eq!(
            parse(
                "{fieldSelector: {requirements: [{key: a, operator: In, values: [b, c]}]}, labelSelector: {requirements: [{key: a, operator: Exists}, {key: a, operator: Gt, values: ['1']}]}}"
            ),
            expected(
                "",
                "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error"
            )
        );
    }

    #[test]
    fn a_key_is_one_field_or_none() {
        for key in ["a=b,spec.nodeName", "a!", "a,spec.nodeName", "a\\"] {
            let text = format!(
                "{{fieldSelector: {{requirements: [{{key: '{key}', operator: In, values: [n1]}}]}}}}"
            );
            let Selectors { fields, ignored } = parse(&node(&text));
            assert_eq!((fields.as_str(), ignored.len()), ("", 0), "{key}");
        }
    }

    #[test]
    fn a_value_is_found_again_in_the_selector_that_it_becomes() {
        for value in ["n1", "a,b", "a=b", "a\\b", "a\\,b==c", ""] {
            let resource = Node::map([(
                "fieldSelector",
                Node::map([(
                    "requirements",
                    Node::list(vec![Node::map([
                        ("key", Node::string("spec.nodeName")),
                        ("operator", Node::string("In")),
                        ("values", Node::list(vec![Node::string(value)])),
                    ])]),
                )]),
            )]);
            let selector = FieldSelector::parse(&parse(&resource).fields).unwrap();
            assert_eq!(selector.exact("spec.nodeName"), Some(value));
        }
    }
}
