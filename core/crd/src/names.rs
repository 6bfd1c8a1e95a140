//! Names of definitions: the violations of name formats, all in one text.

use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::field_validation::{NameFormat, name_format_faults};

/// The violations of a format, with commas between them; `None` if there are none.
pub(crate) fn faults(format: NameFormat, text: &str) -> Option<String> {
    let mut details: Vec<String> = Vec::new();
    name_format_faults(format, text, |detail| details.push(detail.into_owned()));
    (!details.is_empty()).then(|| details.join(","))
}

/// The violations of a DNS-1035 label.
pub(crate) fn label_faults(text: &str) -> Option<String> {
    faults(NameFormat::Label1035, text)
}
