//! Health of a store, available without an operation on it.

/// The current state of a store, and its failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The current state.
    pub state: State,
    /// The number of writes that failed because of the disk since the store was opened, including
    /// internal ones.
    pub failures: u64,
}

/// The current state. Texts are for operators: they may name files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Reads and writes work.
    #[default]
    Sound,
    /// There is no space for writes, which resume by themselves as soon as there is some; reads
    /// work.
    Full(String),
    /// Writes fail, and it is unknown whether that will pass.
    Broken(String),
}
