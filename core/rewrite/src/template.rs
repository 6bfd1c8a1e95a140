//! Helm templates that are not rendered: what stands outside of their actions is parsed as YAML.

use alloc::string::String;
use alloc::vec::Vec;

/// What a value is replaced by where an action stands in it.
const FILLER: u8 = b'x';

/// A template with its actions masked, byte for byte as long as the original.
pub(crate) struct Masked {
    /// The text to parse: a line of actions is blank, an action in a line is filled.
    pub(crate) text: String,
    /// The bytes of the actions.
    actions: Vec<(usize, usize)>,
}

impl Masked {
    /// Masks a text; none if it has no actions, or one without an end.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut actions = Vec::new();
        let mut from = 0;
        while let Some(begin) = text.get(from..)?.find("{{").map(|at| from + at) {
            let end = begin + 2 + text.get(begin + 2..)?.find("}}")? + 2;
            actions.push((begin, end));
            from = end;
        }
        if actions.is_empty() {
            return None;
        }
        let mut bytes = text.as_bytes().to_vec();
        for &(begin, end) in &actions {
            let action = bytes.get_mut(begin..end)?;
            action
                .iter_mut()
                .filter(|byte| !matches!(byte, b'\n' | b'\r'))
                .for_each(|byte| *byte = 0);
        }
        for line in bytes.split_mut(|byte| *byte == b'\n') {
            let is_blank = line.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace());
            let filler = if is_blank { b' ' } else { FILLER };
            line.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = filler);
        }
        Some(Self { text: String::from_utf8(bytes).ok()?, actions })
    }

    /// Whether a range of bytes has a part of an action.
    pub(crate) fn overlaps(&self, start: usize, end: usize) -> bool {
        self.actions.iter().any(|action| action.0 < end && start < action.1)
    }
}

/// Whether a value is filled in by a program later: templates, variables of shells and of kustomize.
pub(crate) fn is_placeholder(text: &str) -> bool {
    ["{{", "${", "$(", "<%"].iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_masked_and_nothing_else() {
        let text = "a: {{ .Values.a }}\n{{- if .b }}\nc: 'é {{ .c }}'\n{{- /* d\n e */ -}}\n";
        let masked = Masked::of(text).unwrap();
        assert_eq!(
            masked.text,
            "a: xxxxxxxxxxxxxxx\n            \nc: 'é xxxxxxxx'\n        \n         \n"
        );
        assert!(masked.overlaps(3, 4) && !masked.overlaps(0, 3));
        assert!(Masked::of("a: 1\n").is_none() && Masked::of("a: {{ b\n").is_none());
    }
}
