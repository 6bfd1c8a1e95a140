//! `TypeMetaError`: why an object is not of the type that is wanted, by the `apiVersion` and `kind` that it states.

use alloc::format;
use alloc::string::{String, ToString};
use ratchet_apply::api_version;
use ratchet_net::Quoted;
use ratchet_object::{GroupVersionKind, Node, OPTIONS_KINDS, UNVERSIONED_KINDS, schema};

/// The group of CustomResourceDefinitions.
const DEFINITIONS: &str = "apiextensions.k8s.io";
/// The group of APIServices.
const API_SERVICES: &str = "apiregistration.k8s.io";
/// Where the reference keeps the kinds of these groups, as its errors name the places.
const API_SERVICE_SCHEME: &str = "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28";
const DEFINITION_SCHEME: &str = "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55";
/// Where it keeps all other built-in kinds.
pub const LEGACY_SCHEME: &str = "pkg/api/legacyscheme/scheme.go:30";

/// What is wrong with the `apiVersion` or the `kind` of an object (HTTP 400).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeMetaError {
    /// A value is no text.
    NotText {
        /// The field, `apiVersion` or `kind`.
        field: &'static str,
        /// The type of its value, as Go names it.
        found: &'static str,
    },
    /// The version is none: it has more than one slash.
    NotAVersion(String),
    /// There is no kind, and none is assumed.
    MissingKind,
    /// The object is of another kind, which nothing converts to the wanted one.
    OtherKind {
        /// The kind that it states.
        kind: String,
        /// Its version, without the group.
        version: String,
        /// The reason, as the reference words it.
        why: String,
    },
}

impl TypeMetaError {
    /// The error of the reference's decoder; `sent` is the object as text.
    pub fn message(&self, sent: &str) -> String {
        match self {
            Self::NotText { field, found } => format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field .{field} of type string"
            ),
            Self::NotAVersion(stated) => format!("unexpected GroupVersion string: {stated}"),
            Self::MissingKind => format!("Object 'Kind' is missing in '{sent}'"),
            Self::OtherKind { why, .. } => why.clone(),
        }
    }
}

/// Checks that `apiVersion` and `kind` are texts, if they are there: no decoder goes on otherwise.
pub(crate) fn check_texts(object: &Node<'_>) -> Result<(), TypeMetaError> {
    for field in ["apiVersion", "kind"] {
        let value = object.get(field).filter(|value| value.text().is_none() && !value.is_null());
        if let Some(value) = value {
            return Err(TypeMetaError::NotText { field, found: value.type_name() });
        }
    }
    Ok(())
}

/// Completes the type of an object that has a Go type: what it does not state is taken from the endpoint.
pub(crate) fn complete(
    object: &mut Node<'_>,
    own: GroupVersionKind<'_>,
) -> Result<(), TypeMetaError> {
    if let Some(error) = other_kind(object, own) {
        return Err(error);
    }
    object.set("apiVersion", Node::string(api_version(own)));
    object.set("kind", Node::string(own.kind.to_string()));
    Ok(())
}

/// Whether an object states exactly this kind and version. One without a Go type must state a kind.
pub(crate) fn is_stated(
    object: &Node<'_>,
    own: GroupVersionKind<'_>,
) -> Result<bool, TypeMetaError> {
    match object.text_at(&["kind"]) {
        "" => Err(TypeMetaError::MissingKind),
        kind => {
            Ok(kind == own.kind && object.text_at(&["apiVersion"]) == api_version(own).as_str())
        }
    }
}

fn other_kind(object: &Node<'_>, own: GroupVersionKind<'_>) -> Option<TypeMetaError> {
    let (group, version) = match object.text_at(&["apiVersion"]) {
        "" => (own.group, own.version),
        stated if stated.matches('/').count() > 1 => {
            return Some(TypeMetaError::NotAVersion(stated.to_string()));
        }
        stated => stated.rsplit_once('/').unwrap_or(("", stated)),
    };
    let kind = match object.text_at(&["kind"]) {
        "" => own.kind,
        stated => stated,
    };
    if (group, version, kind) == (own.group, own.version, own.kind) {
        return None;
    }
    let known = kind.strip_suffix("List").unwrap_or(kind);
    let is_known = schema::kind(group, version, known).is_some()
        || OPTIONS_KINDS.contains(&kind)
        || ((group, version) == ("", "v1") && UNVERSIONED_KINDS.contains(&kind));
    let why = if is_known {
        let internal = match own.group {
            "" => "core",
            group => group.split('.').next().unwrap_or(group),
        };
        format!("converting ({version}.{kind}) to ({internal}.{}): unknown conversion", own.kind)
    } else {
        let stated = api_version(GroupVersionKind { group, version, kind });
        let scheme = match own.group {
            DEFINITIONS => DEFINITION_SCHEME,
            API_SERVICES => API_SERVICE_SCHEME,
            _ => LEGACY_SCHEME,
        };
        let [kind, stated] = [kind, stated.as_str()].map(Quoted);
        format!("no kind {kind} is registered for version {stated} in scheme \"{scheme}\"")
    };
    Some(TypeMetaError::OtherKind { kind: kind.to_string(), version: version.to_string(), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    const POD: GroupVersionKind<'_> = GroupVersionKind { group: "", version: "v1", kind: "Pod" };

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn an_object_with_a_go_type_need_not_state_it() {
        for text in ["{}", "{kind: Pod}", "{apiVersion: v1}", "{apiVersion: null, kind: ''}"] {
            let mut object = node(text);
            complete(&mut object, POD).unwrap();
            assert_eq!(object.text_at(&["apiVersion"]), "v1", "{text}");
            assert_eq!(object.text_at(&["kind"]), "Pod", "{text}");
        }
    }

    #[test]
    fn nothing_converts_between_kinds() {
        for (text, why) in [
            (
                "{apiVersion: apps/v1, kind: Deployment}",
                "converting (v1.Deployment) to (core.Pod): unknown conversion",
            ),
            (
                "{apiVersion: v7}",
                "no kind \"Pod\" is registered for version \"v7\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
            ),
        ] {
            let error = complete(&mut node(text), POD).unwrap_err();
            assert_eq!(error.message(text), why, "{text}");
        }
    }

    #[test]
    fn an_object_without_a_go_type_states_its_kind() {
        let own = GroupVersionKind { group: "x.io", version: "v1", kind: "Tree" };
        for (text, is_own) in [
            ("{apiVersion: x.io/v1, kind: Tree}", Ok(true)),
            ("{apiVersion: x.io/v2, kind: Tree}", Ok(false)),
            ("{apiVersion: x.io/v1, kind: Bush}", Ok(false)),
            ("{apiVersion: x.io/v1}", Err(TypeMetaError::MissingKind)),
        ] {
            assert_eq!(is_stated(&node(text), own), is_own, "{text}");
        }
        assert_eq!(TypeMetaError::MissingKind.message("{}"), "Object 'Kind' is missing in '{}'");
    }

    #[test]
    fn a_kind_is_a_text() {
        let error = check_texts(&node("{apiVersion: v1, kind: 5}")).unwrap_err();
        assert_eq!(
            error.message(""),
            "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"
        );
        assert_eq!(check_texts(&node("{apiVersion: v1, kind: null}")), Ok(()));
    }
}
