//! Generator of `docs/compatibility.md`: differences between the proposals and released Kubernetes.

mod server;

use super::document::Document;
use super::markdown::table;
use ratchet_engine::{Choice, Difference};

const ABOUT: &str = "\
# Compatibility

Where a proposal and released Kubernetes part ways, `--behavior` chooses: `proposal` behaves as the
proposal demands, `released` as the release does. One switch decides for all rows.
";

/// The table of differences.
pub(super) fn document(differences: &[&Difference]) -> Document {
    let heads = [
        "Id",
        "KEP",
        "The proposal demands",
        "Released Kubernetes does",
        "Since",
        "What `--behavior` chooses",
    ];
    let rows = differences.iter().map(|difference| {
        let Difference { id, kep, proposal, released, since, choice } = difference;
        [
            format!("`{id}`"),
            kep.to_string(),
            (*proposal).to_owned(),
            (*released).to_owned(),
            (*since).to_owned(),
            choice_text(choice),
        ]
    });
    let text = format!("{ABOUT}\n{}\n{}\n{}", table(heads, rows), server::ABOUT, server::rows());
    Document::new("docs/compatibility.md", &text)
}

fn choice_text(choice: &Choice) -> String {
    match choice {
        Choice::Switched { note } => {
            format!("one or the other; a finding that depends on it adds: “{note}”")
        }
        Choice::AsReleased(reason) => format!("nothing, both do as released: {reason}"),
        Choice::WordsOnly => "nothing, only the words differ".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_says_what_the_switch_does() {
        let differences = [
            Choice::Switched { note: "told so" },
            Choice::AsReleased("too old to change"),
            Choice::WordsOnly,
        ]
        .map(|choice| Difference {
            id: "some-id",
            kep: 1,
            proposal: "p",
            released: "r",
            since: "1.33",
            choice,
        });
        let text = document(&differences.each_ref()).text;
        for want in [
            "| `some-id` | 1 | p | r | 1.33 | one or the other; a finding that depends on it adds: “told so” |",
            "| nothing, both do as released: too old to change |",
            "| nothing, only the words differ |",
        ] {
            assert!(text.contains(want), "{want} is not in {text}");
        }
    }
}
