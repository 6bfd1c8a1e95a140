//! Validation of names that are a domain, a slash and a path, such as `example.com/controller`.

use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use ratchet_object::At;

const BAD_PATH: &str =
    r"Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')";

/// Checks such a name, which must not be empty.
pub(super) fn check(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    let is_in_path =
        |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    match text.split_once('/') {
        _ if text.is_empty() => errs.required(at, ""),
        Some((domain, path)) if !domain.is_empty() && !path.is_empty() => {
            errs.form_of(at, domain, NameFormat::Subdomain);
            if !path.bytes().all(is_in_path) {
                errs.invalid_as(at, quoted(path), BAD_PATH);
            }
        }
        _ => errs.invalid(at, "must be a domain-prefixed path (such as \"acme.io/foo\")"),
    }
}
