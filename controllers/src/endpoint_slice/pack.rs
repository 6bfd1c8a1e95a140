//! Packing of endpoints into slices: existing endpoints stay where they are, and as few slices as
//! possible change.

use super::desired::Endpoints;
use crate::slices::{Endpoint, Slice};
use std::collections::BTreeMap;

/// The maximum number of endpoints in a slice.
pub(super) const MAX_ENDPOINTS: usize = 100;

/// A slice, and whether it must be written.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) slice: Slice,
    pub(super) is_changed: bool,
}

/// The result for the slices of one set of ports.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// Slices that stay or are new.
    pub(super) drafts: Vec<Draft>,
    /// Slices without any remaining endpoint.
    pub(super) empty: Vec<Slice>,
}

/// Packs the desired endpoints into the existing slices, and into new ones cloned from `blank`.
pub(super) fn pack(
    existing: Vec<Slice>,
    mut desired: Endpoints,
    labels: &BTreeMap<String, String>,
    is_same: impl Fn(&Endpoint, &Endpoint) -> bool,
    blank: &Slice,
) -> Packed {
    let mut packed = Packed::default();
    for slice in existing {
        packed.retain(slice, &mut desired, labels, &is_same);
    }
    fill_changed(&mut packed.drafts, &mut desired);
    while !desired.is_empty() {
        let index = best_fit(&packed.drafts, desired.len());
        match index.and_then(|index| packed.drafts.get_mut(index)) {
            Some(draft) => {
                draft.slice.labels = labels.clone();
                draft.fill(&mut desired);
            }
            None => {
                let mut draft = Draft { slice: blank.clone(), is_changed: true };
                draft.fill(&mut desired);
                packed.drafts.push(draft);
            }
        }
    }
    packed
}

impl Packed {
    /// Retains the endpoints of a slice that are still desired.
    fn retain(
        &mut self,
        mut slice: Slice,
        desired: &mut Endpoints,
        labels: &BTreeMap<String, String>,
        is_same: &impl Fn(&Endpoint, &Endpoint) -> bool,
    ) {
        let mut is_changed = slice.labels != *labels;
        let mut retained = Vec::with_capacity(slice.endpoints.len());
        for old in &slice.endpoints {
            match desired.remove(&old.key()) {
                Some(new) if retained.len() < MAX_ENDPOINTS => {
                    is_changed |= !is_same(&new, old);
                    retained.push(new);
                }
                Some(new) => drop(desired.insert(new.key(), new)),
                None => {}
            }
        }
        if retained.len() != slice.endpoints.len() {
            if retained.is_empty() {
                return self.empty.push(slice);
            }
            is_changed = true;
        }
        if is_changed {
            slice.endpoints = retained;
            slice.labels.clone_from(labels);
        }
        self.drafts.push(Draft { slice, is_changed });
    }
}

/// Fills the slices that must be written anyway, the fullest first.
fn fill_changed(drafts: &mut [Draft], desired: &mut Endpoints) {
    let mut changed: Vec<_> = drafts.iter_mut().filter(|draft| draft.is_changed).collect();
    changed.sort_by_key(|draft| std::cmp::Reverse(draft.slice.endpoints.len()));
    changed.into_iter().for_each(|draft| draft.fill(desired));
}

/// The unchanged slice that would be fullest with all `remaining` endpoints.
fn best_fit(drafts: &[Draft], remaining: usize) -> Option<usize> {
    if remaining >= MAX_ENDPOINTS {
        return None;
    }
    let fits = |(_, draft): &(usize, &Draft)| {
        !draft.is_changed && draft.slice.endpoints.len() + remaining <= MAX_ENDPOINTS
    };
    let candidates = drafts.iter().enumerate().filter(fits);
    candidates
        .max_by_key(|(index, draft)| (draft.slice.endpoints.len(), std::cmp::Reverse(*index)))
        .map(|(index, _)| index)
}

impl Draft {
    fn fill(&mut self, desired: &mut Endpoints) {
        while self.slice.endpoints.len() < MAX_ENDPOINTS {
            let Some((_, endpoint)) = desired.pop_first() else { return };
            self.slice.endpoints.push(endpoint);
            self.is_changed = true;
        }
    }
}
