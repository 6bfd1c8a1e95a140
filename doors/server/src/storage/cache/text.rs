//! `Text`: the JSON of an object, whole or as its differences from that of a similar one.
//!
//! Most objects were made alike: a pod differs from the others of its ReplicaSet in its name, uid, times and addresses.
//! One text is the base that all of them share, and each keeps its differences.

use super::delta;
use std::borrow::Cow;
use std::sync::Arc;

/// Behind one more pointer, so that an object has eight bytes for it instead of sixteen.
type Base = Arc<Box<[u8]>>;

/// The bytes of a text.
#[derive(Debug)]
pub(super) struct Text(Form);

#[derive(Debug)]
enum Form {
    Whole(Base),
    Delta { base: Base, delta: Box<[u8]> },
}

impl Text {
    pub(super) fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(Form::Whole(Arc::new(bytes.into())))
    }

    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Form::Whole(bytes) => bytes.len(),
            Form::Delta { delta, .. } => delta::length(delta),
        }
    }

    /// The bytes, put together if they are not kept so.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.0 {
            Form::Whole(bytes) => Cow::Borrowed(bytes),
            Form::Delta { .. } => {
                let mut out = Vec::with_capacity(self.len());
                self.write(&mut out);
                Cow::Owned(out)
            }
        }
    }

    /// Appends the bytes.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Form::Whole(bytes) => out.extend_from_slice(bytes),
            Form::Delta { base, delta } => {
                delta::pieces(base, delta).for_each(|piece| out.extend_from_slice(piece));
            }
        }
    }

    /// Appends the bytes, with what `insert` appends after the first `at` of them.
    pub(super) fn write_around(
        &self,
        at: usize,
        out: &mut Vec<u8>,
        insert: impl FnOnce(&mut Vec<u8>),
    ) {
        let (base, delta) = match &self.0 {
            Form::Delta { base, delta } => (base, delta),
            Form::Whole(bytes) => {
                let (before, after) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
                out.extend_from_slice(before);
                insert(out);
                return out.extend_from_slice(after);
            }
        };
        let (mut pieces, mut left) = (delta::pieces(base, delta), at);
        for piece in &mut pieces {
            let Some((before, after)) = piece.split_at_checked(left) else {
                out.extend_from_slice(piece);
                left -= piece.len();
                continue;
            };
            out.extend_from_slice(before);
            insert(out);
            out.extend_from_slice(after);
            break;
        }
        pieces.for_each(|piece| out.extend_from_slice(piece));
    }

    /// Whether other texts have the same base.
    pub(super) fn is_shared(&self) -> bool {
        Arc::strong_count(self.base()) > 1
    }

    /// Keeps the differences from the base of another text, if they are smaller.
    pub(super) fn share(&mut self, other: &Self) {
        let Form::Whole(bytes) = &self.0 else { return };
        let base = other.base();
        if let Some(delta) = delta::encode(base, bytes) {
            self.0 = Form::Delta { base: base.clone(), delta };
        }
    }

    fn base(&self) -> &Base {
        match &self.0 {
            Form::Whole(base) | Form::Delta { base, .. } => base,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str, uid: u32) -> String {
        let spec = "\"containers\":[{\"name\":\"web\",\"image\":\"registry.example.com/web:1\"}]";
        let padding = "the same in every pod, ".repeat(9);
        format!(
            r#"{{"metadata":{{"name":"{name}","uid":"{uid:032}","note":"{padding}"}},"spec":{{{spec}}}}}"#
        )
    }

    #[test]
    fn texts_that_are_alike_share_a_base_as_long_as_one_needs_it() {
        let first = Text::new(pod("web-1", 1).into_bytes());
        let mut second = Text::new(pod("web-22", 22).into_bytes());
        assert!(!first.is_shared());
        second.share(&first);
        assert!(
            first.is_shared() && matches!(&second.0, Form::Delta { delta, .. } if delta.len() < 80)
        );
        let mut third = Text::new(pod("web-3", 3).into_bytes());
        third.share(&second);
        drop((first, second));
        assert!(matches!(third.0, Form::Delta { .. }) && !third.is_shared());
        assert_eq!(*third.bytes(), *pod("web-3", 3).as_bytes());
        assert_eq!(third.len(), pod("web-3", 3).len());
    }

    #[test]
    fn texts_that_have_little_in_common_stay_whole() {
        let first = Text::new(pod("web-1", 1).into_bytes());
        for other in ["{}".to_owned(), "other words, ".repeat(30), pod("web-1", 1).repeat(3)] {
            let mut text = Text::new(other.clone().into_bytes());
            text.share(&first);
            assert!(matches!(text.0, Form::Whole(_)), "{other}");
            assert_eq!(*text.bytes(), *other.as_bytes());
        }
    }

    #[test]
    fn something_is_inserted_anywhere() {
        let first = Text::new(pod("web-1", 1).into_bytes());
        let whole = pod("web-22", 22);
        let mut shared = Text::new(whole.clone().into_bytes());
        shared.share(&first);
        for text in [shared, Text::new(whole.clone().into_bytes())] {
            for at in 0..=whole.len() {
                let mut out = b">".to_vec();
                text.write_around(at, &mut out, |out| out.extend_from_slice(b"<inserted>"));
                let (before, after) = whole.split_at(at);
                assert_eq!(String::from_utf8(out).unwrap(), format!(">{before}<inserted>{after}"));
            }
        }
    }
}
