//! `Paired` and `Judged`: the last stages, a change with its objects, and the verdict about it.

use crate::facts::{GatheredFacts, gather};
use crate::object_type::ObjectType;
use crate::position::locate_defaulted;
use ratchet_engine::{ApiConfig, Change, Facts, Part, Status, Step, Verdict};
use ratchet_object::{ClusterReader, Node, Object};

/// A proposed object beside the stored one that it replaces, if there is one.
#[derive(Debug)]
pub struct Paired<'t, 'k> {
    object_type: &'k dyn ObjectType,
    part: Part,
    new: Object<'t>,
    old: Option<Object<'t>>,
}

impl<'t, 'k> Paired<'t, 'k> {
    pub(crate) fn new(
        object_type: &'k dyn ObjectType,
        part: Part,
        new: Object<'t>,
        old: Option<Object<'t>>,
    ) -> Self {
        Self { object_type, part, new, old }
    }

    /// The proposed object.
    pub fn new_object(&self) -> &Object<'t> {
        &self.new
    }

    /// The stored object.
    pub fn old_object(&self) -> Option<&Object<'t>> {
        self.old.as_ref()
    }

    /// The change; `None` if objects of the kind are not validated at all.
    pub fn change(&self) -> Option<Change<'_>> {
        let step = match &self.old {
            Some(old) => Step::Update { old, new: &self.new },
            None => Step::Create { new: &self.new },
        };
        let kind = self.object_type.kind_of(&self.new)?;
        Some(Change { kind, part: self.part, step })
    }

    /// Reads the facts that the change needs, and judges it. `requester` is the name of the user, if it is known.
    pub fn judge(
        &self,
        config: &ApiConfig,
        cluster: &dyn ClusterReader,
        requester: Option<&str>,
    ) -> Judged<'_> {
        let Some(change) = self.change() else { return Judged::default() };
        let facts = gather(&change, config, cluster, requester);
        let verdict = self.object_type.validate(&change, &facts.as_facts(), config);
        Judged { change: Some(change), facts: Some(facts), verdict }
    }

    /// The objects, new and old.
    pub fn into_nodes(self) -> (Node<'t>, Option<Node<'t>>) {
        (self.new.into_node(), self.old.map(Object::into_node))
    }
}

/// A change and the verdict about it. Policies come after it, [`evaluate_policies`](crate::evaluate_policies).
#[derive(Debug, Default)]
pub struct Judged<'p> {
    change: Option<Change<'p>>,
    facts: Option<GatheredFacts>,
    verdict: Verdict,
}

impl<'p> Judged<'p> {
    /// The verdict of the engine, which policies have not changed.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The verdict alone.
    pub fn into_verdict(self) -> Verdict {
        self.verdict
    }

    /// The verdict, for what a door adds to it.
    pub fn verdict_mut(&mut self) -> &mut Verdict {
        &mut self.verdict
    }

    /// The change, unless its kind is not validated at all.
    pub fn change(&self) -> Option<&Change<'p>> {
        self.change.as_ref()
    }

    /// The facts that the verdict depends on.
    pub fn facts(&self) -> Facts<'_> {
        self.facts.as_ref().map(GatheredFacts::as_facts).unwrap_or_default()
    }

    /// The answer of the API to a refused change.
    pub fn status(&self) -> Option<Status> {
        Status::of(&self.verdict, self.change.as_ref()?)
    }

    /// Gives findings about values that only defaults brought the position of the nearest value in the file.
    pub fn locate(&mut self) {
        if let Some(change) = self.change {
            locate_defaulted(&mut self.verdict, change.new_object());
        }
    }
}
