//! The CEL environment of a policy's expressions: variables and their types.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::library::authz::Authorizer;
use ratchet_cel::{Environment, Program, Type, Types};

/// The type of `request`.
const REQUEST: &str = "kubernetes.AdmissionRequest";
/// The type of `namespaceObject`.
const NAMESPACE: &str = "kubernetes.Namespace";
/// The type of `variables`.
const VARIABLES: &str = "kubernetes.variables";

/// The types of the fields of `request` and `namespaceObject`.
enum Shape {
    Text,
    Truth,
    Number,
    Time,
    Anything,
    Texts,
    TextByText,
    TextsByText,
    Of(&'static str),
    Each(&'static str),
}

impl Shape {
    fn ty(&self) -> Type {
        match self {
            Self::Text => Type::String,
            Self::Truth => Type::Bool,
            Self::Number => Type::Int,
            Self::Time => Type::Timestamp,
            Self::Anything => Type::Dyn,
            Self::Texts => Type::list(Type::String),
            Self::TextByText => Type::map(Type::String, Type::String),
            Self::TextsByText => Type::map(Type::String, Type::list(Type::String)),
            Self::Of(name) => Type::object(name),
            Self::Each(name) => Type::list(Type::object(name)),
        }
    }
}

const KIND: &str = "kubernetes.GroupVersionKind";
const RESOURCE: &str = "kubernetes.GroupVersionResource";
const USER: &str = "kubernetes.UserInfo";
const SPEC: &str = "kubernetes.NamespaceSpec";
const STATUS: &str = "kubernetes.NamespaceStatus";
const CONDITION: &str = "kubernetes.NamespaceCondition";
const METADATA: &str = "kubernetes.NamespaceMetadata";

/// The fields of the types that every policy has.
static FIELDS: &[(&str, &str, Shape)] = &[
    (KIND, "group", Shape::Text),
    (KIND, "version", Shape::Text),
    (KIND, "kind", Shape::Text),
    (RESOURCE, "group", Shape::Text),
    (RESOURCE, "version", Shape::Text),
    (RESOURCE, "resource", Shape::Text),
    (USER, "username", Shape::Text),
    (USER, "uid", Shape::Text),
    (USER, "groups", Shape::Texts),
    (USER, "extra", Shape::TextsByText),
    (REQUEST, "kind", Shape::Of(KIND)),
    (REQUEST, "resource", Shape::Of(RESOURCE)),
    (REQUEST, "subResource", Shape::Text),
    (REQUEST, "requestKind", Shape::Of(KIND)),
    (REQUEST, "requestResource", Shape::Of(RESOURCE)),
    (REQUEST, "requestSubResource", Shape::Text),
    (REQUEST, "name", Shape::Text),
    (REQUEST, "namespace", Shape::Text),
    (REQUEST, "operation", Shape::Text),
    (REQUEST, "userInfo", Shape::Of(USER)),
    (REQUEST, "dryRun", Shape::Truth),
    (REQUEST, "options", Shape::Anything),
    (SPEC, "finalizers", Shape::Texts),
    (CONDITION, "status", Shape::Text),
    (CONDITION, "type", Shape::Text),
    (CONDITION, "lastTransitionTime", Shape::Time),
    (CONDITION, "message", Shape::Text),
    (CONDITION, "reason", Shape::Text),
    (STATUS, "conditions", Shape::Each(CONDITION)),
    (STATUS, "phase", Shape::Text),
    (METADATA, "name", Shape::Text),
    (METADATA, "generateName", Shape::Text),
    (METADATA, "namespace", Shape::Text),
    (METADATA, "labels", Shape::TextByText),
    (METADATA, "annotations", Shape::TextByText),
    // Kubernetes declares it under this name; the field itself has another name.
    (METADATA, "UID", Shape::Text),
    (METADATA, "creationTimestamp", Shape::Time),
    (METADATA, "deletionGracePeriodSeconds", Shape::Number),
    (METADATA, "deletionTimestamp", Shape::Time),
    (METADATA, "generation", Shape::Number),
    (METADATA, "resourceVersion", Shape::Text),
    (METADATA, "finalizers", Shape::Texts),
    (NAMESPACE, "metadata", Shape::Of(METADATA)),
    (NAMESPACE, "spec", Shape::Of(SPEC)),
    (NAMESPACE, "status", Shape::Of(STATUS)),
];

/// The declared fields: those of every policy, those of its variables, and those of the types it is checked
/// against.
#[derive(Clone, Debug, Default)]
struct DeclaredTypes {
    variables: Vec<(String, Type)>,
    more: Option<Arc<dyn Types>>,
}

impl Types for DeclaredTypes {
    fn field(&self, object: &str, field: &str) -> Option<Type> {
        if object == VARIABLES {
            let mut own = self.variables.iter().rev();
            return own.find(|(name, _)| name == field).map(|(_, ty)| ty.clone());
        }
        let row = FIELDS.iter().find(|row| row.0 == object && row.1 == field);
        row.map(|row| row.2.ty()).or_else(|| self.more.as_ref()?.field(object, field))
    }
}

/// The environment that a policy's expressions share.
#[derive(Clone, Debug)]
pub(crate) struct PolicyEnvironment {
    base: Environment,
    params: Option<Type>,
    declared_types: DeclaredTypes,
    object: Type,
    composed: bool,
    resource_check: bool,
}

impl PolicyEnvironment {
    /// The environment of a release, whose libraries are in `base`; `params` is whether the policy has parameters.
    pub(crate) fn new(base: &Environment, params: bool) -> Self {
        Self {
            base: base.clone(),
            params: params.then_some(Type::Dyn),
            declared_types: DeclaredTypes::default(),
            object: Type::Dyn,
            composed: true,
            resource_check: true,
        }
    }

    /// The same without variables.
    pub(crate) fn plain(self) -> Self {
        Self { composed: false, ..self }
    }

    /// The same with the types of objects and parameters. Without `authorizer.requestResource`, which the
    /// reference does not declare there.
    pub(crate) fn typed(self, object: Type, params: Option<Type>, types: Arc<dyn Types>) -> Self {
        let params = self.params.is_some().then(|| params.unwrap_or(Type::Dyn));
        let declared_types = DeclaredTypes { more: Some(types), ..self.declared_types };
        Self { object, params, declared_types, resource_check: false, ..self }
    }

    /// Declares a variable with its type; one that did not compile is `dyn`.
    pub(crate) fn declare(&mut self, name: &str, ty: Option<&Type>) {
        let ty = ty.map_or(Type::Dyn, |ty| declared(ty, MAX_TYPE_LEVELS));
        self.declared_types.variables.push((name.to_string(), ty));
    }

    /// The environment of one expression.
    pub(crate) fn environment(&self, use_: Use) -> Environment {
        let base = match use_ {
            Use::ApplyConfiguration | Use::JsonPatch => self.base.clone().with_patch_types(),
            _ => self.base.clone(),
        };
        let mut environment = base
            .with("object", self.object.clone())
            .with("oldObject", self.object.clone())
            .with("namespaceObject", Type::object(NAMESPACE))
            .with("request", Type::object(REQUEST));
        if let Some(params) = &self.params {
            environment = environment.with("params", params.clone());
        }
        if use_ != Use::Message {
            environment = environment.with("authorizer", Type::Opaque(Authorizer::TYPE));
            if self.resource_check {
                let check = Type::Opaque(Authorizer::RESOURCE_CHECK_TYPE);
                environment = environment.with("authorizer.requestResource", check);
            }
        }
        if self.composed {
            environment = environment.with("variables", Type::object(VARIABLES));
        }
        environment.with_types(Arc::new(self.declared_types.clone()))
    }

    /// Compiles an expression that must have one of the allowed result types; the error is the API server's.
    pub(crate) fn compile(&self, text: &str, use_: Use) -> Result<Program, String> {
        let environment = self.environment(use_);
        let program = environment
            .compile(text)
            .map_err(|issues| alloc::format!("compilation failed: {issues}"))?;
        let (result_types, result) = (use_.result_types(), program.result());
        if result_types.is_empty() || result_types.contains(result) {
            return Ok(program);
        }
        let got = go_name(result);
        let names: Vec<String> = result_types.iter().map(go_name).collect();
        Err(match names.as_slice() {
            [only] => alloc::format!("must evaluate to {only} but got {got}"),
            all => alloc::format!("must evaluate to one of [{}] but got {got}", all.join(" ")),
        })
    }

    /// Checks an expression of any result type: its type, or the error.
    pub(crate) fn check(&self, text: &str) -> Result<Type, String> {
        let compiled = self.environment(Use::Variable).compile(text);
        compiled.map(|program| program.result().clone()).map_err(|issues| issues.to_string())
    }
}

/// The use of an expression, which determines its result type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A validation or a match condition.
    Condition,
    /// A message: the only use without the authorizer.
    Message,
    /// The value of an audit annotation.
    Annotation,
    /// A variable.
    Variable,
    /// The apply configuration of a mutation.
    ApplyConfiguration,
    /// The JSON patch of a mutation.
    JsonPatch,
}

impl Use {
    fn result_types(self) -> Vec<Type> {
        match self {
            Self::Condition => alloc::vec![Type::Bool],
            Self::Message => alloc::vec![Type::String],
            Self::Annotation => alloc::vec![Type::String, Type::Null],
            Self::Variable => Vec::new(),
            Self::ApplyConfiguration => alloc::vec![Type::object("Object")],
            Self::JsonPatch => alloc::vec![Type::list(Type::object("JSONPatch"))],
        }
    }
}

/// The most levels of a variable's declared type: variables that build on one another would have ever deeper types.
const MAX_TYPE_LEVELS: usize = 64;

/// The declared type of a variable: primitive types, lists and maps are kept, everything else
/// is `dyn`.
fn declared(ty: &Type, levels: usize) -> Type {
    let Some(left) = levels.checked_sub(1) else { return Type::Dyn };
    match ty {
        Type::List(element) => Type::list(declared(element, left)),
        Type::Map(key, value) => Type::map(declared(key, left), declared(value, left)),
        Type::Null
        | Type::Bool
        | Type::Int
        | Type::Uint
        | Type::Double
        | Type::String
        | Type::Bytes
        | Type::Duration
        | Type::Timestamp => ty.clone(),
        _ => Type::Dyn,
    }
}

/// A type's name in Go, where it differs from the checker's.
pub(crate) fn go_name(ty: &Type) -> String {
    match ty {
        Type::Null => "null_type".into(),
        Type::Duration => "google.protobuf.Duration".into(),
        Type::Timestamp => "google.protobuf.Timestamp".into(),
        Type::List(element) => alloc::format!("list({})", go_name(element)),
        Type::Map(key, value) => alloc::format!("map({}, {})", go_name(key), go_name(value)),
        Type::Optional(inner) => alloc::format!("optional_type({})", go_name(inner)),
        Type::TypeOf(inner) => alloc::format!("type({})", go_name(inner)),
        other => other.to_string(),
    }
}
