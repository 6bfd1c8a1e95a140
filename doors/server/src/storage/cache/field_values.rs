//! `FieldValues`: the values of the fields that an object can be selected by, in one text.

use ratchet_object::Node;
use ratchet_object::selector::SelectableField;
use std::borrow::Cow;
use std::fmt::Write;

/// The values of an object's selectable fields.
#[derive(Debug)]
pub(crate) struct FieldValues {
    /// The serial number of the type that names the fields; zero for a built-in kind, which has one order of them.
    pub(super) serial: u64,
    /// Each text with its length before it: any letter may be in a value.
    texts: Box<str>,
}

impl FieldValues {
    /// The values of a built-in kind's fields, in their order.
    pub(super) fn of_kind(node: &Node<'_>, fields: &[SelectableField]) -> Self {
        Self::new(0, fields.iter().map(|field| field.source.value(node)))
    }

    /// The values of fields that a type names.
    pub(crate) fn of_names<'v>(
        serial: u64,
        fields: impl Iterator<Item = (&'v str, impl AsRef<str> + 'v)>,
    ) -> Self {
        let texts = fields
            .flat_map(|(name, value)| [Cow::Borrowed(name), value.as_ref().to_owned().into()]);
        Self::new(serial, texts)
    }

    fn new<'v>(serial: u64, texts: impl Iterator<Item = Cow<'v, str>>) -> Self {
        let mut out = String::new();
        for text in texts {
            // Writing into a text cannot fail.
            let _ = write!(out, "{}:{text}", text.len());
        }
        Self { serial, texts: out.into() }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let mut rest = &*self.texts;
        std::iter::from_fn(move || {
            let (length, more) = rest.split_once(':')?;
            let (text, more) = more.split_at_checked(length.parse().ok()?)?;
            rest = more;
            Some(text)
        })
    }

    /// The value of a field of a built-in kind; empty if it has no such field.
    pub(super) fn of_field(&self, field: &str, fields: &[SelectableField]) -> Cow<'_, str> {
        let at = fields.iter().position(|known| known.key == field);
        Cow::Borrowed(at.and_then(|at| self.iter().nth(at)).unwrap_or_default())
    }

    /// The value of a field that a type names; empty if it names no such field.
    pub(super) fn named(&self, field: &str) -> Cow<'_, str> {
        let mut texts = self.iter();
        while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
            if name == field {
                return Cow::Borrowed(value);
            }
        }
        Cow::Borrowed("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::selector::selectable;
    use ratchet_object::{Limits, decode};

    #[test]
    fn any_value_is_kept_as_it_is() {
        let fields = [("a", "1:x"), ("b", ""), ("c", "é\0:\""), ("d:1", "12")];
        let values = FieldValues::of_names(7, fields.into_iter());
        for (name, value) in fields {
            assert_eq!(values.named(name), value);
        }
        assert_eq!(
            (values.named("1:x"), values.named("x"), values.serial),
            ("".into(), "".into(), 7)
        );
    }

    #[test]
    fn fields_of_a_kind_are_found_by_name() {
        let text = "{metadata: {name: p}, spec: {nodeName: n}, status: {podIPs: [{ip: 1.2.3.4}]}}";
        let pod = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let fields = selectable("", "Pod");
        let values = FieldValues::of_kind(&pod, fields);
        for field in fields {
            assert_eq!(
                values.of_field(field.key, fields),
                field.source.value(&pod),
                "{}",
                field.key
            );
        }
        assert_eq!(values.of_field("spec.none", fields), "");
    }
}
