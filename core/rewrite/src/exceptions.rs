//! `Exceptions`: the rules that an object's annotation takes it out of, with a reason.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::Exception;
use ratchet_object::{Kind, Node};

/// The excepted rules of an object.
#[derive(Debug, Default)]
pub(crate) struct Exceptions(Vec<String>);

impl Exceptions {
    /// The rules that the annotations of an object and of its pod template name with a reason.
    pub(crate) fn of(object: &Node<'_>, kind: &Kind<'_>) -> Self {
        let entries = Exception::of(object, Some(kind)).into_iter();
        let with_reason = entries.filter(|entry| !entry.reason.is_empty());
        Self(with_reason.flat_map(|entry| entry.rules).map(ToOwned::to_owned).collect())
    }

    /// Whether a rule is excepted.
    pub(crate) fn cover(&self, rule: &str) -> bool {
        self.0.iter().any(|id| id.eq_ignore_ascii_case(rule))
    }
}
