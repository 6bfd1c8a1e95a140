//! Validation of iSCSI volume sources and of the names of their targets and initiators.

use super::source_holder::{HIGHEST_LUN, Holder};
use crate::field_errors::{FieldErrors, quoted};
use ratchet_object::At;

const LONGEST: usize = 64;
const DATE_LENGTH: usize = "2001-04.".len();
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
        return Some(has_qualified_name(text));
    }
    if let Some(rest) = text.strip_prefix("eui") {
        return Some(has_digits(rest, 16));
    }
    text.strip_prefix("naa").map(|rest| has_digits(rest, 32))
}

/// Whether a text ends with a year, a month, a reversed domain and a name: `iqn.2001-04.com.example:storage`. The API looks
/// for the beginning anywhere.
fn has_qualified_name(text: &str) -> bool {
    let is_domain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let forbidden = text.rfind(|letter: char| ",;*&$|\t\n\u{c}\r ".contains(letter));
    // Where the domain ends: beginnings within one domain share its end, so that it is looked for once.
    let mut end = 0;
    text.match_indices("iqn.").any(|(at, head)| {
        let start = at + head.len() + DATE_LENGTH;
        let is_dated = text.get(at + head.len()..start).is_some_and(is_date);
        let Some(rest) = text.get(start..).filter(|_| is_dated) else { return false };
        if end < start {
            let length = rest.bytes().position(|byte| !is_domain(byte));
            end = length.map_or(text.len(), |length| start + length);
        }
        let name = text.get(end..).and_then(|rest| rest.strip_prefix(':'));
        end > start
            && name.is_some_and(|name| !name.is_empty())
            && forbidden.is_none_or(|forbidden| forbidden < end)
    })
}

fn is_date(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        4 => byte == b'-',
        7 => byte == b'.',
        _ => byte.is_ascii_digit(),
    })
}

#[cfg(test)]
mod tests {
    use super::is_iscsi_name;

    #[test]
    fn names_of_iscsi_targets() {
        for good in [
            "iqn.2001-04.com.example:storage.kube.sys1.xyz",
            "iqnx iqn.2001-04.com:a",
            "iqn.2001-04.iqn.2001-04.com:a:b",
            "iqn.2001-04.com,iqn.2001-04.com:a",
            "eui.0123456789abcdef",
            "naa.0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(is_iscsi_name(good), Some(true), "{good}");
        }
        for bad in [
            "iqn.2001-04.com",
            "iqn.201-04.com:a",
            "iqn.2001-04.com:a b",
            "iqn.2001-04.com:",
            "iqn.2001-04.:a",
            "iqn.2001é4.c:a",
        ] {
            assert_eq!(is_iscsi_name(bad), Some(false), "{bad}");
        }
        assert_eq!(is_iscsi_name("eui.0123"), Some(false));
        assert_eq!(is_iscsi_name("target"), None);
    }
}
