//! Selectors of access reviews: whether they are well made, and what of them the authorizers are asked with.

use super::{Faults, texts};
use ratchet_object::Node;
use ratchet_object::selector::{
    FieldSelector, LabelSelector, label_key_faults, label_value_faults,
};

/// What of a review's selectors is asked with.
pub(super) struct Selectors {
    /// The field selector as a request would spell it.
    pub(super) fields: String,
    /// What the asker is told about the parts that were not understood.
    pub(super) ignored: Vec<&'static str>,
}

const UNUSABLE_VALUES: &str = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
const MISSING_VALUES: &str = "must be specified when `operator` is 'In' or 'NotIn'";

/// Tells what is wrong with the selectors of a resource. Operators that nobody knows are for newer servers, and pass.
pub(super) fn validate(resource: &Node<'_>, faults: &mut Faults) {
    for (member, is_label) in [("fieldSelector", false), ("labelSelector", true)] {
        let Some(selector) = resource.get(member).filter(|node| !node.is_null()) else { continue };
        let field = format!("spec.resourceAttributes.{member}");
        let raw = selector.text_at(&["rawSelector"]);
        let requirements = selector.get("requirements").map(Node::items).unwrap_or_default();
        if !raw.is_empty() && !requirements.is_empty() {
            let shown = ratchet_net::Quoted(raw).to_string();
            let detail = "may not specified at the same time as requirements";
            faults.invalid(&format!("{field}.rawSelector"), &shown, detail);
        }
        if raw.is_empty() && requirements.is_empty() {
            let detail =
                format!("when {field} is specified, requirements or rawSelector is required");
            faults.required(&format!("{field}.requirements"), &detail);
        }
        for (at, requirement) in requirements.iter().enumerate() {
            let field = format!("{field}.requirements[{at}]");
            let key = requirement.text_at(&["key"]);
            if !is_label && key.is_empty() {
                faults.required(&format!("{field}.key"), "must be specified");
            }
            let values = texts(requirement.get("values"));
            match requirement.text_at(&["operator"]) {
                "In" | "NotIn" if values.is_empty() => {
                    faults.required(&format!("{field}.values"), MISSING_VALUES);
                }
                "Exists" | "DoesNotExist" if !values.is_empty() => {
                    faults.forbidden(&format!("{field}.values"), UNUSABLE_VALUES);
                }
                _ => {}
            }
            if is_label {
                validate_label(&field, key, &values, faults);
            }
        }
    }
}

fn validate_label(field: &str, key: &str, values: &[String], faults: &mut Faults) {
    let shown = |text: &str| ratchet_net::Quoted(text).to_string();
    for detail in label_key_faults(key) {
        faults.invalid(&format!("{field}.key"), &shown(key), &detail);
    }
    for (at, value) in values.iter().enumerate() {
        for detail in label_value_faults(value) {
            faults.invalid(&format!("{field}.values[{at}]"), &shown(value), &detail);
        }
    }
}

/// The selectors of a resource that was found good. What cannot be read asks for more, never for less, and is told.
pub(super) fn read(resource: &Node<'_>) -> Selectors {
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

/// The field selector as text, and whether some of it could not be understood.
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
            // No field has such a name, and it must not be read as more than one.
            let is_field = !key.contains(['=', '!', ',', '\\']);
            Some(if is_field { format!("{key}{sign}{}", escaped(value)) } else { String::new() })
        })
        .collect();
    let broken = terms.iter().any(Option::is_none);
    let said = terms.into_iter().flatten().filter(|term| !term.is_empty());
    (said.collect::<Vec<_>>().join(","), broken)
}

/// A value as field selectors spell it.
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

/// How many demands the label selector makes, and whether some of it could not be understood.
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

    fn faults(resource: &str) -> Vec<String> {
        let mut faults = Faults::default();
        validate(&node(resource), &mut faults);
        let causes = faults.into_causes();
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
                faults(&format!("{{{member}: {{}}}}")),
                [format!(
                    "{member}.requirements: Required value: when spec.resourceAttributes.{member} is specified, requirements or rawSelector is required"
                )]
            );
            assert_eq!(
                faults(&format!(
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
            assert!(faults(&format!("{{{member}: {{rawSelector: '((('}}}}")).is_empty());
        }
        assert_eq!(
            faults("{fieldSelector: {requirements: [{operator: Exists}]}}"),
            ["fieldSelector.requirements[0].key: Required value: must be specified"]
        );
        let labels =
            faults("{labelSelector: {requirements: [{key: '-', operator: In, values: ['-']}]}}");
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
        let read = |text: &str| {
            let Selectors { fields, ignored } = read(&node(text));
            (fields, ignored.join("; "))
        };
        let said = |fields: &str, ignored: &str| (fields.to_owned(), ignored.to_owned());
        assert_eq!(read("{}"), said("", ""));
        assert_eq!(
            read("{fieldSelector: {rawSelector: 'a=b'}, labelSelector: {rawSelector: 'a in (b)'}}"),
            said("a=b", "")
        );
        assert_eq!(
            read("{fieldSelector: {rawSelector: 'a'}, labelSelector: {rawSelector: '('}}"),
            said(
                "",
                "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error"
            )
        );
        assert_eq!(
            read(
                "{fieldSelector: {requirements: [{key: a, operator: In, values: ['b,c=\\d']}, {key: e, operator: NotIn, values: [f]}, {key: g, operator: Exists}]}}"
            ),
            said(
                "a=b\\,c\\=\\\\d,e!=f",
                "spec.resourceAttributes.fieldSelector partially ignored due to parse error"
            )
        );
        assert_eq!(
            read(
                "{fieldSelector: {requirements: [{key: a, operator: In, values: [b, c]}]}, labelSelector: {requirements: [{key: a, operator: Exists}, {key: a, operator: Gt, values: ['1']}]}}"
            ),
            said(
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
            let Selectors { fields, ignored } = read(&node(&text));
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
            let selector = FieldSelector::parse(&read(&resource).fields).unwrap();
            assert_eq!(selector.exact("spec.nodeName"), Some(value));
        }
    }
}
