//! Reinvocation: which mutating policies and webhooks run a second time, because something changed the object after them.

use alloc::collections::BTreeSet;
use alloc::string::String;
use ratchet_object::{Equality, Node, Slot};

/// The state of mutating admission that its plugins share during one request (`admission.ReinvocationContext`).
///
/// The chain runs once, and once more if [`ReinvocationContext::begin_reinvocation`] says so.
#[derive(Debug, Default)]
pub struct ReinvocationContext {
    is_reinvoke: bool,
    reinvoke_requested: bool,
    /// Whether the object has times that JSON shortens, so that the first patch changes it whatever it does: the
    /// managed fields of a request that writes some.
    pub has_fresh_times: bool,
    /// The invocations of mutating policies.
    pub policies: Reinvocation<InvocationKey>,
    /// The invocations of mutating webhooks, by the id of the webhook.
    pub webhooks: Reinvocation<String>,
}

impl ReinvocationContext {
    /// The context of a request.
    pub fn new(has_fresh_times: bool) -> Self {
        Self { has_fresh_times, ..Self::default() }
    }

    /// Whether the chain runs for the second time.
    pub fn is_reinvoke(&self) -> bool {
        self.is_reinvoke
    }

    /// The round of the chain, as audit annotations count it.
    pub fn round(&self) -> u8 {
        u8::from(self.is_reinvoke)
    }

    /// Requests that the chain runs once more.
    pub fn set_should_reinvoke(&mut self) {
        self.reinvoke_requested = true;
    }

    /// Begins the second round, if one was requested; false once it has begun.
    pub fn begin_reinvocation(&mut self) -> bool {
        let begins = self.reinvoke_requested && !self.is_reinvoke;
        self.is_reinvoke |= begins;
        begins
    }

    /// Whether a patch has changed an object. The first patch of an object with fresh times always has.
    pub fn has_changed(&mut self, before: &Node<'_>, after: &Node<'_>) -> bool {
        core::mem::take(&mut self.has_fresh_times) || !semantically_equal(before, after)
    }
}

/// One application of a policy: policy, binding, and namespace and name of the parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InvocationKey {
    pub(crate) policy: String,
    pub(crate) binding: String,
    pub(crate) parameter: Option<(String, String)>,
}

/// The invocations of one plugin.
#[derive(Debug)]
pub struct Reinvocation<K> {
    /// The object that the plugin left; only kept while something could run again.
    last_output: Option<Node<'static>>,
    /// What was invoked since the last change, and may be invoked again.
    previously_invoked: BTreeSet<K>,
    /// What is invoked again in the second round.
    reinvoke: BTreeSet<K>,
}

impl<K> Default for Reinvocation<K> {
    fn default() -> Self {
        let (previously_invoked, reinvoke) = (BTreeSet::new(), BTreeSet::new());
        Self { last_output: None, previously_invoked, reinvoke }
    }
}

impl<K: Ord> Reinvocation<K> {
    /// Begins a round: if others have changed the object since, all that may be invoked again are.
    pub fn begin(&mut self, is_reinvoke: bool, object: Option<&Node<'_>>) {
        let is_unchanged = match (&self.last_output, object) {
            (Some(last), Some(object)) => semantically_equal(last, object),
            (None, None) => true,
            _ => false,
        };
        if is_reinvoke && !is_unchanged {
            self.require_reinvoking();
        }
    }

    /// Ends a round with the object that the plugin leaves.
    pub fn end(&mut self, object: Option<&Node<'_>>) {
        let is_needed = !self.previously_invoked.is_empty();
        self.last_output = object.filter(|_| is_needed).map(|object| object.clone().into_owned());
    }

    /// Whether the second round invokes this again.
    pub fn should_reinvoke(&self, key: &K) -> bool {
        self.reinvoke.contains(key)
    }

    /// Remembers an invocation that may be repeated.
    pub fn add_reinvocable(&mut self, key: K) {
        self.previously_invoked.insert(key);
    }

    /// The object has changed: all that was invoked before is invoked again.
    pub fn require_reinvoking(&mut self) {
        self.reinvoke.append(&mut self.previously_invoked);
    }
}

/// Whether two objects are equal to the API server (`equality.Semantic.DeepEqual`).
pub fn semantically_equal(one: &Node<'_>, other: &Node<'_>) -> bool {
    Slot::of_object(one).equal(Some(one), Some(other), Equality::Semantic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn there_is_one_more_round_and_no_third() {
        let mut context = ReinvocationContext::default();
        assert!(!context.begin_reinvocation());
        context.set_should_reinvoke();
        assert_eq!((context.round(), context.begin_reinvocation()), (0, true));
        context.set_should_reinvoke();
        assert_eq!((context.round(), context.begin_reinvocation()), (1, false));
    }

    #[test]
    fn only_what_was_invoked_before_a_change_runs_again() {
        let mut plugin: Reinvocation<&str> = Reinvocation::default();
        plugin.add_reinvocable("before");
        plugin.require_reinvoking();
        plugin.add_reinvocable("after");
        assert!(plugin.should_reinvoke(&"before") && !plugin.should_reinvoke(&"after"));
        let (object, other) = (node("{kind: X, a: 1}"), node("{kind: X, a: 2}"));
        plugin.end(Some(&object));
        plugin.begin(true, Some(&object));
        assert!(!plugin.should_reinvoke(&"after"), "nobody has changed the object since");
        plugin.begin(true, Some(&other));
        assert!(plugin.should_reinvoke(&"after"));
    }

    #[test]
    fn fresh_times_make_the_first_patch_a_change() {
        let object = node("{apiVersion: v1, kind: ConfigMap, data: {a: b}}");
        let mut context = ReinvocationContext::new(true);
        assert!(context.has_changed(&object, &object));
        assert!(!context.has_changed(&object, &object));
        let other = node("{apiVersion: v1, kind: ConfigMap, data: {a: b}, binaryData: {}}");
        assert!(!context.has_changed(&object, &other), "empty maps are absent ones");
    }
}
