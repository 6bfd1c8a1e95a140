//! Remedies of an audit: every fix once, with the nodes that it applies to.

use crate::Weight;
use crate::judge::AuditedNode;

/// A fix and the nodes that it applies to.
pub(super) struct Remedy<'j> {
    pub(super) title: String,
    pub(super) meaning: &'static str,
    pub(super) steps: Vec<&'static str>,
    pub(super) nodes: Vec<&'j str>,
    pub(super) weight: Weight,
}

/// All fixes without duplicates: by shape where the name is wrong, by rule otherwise.
pub(super) fn remedies(audited: &[AuditedNode]) -> Vec<Remedy<'_>> {
    let mut all: Vec<Remedy<'_>> = Vec::new();
    for one in audited {
        for finding in &one.findings {
            let shape = one
                .shape
                .filter(|shape| finding.rule == &crate::rule::NAME && !shape.fix.is_empty());
            let (title, meaning, steps) = match shape {
                Some(shape) => {
                    (format!("{} ({})", shape.title, shape.id), shape.meaning, shape.fix.to_vec())
                }
                None => (
                    format!("{} ({})", finding.rule.title, finding.rule.id),
                    finding.rule.why,
                    vec![finding.rule.fix],
                ),
            };
            let node = one.kubelet.node.as_str();
            match all.iter_mut().find(|known| known.title == title) {
                Some(known) if known.nodes.last() == Some(&node) => {}
                Some(known) => known.nodes.push(node),
                None => all.push(Remedy {
                    title,
                    meaning,
                    steps,
                    nodes: vec![node],
                    weight: finding.rule.weight,
                }),
            }
        }
    }
    all.sort_by_key(|remedy| remedy.weight);
    all
}
