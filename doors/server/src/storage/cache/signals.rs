//! `Signals`: who watches which part of a resource, so that a change wakes those whom it may concern and nobody else.

use super::change::Change;
use super::scope::Scope;
use futures_util::task::AtomicWaker;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

/// The watches of one resource.
#[derive(Debug, Default)]
pub(super) struct Signals(Mutex<Registered>);

/// Who is registered for a namespace, an object, a name or an index value.
type ByText = HashMap<Box<str>, Group>;

#[derive(Debug, Default)]
struct Registered {
    all: Group,
    namespaces: ByText,
    objects: ByText,
    names: ByText,
    index_values: ByText,
}

/// Those who are told of the same changes.
#[derive(Debug, Default)]
struct Group {
    signals: Vec<Arc<Signal>>,
    /// Their number, for each of them to see.
    size: Arc<AtomicUsize>,
}

impl Group {
    fn add(&mut self, signal: Arc<Signal>) -> Arc<AtomicUsize> {
        self.signals.push(signal);
        self.size.store(self.signals.len(), Ordering::Relaxed);
        self.size.clone()
    }

    fn remove(&mut self, signal: &Arc<Signal>) {
        self.signals.retain(|other| !Arc::ptr_eq(other, signal));
        self.size.store(self.signals.len(), Ordering::Relaxed);
    }
}

/// Tells one watch of changes.
#[derive(Debug, Default)]
struct Signal {
    /// The revision of the first change that was not taken yet; zero if there is none.
    first: AtomicU64,
    waker: AtomicWaker,
}

impl Signal {
    fn raise(&self, revision: u64) {
        // Who is told already, and did not look yet, finds this change, too.
        if self.first.compare_exchange(0, revision, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            self.waker.wake();
        }
    }
}

/// A watch that is registered; dropping it ends that.
#[derive(Debug)]
pub(crate) struct Subscription {
    signals: Arc<Signals>,
    scope: Scope,
    signal: Arc<Signal>,
    group_size: Arc<AtomicUsize>,
}

impl Subscription {
    /// The revision of the first change in the scope since the last call, if there was one. Between the state that the
    /// last call followed and this change there is none.
    pub(crate) fn take(&self) -> Option<u64> {
        Some(self.signal.first.swap(0, Ordering::AcqRel)).filter(|first| *first > 0)
    }

    /// The number of watches that are told of the same changes, with this one.
    pub(crate) fn group_size(&self) -> usize {
        self.group_size.load(Ordering::Relaxed)
    }

    /// Waits until there is a change to take.
    pub(crate) async fn changed(&mut self) {
        let signal = &self.signal;
        std::future::poll_fn(|context| {
            // Before the look, so that no change comes between the two.
            signal.waker.register(context.waker());
            match signal.first.load(Ordering::Acquire) {
                0 => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut registered = self.signals.registered();
        let (by_text, key) = match registered.slot(&self.scope) {
            Slot::All(group) => return group.remove(&self.signal),
            Slot::Of(by_text, key) => (by_text, key),
        };
        if let Some(group) = by_text.get_mut(key) {
            group.remove(&self.signal);
            if group.signals.is_empty() {
                by_text.remove(key);
            }
        }
    }
}

/// Where a scope is registered.
enum Slot<'r, 's> {
    All(&'r mut Group),
    Of(&'r mut ByText, &'s str),
}

impl Registered {
    fn slot<'r, 's>(&'r mut self, scope: &'s Scope) -> Slot<'r, 's> {
        match scope {
            Scope::Prefix { prefix } if prefix.is_empty() => Slot::All(&mut self.all),
            Scope::Prefix { prefix } => Slot::Of(&mut self.namespaces, prefix),
            Scope::Object { key } => Slot::Of(&mut self.objects, key),
            Scope::Name { name } => Slot::Of(&mut self.names, name),
            Scope::Index { value, .. } => Slot::Of(&mut self.index_values, value),
        }
    }
}

impl Signals {
    /// Registers a watch. It is told of all changes that are applied after this call.
    pub(super) fn subscribe(self: &Arc<Self>, scope: Scope) -> Subscription {
        let signal = Arc::<Signal>::default();
        let group_size = match self.registered().slot(&scope) {
            Slot::All(group) => group.add(signal.clone()),
            Slot::Of(by_text, key) => by_text.entry(key.into()).or_default().add(signal.clone()),
        };
        Subscription { signals: self.clone(), scope, signal, group_size }
    }

    /// Tells those of changes whom they may concern. The changes must be visible already.
    pub(super) fn tell(&self, changes: &[Arc<Change>]) {
        let registered = self.registered();
        for change in changes {
            registered.interested(change, |signal| signal.raise(change.revision));
        }
    }

    /// Tells everybody.
    pub(super) fn tell_all(&self, revision: u64) {
        let registered = self.registered();
        let by_text = [
            &registered.namespaces,
            &registered.objects,
            &registered.names,
            &registered.index_values,
        ];
        let groups = by_text.into_iter().flat_map(HashMap::values).chain([&registered.all]);
        groups.flat_map(|group| &group.signals).for_each(|signal| signal.raise(revision));
    }

    /// The number of watches that a change wakes.
    #[cfg(test)]
    pub(super) fn count(&self, change: &Change) -> usize {
        let mut count = 0;
        self.registered().interested(change, |_| count += 1);
        count
    }

    /// The number of watches that a write to an object may concern, of which the namespace and maybe the name are known.
    /// All watches of indexed values count as one: each value has about one, and an object has one value.
    pub(super) fn concerned(&self, prefix: &str, name: &str) -> usize {
        let registered = self.registered();
        let count = |group: Option<&Group>| group.map_or(0, |group| group.signals.len());
        let of_name = match name {
            "" => 0,
            _ => {
                let key = format!("{prefix}{name}");
                count(registered.objects.get(key.as_str())) + count(registered.names.get(name))
            }
        };
        let of_namespace = match prefix {
            "" => 0,
            _ => count(registered.namespaces.get(prefix)),
        };
        let of_value = usize::from(!registered.index_values.is_empty());
        registered.all.signals.len() + of_namespace + of_name + of_value
    }

    fn registered(&self) -> MutexGuard<'_, Registered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registered {
    fn interested(&self, change: &Change, mut take: impl FnMut(&Signal)) {
        let mut each = |group: Option<&Group>| {
            group.into_iter().flat_map(|group| &group.signals).for_each(|signal| take(signal));
        };
        each(Some(&self.all));
        let key = &*change.item.key;
        let slash = key.find('/').map_or(0, |at| at + 1);
        let (prefix, name) = key.split_at_checked(slash).unwrap_or(("", key));
        each(self.namespaces.get(prefix));
        each(self.objects.get(key));
        each(self.names.get(name));
        // An object that moves concerns those who lose it, too.
        let after = change.item.index();
        let before = change.before.as_ref().and_then(|before| before.index());
        each(after.and_then(|value| self.index_values.get(value.text())));
        if before != after {
            each(before.and_then(|value| self.index_values.get(value.text())));
        }
    }
}
