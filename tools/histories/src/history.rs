//! What is recorded: calls with their times and answers, and the events of watches.

/// A recorded history. It begins with nothing stored under its keys.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The calls, in any order.
    pub calls: Vec<Call>,
    /// The watches; what they saw together is the log. One that was cut off and resumed is two.
    pub watches: Vec<Watch>,
}

/// One call of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who called, for people.
    pub client: usize,
    /// The time before the request was sent, of one clock for the whole history.
    pub begin: u64,
    /// The time after the answer came. Without an answer: the time after which the call can no longer take effect, or
    /// `u64::MAX`.
    pub end: u64,
    /// What was asked for.
    pub action: Action,
    /// What was answered.
    pub outcome: Outcome,
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Creates a key that is absent.
    Create {
        /// The key.
        key: String,
        /// The value, unique in the history.
        value: String,
    },
    /// Updates a key that is at a revision.
    Update {
        /// The key.
        key: String,
        /// The value, unique in the history.
        value: String,
        /// The revision that is replaced.
        over: u64,
    },
    /// Deletes a key that is at a revision.
    Delete {
        /// The key.
        key: String,
        /// The revision that is deleted.
        over: u64,
    },
    /// Reads a key.
    Get {
        /// The key.
        key: String,
    },
    /// Reads all keys with a prefix.
    List {
        /// The prefix.
        prefix: String,
    },
}

impl Action {
    /// The key, or the prefix of a list.
    pub fn key(&self) -> &str {
        match self {
            Self::Create { key, .. }
            | Self::Update { key, .. }
            | Self::Delete { key, .. }
            | Self::Get { key }
            | Self::List { prefix: key } => key,
        }
    }
}

/// A value with the revision at which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key.
    pub key: String,
    /// The revision.
    pub revision: u64,
    /// The value.
    pub value: String,
}

/// What a call was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Created or updated at this revision.
    Written(u64),
    /// Deleted.
    Deleted,
    /// Read.
    Found(Record),
    /// Listed: the records of one revision.
    Listed {
        /// The revision of the list.
        revision: u64,
        /// Its records, in any order.
        records: Vec<Record>,
    },
    /// The key is absent, for a read as for an update or a deletion.
    Absent,
    /// A creation found the key.
    Exists,
    /// An update or a deletion found the key at another revision.
    Conflict,
    /// Refused for a reason that says nothing of the state: nothing happened.
    Refused,
    /// No answer, or one that says nothing: it may have happened or not.
    Unknown,
}

/// A change that a watch saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The key was absent and got this value.
    Added(String),
    /// The key got this value.
    Modified(String),
    /// The key was deleted.
    Deleted,
}

/// An event of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The key.
    pub key: String,
    /// The revision of the change.
    pub revision: u64,
    /// The change.
    pub change: Change,
}

/// One watch, from its start to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Who watched, for people.
    pub client: usize,
    /// The prefix of the watched keys.
    pub prefix: String,
    /// The revision after which it began.
    pub from: u64,
    /// What it saw, in the order in which it saw it.
    pub events: Vec<Event>,
    /// The revision up to which it claims to have seen everything: that of its last event, or of a later bookmark.
    pub upto: u64,
}
