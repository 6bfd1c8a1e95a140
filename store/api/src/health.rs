//! How a store fares, for those who ask without asking it for anything.

/// What a store can do just now, and how often it could not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// What it can do.
    pub state: State,
    /// How many writes of its own or of others have failed for its disk, since it was opened.
    pub failures: u64,
}

/// What a store can do just now. Texts are for people who run it: they may name files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Everything.
    #[default]
    Sound,
    /// It has no room for writes, and goes on by itself as soon as there is some; reads go on.
    Full(String),
    /// It cannot write, and cannot say that this will pass.
    Broken(String),
}
