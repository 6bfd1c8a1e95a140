//! What expressions may name: variables, functions, types.

use crate::check::{self, Meaning};
use crate::library::{LIBRARIES, Overload, Signature, read_type};
use crate::plan;
use crate::syntax::{self, Wrong};
use crate::{Issues, Program, Type, Types, Value};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What expressions may name. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Environment {
    version: (u32, u32),
    functions: Arc<Functions>,
    variables: Arc<Vec<(Arc<str>, Type)>>,
    types: Option<Arc<dyn Types>>,
}

/// What makes a value when it is needed.
type Make<T> = fn() -> T;

/// The functions and constants of a release.
#[derive(Debug, Default)]
struct Functions {
    by_name: BTreeMap<String, Arc<[Known]>>,
    constants: BTreeMap<&'static str, (Type, Make<Value<'static>>)>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its row.
    pub(crate) row: &'static Overload,
    /// Its signature.
    pub(crate) signature: Arc<Signature>,
    /// Whether it belongs to the language itself.
    pub(crate) standard: bool,
    /// Whether the reference knows its cost only where the types leave no doubt which one it is.
    pub(crate) priced_alone: bool,
}

/// Types that expressions may name as values.
static TYPE_NAMES: &[(&str, Make<Type>)] = &[
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
    fn of(version: (u32, u32)) -> Self {
        let mut by_name: BTreeMap<String, Vec<Known>> = BTreeMap::new();
        let mut constants = BTreeMap::new();
        for library in LIBRARIES.iter().filter(|library| version >= library.since) {
            let standard = library.name == "standard";
            let priced_alone = standard || library.name == "cel.lib.ext.lists";
            for row in library.overloads {
                // A test reads every signature, so that none is left out here.
                let Some(signature) = Signature::read(row.signature) else { continue };
                let name = signature.name.clone();
                let known = Known { row, signature: Arc::new(signature), standard, priced_alone };
                by_name.entry(name).or_default().push(known);
            }
            for constant in library.constants {
                let Some(ty) = read_type(constant.ty) else { continue };
                constants.insert(constant.name, (ty, constant.value as Make<_>));
            }
        }
        let by_name = by_name.into_iter().map(|(name, known)| (name, known.into())).collect();
        Self { by_name, constants }
    }
}

impl Environment {
    /// All libraries of a release of Kubernetes.
    pub fn kubernetes(version: (u32, u32)) -> Self {
        let functions = Arc::new(Functions::of(version));
        Self { version, functions, variables: Arc::default(), types: None }
    }

    /// The same, with a variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<Arc<str>>, ty: Type) -> Self {
        Arc::make_mut(&mut self.variables).push((name.into(), ty));
        self
    }

    /// The same, with types that have fields.
    #[must_use]
    pub fn with_types(self, types: Arc<dyn Types>) -> Self {
        Self { types: Some(types), ..self }
    }

    /// Parses and checks an expression.
    pub fn compile(&self, text: &str) -> Result<Program, Issues> {
        let wrong = |wrongs: Vec<Wrong>| Issues::of(text, wrongs);
        let (expr, count) = syntax::parse(text, self.version).map_err(wrong)?;
        let checked = check::check(self, &expr, count).map_err(wrong)?;
        plan::plan(&expr, checked)
            .map_err(|(fault, result)| Issues::instantiation(text, fault, result))
    }

    pub(crate) fn version(&self) -> (u32, u32) {
        self.version
    }

    pub(crate) fn functions(&self, name: &str) -> Option<Arc<[Known]>> {
        self.functions.by_name.get(name).cloned()
    }

    pub(crate) fn field(&self, object: &str, field: &str) -> Option<Type> {
        self.types.as_ref()?.field(object, field)
    }

    /// The type and the meaning of a name that is not of a loop.
    pub(crate) fn lookup(&self, name: &str) -> Option<(Type, Meaning)> {
        if let Some((name, ty)) = self.variables.iter().rev().find(|(known, _)| &**known == name) {
            return Some((ty.clone(), Meaning::Variable((&**name).into())));
        }
        if let Some((ty, value)) = self.functions.constants.get(name) {
            return Some((ty.clone(), Meaning::Constant(value())));
        }
        // The reference knows these names when it checks, and not when it makes a program.
        let undefined = ["duration", "timestamp"].into_iter().find(|known| *known == name);
        let ty = self.named_type(name)?;
        if let Some(name) = undefined {
            return Some((Type::type_of(ty), Meaning::Undefined(name)));
        }
        Some((Type::type_of(ty.clone()), Meaning::Constant(Value::Type(ty))))
    }

    fn named_type(&self, name: &str) -> Option<Type> {
        if let Some((_, ty)) = TYPE_NAMES.iter().find(|(known, _)| *known == name) {
            return Some(ty());
        }
        let libraries = LIBRARIES.iter().filter(|library| self.version >= library.since);
        let mut types = libraries.flat_map(|library| library.types);
        types.find(|known| **known == name).map(|known| Type::Opaque(known))
    }
}
