//! Views of objects as defaulting and conversion in the API server produce them, without changing the objects.

use alloc::vec::Vec;
use ratchet_object::{At, Path};

/// `spec.type` of a Service, with its default.
pub(crate) fn service_type<'a>(spec: &At<'a>) -> &'a str {
    match spec.field("type").text_or_empty() {
        "" => "ClusterIP",
        kind => kind,
    }
}

/// `protocol` of a port, with its default.
pub(crate) fn protocol<'a>(port: &At<'a>) -> &'a str {
    match port.field("protocol").text_or_empty() {
        "" => "TCP",
        protocol => protocol,
    }
}

/// The strings of a list.
pub(crate) fn texts<'a>(list: &At<'a>) -> Vec<&'a str> {
    list.items().map(|at| at.text_or_empty()).collect()
}

/// A list of values merged with its older single field, as conversion does: the single field alone fills the list, and
/// replaces it where the two disagree. Each value has the path of its list entry.
pub(crate) fn list_or_single<'a>(
    list: At<'a>,
    single: At<'a>,
    value: impl Fn(&At<'a>) -> At<'a>,
) -> Vec<At<'a>> {
    let listed: Vec<At<'a>> =
        list.items().map(|item| value(&item).with_path(*item.path())).collect();
    let alone = single.text_or_empty();
    let agree = listed.first().is_some_and(|first| first.text_or_empty() == alone);
    if alone.is_empty() || agree {
        return listed;
    }
    let first: Path<'a> = list.path().index(0);
    alloc::vec![single.with_path(first)]
}
