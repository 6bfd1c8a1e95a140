//! Requests for custom objects.

use super::documents::table;
use super::json;
use super::server::{Answer, Server, URL, Unable, config, lacks_version, texts};
use ratchet_crd::{CustomResource, Strategy};
use ratchet_engine::{Change, Facts, Part, Status, Step, judge};
use ratchet_object::{Node, Object};

/// The parts of a path of a custom object.
pub(super) struct Target<'p> {
    pub(super) version: &'p str,
    pub(super) namespace: Option<&'p str>,
    pub(super) name: Option<&'p str>,
    pub(super) subresource: Option<&'p str>,
    /// The path without the version and the subresource.
    pub(super) key: String,
}

impl Server {
    pub(super) fn custom(
        &mut self,
        resource: &CustomResource,
        step: &Node<'_>,
        target: &Target<'_>,
    ) -> Result<Answer, Unable> {
        let strategy = resource.strategy(target.version).ok_or("versions that are not served")?;
        let version = resource.definition.version(target.version);
        let deprecation =
            version.and_then(|version| resource.definition.deprecation_warning(version));
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
            if scale.text_at(&["kind"]) != "Scale"
                || scale.find(&["spec", "replicas"]).is_some_and(|node| node.as_int().is_none())
            {
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
        let change = Change {
            kind: strategy.kind(new.node()),
            part,
            step: Step::Update { old: &old, new: &new },
        };
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
        if given.is_empty()
            || (given != strategy.api_version() && given.starts_with(&strategy.group))
        {
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
        let change = Change {
            kind: strategy.kind(new.node()),
            part: Part::Main,
            step: Step::Create { new: &new },
        };
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
            return Ok(Answer {
                code: 201,
                ..table(strategy, std::slice::from_ref(object), warnings)
            });
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
        if query
            .map(Node::entries)
            .unwrap_or_default()
            .iter()
            .any(|entry| !known.contains(&&*entry.key))
        {
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
                items
                    .retain(|item| (item.text_at(&["metadata", &field[9..]]) == value) == is_equal);
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

/// Decodes an object as the request wants unknown fields treated.
fn decode(
    strategy: &Strategy,
    object: &mut Node<'_>,
    step: &Node<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), Answer> {
    let (kind, version) = (&strategy.kind, &strategy.version);
    let refused = |error: String| {
        Answer::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: {error}"
        ))
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
