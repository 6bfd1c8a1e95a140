//! Texts that several report formats share: titles, remarks.

use crate::{CheckedObject, Finding};
use ratchet_formats::visible;

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
