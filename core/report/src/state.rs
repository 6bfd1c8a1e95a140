//! States of findings, from the worst to the mildest.

/// What a finding means for its object; ordered from the worst to the mildest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Stored, and later updates of it are refused.
    Frozen,
    /// Stored and still updatable, but refused if it is created again.
    RefusedOnCreate,
    /// The API server refuses a manifest.
    Error,
    /// Stored, and the API server warns.
    Warns,
    /// The API server admits a manifest and warns.
    #[default]
    Warning,
    /// For the reader; the API server is silent.
    Note,
}

impl State {
    /// All states, from the worst to the mildest.
    pub const ALL: [Self; 6] =
        [Self::Frozen, Self::RefusedOnCreate, Self::Error, Self::Warns, Self::Warning, Self::Note];

    /// The name in JSON and in links.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Frozen => "frozen",
            Self::RefusedOnCreate => "refused-on-create",
            Self::Error => "error",
            Self::Warns => "warns",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }

    /// The words on the page.
    pub fn title(self) -> &'static str {
        match self {
            Self::Frozen => "Frozen",
            Self::RefusedOnCreate => "Refused on create",
            Self::Error => "Error",
            Self::Warns => "Warns",
            Self::Warning => "Warning",
            Self::Note => "Note",
        }
    }

    /// What it means, for a reader who has not seen the word before.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Frozen => "stored, but every later update of it will be refused",
            Self::RefusedOnCreate => "works where it is, but cannot be created again",
            Self::Error => "the API server refuses it",
            Self::Warns => "accepted, and the API server warns",
            Self::Warning => "accepted, and the API server warns",
            Self::Note => "accepted in silence; worth a look",
        }
    }
}
