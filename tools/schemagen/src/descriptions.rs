//! Prints what k8s-openapi says about every type and field, for people who ask `kubectl explain`.
//!
//! A block a type, sorted by id, a blank line between blocks. The first line of a block is the id and,
//! if there is one, a tab and the text; each further line is a dot, the name of a field, a tab and the text. Newlines,
//! tabs and backslashes in texts are written `\n`, `\t` and `\\`. What nearly all kinds say about a
//! field is said once, in the first block, whose id is `*`.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{DeleteOptions, ListMeta, Patch, Status};
use k8s_openapi::schemars::SchemaGenerator;
use k8s_openapi::serde_json::{Map, Value};

use crate::Error;

/// The fields that all kinds have.
const SHARED: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// A type: its own text, and the texts of its fields by name.
type Texts = (String, BTreeMap<String, String>);

/// The whole file.
pub fn file(definitions: &Map<String, Value>) -> Result<String, Error> {
    let mut types: BTreeMap<&str, Texts> = BTreeMap::new();
    let requests = requests();
    for (id, schema) in definitions.iter().chain(&requests) {
        types.insert(id, texts(schema));
    }
    let shared = shared(&types);
    let mut out = String::new();
    block(&mut out, "*", "", &shared);
    for (id, (text, mut fields)) in types {
        fields.retain(|name, text| shared.get(name) != Some(text));
        out.push('\n');
        block(&mut out, id, &text, &fields);
    }
    Ok(out)
}

/// The types that no kind leads to, but requests and answers do.
fn requests() -> Map<String, Value> {
    let mut generator = SchemaGenerator::default();
    generator.subschema_for::<DeleteOptions>();
    generator.subschema_for::<ListMeta>();
    generator.subschema_for::<Patch>();
    generator.subschema_for::<Status>();
    generator.take_definitions(false)
}

fn texts(schema: &Value) -> Texts {
    let text = |schema: &Value| schema["description"].as_str().unwrap_or_default().to_owned();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let fields = properties.map(|(name, property)| (name.clone(), text(property)));
    (text(schema), fields.filter(|(_, text)| !text.is_empty()).collect())
}

/// The most frequent text of each field that all kinds have.
fn shared(types: &BTreeMap<&str, Texts>) -> BTreeMap<String, String> {
    let mut shared = BTreeMap::new();
    for name in SHARED {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in types.values().filter_map(|(_, fields)| fields.get(name)) {
            *counts.entry(text).or_default() += 1;
        }
        if let Some((text, _)) = counts.into_iter().max_by_key(|(_, count)| *count) {
            shared.insert(name.to_owned(), text.to_owned());
        }
    }
    shared
}

fn block(out: &mut String, id: &str, text: &str, fields: &BTreeMap<String, String>) {
    line(out, id, text);
    for (name, text) in fields {
        out.push('.');
        line(out, name, text);
    }
}

fn line(out: &mut String, name: &str, text: &str) {
    out.push_str(name);
    if !text.is_empty() {
        out.push('\t');
    }
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c => out.push(c),
        }
    }
    out.push('\n');
}
