//! Resolution of a binding's parameters.

use crate::policy::{ParameterKind, ParameterRef};
use crate::{GroupVersionResource, PolicyContext};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, RestMapping};

/// The resource of a policy's parameters, if it has any; an error if their kind is not served.
pub(crate) fn mapping(
    kind: Option<&ParameterKind>,
    cluster: &dyn PolicyContext,
) -> Result<Option<RestMapping>, String> {
    let Some(kind) = kind else { return Ok(None) };
    let name = kind.name();
    let mapping = cluster.rest_mapping(&name);
    mapping
        .map(Some)
        .ok_or_else(|| format!("failed to find resource referenced by paramKind: '{name}'"))
}

/// The parameters that a policy is evaluated with, one after another; `None` among them is no parameter.
pub(crate) fn collect(
    kind: Option<&ParameterKind>,
    param_ref: Option<&ParameterRef>,
    namespace: &str,
    cluster: &dyn PolicyContext,
) -> Result<Vec<Option<Node<'static>>>, String> {
    let without = || Ok(alloc::vec![None]);
    let (Some(kind), Some(param_ref)) = (kind, param_ref) else { return without() };
    let Some(mapping) = mapping(Some(kind), cluster)? else { return without() };
    let namespace = param_namespace(param_ref, mapping.namespaced, namespace)?;
    let kind = kind.name();
    let resource = GroupVersionResource {
        group: kind.group,
        version: kind.version,
        resource: &mapping.resource,
    };
    let params: Vec<Node<'static>> = match &param_ref.selector {
        Some(_) if !param_ref.name.is_empty() => {
            return Err("paramRef.name and paramRef.selector are mutually exclusive".into());
        }
        None if param_ref.name.is_empty() => {
            return Err("one of name or selector must be provided".into());
        }
        None => cluster.get(&resource, namespace, &param_ref.name).into_iter().collect(),
        Some(selector) => {
            let selector = selector.as_ref().map_err(Clone::clone)?;
            let mut all = cluster.list(&resource, namespace, usize::MAX);
            all.retain(|node| selector.matches_object(node));
            all
        }
    };
    if params.is_empty() && param_ref.denies_missing {
        let message = "no params found for policy binding with `Deny` parameterNotFoundAction";
        return Err(message.into());
    }
    Ok(params.into_iter().map(Some).collect())
}

/// The namespace of the parameters: the binding's, or the object's.
fn param_namespace<'n>(
    param_ref: &'n ParameterRef,
    namespaced: bool,
    namespace: &'n str,
) -> Result<&'n str, String> {
    match (namespaced, param_ref.namespace.as_str()) {
        (true, "") if namespace.is_empty() => Err(
            "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
                .into(),
        ),
        (true, "") => Ok(namespace),
        (true, explicit) => Ok(explicit),
        (false, "") => Ok(""),
        (false, _) => {
            Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".into())
        }
    }
}
