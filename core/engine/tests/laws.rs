//! Property tests of the five laws over every rule, kind and field, on generated objects.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

mod laws {
    pub(crate) mod broken;
    pub(crate) mod case;
    pub(crate) mod hold;
    pub(crate) mod law;
    pub(crate) mod quirk;
    pub(crate) mod released;
    pub(crate) mod sample;
    pub(crate) mod slot;
    pub(crate) mod spelling;
    pub(crate) mod sweep;
    pub(crate) mod world;
}
