//! Profiles: what is there before, and which requests clients send.

use crate::worker::{CREATE, DELETE, GET, LIST, RequestKind, UPDATE};
use anyhow::{Result, bail};

/// The objects that a profile finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seed {
    Nothing,
    /// As many as `--objects` says.
    Objects,
    /// One for each client.
    OnePerClient,
}

/// What clients do.
pub(crate) enum Work {
    /// These requests in turn.
    Requests(&'static [&'static RequestKind]),
    /// Patches at a fixed rate, and watchers who must see each of them.
    Churn,
}

/// A row of [`PROFILES`].
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) seed: Seed,
    pub(crate) work: Work,
}

/// All profiles, in the order in which they run.
pub(crate) static PROFILES: &[Profile] = &[
    Profile {
        name: "create",
        about: "each client creates objects",
        seed: Seed::Nothing,
        work: Work::Requests(&[&CREATE]),
    },
    Profile {
        name: "get",
        about: "each client reads one of --objects after another",
        seed: Seed::Objects,
        work: Work::Requests(&[&GET]),
    },
    Profile {
        name: "list",
        about: "each client lists --objects page by page; an operation is a page of --page",
        seed: Seed::Objects,
        work: Work::Requests(&[&LIST]),
    },
    Profile {
        name: "update",
        about: "each client replaces an object of its own",
        seed: Seed::OnePerClient,
        work: Work::Requests(&[&UPDATE]),
    },
    Profile {
        name: "delete",
        about: "clients delete --objects; it ends when none is left",
        seed: Seed::Objects,
        work: Work::Requests(&[&DELETE]),
    },
    Profile {
        name: "create-list",
        about: "each client creates an object and lists a page, in turn, among --objects",
        seed: Seed::Objects,
        work: Work::Requests(&[&CREATE, &LIST]),
    },
    Profile {
        name: "watch-churn",
        about: "--watchers watch a namespace in which --rate objects a second change",
        seed: Seed::OnePerClient,
        work: Work::Churn,
    },
];

impl Profile {
    /// The profile of a name.
    pub(crate) fn named(name: &str) -> Result<&'static Self> {
        match PROFILES.iter().find(|profile| profile.name == name) {
            Some(profile) => Ok(profile),
            None => {
                let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
                bail!("a profile is one of {}, not {name:?}", known.join(", "))
            }
        }
    }
}
