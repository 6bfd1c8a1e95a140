//! Validation of iSCSI volume sources and of the names of their targets and initiators.

use super::source_holder::{HIGHEST_LUN, Holder};
use crate::field_errors::{FieldErrors, quoted};
use ratchet_object::At;

const LONGEST: usize = 64;
const BAD_NAME: &str = "must be valid format";
const TOO_LONG: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

/// Checks an iSCSI source.
pub(super) fn check(
    volume: &At<'_>,
    source: &At<'_>,
    holder: Holder<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let (portal, iqn) = (source.field("targetPortal"), source.field("iqn"));
    let initiator = source.field("initiatorName");
    errs.needs_text(&portal);
    let is_long =
        |name: &str| initiator.is_set() && name.len() + 1 + portal.text_or_empty().len() > LONGEST;
    if let Holder::PersistentVolume(name) = holder
        && is_long(name)
    {
        let at = portal.with_path(source.path().field("targetportal"));
        errs.invalid_as(&at, quoted(portal.text_or_empty()), TOO_LONG);
    }
    if errs.needs_text(&iqn) {
        check_name(&iqn, holder, errs);
    }
    errs.between(&source.field("lun"), 0, HIGHEST_LUN);
    let secret = source.field("secretRef");
    let needs_secret =
        ["chapAuthDiscovery", "chapAuthSession"].iter().any(|name| source.field(name).is_true());
    if needs_secret && !secret.is_set() {
        errs.required(&secret, "");
    }
    if !holder.is_pod() && secret.is_set() {
        errs.needs_text(&secret.field("name"));
    }
    if initiator.is_set() {
        let at = initiator.with_path(source.path().field("initiatorname"));
        check_name(&at, holder, errs);
    }
    let name = volume.field("name");
    if holder.is_pod() && is_long(name.text_or_empty()) {
        errs.invalid_as(&name, quoted(name.text_or_empty()), TOO_LONG);
    }
}

fn check_name(at: &At<'_>, holder: Holder<'_>, errs: &mut FieldErrors<'_, '_>) {
    let detail = match is_iscsi_name(at.text_or_empty()) {
        None if holder.is_pod() => "must be valid format starting with iqn, eui, or naa",
        None | Some(false) => BAD_NAME,
        Some(true) => return,
    };
    errs.invalid_as(at, quoted(at.text_or_empty()), detail);
}

/// Whether an iSCSI name has the format that its first letters promise; none if they promise nothing.
fn is_iscsi_name(text: &str) -> Option<bool> {
    let has_digits = |rest: &str, count: usize| {
        let mut letters = rest.chars();
        letters.next().is_some_and(|letter| letter != '\n')
            && letters.as_str().len() == count
            && letters.all(|letter| letter.is_ascii_alphanumeric())
    };
    if text.starts_with("iqn") {
        // The API looks for such a name anywhere, up to the end.
        return Some(text.match_indices("iqn.").any(|(at, head)| {
            let rest = text.get(at + head.len()..).unwrap_or_default();
            is_qualified_iscsi_name(rest)
        }));
    }
    if let Some(rest) = text.strip_prefix("eui") {
        return Some(has_digits(rest, 16));
    }
    text.strip_prefix("naa").map(|rest| has_digits(rest, 32))
}

/// A year, a month, a reversed domain and a name: `2001-04.com.example:storage`.
fn is_qualified_iscsi_name(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(8) else { return false };
    let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 => byte == b'-',
        7 => byte == b'.',
        _ => byte.is_ascii_digit(),
    });
    let Some((domain, name)) = rest.split_once(':') else { return false };
    let is_domain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let is_forbidden = |letter: char| ",;*&$|\t\n\u{c}\r ".contains(letter);
    is_date
        && !domain.is_empty()
        && domain.bytes().all(is_domain)
        && !name.is_empty()
        && !name.contains(is_forbidden)
}

#[cfg(test)]
mod tests {
    use super::is_iscsi_name;

    #[test]
    fn names_of_iscsi_targets() {
        for good in [
            "iqn.2001-04.com.example:storage.kube.sys1.xyz",
            "iqnx iqn.2001-04.com:a",
            "eui.0123456789abcdef",
            "naa.0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(is_iscsi_name(good), Some(true), "{good}");
        }
        for bad in ["iqn.2001-04.com", "iqn.201-04.com:a", "iqn.2001-04.com:a b", "iqn.2001é4.c:a"]
        {
            assert_eq!(is_iscsi_name(bad), Some(false), "{bad}");
        }
        assert_eq!(is_iscsi_name("eui.0123"), Some(false));
        assert_eq!(is_iscsi_name("target"), None);
    }
}
