//! The rewrite of a file: its documents one by one, and the edits, refusals and unread parts of all of them.

use crate::decide::Choices;
use crate::document::{self, DocumentEdits};
use crate::edits::{Edit, RefusedEdit, Rewritten, SkippedDocument, SourceKind, UnreadableDocument};
use crate::token::{self, Replacement};
use alloc::vec::Vec;
use ratchet_object::{LineIndex, Span, split_documents};

/// Rewrites the values of a file to their canonical form, as far as it can be proven that nothing else changes.
pub fn rewrite(text: &str, source: SourceKind, choices: &Choices) -> Rewritten {
    let mut rewritten = Rewritten::default();
    let mut replacements: Vec<Replacement> = Vec::new();
    let mut lines: Option<LineIndex<'_>> = None;
    for piece in split_documents(text) {
        let mut position = |at: usize| {
            let lines = lines.get_or_insert_with(|| LineIndex::new(text));
            lines.line_column(Span::new(piece.offset + at, piece.offset + at).start)
        };
        match document::rewrite(piece.text, source, choices) {
            DocumentEdits::Unreadable { message, offset } => {
                rewritten.unreadable.push(UnreadableDocument { start: position(offset), message });
            }
            DocumentEdits::Skipped(why) => {
                rewritten.skipped.push(SkippedDocument { line: piece.line + 1, why });
            }
            DocumentEdits::Proven { edits, refused, excepted } => {
                for (replacement, at, edit) in edits {
                    let range = replacement.range;
                    let range = piece.offset + range.start..piece.offset + range.end;
                    replacements.push(Replacement { range, text: replacement.text });
                    rewritten.edits.push(Edit { start: position(at), ..edit });
                }
                let placed =
                    |(at, edit): (usize, RefusedEdit)| RefusedEdit { start: position(at), ..edit };
                rewritten.refused.extend(refused.into_iter().map(placed));
                rewritten.excepted += excepted;
            }
        }
    }
    if !replacements.is_empty() {
        rewritten.text = Some(token::apply(text, &replacements));
    }
    rewritten
}

#[cfg(test)]
mod tests;
