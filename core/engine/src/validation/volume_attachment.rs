//! Validation of VolumeAttachments: the driver, the node, and one volume.

use super::pod_parts::check_driver;
use super::storage::check_volume_inline;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::format_value;
use crate::name_format::NameFormat;
use crate::rules::immutable;
use alloc::format;
use alloc::string::String;
use ratchet_object::At;

const ONE: &str = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    check_driver(&spec.field("attacher"), &mut errs);
    let source = spec.field("source");
    let (inline, name) = (source.field("inlineVolumeSpec"), source.field("persistentVolumeName"));
    match (inline.is_set(), name.is_set()) {
        (false, false) => errs.required(&source, ONE),
        (true, true) => errs.forbidden(&source, ONE),
        (true, false) => check_volume_inline(&inline, &mut errs),
        (false, true) if name.text_or_empty().is_empty() => {
            errs.required(&name, "must specify non empty persistentVolumeName");
        }
        (false, true) => {}
    }
    errs.form(&spec.field("nodeName"), NameFormat::Subdomain);
    if name.is_set() {
        errs.form(&name, NameFormat::Subdomain);
    }
    if let Some(old) = ctx.change.old_root()
        && !spec.equals(&old.field("spec"))
    {
        immutable::changed(&spec, format(&spec), verdict);
    }
}

/// The spec as the API's internal type.
fn format(spec: &At<'_>) -> String {
    let [attacher, node] =
        ["attacher", "nodeName"].map(|name| format_value::json(spec.field(name).text_or_empty()));
    let source = spec.field("source");
    let [name, inline] = ["persistentVolumeName", "inlineVolumeSpec"]
        .map(|name| format_value::tree(source.field(name).node()));
    format!(
        "{{\"Attacher\":{attacher},\"Source\":{{\"PersistentVolumeName\":{name},\"InlineVolumeSpec\":{inline}}},\"NodeName\":{node}}}"
    )
}
