//! OpenAPI v2 documents in the form of v3, for extension servers that have no other.

use ratchet_object::{Node, Value};
use std::collections::BTreeMap;

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
/// The members of an operation that are the same in both forms.
const OPERATION: [&str; 6] =
    ["tags", "summary", "description", "externalDocs", "operationId", "deprecated"];
const PARAMETER: [&str; 5] = ["name", "in", "description", "required", "allowEmptyValue"];
const SCHEME: [&str; 4] = ["type", "description", "name", "in"];
const FLOW: [&str; 3] = ["authorizationUrl", "tokenUrl", "scopes"];
/// The members of a parameter without a schema that make one.
const SIMPLE_SCHEMA: [&str; 3] = ["type", "format", "uniqueItems"];
/// The members of a schema that are schemas, lists of schemas or booleans.
const SCHEMAS: [&str; 7] =
    ["items", "additionalItems", "additionalProperties", "allOf", "anyOf", "oneOf", "not"];
/// The members of a schema that are schemas by name.
const NAMED_SCHEMAS: [&str; 2] = ["properties", "patternProperties"];
/// Where references of v2 lead, and where those of v3 do.
const DEFINITIONS: (&str, &str) = ("#/definitions/", "#/components/schemas/");
const PARAMETERS: (&str, &str) = ("#/parameters/", "#/components/parameters/");
const RESPONSES: (&str, &str) = ("#/responses/", "#/components/responses/");

/// The document in the form of v3. None if more than so many bytes are in it twice: a schema stands beside each media
/// type, and of these there may be any number.
pub(super) fn from_v2(document: &Node<'_>, repeated: usize) -> Option<String> {
    let mut converter = Converter { left: repeated };
    let mut members = vec![("openapi", "\"3.0.0\"".to_owned())];
    copy(document, &["info", "externalDocs"], &mut members);
    if let Some(paths) = present(document, "paths") {
        members.push(("paths", converter.paths(paths)?));
    }
    members.push(("components", converter.components(document)?));
    Some(object(members))
}

struct Converter {
    /// The bytes that may still be repeated.
    left: usize,
}

impl Converter {
    fn paths(&mut self, paths: &Node<'_>) -> Option<String> {
        let mut members = extensions(paths);
        for entry in paths.entries().iter().filter(|entry| entry.key.starts_with('/')) {
            members.push((&*entry.key, self.path(&entry.node)?));
        }
        Some(object(members))
    }

    fn path(&mut self, item: &Node<'_>) -> Option<String> {
        let mut members = extensions(item);
        copy(item, &["$ref"], &mut members);
        for method in METHODS {
            if let Some(operation) = present(item, method) {
                members.push((method, self.operation(operation)?));
            }
        }
        let parameters: Vec<String> = items(item, "parameters").iter().map(parameter).collect();
        if !parameters.is_empty() {
            members.push(("parameters", list(&parameters)));
        }
        Some(object(members))
    }

    fn operation(&mut self, operation: &Node<'_>) -> Option<String> {
        let mut members = extensions(operation);
        copy(operation, &OPERATION, &mut members);
        let is_body =
            |one: &&Node<'_>| one.text_at(&["name"]) == "body" && present(one, "schema").is_some();
        let given = items(operation, "parameters").iter();
        let (bodies, others): (Vec<_>, Vec<_>) = given.partition(is_body);
        if let Some(schema) = bodies.last().and_then(|body| present(body, "schema")) {
            let content = self.content(schema, present(operation, "consumes"))?;
            members.push(("requestBody", object(content.map(|content| ("content", content)))));
        }
        let others: Vec<String> = others.into_iter().map(parameter).collect();
        if !others.is_empty() {
            members.push(("parameters", list(&others)));
        }
        let produces = present(operation, "produces");
        let mut responses = Vec::new();
        if let Some(given) = present(operation, "responses") {
            responses = extensions(given);
            let is_code = |key: &str| key == "default" || key.parse::<u16>().is_ok();
            for entry in given.entries().iter().filter(|entry| is_code(&entry.key)) {
                responses.push((&*entry.key, self.response(&entry.node, produces)?));
            }
        }
        members.push(("responses", object(responses)));
        Some(object(members))
    }

    fn response(&mut self, response: &Node<'_>, produces: Option<&Node<'_>>) -> Option<String> {
        let mut members = extensions(response);
        members.extend(reference(response, RESPONSES));
        copy(response, &["description"], &mut members);
        if let Some(schema) = present(response, "schema") {
            let content = self.content(schema, produces)?;
            members.extend(content.map(|content| ("content", content)));
        }
        Some(object(members))
    }

    /// A schema beside each media type; `Some(None)` if there is no list of them.
    fn content(&mut self, schema: &Node<'_>, types: Option<&Node<'_>>) -> Option<Option<String>> {
        let Some(types) = types else { return Some(None) };
        let schema = object([("schema", converted(schema).to_json())]);
        let mut members = BTreeMap::new();
        for name in types.items().iter().filter_map(Node::text) {
            self.left = self.left.checked_sub(name.len() + schema.len())?;
            members.insert(name, schema.clone());
        }
        Some(Some(object(members)))
    }

    fn components(&mut self, document: &Node<'_>) -> Option<String> {
        let mut members = Vec::new();
        if let Some(definitions) = present(document, "definitions") {
            let schemas = definitions.entries().iter();
            let schemas = schemas.map(|entry| (&*entry.key, converted(&entry.node).to_json()));
            members.push(("schemas", object(schemas)));
        }
        // The reference refers to these and leaves them out.
        if let Some(parameters) = present(document, "parameters") {
            let all = parameters.entries().iter();
            let all = all.map(|entry| (&*entry.key, parameter(&entry.node)));
            members.push(("parameters", object(all)));
        }
        if let Some(responses) = present(document, "responses") {
            let produces = present(document, "produces");
            let mut all = Vec::new();
            for entry in responses.entries() {
                all.push((&*entry.key, self.response(&entry.node, produces)?));
            }
            members.push(("responses", object(all)));
        }
        if let Some(schemes) = present(document, "securityDefinitions") {
            let all = schemes.entries().iter();
            let all = all.map(|entry| (&*entry.key, security_scheme(&entry.node)));
            members.push(("securitySchemes", object(all)));
        }
        Some(object(members))
    }
}

fn parameter(parameter: &Node<'_>) -> String {
    if let Some(reference) = reference(parameter, PARAMETERS) {
        return object([reference]);
    }
    let mut members = extensions(parameter);
    copy(parameter, &PARAMETER, &mut members);
    let schema = match present(parameter, "schema") {
        Some(schema) => converted(schema).to_json(),
        None => {
            let mut simple = Vec::new();
            copy(parameter, &SIMPLE_SCHEMA, &mut simple);
            object(simple)
        }
    };
    members.push(("schema", schema));
    object(members)
}

fn security_scheme(scheme: &Node<'_>) -> String {
    let mut members = extensions(scheme);
    copy(scheme, &SCHEME, &mut members);
    let flow = scheme.text_at(&["flow"]);
    if !flow.is_empty() {
        let mut given = Vec::new();
        copy(scheme, &FLOW, &mut given);
        members.push(("flows", object([(flow, object(given))])));
    }
    object(members)
}

/// A schema whose references lead to the components of v3. A reference that has siblings, which v3 does not allow, is
/// wrapped.
fn converted(schema: &Node<'_>) -> Node<'static> {
    let mut schema = schema.clone().into_owned();
    convert(&mut schema);
    schema
}

fn convert(schema: &mut Node<'static>) {
    for name in SCHEMAS {
        let Some(member) = schema.get_mut(name) else { continue };
        match &mut member.value {
            Value::List(items) => items.iter_mut().for_each(convert),
            Value::Map(_) => convert(member),
            _ => {}
        }
    }
    for name in NAMED_SCHEMAS {
        let entries = schema.get_mut(name).and_then(Node::entries_mut);
        for entry in entries.into_iter().flatten() {
            convert(&mut entry.node);
        }
    }
    let Some(text) = schema.get("$ref").and_then(Node::text) else { return };
    let (from, to) = DEFINITIONS;
    let reference = match text.find(from).and_then(|at| text.get(at + from.len()..)) {
        Some(name) => Node::string(format!("{to}{name}")),
        None => Node::string(text.to_owned()),
    };
    if schema.entries().len() == 1 {
        schema.set("$ref", reference);
    } else {
        schema.remove("$ref");
        schema.set("allOf", Node::list(vec![Node::map([("$ref", reference)])]));
    }
}

/// The reference of a value, if it is one.
fn reference(node: &Node<'_>, (from, to): (&str, &str)) -> Option<(&'static str, String)> {
    let text = node.get("$ref").and_then(Node::text).filter(|text| !text.is_empty())?;
    Some(("$ref", Node::string(text.replacen(from, to, 1)).to_json()))
}

fn present<'n, 't>(node: &'n Node<'t>, name: &str) -> Option<&'n Node<'t>> {
    node.get(name).filter(|member| !member.is_null())
}

fn items<'n, 't>(node: &'n Node<'t>, name: &str) -> &'n [Node<'t>] {
    node.get(name).map(Node::items).unwrap_or_default()
}

fn copy<'n>(node: &Node<'_>, names: &[&'n str], members: &mut Vec<(&'n str, String)>) {
    let given = names.iter().filter_map(|name| Some((*name, present(node, name)?.to_json())));
    members.extend(given);
}

/// The members that the specification leaves to others.
fn extensions<'n>(node: &'n Node<'_>) -> Vec<(&'n str, String)> {
    let all = node.entries().iter().filter(|entry| entry.key.starts_with("x-"));
    all.map(|entry| (&*entry.key, entry.node.to_json())).collect()
}

fn object<'n>(members: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let mut out = String::from("{");
    for (name, json) in members {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&Node::string(name.to_owned()).to_json());
        out.push(':');
        out.push_str(&json);
    }
    out.push('}');
    out
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn assert_converts(v2: &str, v3: &str) {
        let converted = from_v2(&node(v2), 1 << 20).unwrap();
        let sorted = |text: &str| sort(node(text)).to_json();
        assert_eq!(sorted(&converted), sorted(v3));
    }

    fn sort(mut node: Node<'static>) -> Node<'static> {
        match &mut node.value {
            Value::Map(entries) => {
                entries.sort_by(|one, other| one.key.cmp(&other.key));
                for entry in entries {
                    entry.node = sort(std::mem::replace(&mut entry.node, Node::empty_map()));
                }
            }
            Value::List(items) => {
                *items = std::mem::take(items).into_iter().map(sort).collect();
            }
            _ => {}
        }
        node
    }

    #[test]
    fn operations_get_bodies_and_contents() {
        assert_converts(
            r##"{"swagger":"2.0","info":{"title":"t","version":"1"},"host":"x","paths":{"/a":{
                "parameters":[{"name":"ns","in":"path","required":true,"type":"string","uniqueItems":true},{"$ref":"#/parameters/p"}],
                "post":{"operationId":"o","consumes":["*/*"],"produces":["a/b","c/d"],"schemes":["https"],
                    "x-kubernetes-action":"post","security":[],
                    "parameters":[{"name":"body","in":"body","schema":{"$ref":"#/definitions/X"}},
                        {"name":"dry","in":"query","type":"string","description":"d"}],
                    "responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/X"}},"401":{"description":"no"},
                        "odd":{}}}}},
                "parameters":{"p":{"name":"p","in":"query","type":"boolean"}},
                "securityDefinitions":{"B":{"type":"apiKey","name":"authorization","in":"header"}},
                "definitions":{"X":{"type":"object"}}}"##,
            r##"{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{"/a":{
                "parameters":[{"name":"ns","in":"path","required":true,"schema":{"type":"string","uniqueItems":true}},
                    {"$ref":"#/components/parameters/p"}],
                "post":{"operationId":"o","x-kubernetes-action":"post",
                    "requestBody":{"content":{"*/*":{"schema":{"$ref":"#/components/schemas/X"}}}},
                    "parameters":[{"name":"dry","in":"query","description":"d","schema":{"type":"string"}}],
                    "responses":{"200":{"description":"OK","content":{"a/b":{"schema":{"$ref":"#/components/schemas/X"}},
                        "c/d":{"schema":{"$ref":"#/components/schemas/X"}}}},"401":{"description":"no"}}}}},
                "components":{"schemas":{"X":{"type":"object"}},
                    "parameters":{"p":{"name":"p","in":"query","schema":{"type":"boolean"}}},
                    "securitySchemes":{"B":{"type":"apiKey","name":"authorization","in":"header"}}}}"##,
        );
    }

    #[test]
    fn references_are_alone_and_lead_to_components() {
        assert_converts(
            r##"{"definitions":{"X":{"type":"object","default":{"$ref":"#/definitions/no"},"properties":{
                "a":{"$ref":"#/definitions/Y"},"b":{"description":"b","$ref":"#/definitions/Y"},
                "c":{"type":"array","items":{"default":{},"$ref":"#/definitions/Y"}},
                "d":{"additionalProperties":{"$ref":"#/definitions/Y"}},"e":{"additionalProperties":true}},
                "x-kubernetes-group-version-kind":[{"group":"g","version":"v","kind":"K"}]}}}"##,
            r##"{"openapi":"3.0.0","components":{"schemas":{"X":{"type":"object","default":{"$ref":"#/definitions/no"},"properties":{
                "a":{"$ref":"#/components/schemas/Y"},"b":{"description":"b","allOf":[{"$ref":"#/components/schemas/Y"}]},
                "c":{"type":"array","items":{"default":{},"allOf":[{"$ref":"#/components/schemas/Y"}]}},
                "d":{"additionalProperties":{"$ref":"#/components/schemas/Y"}},"e":{"additionalProperties":true}},
                "x-kubernetes-group-version-kind":[{"group":"g","version":"v","kind":"K"}]}}}}"##,
        );
    }

    #[test]
    fn a_document_that_would_swell_is_refused() {
        let types: Vec<String> = (0..1000).map(|number| format!("\"t/{number}\"")).collect();
        let description = "d".repeat(10_000);
        let text = format!(
            r#"{{"paths":{{"/a":{{"get":{{"produces":[{}],"responses":{{"200":{{"schema":{{"description":"{description}"}}}}}}}}}}}}}}"#,
            types.join(",")
        );
        assert_eq!(from_v2(&node(&text), 1 << 20), None);
        assert!(from_v2(&node(&text), 16 << 20).is_some());
    }

    #[test]
    fn odd_documents_do_no_harm() {
        for text in [
            "{}",
            "[]",
            r#""x""#,
            r#"{"paths":[],"definitions":3}"#,
            r#"{"paths":{"/a":{"get":{"parameters":{},"responses":[]}},"/b":null,"c":{}}}"#,
            r#"{"paths":{"/a":{"get":{"parameters":[1,null,"x"],"produces":[3],"responses":{"200":7}}}}}"#,
            r#"{"definitions":{"X":[{"$ref":1}],"Y":{"items":4,"properties":[1],"allOf":{}}}}"#,
        ] {
            let converted = from_v2(&node(text), 1 << 20).unwrap();
            assert!(decode(&converted, Limits::DEFAULT).is_ok(), "{converted}");
        }
    }
}
