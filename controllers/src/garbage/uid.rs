//! `Uid`: the uid of an object in as few bytes as it needs, because the graph has one for every object.

use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

/// The uid of an object, unique for all time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Uid(Form);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Form {
    /// As servers make it.
    Uuid([u8; 16]),
    /// As owner references may spell it.
    Text(Arc<str>),
}

impl From<&str> for Uid {
    fn from(text: &str) -> Self {
        let uuid = Uuid::try_parse(text).ok().filter(|uuid| {
            // Other spellings are other uids.
            uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == text
        });
        Self(uuid.map_or_else(|| Form::Text(text.into()), |uuid| Form::Uuid(uuid.into_bytes())))
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Uuid(bytes) => Uuid::from_bytes(*bytes).hyphenated().fmt(f),
            Form::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_a_uid_of_its_own() {
        let texts = [
            "0c5e9f6a-1b2c-4d3e-8f90-a1b2c3d4e5f6",
            "0C5E9F6A-1B2C-4D3E-8F90-A1B2C3D4E5F6",
            "0c5e9f6a1b2c4d3e8f90a1b2c3d4e5f6",
            "{0c5e9f6a-1b2c-4d3e-8f90-a1b2c3d4e5f6}",
            "urn:uuid:0c5e9f6a-1b2c-4d3e-8f90-a1b2c3d4e5f6",
            "0c5e9f6a-1b2c-4d3e-8f90-a1b2c3d4e5f7",
            "",
            "u",
        ];
        for text in texts {
            assert_eq!(Uid::from(text).to_string(), text);
            assert_eq!(
                texts.iter().filter(|other| Uid::from(**other) == Uid::from(text)).count(),
                1
            );
        }
        assert!(size_of::<Uid>() <= 24);
    }
}
