//! `PriorityLevel`: a compiled PriorityLevelConfiguration, with its shares of the concurrency and its queues.

use alloc::string::{String, ToString};
use ratchet_object::Node;

/// The name of the only level that is exempt.
pub(crate) const EXEMPT: &str = "exempt";

/// A compiled PriorityLevelConfiguration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityLevel {
    /// Its name.
    pub name: String,
    /// Its uid; empty if it is not stored.
    pub uid: String,
    /// What happens to requests beyond the limit.
    pub queuing: Queuing,
    /// `nominalConcurrencyShares`.
    pub shares: u32,
    /// `lendablePercent`.
    pub lendable_percent: u32,
    /// `borrowingLimitPercent`; none means that it may borrow everything.
    pub borrowing_percent: Option<u32>,
}

/// What happens to requests beyond the limit of a priority level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queuing {
    /// There is no limit.
    Exempt,
    /// They are rejected.
    Reject,
    /// They wait.
    Queue {
        /// The number of queues.
        queues: usize,
        /// How many of them a flow may use.
        hand_size: usize,
        /// The longest queue.
        length_limit: usize,
    },
}

impl Queuing {
    /// Whether there is no limit.
    pub fn is_exempt(self) -> bool {
        self == Self::Exempt
    }
}

impl PriorityLevel {
    /// Compiles a stored object; none if its parts contradict each other, and then the level does not exist.
    pub(crate) fn from_node(node: &Node<'_>) -> Option<Self> {
        let metadata = node.metadata();
        let spec = node.get("spec")?;
        let (name, limited, exempt) = (metadata.name(), spec.get("limited"), spec.get("exempt"));
        let (own, queuing) = match (spec.text_at(&["type"]), limited, exempt) {
            ("Exempt", None, exempt) if name == EXEMPT => (exempt, Queuing::Exempt),
            ("Limited", Some(limited), None) if name != EXEMPT => {
                (Some(limited), queuing(limited)?)
            }
            _ => return None,
        };
        let number = |member: &str| {
            let number = own.and_then(|own| own.get(member)).and_then(Node::as_int);
            number.and_then(|number| u32::try_from(number).ok())
        };
        let default_shares = if queuing.is_exempt() { 0 } else { 30 };
        Some(Self {
            name: name.to_string(),
            uid: metadata.uid().to_string(),
            queuing,
            shares: number("nominalConcurrencyShares").unwrap_or(default_shares),
            lendable_percent: number("lendablePercent").unwrap_or_default().min(100),
            borrowing_percent: number("borrowingLimitPercent"),
        })
    }
}

fn queuing(limited: &Node<'_>) -> Option<Queuing> {
    let queues = limited.find(&["limitResponse", "queuing"]);
    match (limited.text_at(&["limitResponse", "type"]), queues) {
        ("Reject", None) => Some(Queuing::Reject),
        ("Queue", Some(queues)) => {
            let number = |member: &str| {
                let number = queues.get(member).and_then(Node::as_int)?;
                usize::try_from(number).ok().filter(|number| *number > 0)
            };
            let hand_size = number("handSize").unwrap_or(8);
            let queues = number("queues").unwrap_or(64);
            let length_limit = number("queueLengthLimit").unwrap_or(50);
            let can_be_dealt = hand_size <= queues && hand_size <= MAX_HAND && queues <= MAX_QUEUES;
            can_be_dealt.then_some(Queuing::Queue { queues, hand_size, length_limit })
        }
        _ => None,
    }
}

/// Validation allows no larger hand: dealing it would need more than 60 bits of a hash.
pub(crate) const MAX_HAND: usize = 15;

/// Validation allows no more queues.
const MAX_QUEUES: usize = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn level(name: &str, spec: &str) -> Option<PriorityLevel> {
        let text = alloc::format!("{{metadata: {{name: {name}, uid: u}}, spec: {spec}}}");
        let node = decode(&text, Limits::DEFAULT).expect("YAML").documents.remove(0);
        PriorityLevel::from_node(&node)
    }

    #[test]
    fn a_level_has_shares_and_queues() {
        let spec = "{type: Limited, limited: {nominalConcurrencyShares: 5, lendablePercent: 50, borrowingLimitPercent: 0, limitResponse: {type: Queue, queuing: {queues: 8, handSize: 2, queueLengthLimit: 3}}}}";
        let queuing = Queuing::Queue { queues: 8, hand_size: 2, length_limit: 3 };
        let own = level("a", spec).expect("a level");
        assert_eq!((own.shares, own.lendable_percent, own.borrowing_percent), (5, 50, Some(0)));
        assert_eq!((own.uid.as_str(), own.queuing), ("u", queuing));
        let reject = "{type: Limited, limited: {limitResponse: {type: Reject}}}";
        let own = level("a", reject).expect("a level");
        assert_eq!((own.shares, own.borrowing_percent, own.queuing), (30, None, Queuing::Reject));
        assert!(level(EXEMPT, "{type: Exempt}").is_some_and(|own| own.queuing.is_exempt()));
    }

    #[test]
    fn a_level_that_contradicts_itself_does_not_exist() {
        let wrong = [
            ("exempt", "{type: Limited, limited: {limitResponse: {type: Reject}}}"),
            ("a", "{type: Exempt}"),
            ("a", "{type: Limited}"),
            ("a", "{type: Limited, limited: {limitResponse: {type: Queue}}}"),
            ("a", "{type: Limited, limited: {limitResponse: {type: Reject, queuing: {}}}}"),
            (
                "a",
                "{type: Limited, limited: {limitResponse: {type: Queue, queuing: {queues: 2, handSize: 3}}}}",
            ),
        ];
        for (name, spec) in wrong {
            assert_eq!(level(name, spec), None, "{spec}");
        }
    }
}
