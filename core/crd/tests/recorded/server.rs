//! A server of definitions and custom objects: no network, no store, no clock.

use super::json;
use ratchet_crd::definition::{
    CustomResourceDefinition, prepare_for_create, prepare_for_delete, prepare_for_status_update,
    prepare_for_update, sync_status,
};
use ratchet_crd::{CustomResource, Environments, Strategy, validate_definition};
use ratchet_engine::{
    ApiConfig, Behavior, Change, Facts, Part, Release, Status, Step, Verdict, judge,
    warning_texts,
};
use ratchet_object::patch::{json_patch, merge_patch};
use ratchet_object::{Node, Object, ViolationKind, canonicalize, defaults, prune, schema, schema_violations};
use std::collections::BTreeMap;

pub(crate) const NOW: &str = "2026-01-02T03:04:05Z";

const URL: &str = "checks of URLs and resource versions";

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
    fn bad_request(message: String) -> Self {
        Self { code: 400, message, ..Self::default() }
    }

    fn invalid(status: &Status, warnings: Vec<String>) -> Self {
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
type Unable = &'static str;

#[derive(Default)]
pub(crate) struct Server {
    definitions: BTreeMap<String, Node<'static>>,
    /// By group and plural.
    resources: BTreeMap<(String, String), CustomResource>,
    /// Stored objects, by their paths without the version.
    objects: BTreeMap<String, Node<'static>>,
    kept: BTreeMap<String, Node<'static>>,
}

/// The parts of a path of a custom object.
struct Target<'p> {
    version: &'p str,
    namespace: Option<&'p str>,
    name: Option<&'p str>,
    subresource: Option<&'p str>,
    /// The path without the version and the subresource.
    key: String,
}

impl Server {
    /// Answers a request, whose answer had this code when it was recorded.
    pub(crate) fn request(&mut self, step: &Node<'_>, code: i64) -> Result<Answer, Unable> {
        let path = step.text_at(&["path"]).to_owned();
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let [_, group, version, rest @ ..] = segments.as_slice() else { return Err("discovery") };
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
        let [plural, rest @ ..] = rest else { return Err("discovery") };
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

    fn body(&self, step: &Node<'_>) -> Result<Node<'static>, Unable> {
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
    fn proposed(&self, step: &Node<'_>, old: &Node<'_>) -> Result<Node<'static>, Unable> {
        let body = self.body(step)?;
        if step.text_at(&["method"]) == "PUT" {
            return Ok(body);
        }
        let old = old.clone().into_owned();
        match step.text_at(&["contentType"]) {
            "application/merge-patch+json" => merge_patch(old, &body).map_err(|_| "failing patches"),
            "application/json-patch+json" => json_patch(old, &body).map_err(|_| "failing patches"),
            _ => Err("other patches"),
        }
    }

    fn keep(&mut self, step: &Node<'_>, object: &Node<'_>) {
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

    fn custom(
        &mut self,
        resource: &CustomResource,
        step: &Node<'_>,
        target: &Target<'_>,
    ) -> Result<Answer, Unable> {
        let strategy = resource.strategy(target.version).ok_or("versions that are not served")?;
        let version = resource.definition.version(target.version);
        let deprecation = version.and_then(|version| resource.definition.deprecation_warning(version));
        let mut warnings: Vec<String> = deprecation.into_iter().collect();
        let method = step.text_at(&["method"]);
        let Some(name) = target.name else {
            return match method {
                "GET" => self.list(resource, strategy, step, target, warnings),
                "POST" => self.create(resource, strategy, step, target, warnings),
                _ => Err("deletion of collections"),
            };
        };
        let key = format!("{}/{name}", target.key);
        let stored = self.objects.get(&key).ok_or("objects that do not exist")?.clone();
        let mut old = stored;
        resource.from_storage(&mut old, target.version).map_err(|_| "conversion")?;
        if method == "DELETE" {
            self.objects.remove(&key);
            return Err("deletion");
        }
        if method == "GET" {
            if let Some(accept) = step.find(&["headers", "Accept"]).and_then(Node::text) {
                if !accept.contains("as=Table") || target.subresource.is_some() {
                    return Err("other views of objects");
                }
                return Ok(table(strategy, &[old], warnings));
            }
            let object = match target.subresource {
                Some("scale") => match strategy.read_scale(&old).ok_or("no scale")? {
                    Ok(scale) => scale,
                    Err(error) => {
                        let message = format!("Internal error occurred: {error}");
                        let causes = vec![format!("||{error}")];
                        return Ok(Answer { code: 500, message, causes, warnings, object: None });
                    }
                },
                _ => old,
            };
            self.keep(step, &object);
            return Ok(Answer { code: 200, warnings, object: Some(object), ..Answer::default() });
        }
        let is_scale = target.subresource == Some("scale");
        let mut new = if is_scale {
            let (_, scale) = strategy.scale_of(&old).ok_or("no scale")?.map_err(|_| "scale")?;
            let scale = self.proposed(step, &scale)?;
            if scale.text_at(&["metadata", "name"]) != name {
                return Err(URL);
            }
            if scale.text_at(&["kind"]) != "Scale" || scale.find(&["spec", "replicas"]).is_some_and(|node| node.as_int().is_none()) {
                return Err("scales that cannot be decoded");
            }
            let mut new = old.clone();
            strategy.write_scale(&mut new, &scale);
            new
        } else {
            self.proposed(step, &old)?
        };
        let is_addressed = new.text_at(&["apiVersion"]) == strategy.api_version()
            && new.text_at(&["metadata", "name"]) == name;
        if !is_addressed || (lacks_version(step) && !is_scale) {
            return Err(URL);
        }
        if let Err(answer) = decode(strategy, &mut new, step, &mut warnings) {
            return Ok(answer);
        }
        strategy.apply_defaults(&mut new);
        let is_status = target.subresource == Some("status");
        match is_status {
            true => strategy.prepare_for_status_update(&mut new, &old),
            false => strategy.prepare_for_update(&mut new, &old),
        }
        if let Some(namespace) = target.namespace {
            new.map_mut("metadata").set("namespace", Node::string(namespace.to_owned()));
        }
        let (new, old) = (Object::new(new), Object::new(old));
        let part = if is_status { Part::STATUS } else { Part::Main };
        let change = Change { kind: strategy.kind(new.node()), part, step: Step::Update { old: &old, new: &new } };
        let mut verdict = judge(&change, &Facts::default(), &config());
        match is_status {
            true => strategy.validate_status_update(new.node(), old.node(), &mut verdict),
            false => strategy.validate_update(new.node(), old.node(), &mut verdict),
        }
        warnings.extend(texts(&verdict));
        if let Some(status) = Status::of(&verdict, &change) {
            return Ok(Answer::invalid(&status, warnings));
        }
        let mut new = new.into_node();
        let mut answer = self.store(resource, step, target, key, &mut new, warnings)?;
        answer.code = 200;
        if is_scale {
            let scale = strategy.read_scale(&new).and_then(Result::ok);
            answer.object = Some(scale.ok_or("no scale")?);
        }
        Ok(answer)
    }

    fn create(
        &mut self,
        resource: &CustomResource,
        strategy: &Strategy,
        step: &Node<'_>,
        target: &Target<'_>,
        mut warnings: Vec<String>,
    ) -> Result<Answer, Unable> {
        let mut new = self.body(step)?;
        let given = new.text_at(&["apiVersion"]);
        if given.is_empty() || (given != strategy.api_version() && given.starts_with(&strategy.group)) {
            return Err(URL);
        }
        if let Err(answer) = decode(strategy, &mut new, step, &mut warnings) {
            return Ok(answer);
        }
        strategy.apply_defaults(&mut new);
        strategy.prepare_for_create(&mut new);
        for name in ["selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"] {
            new.map_mut("metadata").remove(name);
        }
        let prefix = new.text_at(&["metadata", "generateName"]).to_owned();
        if new.text_at(&["metadata", "name"]).is_empty() && !prefix.is_empty() {
            new.map_mut("metadata").set("name", Node::string(prefix + "abcde"));
        }
        if let Some(namespace) = target.namespace {
            let given = new.text_at(&["metadata", "namespace"]);
            if !given.is_empty() && given != namespace {
                return Err(URL);
            }
            new.map_mut("metadata").set("namespace", Node::string(namespace.to_owned()));
        }
        let new = Object::new(new);
        let change = Change { kind: strategy.kind(new.node()), part: Part::Main, step: Step::Create { new: &new } };
        let mut verdict = judge(&change, &Facts::default(), &config());
        strategy.validate(new.node(), &mut verdict);
        warnings.extend(texts(&verdict));
        if let Some(status) = Status::of(&verdict, &change) {
            return Ok(Answer::invalid(&status, warnings));
        }
        let key = format!("{}/{}", target.key, new.name());
        if self.objects.contains_key(&key) {
            return Err("objects that exist");
        }
        let mut new = new.into_node();
        self.store(resource, step, target, key, &mut new, warnings)
    }

    /// Stores an object, and answers with it.
    fn store(
        &mut self,
        resource: &CustomResource,
        step: &Node<'_>,
        target: &Target<'_>,
        key: String,
        object: &mut Node<'static>,
        warnings: Vec<String>,
    ) -> Result<Answer, Unable> {
        resource.to_storage(object).map_err(|_| "conversion")?;
        // The storage writes JSON, in which whole numbers are integers.
        *object = json(&object.to_json());
        if step.find(&["query", "dryRun"]).is_none() {
            self.objects.insert(key, object.clone());
        }
        resource.from_storage(object, target.version).map_err(|_| "conversion")?;
        self.keep(step, object);
        if step.text_at(&["headers", "Accept"]).contains("as=Table") {
            let strategy = resource.strategy(target.version).ok_or("conversion")?;
            return Ok(Answer { code: 201, ..table(strategy, &[object.clone()], warnings) });
        }
        let object = Some(object.clone());
        Ok(Answer { code: 201, warnings, object, ..Answer::default() })
    }

    fn list(
        &self,
        resource: &CustomResource,
        strategy: &Strategy,
        step: &Node<'_>,
        target: &Target<'_>,
        warnings: Vec<String>,
    ) -> Result<Answer, Unable> {
        let query = step.get("query");
        let known = ["fieldSelector"];
        if query.map(Node::entries).unwrap_or_default().iter().any(|entry| !known.contains(&&*entry.key)) {
            return Err("lists with other options");
        }
        let mut items = Vec::new();
        for (key, stored) in &self.objects {
            if !key.starts_with(&target.key) {
                continue;
            }
            let mut object = stored.clone();
            resource.from_storage(&mut object, target.version).map_err(|_| "conversion")?;
            items.push(object);
        }
        let selector = step.text_at(&["query", "fieldSelector"]);
        for demand in selector.split(',').filter(|demand| !demand.is_empty()) {
            let (field, is_equal, value) = match demand.split_once("!=") {
                Some((field, value)) => (field, false, value),
                None => {
                    let (field, value) = demand.split_once('=').ok_or("selectors")?;
                    (field, true, value.trim_start_matches('='))
                }
            };
            if ["metadata.name", "metadata.namespace"].contains(&field) {
                items.retain(|item| (item.text_at(&["metadata", &field[9..]]) == value) == is_equal);
                continue;
            }
            if !strategy.is_selectable(field) {
                return Ok(Answer::bad_request(format!("field label not supported: {field}")));
            }
            items.retain(|item| {
                let mut fields = strategy.selectable_fields(item);
                let found = fields.find(|(name, _)| *name == field);
                found.is_some_and(|(_, text)| (text == value) == is_equal)
            });
        }
        match step.text_at(&["headers", "Accept"]) {
            "" => {}
            accept if accept.contains("as=Table") => return Ok(table(strategy, &items, warnings)),
            _ => return Err("other views of objects"),
        }
        let list = Node::map([
            ("apiVersion", Node::string(strategy.api_version())),
            ("kind", Node::string(resource.definition.names.list_kind.clone())),
            ("metadata", Node::map([("continue", Node::string(""))])),
            ("items", Node::list(items)),
        ]);
        Ok(Answer { code: 200, warnings, object: Some(list), ..Answer::default() })
    }
}

/// Whether a PUT does not say which version of the object it replaces.
fn lacks_version(step: &Node<'_>) -> bool {
    let version = step.text_at(&["body", "metadata", "resourceVersion"]);
    step.text_at(&["method"]) == "PUT" && step.get("base").is_none() && version.is_empty()
}

fn config() -> ApiConfig {
    ApiConfig::of(Release::REFERENCE, Behavior::Released)
}

fn texts(verdict: &Verdict) -> Vec<String> {
    let texts: Vec<&str> = verdict.warnings.iter().map(|warning| warning.text.as_str()).collect();
    warning_texts(&texts)
}

/// Decodes an object as the request wants unknown fields treated.
fn decode(
    strategy: &Strategy,
    object: &mut Node<'_>,
    step: &Node<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), Answer> {
    let (kind, version) = (&strategy.kind, &strategy.version);
    let refused = |error: String| {
        Answer::bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {error}"))
    };
    let unknown = strategy.decode(object).map_err(|error| refused(error.to_string()))?;
    let unknown: Vec<String> =
        unknown.iter().map(|path| format!("unknown field \"{path}\"")).collect();
    match step.text_at(&["query", "fieldValidation"]) {
        "Ignore" => {}
        "Strict" if !unknown.is_empty() && step.text_at(&["method"]) == "PATCH" => {
            return Err(Answer { code: 422, ..Answer::default() });
        }
        "Strict" if !unknown.is_empty() => {
            return Err(refused(format!("strict decoding error: {}", unknown.join(", "))));
        }
        _ => warnings.extend(unknown),
    }
    Ok(())
}

fn table(strategy: &Strategy, items: &[Node<'_>], warnings: Vec<String>) -> Answer {
    let columns = strategy.columns().into_iter().map(|column| {
        Node::map([
            ("name", Node::string(column.name)),
            ("type", Node::string(column.column_type)),
            ("format", Node::string(column.format)),
            ("description", Node::string(column.description)),
            ("priority", Node::int(column.priority)),
        ])
    });
    let columns: Vec<Node<'static>> = columns.collect();
    let rows = items.iter().map(|item| {
        let cells = strategy.cells(item, |time| (time.len() > 5).then(|| "0s".to_owned()));
        let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
        let metadata = item.get("metadata").unwrap().clone().into_owned();
        let object =
            Node::map([("kind", Node::string("PartialObjectMetadata")), ("metadata", metadata)]);
        Node::map([("cells", json(&format!("[{}]", cells.join(",")))), ("object", object)])
    });
    let rows: Vec<Node<'static>> = rows.collect();
    let table = Node::map([
        ("apiVersion", Node::string("meta.k8s.io/v1")),
        ("kind", Node::string("Table")),
        ("columnDefinitions", Node::list(columns)),
        ("rows", Node::list(rows)),
    ]);
    Answer { code: 200, warnings, object: Some(table), ..Answer::default() }
}
