//! The environment of expressions: their variables, functions and types.

use crate::check::Reference;
use crate::library::{JSON_PATCH, LIBRARIES, Library, OverloadDecl, Signature, parse_type};
use crate::{Type, Types, Value, mutation};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The declarations that expressions may use. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Environment {
    version: (u32, u32),
    functions: Arc<Functions>,
    variables: Arc<Vec<(Arc<str>, Type)>>,
    types: Option<Arc<dyn Types>>,
    /// The functions for patches, if expressions may construct patches.
    patches: Option<Arc<Functions>>,
}

/// A constructor, for statics that need an allocation.
type Constructor<T> = fn() -> T;

/// The functions and constants of a release.
#[derive(Debug, Default)]
struct Functions {
    by_name: BTreeMap<String, Arc<[OverloadDecl]>>,
    constants: BTreeMap<&'static str, (Type, Constructor<Value<'static>>)>,
}

/// Types that expressions may name as values.
static TYPE_NAMES: &[(&str, Constructor<Type>)] = &[
    ("bool", || Type::Bool),
    ("bytes", || Type::Bytes),
    ("double", || Type::Double),
    ("duration", || Type::Duration),
    ("google.protobuf.Duration", || Type::Duration),
    ("int", || Type::Int),
    ("list", || Type::list(Type::Dyn)),
    ("map", || Type::map(Type::Dyn, Type::Dyn)),
    ("null_type", || Type::Null),
    ("optional_type", || Type::optional(Type::Dyn)),
    ("string", || Type::String),
    ("timestamp", || Type::Timestamp),
    ("google.protobuf.Timestamp", || Type::Timestamp),
    ("type", || Type::Meta),
    ("uint", || Type::Uint),
];

impl Functions {
    fn of(libraries: &[&'static Library], version: (u32, u32)) -> Self {
        let mut by_name: BTreeMap<String, Vec<OverloadDecl>> = BTreeMap::new();
        let mut constants = BTreeMap::new();
        for library in libraries.iter().filter(|library| version >= library.since) {
            let standard = library.name == "standard";
            let priced_alone = standard || library.name == "cel.lib.ext.lists";
            for row in library.overloads {
                // A test parses every signature, so that none is skipped here.
                let Some(signature) = Signature::parse(row.signature) else { continue };
                let name = signature.name.clone();
                let overload =
                    OverloadDecl { row, signature: Arc::new(signature), standard, priced_alone };
                by_name.entry(name).or_default().push(overload);
            }
            for constant in library.constants {
                let Some(ty) = parse_type(constant.ty) else { continue };
                constants.insert(constant.name, (ty, constant.value as Constructor<_>));
            }
        }
        let by_name =
            by_name.into_iter().map(|(name, overloads)| (name, overloads.into())).collect();
        Self { by_name, constants }
    }
}

impl Environment {
    /// All libraries of a release of Kubernetes.
    pub fn kubernetes(version: (u32, u32)) -> Self {
        let functions = Arc::new(Functions::of(LIBRARIES, version));
        Self { version, functions, variables: Arc::default(), types: None, patches: None }
    }

    /// The same environment with the types of patches: `Object{…}` with its fields, `JSONPatch{…}` and
    /// `jsonpatch.escapeKey()`.
    #[must_use]
    pub fn with_patch_types(self) -> Self {
        let patches = Some(Arc::new(Functions::of(&[&JSON_PATCH], self.version)));
        Self { patches, ..self }
    }

    /// The same environment with one more variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<Arc<str>>, ty: Type) -> Self {
        Arc::make_mut(&mut self.variables).push((name.into(), ty));
        self
    }

    /// The same environment with types that have fields.
    #[must_use]
    pub fn with_types(self, types: Arc<dyn Types>) -> Self {
        Self { types: Some(types), ..self }
    }

    pub(crate) fn version(&self) -> (u32, u32) {
        self.version
    }

    pub(crate) fn functions(&self, name: &str) -> Option<Arc<[OverloadDecl]>> {
        let patches = self.patches.as_ref();
        let found = self.functions.by_name.get(name);
        found.or_else(|| patches?.by_name.get(name)).cloned()
    }

    pub(crate) fn field(&self, object: &str, field: &str) -> Option<Type> {
        if self.is_message(object) {
            return self.message_field(object, field);
        }
        self.types.as_ref()?.field(object, field)
    }

    /// Whether literals can construct values of this type.
    fn is_message(&self, name: &str) -> bool {
        self.patches.is_some() && mutation::is_message(name)
    }

    /// The type of a field of a message; `None` for a field that messages of this type do not have.
    pub(crate) fn message_field(&self, message: &str, field: &str) -> Option<Type> {
        mutation::field(message, field)
    }

    /// The type and the declaration of a name that is not a loop variable.
    pub(crate) fn lookup(&self, name: &str) -> Option<(Type, Reference)> {
        if let Some((name, ty)) =
            self.variables.iter().rev().find(|(declared, _)| &**declared == name)
        {
            return Some((ty.clone(), Reference::Variable((&**name).into())));
        }
        if let Some((ty, value)) = self.functions.constants.get(name) {
            return Some((ty.clone(), Reference::Constant(value())));
        }
        // The reference declares these names for its checker, but not for its planner.
        if self.is_message(name) {
            return Some((Type::type_of(Type::object(name)), Reference::Undefined(name.into())));
        }
        let undefined = ["duration", "timestamp"].into_iter().find(|declared| *declared == name);
        let ty = self.named_type(name)?;
        if let Some(name) = undefined {
            return Some((Type::type_of(ty), Reference::Undefined(name.into())));
        }
        Some((Type::type_of(ty.clone()), Reference::Constant(Value::Type(ty))))
    }

    fn named_type(&self, name: &str) -> Option<Type> {
        if let Some((_, ty)) = TYPE_NAMES.iter().find(|(declared, _)| *declared == name) {
            return Some(ty());
        }
        let libraries = LIBRARIES.iter().filter(|library| self.version >= library.since);
        let mut types = libraries.flat_map(|library| library.types);
        types.find(|declared| **declared == name).map(|declared| Type::Opaque(declared))
    }
}
