//! A server of definitions and custom objects: no network, no store, no clock.

use super::json;
use super::objects::Target;
use ratchet_crd::definition::{
    CustomResourceDefinition, prepare_for_create, prepare_for_delete, prepare_for_status_update,
    prepare_for_update, sync_status,
};
use ratchet_crd::{CustomResource, Environments, validate_definition};
use ratchet_engine::{
    ApiConfig, Behavior, Change, Facts, Part, Release, Status, Verdict, judge, warning_texts,
};
use ratchet_object::patch::{json_patch, merge_patch};
use ratchet_object::{
    Node, Object, ViolationKind, canonicalize, defaults, prune, schema, schema_violations,
};
use std::collections::BTreeMap;

pub(crate) const NOW: &str = "2026-01-02T03:04:05Z";

pub(super) const URL: &str = "checks of URLs and resource versions";

/// What a request is answered with.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) message: String,
    pub(crate) causes: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) object: Option<Node<'static>>,
}

impl Answer {
    pub(super) fn bad_request(message: String) -> Self {
        Self { code: 400, message, ..Self::default() }
    }

    pub(super) fn invalid(status: &Status, warnings: Vec<String>) -> Self {
        let causes = status.causes.iter();
        let causes =
            causes.map(|cause| format!("{}|{}|{}", cause.field, cause.reason, cause.message));
        Self {
            code: status.code,
            message: status.message.clone(),
            causes: causes.collect(),
            warnings,
            object: None,
        }
    }
}

/// Why a request cannot be replayed here.
pub(super) type Unable = &'static str;

#[derive(Default)]
pub(crate) struct Server {
    pub(super) definitions: BTreeMap<String, Node<'static>>,
    /// By group and plural.
    resources: BTreeMap<(String, String), CustomResource>,
    /// Stored objects, by their paths without the version.
    pub(super) objects: BTreeMap<String, Node<'static>>,
    kept: BTreeMap<String, Node<'static>>,
}

impl Server {
    /// Answers a request, whose answer had this code when it was recorded.
    pub(crate) fn request(&mut self, step: &Node<'_>, code: i64) -> Result<Answer, Unable> {
        let path = step.text_at(&["path"]).to_owned();
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        if code != 200 && matches!(segments.as_slice(), ["apis", _] | ["apis", _, _]) {
            return Err("answers of the store and of other plugins");
        }
        let [_, group, version, rest @ ..] = segments.as_slice() else {
            return self.document(&segments);
        };
        if step.get("observe").is_some_and(|paths| paths.to_json().contains("/paths/")) {
            return Err("paths of OpenAPI");
        }
        if rest.is_empty() || segments.first() == Some(&"openapi") {
            return self.document(&segments);
        }
        let is_ours = matches!(code, 200 | 201 | 422) || (code == 500 && rest.contains(&"scale"));
        let is_decoding = code == 400 && step.text_at(&["path"]).contains("widgets");
        if !is_ours && !is_decoding && code != 400 {
            return Err("answers of the store and of other plugins");
        }
        if *group == "apiextensions.k8s.io" {
            let (name, subresource) = (rest.get(1).copied(), rest.get(2).copied());
            return self.definition(step, name, subresource);
        }
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] => (Some(*namespace), rest),
            rest => (None, rest),
        };
        let [plural, rest @ ..] = rest else { return Err("other documents") };
        let key = format!("{group}/{plural}/{}", namespace.unwrap_or_default());
        let target = Target {
            version,
            namespace,
            name: rest.first().copied(),
            subresource: rest.get(1).copied(),
            key,
        };
        let id = ((*group).to_owned(), (*plural).to_owned());
        let Some(resource) = self.resources.remove(&id) else { return Err("other kinds") };
        let answer = self.custom(&resource, step, &target);
        self.resources.insert(id, resource);
        answer
    }

    pub(super) fn body(&self, step: &Node<'_>) -> Result<Node<'static>, Unable> {
        if let Some(raw) = step.get("raw").and_then(Node::text) {
            return ratchet_object::decode(raw, ratchet_object::Limits::DEFAULT)
                .ok()
                .and_then(|mut decoded| decoded.documents.pop())
                .map(Node::into_owned)
                .ok_or("bodies that cannot be read");
        }
        if let Some(base) = step.get("base").and_then(Node::text) {
            let mut object = self.kept.get(base).ok_or("bodies that were not kept")?.clone();
            for entry in step.get("edit").map(Node::entries).unwrap_or_default() {
                let text = match entry.node.is_null() {
                    true => format!(r#"[{{"op":"remove","path":{:?}}}]"#, entry.key),
                    false => format!(
                        r#"[{{"op":"add","path":{:?},"value":{}}}]"#,
                        entry.key,
                        entry.node.to_json()
                    ),
                };
                object = json_patch(object, &json(&text)).map_err(|_| "edits")?;
            }
            return Ok(object);
        }
        Ok(step.get("body").ok_or("no body")?.clone().into_owned())
    }

    /// The object that a PUT or PATCH proposes for a stored one.
    pub(super) fn proposed(
        &self,
        step: &Node<'_>,
        old: &Node<'_>,
    ) -> Result<Node<'static>, Unable> {
        let body = self.body(step)?;
        if step.text_at(&["method"]) == "PUT" {
            return Ok(body);
        }
        let old = old.clone().into_owned();
        match step.text_at(&["contentType"]) {
            "application/merge-patch+json" => {
                merge_patch(old, &body).map_err(|_| "failing patches")
            }
            "application/json-patch+json" => json_patch(old, &body).map_err(|_| "failing patches"),
            _ => Err("other patches"),
        }
    }

    pub(super) fn keep(&mut self, step: &Node<'_>, object: &Node<'_>) {
        if let Some(name) = step.get("keep").and_then(Node::text) {
            self.kept.insert(name.to_owned(), object.clone().into_owned());
        }
    }

    fn definition(
        &mut self,
        step: &Node<'_>,
        name: Option<&str>,
        subresource: Option<&str>,
    ) -> Result<Answer, Unable> {
        if step.get("headers").is_some() {
            return Err("tables of definitions");
        }
        let old = name.and_then(|name| self.definitions.get(name)).cloned();
        let method = step.text_at(&["method"]);
        let mut new = match (method, &old) {
            ("GET", Some(old)) => {
                self.keep(step, old);
                return Ok(Answer { code: 200, object: Some(old.clone()), ..Answer::default() });
            }
            ("DELETE", Some(old)) => {
                let mut old = old.clone();
                prepare_for_delete(&mut old, NOW);
                let group = old.text_at(&["spec", "group"]).to_owned();
                self.definitions.remove(name.unwrap_or_default());
                self.objects.retain(|key, _| !key.starts_with(&group));
                self.sync();
                return Ok(Answer { code: 200, object: Some(old), ..Answer::default() });
            }
            ("POST", None) => self.body(step)?,
            ("PUT" | "PATCH", Some(old)) => self.proposed(step, old)?,
            _ => return Err("definitions that do not exist"),
        };
        let is_named = name.is_none_or(|name| new.text_at(&["metadata", "name"]) == name);
        if !is_named || lacks_version(step) {
            return Err(URL);
        }
        let validation = step.text_at(&["query", "fieldValidation"]);
        let violations = schema_violations(&Object::new(new.clone()));
        if violations.iter().any(|found| matches!(found.kind, ViolationKind::WrongType(_))) {
            return Ok(Answer::bad_request(String::new()));
        }
        let unknown = violations.iter().map(|found| format!("unknown field \"{}\"", found.path));
        let unknown: Vec<String> = unknown.collect();
        if validation == "Strict" && !unknown.is_empty() {
            let message = "CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: strict decoding error: ";
            return Ok(Answer::bad_request(message.to_owned() + &unknown.join(", ")));
        }
        let is_definition = |row: &&schema::KindRow| row.kind == "CustomResourceDefinition";
        let row = schema::KINDS.iter().find(is_definition).ok_or("other kinds")?;
        prune(&mut new, row.ty);
        defaults::apply("apiextensions.k8s.io", "v1", "CustomResourceDefinition", &mut new);
        match (&old, subresource) {
            (None, _) => prepare_for_create(&mut new),
            (Some(old), None) => prepare_for_update(&mut new, old),
            (Some(old), Some(_)) => prepare_for_status_update(&mut new, old),
        }
        let (new, old) = (Object::new(new), old.map(Object::new));
        let change = match &old {
            Some(old) => Change::update(old, &new),
            None => Change::create(&new),
        };
        let part = subresource.map_or(Part::Main, |_| Part::STATUS);
        let change = change.ok_or("other kinds")?.through(part);
        let config = config();
        let mut verdict = judge(&change, &Facts::default(), &config);
        validate_definition(&change, &config, &mut verdict);
        let mut warnings = if validation == "Ignore" { Vec::new() } else { unknown };
        warnings.extend(texts(&verdict));
        if let Some(status) = Status::of(&verdict, &change) {
            return Ok(Answer::invalid(&status, warnings));
        }
        let mut new = new.into_node();
        canonicalize(&mut new, row.ty);
        self.keep(step, &new);
        if step.find(&["query", "dryRun"]).is_none() {
            self.definitions.insert(new.text_at(&["metadata", "name"]).to_owned(), new.clone());
            self.sync();
        }
        let code = if method == "POST" { 201 } else { 200 };
        Ok(Answer { code, warnings, object: Some(new), ..Answer::default() })
    }

    /// Does what the controllers of definitions do.
    fn sync(&mut self) {
        let names: Vec<String> = self.definitions.keys().cloned().collect();
        for name in names {
            let view = |node: &Node<'_>| CustomResourceDefinition::from_node(node);
            let others: Vec<CustomResourceDefinition> =
                self.definitions.values().map(view).collect();
            let node = self.definitions.get_mut(&name).unwrap();
            sync_status(node, &others, true, NOW);
        }
        let environments = Environments::of_release(36);
        let resources =
            self.definitions.values().map(|node| CustomResource::compile(node, &environments));
        let id = |resource: &CustomResource| {
            (resource.definition.group.clone(), resource.definition.names.plural.clone())
        };
        self.resources = resources
            .filter(|resource| resource.definition.is_established())
            .map(|resource| (id(&resource), resource))
            .collect();
    }
}

/// Whether a PUT does not say which version of the object it replaces.
pub(super) fn lacks_version(step: &Node<'_>) -> bool {
    let version = step.text_at(&["body", "metadata", "resourceVersion"]);
    step.text_at(&["method"]) == "PUT" && step.get("base").is_none() && version.is_empty()
}

pub(super) fn config() -> ApiConfig {
    ApiConfig::of(Release::REFERENCE, Behavior::Released)
}

pub(super) fn texts(verdict: &Verdict) -> Vec<String> {
    let texts: Vec<&str> = verdict.warnings.iter().map(|warning| warning.text.as_str()).collect();
    warning_texts(&texts)
}
