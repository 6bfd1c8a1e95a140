//! `CreateOptions`, `UpdateOptions`, `PatchOptions` and `DeleteOptions`, parsed and validated.

use crate::request::Params;
use crate::status::StatusError;
use ratchet_apply::{ManagerError, manager_errors};
use ratchet_object::{Entry, Node, Value};
use ratchet_pipeline::FieldValidation;

/// The options of a create, update or patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WriteOptions {
    /// `dryRun=All`.
    pub dry_run: bool,
    /// `fieldValidation`.
    pub fields: FieldValidation,
}

/// The options kind of a request, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionsKind {
    /// `CreateOptions`, of POST.
    Create,
    /// `UpdateOptions`, of PUT.
    Update,
    /// `PatchOptions`, of PATCH.
    Patch,
    /// `PatchOptions` of an apply.
    Apply,
}

impl OptionsKind {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "CreateOptions",
            Self::Update => "UpdateOptions",
            Self::Patch | Self::Apply => "PatchOptions",
        }
    }
}

const META: &str = "meta.k8s.io";

impl WriteOptions {
    /// Parses and validates the query.
    pub(crate) fn from_params(params: &Params, kind: OptionsKind) -> Result<Self, StatusError> {
        let mut causes = Vec::new();
        let mut add_cause = |field: &str, reason, text: String| {
            causes.push(ratchet_engine::StatusCause { reason, message: text, field: field.into() });
        };
        if kind == OptionsKind::Patch && params.get("force").is_some() {
            let text = "Forbidden: may not be specified for non-apply patch";
            add_cause("force", "FieldValueForbidden", text.into());
        }
        let manager = params.text("fieldManager");
        if kind == OptionsKind::Apply && manager.is_empty() {
            let text = "Required value: is required for apply patch";
            add_cause("fieldManager", "FieldValueRequired", text.into());
        }
        for error in manager_errors(manager) {
            let (reason, text) = match error {
                ManagerError::TooLong => ("FieldValueTooLong", format!("Too long: {error}")),
                ManagerError::Unprintable(..) => {
                    let quoted = ratchet_net::Quoted(manager);
                    ("FieldValueInvalid", format!("Invalid value: {quoted}: {error}"))
                }
            };
            add_cause("fieldManager", reason, text);
        }
        let dry_run: Vec<&str> = params.all("dryRun").collect();
        if dry_run.iter().any(|value| *value != "All") {
            add_cause("dryRun", "FieldValueNotSupported", unsupported_dry_run(&dry_run));
        }
        let fields = match params.text("fieldValidation") {
            "Ignore" => FieldValidation::Ignore,
            "" | "Warn" => FieldValidation::Warn,
            "Strict" => FieldValidation::Strict,
            other => {
                let quoted = ratchet_net::Quoted(other);
                let supported = r#"supported values: "", "Ignore", "Strict", "Warn""#;
                let text = format!("Unsupported value: {quoted}: {supported}");
                add_cause("fieldValidation", "FieldValueNotSupported", text);
                FieldValidation::Warn
            }
        };
        if causes.is_empty() {
            return Ok(Self { dry_run: !dry_run.is_empty(), fields });
        }
        Err(StatusError::invalid_object(kind.name(), META, "", causes))
    }
}

/// The options of a deletion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeleteOptions {
    /// `dryRun=All`.
    pub dry_run: bool,
    /// `gracePeriodSeconds`.
    pub grace: Option<i64>,
    /// `preconditions.uid`.
    pub uid: Option<String>,
    /// `preconditions.resourceVersion`.
    pub version: Option<String>,
    /// Whether the deprecated `orphanDependents` is false.
    pub takes_dependents: bool,
    /// `propagationPolicy`.
    pub propagation: Option<Propagation>,
    /// The admission attributes of the deletion.
    pub scope: DeleteScope,
}

/// How a deletion appears to admission policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DeleteScope {
    /// As a deletion of the object.
    #[default]
    Object,
    /// As a deletion of one object of a collection.
    Collection,
    /// Not at all: the policies were evaluated before.
    None,
}

/// The propagation policy for dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// Delete them before the owner.
    Foreground,
    /// Delete them after the owner.
    Background,
    /// Keep them.
    Orphan,
}

impl Propagation {
    /// The value of `propagationPolicy`.
    fn as_str(self) -> &'static str {
        match self {
            Self::Foreground => "Foreground",
            Self::Background => "Background",
            Self::Orphan => "Orphan",
        }
    }
}

impl DeleteOptions {
    /// Parses the body, if there is one, or else the query.
    pub(crate) fn parse(params: &Params, body: Option<&Node<'_>>) -> Result<Self, StatusError> {
        let from_query = Self::query_node(params)?;
        let node = match body {
            Some(body) => body,
            None => &from_query,
        };
        Self::from_node(node)
    }

    /// The options as an object for admission policies.
    pub(crate) fn node(&self) -> Node<'static> {
        let mut node = options_node("DeleteOptions");
        if let Some(seconds) = self.grace {
            node.set("gracePeriodSeconds", Node::int(seconds));
        }
        for (name, value) in [("uid", &self.uid), ("resourceVersion", &self.version)] {
            if let Some(value) = value {
                node.map_mut("preconditions").set(name, Node::string(value.clone()));
            }
        }
        match self.propagation {
            Some(_) if self.takes_dependents => node.set("orphanDependents", Node::bool(false)),
            Some(propagation) => {
                node.set("propagationPolicy", Node::string(propagation.as_str()));
            }
            None => {}
        }
        if self.dry_run {
            node.set("dryRun", Node::list(vec![Node::string("All")]));
        }
        node
    }

    fn query_node(params: &Params) -> Result<Node<'static>, StatusError> {
        let mut node = Node::empty_map();
        if let Some(seconds) = number(params, "gracePeriodSeconds")? {
            node.set("gracePeriodSeconds", Node::int(seconds));
        }
        if let Some(uid) = params.get("uid") {
            node.map_mut("preconditions").set("uid", Node::string(uid.to_owned()));
        }
        if let Some(policy) = params.get("propagationPolicy") {
            node.set("propagationPolicy", Node::string(policy.to_owned()));
        }
        if let Some(value) = params.get("orphanDependents") {
            node.set("orphanDependents", Node::bool(is_true(value)));
        }
        let dry_run: Vec<Node<'static>> =
            params.all("dryRun").map(|value| Node::string(value.to_owned())).collect();
        if !dry_run.is_empty() {
            node.set("dryRun", Node::list(dry_run));
        }
        Ok(node)
    }

    fn from_node(node: &Node<'_>) -> Result<Self, StatusError> {
        let mut causes = Vec::new();
        let mut add_cause = |field: &str, reason, text: String| {
            causes.push(ratchet_engine::StatusCause { reason, message: text, field: field.into() });
        };
        let dry_run: Vec<&str> = node
            .get("dryRun")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
            .collect();
        if dry_run.iter().any(|value| *value != "All") {
            add_cause("dryRun", "FieldValueNotSupported", unsupported_dry_run(&dry_run));
        }
        let grace = node.get("gracePeriodSeconds").filter(|grace| !grace.is_null());
        if let Some(grace) = grace.filter(|grace| grace.as_int().is_none()) {
            let what = grace.type_name();
            let into = "Go struct field DeleteOptions.gracePeriodSeconds of type int64";
            let why = format!("json: cannot unmarshal {what} into {into}");
            return Err(StatusError::bad_request(why));
        }
        let orphan = node.get("orphanDependents").and_then(Node::as_bool);
        let policy = node.get("propagationPolicy").and_then(Node::text);
        let propagation = match policy {
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Background") => Some(Propagation::Background),
            Some("Orphan") => Some(Propagation::Orphan),
            Some(other) => {
                let quoted = ratchet_net::Quoted(other);
                let supported = r#"supported values: "Foreground", "Background", "Orphan", "nil""#;
                let text = format!("Unsupported value: {quoted}: {supported}");
                add_cause("propagationPolicy", "FieldValueNotSupported", text);
                None
            }
            None => orphan
                .map(|orphan| if orphan { Propagation::Orphan } else { Propagation::Background }),
        };
        if policy.is_some() && orphan.is_some() {
            let quoted = ratchet_net::Quoted(policy.unwrap_or_default());
            let text = format!(
                "Invalid value: {quoted}: orphanDependents and deletionPropagation cannot be both set"
            );
            add_cause("propagationPolicy", "FieldValueInvalid", text);
        }
        if !causes.is_empty() {
            return Err(StatusError::invalid_object("DeleteOptions", META, "", causes));
        }
        let precondition = |name| {
            let text = node.find(&["preconditions", name]).and_then(Node::text);
            text.map(str::to_owned)
        };
        Ok(Self {
            dry_run: !dry_run.is_empty(),
            grace: node.get("gracePeriodSeconds").and_then(Node::as_int),
            uid: precondition("uid"),
            takes_dependents: orphan == Some(false),
            version: precondition("resourceVersion"),
            propagation,
            scope: DeleteScope::default(),
        })
    }
}

/// An options object with only `kind` and `apiVersion`.
pub(crate) fn options_node(kind: &'static str) -> Node<'static> {
    let version = Node::string("meta.k8s.io/v1");
    Node::new(Value::Map(vec![
        Entry::new("kind", Node::string(kind)),
        Entry::new("apiVersion", version),
    ]))
}

/// Parses an integer parameter.
pub(crate) fn number(params: &Params, name: &str) -> Result<Option<i64>, StatusError> {
    let Some(text) = params.get(name) else { return Ok(None) };
    let quoted = ratchet_net::Quoted(text);
    let why =
        || StatusError::bad_request(format!("strconv.ParseInt: parsing {quoted}: invalid syntax"));
    text.parse().map(Some).map_err(|_| why())
}

/// Parses a boolean parameter: everything but `0` and `false` is true.
fn is_true(text: &str) -> bool {
    text != "0" && !text.eq_ignore_ascii_case("false")
}

fn unsupported_dry_run(values: &[&str]) -> String {
    let list = Node::list(values.iter().map(|value| Node::string(*value)).collect());
    format!(r#"Unsupported value: {list}: supported values: "All""#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_say_what_they_want() {
        let parse =
            |query| WriteOptions::from_params(&Params::parse(Some(query)), OptionsKind::Create);
        assert_eq!(parse("").unwrap(), WriteOptions::default());
        assert!(parse("dryRun=All&dryRun=All").unwrap().dry_run);
        assert_eq!(parse("fieldValidation=Strict").unwrap().fields, FieldValidation::Strict);
        assert_eq!(
            parse("dryRun=Some").unwrap_err().message,
            r#"CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All""#
        );
        let long = format!("fieldManager={}", "x".repeat(129));
        assert!(parse(&long).is_err());
    }

    #[test]
    fn deletions_say_what_they_want() {
        let parse = |query| DeleteOptions::parse(&Params::parse(Some(query)), None);
        let options = parse("gracePeriodSeconds=5&propagationPolicy=Orphan").unwrap();
        assert_eq!((options.grace, options.propagation), (Some(5), Some(Propagation::Orphan)));
        assert_eq!(
            parse("propagationPolicy=Foo").unwrap_err().message,
            r#"DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil""#
        );
        assert!(parse("propagationPolicy=Orphan&orphanDependents=true").is_err());
    }
}
