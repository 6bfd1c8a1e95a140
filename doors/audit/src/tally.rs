//! The tally: objects by the worst state of their findings, under each target.

use crate::finding::{Finding, ObjectId, State};
use crate::summary::{StateCounts, Summary};
use crate::{Target, addresses};

/// Counts objects while their findings pass by, one object after the other.
pub(crate) struct Tally {
    targets: Vec<(String, StateCounts, Option<State>)>,
    overall: (StateCounts, Option<State>),
    object: Option<ObjectId>,
}

impl Tally {
    pub(crate) fn new(targets: &[Target]) -> Self {
        let row = |target: &Target| (target.name.clone(), StateCounts::default(), None);
        Self {
            targets: targets.iter().map(row).collect(),
            overall: (StateCounts::default(), None),
            object: None,
        }
    }

    pub(crate) fn count(&mut self, finding: &Finding) {
        // Findings about two objects come after all others: their objects are counted already.
        if finding.rule == addresses::TWO_SPELLINGS.id {
            return;
        }
        if self.object.as_ref() != Some(&finding.object) {
            self.end_object();
            self.object = Some(finding.object.clone());
        }
        let state = Some(finding.state);
        self.overall.1 = self.overall.1.max(state);
        for (_, _, worst) in self.targets.iter_mut().filter(|row| row.0 == finding.target) {
            *worst = (*worst).max(state);
        }
    }

    fn end_object(&mut self) {
        add(&mut self.overall.0, self.overall.1.take());
        for (_, counts, worst) in &mut self.targets {
            add(counts, worst.take());
        }
    }

    /// The summary of all objects.
    pub(crate) fn into_summary(mut self, objects: u64) -> Summary {
        self.end_object();
        let complete = |mut counts: StateCounts| {
            let StateCounts { warned, refused, frozen, .. } = counts;
            counts.fine = objects.saturating_sub(warned + refused + frozen);
            counts
        };
        let targets = self.targets.into_iter().map(|(_, counts, _)| complete(counts)).collect();
        let states = complete(self.overall.0);
        Summary { objects, states, targets, suppressed: 0, unseen: 0 }
    }
}

fn add(counts: &mut StateCounts, worst: Option<State>) {
    match worst {
        None => {}
        Some(State::Warns) => counts.warned += 1,
        Some(State::RefusedOnCreate) => counts.refused += 1,
        Some(State::Frozen) => counts.frozen += 1,
    }
}
