//! Validation of IPAddresses: the name, which is the address, and the immutable parent reference.

use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields;
use crate::name_format::NameFormat;
use crate::rules::value::FieldCheck;
use crate::rules::{immutable, placement};
use crate::{Release, Verdict, format_value};
use alloc::format;
use ratchet_net::Quoted;
use ratchet_object::At;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let (name, generate_name) =
        (root.field("metadata").field("name"), root.field("metadata").field("generateName"));
    if name.text_or_empty().is_empty() && generate_name.text_or_empty().is_empty() {
        placement::required(&name, "name or generateName is required", verdict);
    }
    let field_check = FieldCheck::without_ratchet(&fields::IP_ADDRESS_NAME);
    // A `generateName` without a name is checked as both.
    let name =
        if name.text_or_empty().is_empty() { generate_name.with_path(*name.path()) } else { name };
    for at in [generate_name, name] {
        if !at.text_or_empty().is_empty() {
            field_check.check(ctx, &at, at.text_or_empty(), verdict);
        }
    }
    let parent = root.field("spec").field("parentRef");
    if !parent.is_set() {
        placement::required(&parent, "", verdict);
    } else {
        let mut errs = FieldErrors::new(ctx, verdict);
        errs.form_if_set(&parent.field("group"), NameFormat::Subdomain);
        for name in ["resource", "name"] {
            errs.needs_form(&parent.field(name), NameFormat::PathSegment);
        }
        errs.form_if_set(&parent.field("namespace"), NameFormat::PathSegment);
    }
    if let Some(old) = ctx.change.old_root()
        && !parent.equals(&old.field("spec").field("parentRef"))
    {
        immutable::changed(&parent, format_parent(&parent, ctx.config.release), verdict);
    }
}

/// The reference by its Go names in the API server.
fn format_parent(parent: &At<'_>, release: Release) -> alloc::string::String {
    if !parent.is_set() {
        return "null".into();
    }
    if !release.since(34) {
        let quoted = |name| Quoted(parent.field(name).text_or_empty());
        return format!(
            "networking.ParentReference{{Group:{}, Resource:{}, Namespace:{}, Name:{}}}",
            quoted("group"),
            quoted("resource"),
            quoted("namespace"),
            quoted("name")
        );
    }
    let json = |name| format_value::json(parent.field(name).text_or_empty());
    format!(
        "{{\"Group\":{},\"Resource\":{},\"Namespace\":{},\"Name\":{}}}",
        json("group"),
        json("resource"),
        json("namespace"),
        json("name")
    )
}
