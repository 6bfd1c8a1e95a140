//! The `authorizer` variable: authorization checks in expressions.

use super::arguments::{opaque, text};
use super::{Context, Cost, Library, Overload, size_of, tenths};
use crate::{EvalError, Opaque, Value};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::any::Any;
use core::fmt;
use ratchet_net::dns;

/// The authorizer behind the `authorizer` variable.
pub trait Authorize: fmt::Debug + Send + Sync {
    /// Decides one check.
    fn decide(&self, ask: &AuthorizationCheck) -> Decision;
}

/// What an expression asks of `authorizer`: whether somebody may do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationCheck {
    /// Namespace and name of the service account to check; `None` for the user of the
    /// request.
    pub account: Option<(String, String)>,
    /// The verb, such as `get`.
    pub verb: String,
    /// The resource or path.
    pub target: Target,
}

/// The object of an authorization check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A non-resource path.
    Path(String),
    /// Objects of a resource.
    Resource(Resource),
}

/// A resource; empty strings are parts that are not restricted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// The API group.
    pub group: String,
    /// The plural resource name.
    pub resource: String,
    /// The subresource, such as `scale`.
    pub subresource: String,
    /// The namespace of the objects.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The field selector as written, which may be malformed.
    pub field_selector: String,
    /// The label selector as written.
    pub label_selector: String,
}

/// The result of an authorization check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether it is allowed.
    pub allowed: bool,
    /// The authorizer's explanation.
    pub reason: String,
    /// The error of the authorizer, if it failed.
    pub error: Option<String>,
}

/// The value of `authorizer`.
#[derive(Clone, Debug)]
pub struct Authorizer {
    who: Arc<dyn Authorize>,
    account: Option<(String, String)>,
}

impl Authorizer {
    /// The CEL type name.
    pub const TYPE: &'static str = "kubernetes.authorization.Authorizer";
    /// The CEL type name of a resource check.
    pub const RESOURCE_CHECK_TYPE: &'static str = "kubernetes.authorization.ResourceCheck";

    /// An authorizer for the user of the request.
    pub fn new(who: Arc<dyn Authorize>) -> Self {
        Self { who, account: None }
    }

    /// The value of `authorizer.requestResource`.
    pub fn resource_check(&self, resource: Resource) -> Value<'static> {
        Value::opaque(ResourceCheck { authorizer: self.clone(), resource })
    }

    fn decide(&self, verb: &str, target: Target) -> Decision {
        self.who.decide(&AuthorizationCheck {
            account: self.account.clone(),
            verb: verb.to_string(),
            target,
        })
    }
}

#[derive(Clone, Debug)]
struct PathCheck {
    authorizer: Authorizer,
    path: String,
}

#[derive(Clone, Debug)]
struct GroupCheck {
    authorizer: Authorizer,
    group: String,
}

#[derive(Clone, Debug)]
struct ResourceCheck {
    authorizer: Authorizer,
    resource: Resource,
}

/// Types that only have member functions; their values never compare equal.
macro_rules! receiver_only {
    ($($ty:ty => $name:expr),* $(,)?) => {$(
        impl Opaque for $ty {
            fn type_name(&self) -> &'static str {
                $name
            }

            fn equal(&self, _: &dyn Opaque) -> bool {
                false
            }

            fn meets(&self, _: &dyn Opaque) -> bool {
                false
            }

            fn as_any(&self) -> &dyn Any {
                self
            }
        }
    )*};
}

receiver_only! {
    Authorizer => Self::TYPE,
    PathCheck => "kubernetes.authorization.PathCheck",
    GroupCheck => "kubernetes.authorization.GroupCheck",
    ResourceCheck => Authorizer::RESOURCE_CHECK_TYPE,
    Decision => "kubernetes.authorization.Decision",
}

fn path<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let authorizer: &Authorizer = opaque(arguments, 0)?;
    let path = text(arguments, 1)?;
    if path.trim().is_empty() {
        return Err(EvalError::new("path must not be empty"));
    }
    Ok(Value::opaque(PathCheck { authorizer: authorizer.clone(), path: path.to_string() }))
}

fn group<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let authorizer: &Authorizer = opaque(arguments, 0)?;
    let group = text(arguments, 1)?.to_string();
    Ok(Value::opaque(GroupCheck { authorizer: authorizer.clone(), group }))
}

fn service_account<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let authorizer: &Authorizer = opaque(arguments, 0)?;
    let (namespace, name) = (text(arguments, 1)?, text(arguments, 2)?);
    if !dns::subdomain(name).is_ok() {
        return Err(EvalError::new("Invalid service account name"));
    }
    if !dns::label(namespace).is_ok() {
        return Err(EvalError::new("Invalid service account namespace"));
    }
    let account = Some((namespace.to_string(), name.to_string()));
    Ok(Value::opaque(Authorizer { who: authorizer.who.clone(), account }))
}

fn resource<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let check: &GroupCheck = opaque(arguments, 0)?;
    let resource = text(arguments, 1)?;
    if resource.trim().is_empty() {
        return Err(EvalError::new("resource must not be empty"));
    }
    let resource = Resource {
        group: check.group.clone(),
        resource: resource.to_string(),
        ..Resource::default()
    };
    Ok(Value::opaque(ResourceCheck { authorizer: check.authorizer.clone(), resource }))
}

/// The same check with one more restriction.
fn restricted<'t>(
    arguments: &[Value<'t>],
    part: fn(&mut Resource) -> &mut String,
) -> Result<Value<'t>, EvalError> {
    let check: &ResourceCheck = opaque(arguments, 0)?;
    let mut check = check.clone();
    *part(&mut check.resource) = text(arguments, 1)?.to_string();
    Ok(Value::opaque(check))
}

fn check_path<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let check: &PathCheck = opaque(arguments, 0)?;
    let target = Target::Path(check.path.clone());
    Ok(Value::opaque(check.authorizer.decide(text(arguments, 1)?, target)))
}

fn check_resource<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let check: &ResourceCheck = opaque(arguments, 0)?;
    let target = Target::Resource(check.resource.clone());
    Ok(Value::opaque(check.authorizer.decide(text(arguments, 1)?, target)))
}

fn decided<'t>(
    arguments: &[Value<'t>],
    part: fn(&Decision) -> Value<'static>,
) -> Result<Value<'t>, EvalError> {
    opaque(arguments, 0).map(part)
}

/// Chosen so that two checks fit into the cost limit of an expression.
const CHECK: Cost = Cost(|_, _| 350_000);
/// A selector is parsed, and every second of its letters may begin a requirement.
const SELECTOR: Cost = Cost(|arguments, _| {
    let size = size_of(arguments, 1);
    10 + tenths(size, 1) + size.div_ceil(2).saturating_mul(50)
});

/// Kubernetes' authorizer library.
#[rustfmt::skip]
pub static AUTHZ: Library = Library {
    name: "kubernetes.authz",
    since: (1, 27),
    overloads: &[
        Overload { id: "authorizer_path", signature: "kubernetes.authorization.Authorizer.path(string): kubernetes.authorization.PathCheck", call: path, cost: Cost::ONE },
        Overload { id: "authorizer_group", signature: "kubernetes.authorization.Authorizer.group(string): kubernetes.authorization.GroupCheck", call: group, cost: Cost::ONE },
        Overload { id: "authorizer_serviceaccount", signature: "kubernetes.authorization.Authorizer.serviceAccount(string, string): kubernetes.authorization.Authorizer", call: service_account, cost: Cost::ONE },
        Overload { id: "groupcheck_resource", signature: "kubernetes.authorization.GroupCheck.resource(string): kubernetes.authorization.ResourceCheck", call: resource, cost: Cost::ONE },
        Overload { id: "resourcecheck_subresource", signature: "kubernetes.authorization.ResourceCheck.subresource(string): kubernetes.authorization.ResourceCheck", call: |_, arguments| restricted(arguments, |resource| &mut resource.subresource), cost: Cost::ONE },
        Overload { id: "resourcecheck_namespace", signature: "kubernetes.authorization.ResourceCheck.namespace(string): kubernetes.authorization.ResourceCheck", call: |_, arguments| restricted(arguments, |resource| &mut resource.namespace), cost: Cost::ONE },
        Overload { id: "resourcecheck_name", signature: "kubernetes.authorization.ResourceCheck.name(string): kubernetes.authorization.ResourceCheck", call: |_, arguments| restricted(arguments, |resource| &mut resource.name), cost: Cost::ONE },
        Overload { id: "pathcheck_check", signature: "kubernetes.authorization.PathCheck.check(string): kubernetes.authorization.Decision", call: check_path, cost: CHECK },
        Overload { id: "resourcecheck_check", signature: "kubernetes.authorization.ResourceCheck.check(string): kubernetes.authorization.Decision", call: check_resource, cost: CHECK },
        Overload { id: "decision_errored", signature: "kubernetes.authorization.Decision.errored(): bool", call: |_, arguments| decided(arguments, |decision| decision.error.is_some().into()), cost: Cost::ONE },
        Overload { id: "decision_error", signature: "kubernetes.authorization.Decision.error(): string", call: |_, arguments| decided(arguments, |decision| decision.error.clone().unwrap_or_default().into()), cost: Cost::ONE },
        Overload { id: "decision_allowed", signature: "kubernetes.authorization.Decision.allowed(): bool", call: |_, arguments| decided(arguments, |decision| decision.allowed.into()), cost: Cost::ONE },
        Overload { id: "decision_reason", signature: "kubernetes.authorization.Decision.reason(): string", call: |_, arguments| decided(arguments, |decision| decision.reason.clone().into()), cost: Cost::ONE },
    ],
    constants: &[],
    types: &[],
};

/// Kubernetes' library for selectors in authorization checks.
#[rustfmt::skip]
pub static AUTHZ_SELECTORS: Library = Library {
    name: "kubernetes.authzSelectors",
    since: (1, 31),
    overloads: &[
        Overload { id: "authorizer_fieldselector", signature: "kubernetes.authorization.ResourceCheck.fieldSelector(string): kubernetes.authorization.ResourceCheck", call: |_, arguments| restricted(arguments, |resource| &mut resource.field_selector), cost: SELECTOR },
        Overload { id: "authorizer_labelselector", signature: "kubernetes.authorization.ResourceCheck.labelSelector(string): kubernetes.authorization.ResourceCheck", call: |_, arguments| restricted(arguments, |resource| &mut resource.label_selector), cost: SELECTOR },
    ],
    constants: &[],
    types: &[],
};
