//! Names of several parts: those of ClusterTrustBundles begin with their signer, those of StorageVersions end with a
//! resource.

use crate::Change;
use crate::name_format::{NameFormat, faults, prefix_faults};
use alloc::borrow::Cow;
use alloc::format;

/// Reports what is wrong with the name of an object whose kind composes names, or with the beginning of one.
type Faults = fn(&Change<'_>, &str, bool, &mut dyn FnMut(Cow<'static, str>));

/// The kinds that compose names.
const KINDS: [(&str, &str, Faults); 2] = [
    ("certificates.k8s.io", "ClusterTrustBundle", bundle),
    ("internal.apiserver.k8s.io", "StorageVersion", storage_version),
];

/// The check of the names of a kind that composes them.
pub(crate) fn of_kind(change: &Change<'_>) -> Option<Faults> {
    let kind = (change.kind.group, change.kind.name);
    KINDS.iter().find(|row| (row.0, row.1) == kind).map(|row| row.2)
}

fn bundle(
    change: &Change<'_>,
    text: &str,
    is_prefix: bool,
    report: &mut dyn FnMut(Cow<'static, str>),
) {
    let signer = change.new_root().descend(&["spec", "signerName"]).text_or_empty();
    let first = match signer {
        "" if text.contains(':') => {
            let fault = "ClusterTrustBundle without signer name must not have \":\" in its name";
            return report(fault.into());
        }
        "" => "".into(),
        _ => format!("{}:", signer.replace('/', ":")),
    };
    let Some(rest) = text.strip_prefix(first.as_str()) else {
        let fault =
            format!("ClusterTrustBundle for signerName {signer} must be named with prefix {first}");
        return report(fault.into());
    };
    match is_prefix {
        true => prefix_faults(NameFormat::Subdomain, rest, report),
        false => faults(NameFormat::Subdomain, rest, report),
    }
}

fn storage_version(_: &Change<'_>, text: &str, _: bool, report: &mut dyn FnMut(Cow<'static, str>)) {
    let Some((group, resource)) = text.rsplit_once('.') else {
        return report("name must be in the form of <group>.<resource>".into());
    };
    faults(NameFormat::Subdomain, group, |fault| {
        report(format!("the group segment {fault}").into());
    });
    faults(NameFormat::Label1035, resource, |fault| {
        report(format!("the resource segment {fault}").into());
    });
}
