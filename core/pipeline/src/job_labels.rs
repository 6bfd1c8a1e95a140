//! The labels and the selector with which a Job finds its pods: every new Job gets them, unless it manages them itself.

use alloc::borrow::ToOwned;
use ratchet_object::{Node, Span};

/// The labels that have the name of a Job, and those that have its uid.
const NAMED: [&str; 2] = ["job-name", "batch.kubernetes.io/job-name"];
const UID: &str = "batch.kubernetes.io/controller-uid";
const IDENTIFIED: [&str; 2] = ["controller-uid", UID];

/// Adds what a Job lacks. A manifest has no uid, and perhaps no name: then there is less to add.
pub(crate) fn prepare(job: &mut Node<'_>) {
    if job.find(&["spec", "manualSelector"]).and_then(Node::as_bool) == Some(true)
        || job.get("spec").is_none()
    {
        return;
    }
    let [name, uid] = ["name", "uid"].map(|field| job.text_at(&["metadata", field]).to_owned());
    let wanted = [(NAMED, &name), (IDENTIFIED, &uid)];
    let add = |labels: &mut Node<'_>| {
        for (names, value) in wanted.iter().filter(|(_, value)| !value.is_empty()) {
            for label in names {
                if labels.get(label).is_none() {
                    labels.set(*label, Node::string((*value).clone()));
                }
            }
        }
    };
    let is_shared = shares_labels(job);
    add(job.map_mut("spec").map_mut("template").map_mut("metadata").map_mut("labels"));
    if is_shared {
        add(job.map_mut("metadata").map_mut("labels"));
    }
    if !uid.is_empty() {
        let matched = job.map_mut("spec").map_mut("selector").map_mut("matchLabels");
        if matched.get(UID).is_none() {
            matched.set(UID, Node::string(uid));
        }
    }
}

/// Whether a Job has its own labels from its template, by default: to the API they are one map then, and what is added
/// to one is in the other. A default is known by its place, which is that of the original.
fn shares_labels(job: &Node<'_>) -> bool {
    let [own, copied]: [Option<&Node<'_>>; 2] =
        [&["metadata", "labels"][..], &["spec", "template", "metadata", "labels"]]
            .map(|path| job.find(path).filter(|labels| !labels.entries().is_empty()));
    own.zip(copied)
        .is_some_and(|(own, copied)| own.span == copied.span && own.span != Span::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use ratchet_object::{Limits, decode};

    fn prepared(text: &str) -> (String, String) {
        let mut job = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        prepare(&mut job);
        let text = |path: &[&str]| job.find(path).map(Node::to_json).unwrap_or_default();
        (text(&["spec", "template", "metadata", "labels"]), text(&["spec", "selector"]))
    }

    #[test]
    fn a_job_is_labelled_with_what_is_known_of_it() {
        let (labels, selector) = prepared("{metadata: {name: a}, spec: {template: {}}}");
        assert_eq!(labels, r#"{"job-name":"a","batch.kubernetes.io/job-name":"a"}"#);
        assert_eq!(selector, "");
        let (labels, selector) = prepared("{metadata: {name: a, uid: u}, spec: {template: {}}}");
        assert!(labels.contains(r#""controller-uid":"u""#), "{labels}");
        assert_eq!(selector, r#"{"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}}"#);
        let manual = "{metadata: {name: a, uid: u}, spec: {manualSelector: true, template: {}}}";
        assert_eq!(prepared(manual), (String::new(), String::new()));
    }
}
