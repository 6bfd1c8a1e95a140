//! `PolicyTypes`: the types of a policy's objects and of its parameters, wherever their schemas come from.

use crate::schema_types::SchemaTypes;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use ratchet_cel::decl::{DeclType, SelfTypes};
use ratchet_cel::{Type, Types};
use ratchet_object::schema::KindRow;

/// Where the types of `object` come from.
#[derive(Clone, Debug)]
pub(crate) enum KindSchema {
    /// A row of the table.
    BuiltIn(&'static KindRow),
    /// What a document of the server declares, under the name of the kind.
    Declared(String, Arc<DeclType>),
}

impl KindSchema {
    fn kind(&self) -> &str {
        match self {
            Self::BuiltIn(row) => row.kind,
            Self::Declared(kind, _) => kind,
        }
    }

    /// The types of declared objects under another name.
    fn declared(&self, name: impl FnOnce(&str) -> String) -> Option<SelfTypes> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Declared(kind, ty) => Some(SelfTypes::named(ty.clone(), name(kind))),
        }
    }
}

/// The types of objects and parameters.
#[derive(Clone, Debug)]
pub(crate) struct PolicyTypes {
    /// Those of built-in kinds.
    built_in: Option<SchemaTypes>,
    /// The types of declared objects, and those of declared parameters.
    declared: [Option<SelfTypes>; 2],
    object: Type,
    params: Option<Type>,
}

impl PolicyTypes {
    /// The types of these schemas. Two kinds of one name have different types.
    pub(crate) fn new(object: KindSchema, params: Option<KindSchema>) -> Self {
        let is_clash = params.as_ref().is_some_and(|params| params.kind() == object.kind());
        let named = |prefix: &'static str| {
            move |kind: &str| if is_clash { format!("{prefix}:{kind}") } else { kind.into() }
        };
        let declared_object = object.declared(named("object"));
        let declared_params = params.as_ref().and_then(|params| params.declared(named("params")));
        let built_in = match (&object, &params) {
            (KindSchema::BuiltIn(object), Some(KindSchema::BuiltIn(params))) => {
                Some(SchemaTypes { object, params: Some(*params) })
            }
            (KindSchema::BuiltIn(row), _) | (_, Some(KindSchema::BuiltIn(row))) => {
                Some(SchemaTypes { object: row, params: None })
            }
            _ => None,
        };
        let type_of = |schema: &KindSchema, declared: Option<&SelfTypes>| match schema {
            KindSchema::BuiltIn(row) => built_in.map_or(Type::Dyn, |types| types.root(row)),
            KindSchema::Declared(..) => {
                declared.and_then(SelfTypes::self_type).unwrap_or(Type::Dyn)
            }
        };
        let (object, params) = (
            type_of(&object, declared_object.as_ref()),
            params.as_ref().map(|params| type_of(params, declared_params.as_ref())),
        );
        Self { built_in, declared: [declared_object, declared_params], object, params }
    }

    /// The type of `object` and `oldObject`.
    pub(crate) fn object(&self) -> Type {
        self.object.clone()
    }

    /// The type of `params`, if it is known.
    pub(crate) fn params(&self) -> Option<Type> {
        self.params.clone()
    }
}

impl Types for PolicyTypes {
    fn field(&self, object: &str, field: &str) -> Option<Type> {
        let mut declared = self.declared.iter().flatten();
        let declared = declared.find_map(|types| types.field(object, field));
        declared.or_else(|| self.built_in.as_ref()?.field(object, field))
    }
}
