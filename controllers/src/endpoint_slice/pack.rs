//! Endpoints into slices: what is there stays where it is, and as few slices as possible change.

use super::desired::Endpoints;
use crate::slices::{Endpoint, Slice};
use std::collections::BTreeMap;

/// No slice holds more.
pub(super) const MOST: usize = 100;

/// A slice, and whether it must be written.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) slice: Slice,
    pub(super) is_changed: bool,
}

/// What becomes of the slices of one set of ports.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// Slices that stay or come.
    pub(super) drafts: Vec<Draft>,
    /// Slices of which nothing is left.
    pub(super) empty: Vec<Slice>,
}

/// Packs the wanted endpoints into the existing slices, and into new ones like `blank`.
pub(super) fn pack(
    existing: Vec<Slice>,
    mut wanted: Endpoints,
    labels: &BTreeMap<String, String>,
    same: impl Fn(&Endpoint, &Endpoint) -> bool,
    blank: &Slice,
) -> Packed {
    let mut packed = Packed::default();
    for slice in existing {
        packed.keep(slice, &mut wanted, labels, &same);
    }
    fill_changed(&mut packed.drafts, &mut wanted);
    while !wanted.is_empty() {
        let at = roomiest(&packed.drafts, wanted.len());
        match at.and_then(|at| packed.drafts.get_mut(at)) {
            Some(draft) => {
                draft.slice.labels = labels.clone();
                draft.fill(&mut wanted);
            }
            None => {
                let mut draft = Draft { slice: blank.clone(), is_changed: true };
                draft.fill(&mut wanted);
                packed.drafts.push(draft);
            }
        }
    }
    packed
}

impl Packed {
    /// Keeps of a slice what is still wanted.
    fn keep(
        &mut self,
        mut slice: Slice,
        wanted: &mut Endpoints,
        labels: &BTreeMap<String, String>,
        same: &impl Fn(&Endpoint, &Endpoint) -> bool,
    ) {
        let mut is_changed = slice.labels != *labels;
        let mut kept = Vec::with_capacity(slice.endpoints.len());
        for old in &slice.endpoints {
            match wanted.remove(&old.key()) {
                Some(new) if kept.len() < MOST => {
                    is_changed |= !same(&new, old);
                    kept.push(new);
                }
                Some(new) => drop(wanted.insert(new.key(), new)),
                None => {}
            }
        }
        if kept.len() != slice.endpoints.len() {
            if kept.is_empty() {
                return self.empty.push(slice);
            }
            is_changed = true;
        }
        if is_changed {
            slice.endpoints = kept;
            slice.labels.clone_from(labels);
        }
        self.drafts.push(Draft { slice, is_changed });
    }
}

/// Slices that must be written anyway take in what they can, the fullest first.
fn fill_changed(drafts: &mut [Draft], wanted: &mut Endpoints) {
    let mut changed: Vec<_> = drafts.iter_mut().filter(|draft| draft.is_changed).collect();
    changed.sort_by_key(|draft| std::cmp::Reverse(draft.slice.endpoints.len()));
    changed.into_iter().for_each(|draft| draft.fill(wanted));
}

/// The slice that was not touched yet and would be fullest with all of what is left.
fn roomiest(drafts: &[Draft], left: usize) -> Option<usize> {
    if left >= MOST {
        return None;
    }
    let fits = |(_, draft): &(usize, &Draft)| {
        !draft.is_changed && draft.slice.endpoints.len() + left <= MOST
    };
    let best = drafts.iter().enumerate().filter(fits);
    best.max_by_key(|(at, draft)| (draft.slice.endpoints.len(), std::cmp::Reverse(*at)))
        .map(|(at, _)| at)
}

impl Draft {
    fn fill(&mut self, wanted: &mut Endpoints) {
        while self.slice.endpoints.len() < MOST {
            let Some((_, endpoint)) = wanted.pop_first() else { return };
            self.slice.endpoints.push(endpoint);
            self.is_changed = true;
        }
    }
}
