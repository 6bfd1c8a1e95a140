//! The type of a checked object: built in, defined by a CustomResourceDefinition, or unknown.

use crate::definitions::{Definitions, Lookup};
use ratchet_object::{GroupVersionKind, Object, Scope, schema};
use ratchet_pipeline::{BuiltInType, CustomType, ObjectType, UnknownType};

/// The type by which an object is checked.
pub(crate) enum TypeOf<'d> {
    BuiltIn(BuiltInType),
    Custom(&'d CustomType),
    /// A custom kind without a definition.
    Unknown(UnknownType<'static>),
}

/// Nothing depends on the name of a kind without a definition.
const UNNAMED: GroupVersionKind<'static> = GroupVersionKind { group: "", version: "", kind: "" };

/// A kind that the API does not have; the hint says what it has instead.
pub(crate) struct NoSuchKind {
    pub(crate) hint: Option<String>,
}

impl<'d> TypeOf<'d> {
    /// The type of the kind and version that an object names.
    pub(crate) fn find(
        object: &Object<'_>,
        definitions: &'d Definitions<'_>,
    ) -> Result<Self, NoSuchKind> {
        let (api_version, kind) = (object.api_version(), object.kind_name());
        if let Some(built_in) = BuiltInType::find(api_version, kind) {
            return Ok(Self::BuiltIn(built_in));
        }
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        match definitions.find(group, version, kind) {
            Lookup::Type(custom_type) => return Ok(Self::Custom(custom_type)),
            Lookup::NotServed(served) => {
                let hint = match served {
                    "" => "its definition serves no version".to_owned(),
                    served => format!("its definition serves {served}"),
                };
                return Err(NoSuchKind { hint: Some(hint) });
            }
            Lookup::Undefined => {}
        }
        // Groups of custom resources have a dot in their names; others are built in.
        let is_built_in =
            !group.contains('.') || schema::KINDS.iter().any(|row| row.group == group);
        if is_built_in || group.contains('/') {
            return Err(NoSuchKind { hint: None });
        }
        definitions.remember_undefined(group, kind);
        Ok(Self::Unknown(UnknownType(UNNAMED)))
    }

    pub(crate) fn as_type(&self) -> &dyn ObjectType {
        match self {
            Self::BuiltIn(built_in) => built_in,
            Self::Custom(custom_type) => *custom_type,
            Self::Unknown(unknown) => unknown,
        }
    }

    /// Whether objects belong to namespaces; those of an unknown kind may.
    pub(crate) fn is_namespaced(&self) -> bool {
        self.as_type().kind().is_none_or(|kind| kind.scope == Scope::Namespaced)
    }

    /// The warning with which every request of a deprecated version is answered.
    pub(crate) fn deprecation(&self) -> Option<String> {
        match self {
            Self::Custom(custom_type) => custom_type.deprecation(),
            Self::BuiltIn(_) | Self::Unknown(_) => None,
        }
    }
}
