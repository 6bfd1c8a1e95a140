//! How a rule treats what is stored already, in words.

use ratchet_engine::Ratchet;

/// Every ratchet, in the order of their legends.
pub(super) const ALL: [Ratchet; 5] = [
    Ratchet::ByValue,
    Ratchet::WholeField,
    Ratchet::ByList,
    Ratchet::SignificantChange,
    Ratchet::Never,
];

/// A word or two, for a cell.
pub(super) fn label(ratchet: Ratchet) -> &'static str {
    match ratchet {
        Ratchet::ByValue => "by value",
        Ratchet::WholeField => "whole field",
        Ratchet::ByList => "by list",
        Ratchet::SignificantChange => "significant change",
        Ratchet::Never => "never",
    }
}

/// A sentence, for a page.
pub(super) fn meaning(ratchet: Ratchet) -> &'static str {
    match ratchet {
        Ratchet::ByValue => {
            "A text that the stored object holds in this field may stay, at any place of the field; \
             every other text meets the rule."
        }
        Ratchet::WholeField => {
            "What is stored may stay as long as the whole field is left as it was; once any of it \
             changes, all of it meets the rule."
        }
        Ratchet::ByList => {
            "A stored entry that needs the looser reading loosens it for the whole list; otherwise \
             every entry meets the rule."
        }
        Ratchet::SignificantChange => {
            "An update is looked at only where it changes the pod in a way that matters to the rule."
        }
        Ratchet::Never => "Nothing is exempt: what is stored meets the rule like anything new.",
    }
}
