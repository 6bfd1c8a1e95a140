//! Which parameters a binding gives to its policy.

use crate::policy::{Binding, ParameterRef, Policy};
use crate::{Served, Surroundings};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

/// Whether the kind of a policy's parameters is served at all.
pub(crate) fn served(policy: &Policy, around: &dyn Surroundings) -> Result<Option<Served>, String> {
    let Some(kind) = &policy.parameters else { return Ok(None) };
    let name = kind.name();
    let served = around.served(&name);
    served
        .map(Some)
        .ok_or_else(|| format!("failed to find resource referenced by paramKind: '{name}'"))
}

/// The parameters with which a policy is evaluated, once with each; `None` among them is no parameter at all.
pub(crate) fn collect(
    policy: &Policy,
    binding: &Binding,
    namespace: &str,
    around: &dyn Surroundings,
) -> Result<Vec<Option<Node<'static>>>, String> {
    let without = || Ok(alloc::vec![None]);
    let (Some(kind), Some(wanted)) = (&policy.parameters, &binding.parameter) else {
        return without();
    };
    let Some(served) = served(policy, around)? else { return without() };
    let namespace = place(wanted, served, namespace)?;
    let found: Vec<Node<'static>> = match &wanted.selector {
        Some(_) if !wanted.name.is_empty() => {
            return Err("paramRef.name and paramRef.selector are mutually exclusive".into());
        }
        None if wanted.name.is_empty() => {
            return Err("one of name or selector must be provided".into());
        }
        None => around.parameter(&kind.name(), namespace, &wanted.name).into_iter().collect(),
        Some(selector) => {
            let selector = selector.as_ref().map_err(Clone::clone)?;
            let mut all = around.parameters(&kind.name(), namespace);
            all.retain(|node| selector.matches_object(node));
            all
        }
    };
    if found.is_empty() && wanted.denies_missing {
        let why = "no params found for policy binding with `Deny` parameterNotFoundAction";
        return Err(why.into());
    }
    Ok(found.into_iter().map(Some).collect())
}

/// Where parameters are looked for: where the binding says, or where the object is.
fn place<'n>(
    wanted: &'n ParameterRef,
    served: Served,
    namespace: &'n str,
) -> Result<&'n str, String> {
    match (served.namespaced, wanted.namespace.as_str()) {
        (true, "") if namespace.is_empty() => Err(
            "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
                .into(),
        ),
        (true, "") => Ok(namespace),
        (true, named) => Ok(named),
        (false, "") => Ok(""),
        (false, _) => {
            Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".into())
        }
    }
}
