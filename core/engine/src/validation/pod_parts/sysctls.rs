//! Validation of the sysctls of a pod: their names, and whether their namespace is the pod's own.

use crate::field_errors::{FieldErrors, quoted};
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use ratchet_object::At;

const LONGEST: usize = 253;
const BAD_NAME: &str = r"must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const HOST_IPC: &str = "may not be specified when 'hostIPC' is true";
const HOST_NETWORK: &str = "may not be specified when 'hostNetwork' is true";

/// Sysctls of the IPC namespace, beside those that begin with `fs.mqueue.`.
const IPC: [&str; 10] = [
    "kernel.msg",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
    "kernel.sem",
    "kernel.shm",
    "kernel.shm_rmid_forced",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
];

/// Checks the sysctls of a pod; `stored` is the stored spec.
pub(super) fn check(
    spec: &At<'_>,
    sysctls: &At<'_>,
    stored: Option<At<'_>>,
    errs: &mut FieldErrors<'_, '_>,
) {
    // A stored sysctl of a shared namespace lets all of them in.
    let is_stored = stored.is_some_and(|old| {
        let list = old.field("securityContext").field("sysctls");
        list.items().any(|at| shared(&old, at.field("name").text_or_empty()).is_some())
    });
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for sysctl in sysctls.items() {
        let name = sysctl.field("name");
        let text = name.text_or_empty();
        let is_repeated = !names.insert(text);
        if errs.needs_text(&name) {
            if !is_name(text) {
                errs.invalid(&name, BAD_NAME);
            } else if is_repeated {
                errs.duplicate(&name, quoted(text));
            }
        }
        if let Some(detail) = shared(spec, text).filter(|_| !is_stored) {
            errs.invalid(&name, detail);
        }
    }
}

/// Segments of small letters, digits, dashes and underscores, with dots or slashes between them.
fn is_name(text: &str) -> bool {
    let is_end = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_segment = |segment: &str| {
        let bytes = segment.as_bytes();
        bytes.first().is_some_and(|byte| is_end(*byte))
            && bytes.last().is_some_and(|byte| is_end(*byte))
            && bytes.iter().all(|byte| is_end(*byte) || matches!(byte, b'-' | b'_'))
    };
    text.len() <= LONGEST && text.split(['.', '/']).all(is_segment)
}

/// The error of a sysctl whose namespace the pod shares with the host.
fn shared(spec: &At<'_>, name: &str) -> Option<&'static str> {
    let name = dotted(name);
    let name = name.split('*').next().unwrap_or_default();
    if name.starts_with("net.") {
        return spec.field("hostNetwork").is_true().then_some(HOST_NETWORK);
    }
    let is_ipc = IPC.contains(&name) || name.starts_with("fs.mqueue.");
    (is_ipc && spec.field("hostIPC").is_true()).then_some(HOST_IPC)
}

/// A name whose first separator is a slash has dots and slashes the other way round.
fn dotted(name: &str) -> Cow<'_, str> {
    if name.find(['.', '/']).is_none_or(|at| name.get(at..).is_some_and(|s| s.starts_with('.'))) {
        return Cow::Borrowed(name);
    }
    let swapped: String = name
        .chars()
        .map(|letter| match letter {
            '.' => '/',
            '/' => '.',
            other => other,
        })
        .collect();
    Cow::Owned(swapped)
}

#[cfg(test)]
mod tests {
    use super::{dotted, is_name};

    #[test]
    fn names_of_sysctls() {
        for good in ["kernel.shm_rmid_forced", "net/ipv4/conf/eno2.100/rp_filter", "a"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "Net.a", "net..a", "-a", "a_", "net.ipv4.*"] {
            assert!(!is_name(bad), "{bad}");
        }
        assert_eq!(dotted("net/ipv4/eno2.100"), "net.ipv4.eno2/100");
        assert_eq!(dotted("net.ipv4/a"), "net.ipv4/a");
    }
}
