//! Texts that several report formats share: titles, remarks, counts.

use crate::{CheckedObject, Finding};

/// The title of an object: `Service shop/web`, or less if not all of it is known.
pub(crate) fn title(checked: &CheckedObject) -> String {
    let object = &checked.object;
    let name = match (object.namespace.as_str(), object.name.as_str()) {
        (_, "") => "without a name".to_owned(),
        ("", name) => name.to_owned(),
        (namespace, name) => format!("{namespace}/{name}"),
    };
    match object.kind.as_str() {
        "" => "document".to_owned(),
        kind => visible(&format!("{kind} {name}")),
    }
}

/// Notes of a finding and the location of its policy's expression, as lines of text.
pub(crate) fn remarks(finding: &Finding) -> impl Iterator<Item = String> + '_ {
    let place = finding.policy.iter().filter_map(|decision| decision.describe_location());
    finding.notes.iter().cloned().chain(place)
}

/// Text with control characters escaped, which a terminal would interpret.
pub(crate) fn visible(text: &str) -> String {
    let is_tame = |c: char| !c.is_control();
    if text.chars().all(is_tame) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| if is_tame(c) { c.to_string() } else { c.escape_default().to_string() })
        .collect()
}

/// `1 object`, `2 objects`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
