//! Conversion between versions where no webhook is needed, and the way into the storage and back.

use super::CustomResource;
use crate::structural::CoerceError;
use alloc::string::{String, ToString};
use core::fmt;
use ratchet_object::Node;

/// Why an object could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConvertError {
    /// The definition has no such version.
    UnknownVersion(String),
    /// The metadata of the object, or of one in it, is malformed.
    Metadata(CoerceError),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVersion(api_version) => {
                write!(f, "request to convert CR to an invalid group/version: {api_version}")
            }
            Self::Metadata(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ConvertError {}

impl CustomResource {
    /// Sets the version of an object: the conversion `None`.
    pub fn set_version(&self, object: &mut Node<'_>, version: &str) {
        let api_version = alloc::format!("{}/{version}", self.definition.group);
        object.set("apiVersion", Node::string(api_version));
    }

    /// Completes a conversion to a version, by a webhook or by [`CustomResource::set_version`]: what the version does not
    /// specify is pruned.
    pub fn finish_conversion(
        &self,
        object: &mut Node<'_>,
        version: &str,
    ) -> Result<(), ConvertError> {
        let strategy = self.strategy(version).ok_or_else(|| self.unknown(version))?;
        strategy.decode(object).map(drop).map_err(ConvertError::Metadata)
    }

    /// Converts an object to the version in which objects are stored, by the conversion `None`.
    pub fn to_storage(&self, object: &mut Node<'_>) -> Result<(), ConvertError> {
        let storage = self.definition.storage_version().map(|version| version.name.clone());
        let version = storage.unwrap_or_default();
        self.set_version(object, &version);
        self.finish_conversion(object, &version)
    }

    /// Brings a stored object into shape, in the version in which it is stored: it is pruned, and gets the defaults of
    /// that version. A conversion follows if another version is wanted.
    pub fn decode_stored(&self, object: &mut Node<'_>) -> Result<(), ConvertError> {
        let api_version = object.text_at(&["apiVersion"]).to_string();
        let version = api_version.rsplit_once('/').map_or("", |(_, version)| version);
        let strategy = self.strategy(version).ok_or_else(|| self.unknown(version))?;
        strategy.decode_stored(object).map_err(ConvertError::Metadata)?;
        strategy.apply_defaults(object);
        Ok(())
    }

    /// A stored object in a version, by the conversion `None`.
    pub fn from_storage(&self, object: &mut Node<'_>, version: &str) -> Result<(), ConvertError> {
        self.decode_stored(object)?;
        self.set_version(object, version);
        self.finish_conversion(object, version)
    }

    fn unknown(&self, version: &str) -> ConvertError {
        ConvertError::UnknownVersion(alloc::format!("{}/{version}", self.definition.group))
    }
}
