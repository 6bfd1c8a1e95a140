//! Warnings about finalizers without a domain.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::Verdict;
use ratchet_engine::field_validation::{NameFormat, metadata_warning, name_format_faults};
use ratchet_net::Quoted;
use ratchet_object::Node;

const STANDARD: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// Warns about new finalizers of an object that is valid otherwise.
pub(super) fn warn(new: &Node<'_>, old: Option<&Node<'_>>, verdict: &mut Verdict) {
    if !verdict.errors.is_empty() {
        return;
    }
    let names = |node: &Node<'_>| -> Vec<String> {
        let finalizers = node.metadata().finalizers().iter();
        finalizers.filter_map(|finalizer| finalizer.text().map(Into::into)).collect()
    };
    let before: BTreeSet<String> = old.map(names).unwrap_or_default().into_iter().collect();
    let mut added = names(new);
    added.retain(|name| !before.contains(name));
    added.sort_unstable();
    added.dedup();
    for name in added {
        let mut warn = |detail: &str| {
            let text = alloc::format!("metadata.finalizers: {}: {detail}", Quoted(&name));
            verdict.warn(metadata_warning("metadata.finalizers", new.span, text));
        };
        name_format_faults(NameFormat::Qualified, &name, |detail| warn(&detail));
        if name.contains('/') || STANDARD.contains(&name.as_str()) {
            continue;
        }
        warn(match name.contains('.') {
            true => {
                "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"
            }
            false => {
                "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
            }
        });
    }
}
