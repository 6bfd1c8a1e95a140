//! Fuzz target `request`: a body is decoded, patched or applied, defaulted, validated, stored, decoded again and encoded in every
//! format.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_apply::{Applied, ApplyOptions, BuiltInKind, FieldManager, set_managed_fields};
use ratchet_cel::{Activation, Budget, Environment, Program, Type, Value as Expressed};
use ratchet_engine::{
    ApiConfig, Behavior, Change, Facts, Namespace, Part, Release, Status, Step, judge,
};
use ratchet_fuzz::tree;
use ratchet_object::patch::{json_patch, merge_patch, strategic_merge};
use ratchet_object::{
    GroupVersionKind, Limits, Node, Object, Value, canonicalize, decode, decode_json,
    decode_stored, defaults, proto, prune, schema, split_documents, stored_json, to_yaml,
};
use std::sync::LazyLock;

const WORDS: &[&str] = &[
    "apiVersion: v1\n",
    "kind: ConfigMap\n",
    "metadata",
    "labels",
    "ownerReferences",
    "finalizers",
    "data",
    "spec",
    "status",
    "a: &a ",
    "*a",
    "<<: *a",
    "[[[[[[[[",
    "]]]]]]]]",
    "{\"a\":",
    "}",
    "- - - - ",
    "\n---\n",
    "{\"op\": \"copy\", \"from\": \"/data\", \"path\": \"/data/x\"}",
    "$patch",
    "1e400",
    "1.0",
    "-0",
    "null",
    "~",
    "\"\\ud800\"",
];

/// What a tree may have at most once the server has added its own.
const STORED: usize = Limits::DEFAULT.depth + 20;

#[test]
fn request() {
    ratchet_fuzz::fuzz!("request", WORDS, check);
}

fn check(text: &str) {
    let limits = Limits { nodes: 2_000, ..Limits::DEFAULT };
    let mut parts: Vec<Node<'static>> = Vec::new();
    for piece in split_documents(text).take(4) {
        let Ok(decoded) = decode(piece.text, limits) else { continue };
        parts.extend(decoded.documents.into_iter().map(Node::into_owned));
    }
    parts.iter().for_each(|part| tree::assert_depth(part, limits.depth));
    let Some((body, patches)) = parts.split_first() else { return };
    let Some(old) = served(body.clone(), None) else { return };
    // The same object in protobuf is the same object.
    if let Ok(bytes) = proto::encode(&old)
        && let Ok(node) = proto::decode(&bytes, Limits::DEFAULT)
    {
        served(node, Some(&old));
    }
    for patch in patches {
        let changed = [
            merge_patch(old.clone(), patch),
            json_patch(old.clone(), patch),
            row_of(&old).map_or_else(
                || merge_patch(old.clone(), patch),
                |row| strategic_merge(old.clone(), patch, schema::type_of(row.ty)),
            ),
        ];
        for node in changed.into_iter().flatten() {
            tree::assert_depth(&node, Limits::DEFAULT.depth);
            served(node, Some(&old));
        }
        if let Some(node) = applied(&old, patch) {
            served(node, Some(&old));
        }
    }
}

/// An object to which somebody has applied a configuration after another one had written it; none if that is refused.
fn applied(old: &Node<'static>, config: &Node<'static>) -> Option<Node<'static>> {
    let row = row_of(old)?;
    let kind = GroupVersionKind { group: row.group, version: row.version, kind: row.kind };
    let convert = |_: &Node<'_>, _: &str| Err("there is one version".to_owned());
    let converter = BuiltInKind { group: row.group, kind: row.kind, convert: &convert };
    let fields = FieldManager { kind, subresource: "", converter: &converter, reset_fields: None };
    let now = "2026-01-02T03:04:05Z";
    let mut live = old.clone();
    let entries = fields.update(None, &live, "u", now);
    set_managed_fields(&mut live, entries);
    let options = ApplyOptions { manager: "m", force: true, now };
    let Applied { mut object, managed_fields, .. } =
        fields.apply(Some(&live), config, options).ok()?;
    prune(&mut object, row.ty);
    set_managed_fields(&mut object, managed_fields);
    Some(object)
}

fn row_of(node: &Node<'_>) -> Option<&'static schema::KindRow> {
    let version = node.text_at(&["apiVersion"]);
    let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
    schema::kind(group, version, node.text_at(&["kind"]))
}

/// What becomes of an object that somebody sent; none if it is none that is served.
fn served(mut node: Node<'static>, old: Option<&Node<'static>>) -> Option<Node<'static>> {
    if !matches!(node.value, Value::Map(_)) {
        return None;
    }
    let version = node.text_at(&["apiVersion"]).to_owned();
    let (group, version) = version.rsplit_once('/').unwrap_or(("", &version));
    let kind = node.text_at(&["kind"]).to_owned();
    defaults::apply(group, version, &kind, &mut node);
    if let Some(row) = row_of(&node) {
        canonicalize(&mut node, row.ty);
    }
    judged(&node, old);
    compared(&node);
    tree::assert_depth(&node, STORED);
    let text = stored_json(&node).unwrap_or_else(|why| panic!("{why}: {node}"));
    let again = decode_stored(&text).unwrap().into_owned();
    check_encodings(&again, group, &kind);
    Some(again)
}

fn judged(node: &Node<'static>, old: Option<&Node<'static>>) {
    static POLICY: LazyLock<ApiConfig> =
        LazyLock::new(|| ApiConfig::of(Release::REFERENCE, Behavior::Proposal));
    let new = Object::new(node.clone());
    let old = old.map(|old| Object::new(old.clone()));
    let Some(kind) = new.kind() else { return };
    let step = match &old {
        Some(old) => Step::Update { old, new: &new },
        None => Step::Create { new: &new },
    };
    let change = Change { kind, part: Part::Main, step };
    let facts = Facts { namespace: Namespace::Labels(None), ..Facts::default() };
    let verdict = judge(&change, &facts, &POLICY);
    assert_eq!(Status::of(&verdict, &change).is_none(), verdict.admits());
}

/// What expressions see.
struct Seen<'t>(&'t Node<'t>);

impl<'t> Activation<'t> for Seen<'t> {
    fn variable(&self, name: &str) -> Option<Expressed<'t>> {
        (name == "object").then(|| Expressed::of(self.0))
    }
}

/// Whatever an object holds, an expression may compare it and put more around it.
fn compared(node: &Node<'static>) {
    static PROGRAM: LazyLock<Program> = LazyLock::new(|| {
        let environment = Environment::kubernetes((1, 36)).with("object", Type::Dyn);
        environment.compile("object == object && [[object]] == [[object]]").unwrap()
    });
    let mut budget = Budget::new(1_000_000);
    if let Ok(value) = PROGRAM.evaluate(&Seen(node), &mut budget) {
        assert_eq!(value.as_bool(), Some(true), "{node}");
    }
}

/// Asserts that an object can be encoded as JSON, YAML, protobuf and a table row, alone and in a list, and decoded.
fn check_encodings(node: &Node<'static>, group: &str, kind: &str) {
    let list = Node::map([
        ("kind", Node::string("List")),
        ("apiVersion", Node::string("v1")),
        ("items", Node::list(vec![node.clone(), node.clone()])),
    ]);
    for one in [node, &list] {
        let text = one.to_json();
        let json = decode_json(&text, Limits::STORED).unwrap();
        assert_eq!(json.documents.first(), Some(one));
        let yaml = to_yaml(one);
        // The YAML reader has limits of its own for names and levels.
        if one.depth() <= 200 && !has_long_name(one) {
            let decoded =
                decode(&yaml, Limits::STORED).unwrap_or_else(|why| panic!("{why}: {yaml}"));
            assert_eq!(decoded.documents.first(), Some(one), "{yaml}");
        }
    }
    if let Ok(bytes) = proto::encode(node) {
        assert!(proto::is_enveloped(&bytes));
        // What a quantity or a time may be is only asked when it is read.
        let _ = proto::decode(&bytes, Limits::STORED).inspect(|node| {
            tree::assert_depth(node, STORED);
        });
    }
    let cells = ratchet_table::cells(group, kind, node, 0);
    assert_eq!(cells.len(), ratchet_table::columns(group, kind).len());
    cells.iter().for_each(|cell| assert!(decode_json(&cell.to_json(), Limits::STORED).is_ok()));
}

fn has_long_name(node: &Node<'_>) -> bool {
    node.items().iter().any(has_long_name)
        || node.entries().iter().any(|entry| entry.key.len() > 500 || has_long_name(&entry.node))
}
