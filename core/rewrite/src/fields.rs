//! Candidates in objects of the API: the engine's table of fields, walked over a document's objects.

use crate::candidate::Candidate;
use crate::decide::ValueClass;
use crate::edits::ObjectRef;
use crate::exceptions::Exceptions;
use crate::values;
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;
use ratchet_engine::FIELDS;
use ratchet_object::{At, KINDS, Kind, Node, Span, Value};

/// Search names, which the table of addresses does not have.
const SEARCHES: &str = "spec.dnsConfig.searches[]";

/// Numbers of the fields whose lists hold an address once: sets, and maps with the address as their key.
const UNIQUE: [u8; 4] = [6, 8, 10, 23];

/// Whether a node is an object, or a list of objects.
pub(crate) fn is_object(node: &Node<'_>) -> bool {
    !node.text_at(&["kind"]).is_empty() && !node.text_at(&["apiVersion"]).is_empty()
}

/// Adds the candidates of an object, or of the items of a list.
pub(crate) fn collect<'n>(node: &'n Node<'n>, found: &mut Vec<Candidate<'n>>) {
    collect_as(node, node.text_at(&["apiVersion"]), node.text_at(&["kind"]), found);
}

fn collect_as<'n>(
    node: &'n Node<'n>,
    api_version: &'n str,
    kind: &'n str,
    found: &mut Vec<Candidate<'n>>,
) {
    if let (Some(item_kind), Some(items)) = (kind.strip_suffix("List"), node.get("items")) {
        for item in items.items().iter().filter(|item| matches!(item.value, Value::Map(_))) {
            // Items of a typed list may omit what the list says.
            let is_bare = item.get("kind").is_none() && !item_kind.is_empty();
            let (version, kind) = match is_bare {
                true => (api_version, item_kind),
                false => (item.text_at(&["apiVersion"]), item.text_at(&["kind"])),
            };
            collect_as(item, version, kind, found);
        }
        return;
    }
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let object = ObjectRef {
        api_version: api_version.to_string(),
        kind: kind.to_string(),
        namespace: node.text_at(&["metadata", "namespace"]).to_string(),
        name: node.text_at(&["metadata", "name"]).to_string(),
    };
    if (group, kind) == ("helm.toolkit.fluxcd.io", "HelmRelease") {
        let values = node.get("spec").and_then(|spec| spec.get("values"));
        return values.map_or((), |node| values::collect(node, &["spec", "values"], object, found));
    }
    let Some(kind) = KINDS.iter().find(|row| row.name == kind && row.group == group) else {
        return;
    };
    let mut walk = ObjectWalk {
        kind,
        object: Rc::new(object),
        exceptions: Rc::new(Exceptions::of(node, kind)),
        found,
    };
    walk.rows(&At::root(node));
}

struct ObjectWalk<'w, 'n> {
    kind: &'static Kind<'static>,
    object: Rc<ObjectRef>,
    exceptions: Rc<Exceptions>,
    found: &'w mut Vec<Candidate<'n>>,
}

/// What is known of a value before it is reached.
#[derive(Clone, Copy)]
struct Row {
    class: ValueClass,
    is_unique: bool,
    list: Option<Span>,
}

impl<'n> ObjectWalk<'_, 'n> {
    fn rows(&mut self, root: &At<'n>) {
        let own = FIELDS.iter().filter(|field| field.kind == self.kind.name && field.kind != "Pod");
        let slices_hold_names = self.kind.name == "EndpointSlice"
            && root.field("addressType").text_or_empty() == "FQDN";
        for field in own.filter(|_| !slices_hold_names) {
            self.row(root, field.path, ValueClass::of(field), UNIQUE.contains(&field.number));
        }
        let Some(place) = self.kind.pod else { return };
        let pod = root.descend(place.0);
        for field in FIELDS.iter().filter(|field| field.kind == "Pod") {
            // A template has no status.
            if place.0.is_empty() || field.path.starts_with("spec.") {
                self.row(&pod, field.path, ValueClass::of(field), UNIQUE.contains(&field.number));
            }
        }
        self.row(&pod, SEARCHES, ValueClass::SearchName, false);
    }

    fn row(&mut self, at: &At<'n>, path: &'static str, class: ValueClass, is_unique: bool) {
        self.descend(at, path, Row { class, is_unique, list: None });
    }

    fn descend(&mut self, at: &At<'n>, path: &'static str, row: Row) {
        if !at.is_set() {
            return;
        }
        let (step, rest) = path.split_once('.').unwrap_or((path, ""));
        let Some(list) = step.strip_suffix("[]") else {
            return match step {
                "" => self.value(at, row),
                name => self.descend(&at.field(name), rest, row),
            };
        };
        let list = at.field(list);
        let row = Row { list: list.node().map(|node| node.span), ..row };
        for item in list.items() {
            self.descend(&item, rest, row);
        }
    }

    fn value(&mut self, at: &At<'n>, row: Row) {
        let Some(text) = at.node().and_then(Node::text) else { return };
        // A Service without an address.
        if text.trim().is_empty() || (text == "None" && self.kind.name == "Service") {
            return;
        }
        self.found.push(Candidate {
            object: Rc::clone(&self.object),
            field: at.path().to_string(),
            text,
            span: at.span(),
            class: row.class,
            unique_in: row.list.filter(|_| row.is_unique),
            is_api_field: true,
            exceptions: Rc::clone(&self.exceptions),
        });
    }
}
