//! The program that this binary stands in for: links named `kube-apiserver` and `etcd` run as these.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Names of links, and what is run under them.
const NAMES: &[(&str, Program)] =
    &[("kube-apiserver", Program::KubeApiserver), ("etcd", Program::Etcd)];

/// What a name makes of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// `ratchet` with its commands.
    Ratchet,
    /// `ratchet serve` with kube-apiserver's command line.
    KubeApiserver,
    /// The stand-in for etcd.
    Etcd,
}

impl Program {
    /// The program of the first argument of a command line.
    pub(crate) fn of(argument: Option<&OsStr>) -> Self {
        let name = argument.and_then(|path| Path::new(path).file_name());
        let row = NAMES.iter().find(|(known, _)| name.is_some_and(|name| name == *known));
        row.map_or(Self::Ratchet, |(_, program)| *program)
    }
}

/// The command line of `ratchet` that does what a command line of kube-apiserver asks for.
///
/// Whoever starts kube-apiserver expects the released behavior; a flag that comes later may choose the other one.
pub(crate) fn serve_arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let ours = ["ratchet", "serve", "--behavior=released"].map(OsString::from);
    ours.into_iter().chain(given).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_the_path_is_the_name() {
        let of = |path: &str| Program::of(Some(OsStr::new(path)));
        assert_eq!(of("/a/bin/kube-apiserver"), Program::KubeApiserver);
        assert_eq!(of("etcd"), Program::Etcd);
        assert_eq!(of("/etcd/ratchet"), Program::Ratchet);
        assert_eq!(of("/a/kubectl"), Program::Ratchet);
        assert_eq!(Program::of(None), Program::Ratchet);
    }

    #[test]
    fn what_is_given_comes_last_and_counts() {
        let given = ["--behavior=proposal", "--secure-port=1"].map(OsString::from);
        let all = serve_arguments(given.into_iter());
        assert_eq!(
            all,
            ["ratchet", "serve", "--behavior=released", "--behavior=proposal", "--secure-port=1"]
        );
    }
}
