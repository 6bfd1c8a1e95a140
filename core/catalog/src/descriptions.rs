//! Descriptions of Kubernetes types and fields.
//!
//! The build script extracts them from the k8s-openapi crate, and documents the layout. They are
//! searched in place: nothing is copied to memory.

use alloc::borrow::Cow;
use alloc::string::String;

static TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/descriptions.txt"));

/// The block of fields that all kinds share; it is the first, for its id sorts before all others.
const SHARED: &str = "*";

/// The descriptions of one type.
#[derive(Clone, Copy)]
pub(crate) struct Descriptions {
    block: &'static str,
    shared: &'static str,
}

impl Descriptions {
    /// The description of the type itself, empty if there is none.
    pub(crate) fn text(&self) -> Cow<'static, str> {
        let line = self.block.lines().next().unwrap_or_default();
        unescape(line.split_once('\t').map_or("", |(_, text)| text))
    }

    /// The description of a field, empty if there is none.
    pub(crate) fn field(&self, name: &str) -> Cow<'static, str> {
        let text = field(self.block, name).or_else(|| field(self.shared, name));
        unescape(text.unwrap_or_default())
    }
}

/// The descriptions of the type with this id.
pub(crate) fn descriptions_of(id: &str) -> Descriptions {
    Descriptions { block: find(id).unwrap_or_default(), shared: find(SHARED).unwrap_or_default() }
}

fn field(block: &'static str, name: &str) -> Option<&'static str> {
    let fields = block.lines().filter_map(|line| line.strip_prefix('.')?.split_once('\t'));
    fields.filter(|(field, _)| *field == name).map(|(_, text)| text).next()
}

/// Finds a block by binary search in the text.
fn find(id: &str) -> Option<&'static str> {
    let mut rest = TEXTS;
    loop {
        let middle = rest.floor_char_boundary(rest.len() / 2);
        let (before, _) = rest.split_at_checked(middle)?;
        // The block around the middle, between two blank lines.
        let start = before.rfind("\n\n").map_or(0, |at| at + 2);
        let (left, from) = rest.split_at_checked(start)?;
        let (block, right) = from.split_once("\n\n").unwrap_or((from, ""));
        match block.split(['\t', '\n']).next().unwrap_or_default().cmp(id) {
            core::cmp::Ordering::Equal => return Some(block),
            core::cmp::Ordering::Less => rest = right,
            core::cmp::Ordering::Greater => rest = left,
        }
        if rest.is_empty() {
            return None;
        }
    }
}

fn unescape(text: &'static str) -> Cow<'static, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            plain => plain,
        });
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::schema::TYPES;

    #[test]
    fn blocks_are_sorted_and_found() {
        let ids = || TEXTS.split("\n\n").map(|block| block.split(['\t', '\n']).next().unwrap());
        assert!(ids().is_sorted_by(|a, b| a < b));
        for id in ids() {
            assert!(find(id).unwrap().starts_with(id), "{id}");
        }
        assert_eq!(find("io.k8s.api.core.v1.Nothing"), None);
        assert_eq!(find(""), None);
        assert_eq!(find("zzz"), None);
    }

    #[test]
    fn the_texts_are_those_of_the_release() {
        use sha2::Digest;
        let digest = sha2::Sha256::digest(TEXTS.as_bytes());
        let digest: String = digest.iter().map(|byte| alloc::format!("{byte:02x}")).collect();
        // The texts of k8s-openapi 0.29.0 for 1.36. Another version may have more: check, then
        // update the digest.
        assert_eq!(digest, "ee0b51ac96ff8283448f24d7fa7ba8f10b279be885c1f923ad78718205cab50e");
    }

    #[test]
    fn types_and_fields_are_described() {
        let pod = descriptions_of("io.k8s.api.core.v1.Pod");
        assert!(pod.text().starts_with("Pod is a collection of containers"));
        assert!(pod.field("spec").starts_with("Specification of the desired behavior"));
        assert!(pod.field("kind").starts_with("Kind is a string value"));
        assert_eq!(pod.field("nothing"), "");
        assert_eq!(descriptions_of("io.k8s.api.core.v1.Nothing").text(), "");
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unescape(r"a\nb\tc\\d"), "a\nb\tc\\d");
        assert_eq!(unescape("plain"), "plain");
        assert_eq!(unescape("end\\"), "end");
    }

    #[test]
    fn nearly_every_field_has_words() {
        let fields = TYPES.iter().flat_map(|ty| ty.fields.iter().map(move |field| (ty, field)));
        let silent = fields
            .filter(|(ty, field)| descriptions_of(ty.id).field(field.name).is_empty())
            .count();
        assert!(silent < 100, "{silent}");
    }
}
