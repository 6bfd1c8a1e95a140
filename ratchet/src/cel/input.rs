//! The input of an expression: objects from files, in their stored form, and a request made from them.

use ratchet_access::User;
use ratchet_check::{as_stored, plural_of};
use ratchet_object::{Limits, Node, Object, Scope, Value, decode};
use ratchet_policy::{
    Attributes, GroupVersionKind, GroupVersionResource, Operation, Setting, namespace_seen,
    request_seen,
};
use std::io::Read;
use std::path::Path;

/// Paths of the objects.
pub(super) struct Files<'a> {
    pub(super) object: Option<&'a Path>,
    pub(super) old: Option<&'a Path>,
    pub(super) params: Option<&'a Path>,
    pub(super) namespace: Option<&'a Path>,
}

/// The variables of an expression.
pub(super) struct EvaluationInput {
    pub(super) object: Option<Node<'static>>,
    pub(super) old: Option<Node<'static>>,
    pub(super) params: Option<Node<'static>>,
    pub(super) namespace: Option<Node<'static>>,
    pub(super) request: Node<'static>,
}

impl EvaluationInput {
    /// Reads the files. Without an operation, the given objects imply one.
    pub(super) fn read(
        files: Files<'_>,
        operation: Option<Operation>,
        (namespace, user): (&str, &User),
    ) -> Result<Self, String> {
        let all = [files.object, files.old, files.params, files.namespace];
        if all.iter().flatten().filter(|path| is_stdin(path)).count() > 1 {
            return Err("standard input can be read once only: write - for one file".into());
        }
        let object = files.object.map(read_object).transpose()?;
        let old = files.old.map(read_object).transpose()?;
        let operation = operation.unwrap_or(match (&object, &old) {
            (None, Some(_)) => Operation::Delete,
            (Some(_), Some(_)) => Operation::Update,
            (_, None) => Operation::Create,
        });
        let (object, old) = match operation {
            Operation::Delete => (None, old.or(object)),
            _ => (object, old),
        };
        let place = |node: Node<'static>| in_default_namespace(Object::new(node), namespace);
        let old = old.map(place).map(|old| as_stored(&old, Some(old.node())));
        let object = object.map(place).map(|object| as_stored(&object, old.as_ref()));
        let params = files.params.map(read_object).transpose()?;
        let params = params.map(|node| as_stored(&Object::new(node), None));
        let info = ObjectInfo::of(object.as_ref().or(old.as_ref()));
        let namespace_object = match files.namespace {
            Some(path) => Some(read_object(path)?),
            None if info.namespace.is_empty() => None,
            None => Some(bare_namespace(&info.namespace)),
        };
        let request = info.request(operation, object.as_ref(), old.as_ref(), user);
        let namespace =
            namespace_object.map(|node| namespace_seen(as_stored(&Object::new(node), None)));
        Ok(Self { object, old, params, namespace, request })
    }

    /// The input in the form that `Trial::evaluate` takes.
    pub(super) fn setting(&self) -> Setting<'_> {
        Setting {
            object: self.object.as_ref(),
            old: self.old.as_ref(),
            params: self.params.as_ref(),
            namespace: self.namespace.as_ref(),
            request: &self.request,
        }
    }

    /// All objects that an expression can read.
    pub(super) fn trees(&self) -> impl Iterator<Item = &Node<'static>> {
        let given = [&self.object, &self.old, &self.params, &self.namespace];
        given.into_iter().flatten().chain([&self.request])
    }
}

/// The request's description of its object.
struct ObjectInfo {
    group: String,
    version: String,
    kind: String,
    plural: String,
    name: String,
    namespace: String,
}

impl ObjectInfo {
    fn of(node: Option<&Node<'_>>) -> Self {
        let text = |names: &[&str]| node.map_or("", |node| node.text_at(names)).to_owned();
        let (api_version, kind) = (text(&["apiVersion"]), text(&["kind"]));
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
        let plural = match ratchet_object::find(&api_version, &kind) {
            Some(row) => row.plural.to_owned(),
            None if kind.is_empty() => String::new(),
            None => plural_of(&kind),
        };
        let (name, namespace) = (text(&["metadata", "name"]), text(&["metadata", "namespace"]));
        Self { group: group.into(), version: version.into(), kind, plural, name, namespace }
    }

    fn request(
        &self,
        operation: Operation,
        object: Option<&Node<'_>>,
        old: Option<&Node<'_>>,
        user: &User,
    ) -> Node<'static> {
        let Self { group, version, kind, plural, name, namespace } = self;
        request_seen(&Attributes {
            operation,
            kind: GroupVersionKind { group, version, kind },
            resource: GroupVersionResource { group, version, resource: plural },
            subresource: "",
            name,
            namespace,
            object,
            old,
            options: None,
            user,
            dry_run: false,
        })
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A Namespace with only a name.
fn bare_namespace(name: &str) -> Node<'static> {
    let text = |text: &str| Node::string(text.to_owned());
    let metadata = Node::map([("name", text(name))]);
    Node::map([("apiVersion", text("v1")), ("kind", text("Namespace")), ("metadata", metadata)])
}

/// The object with a namespace, if its kind is namespaced; a value that is no API object is unchanged.
fn in_default_namespace(object: Object<'static>, namespace: &str) -> Object<'static> {
    let is_one = !object.kind_name().is_empty() && object.node().get("metadata").is_some();
    let is_placed = object.kind().is_none_or(|kind| kind.scope == Scope::Namespaced);
    if is_one && is_placed {
        Object::new(object.in_namespace(namespace).into_node().into_owned())
    } else {
        object
    }
}

/// The single object of a file.
fn read_object(path: &Path) -> Result<Node<'static>, String> {
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let text = if is_stdin(path) {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| failed(&error))?;
    let decoded = decode(&text, Limits::DEFAULT).map_err(|error| failed(&error))?;
    let is_something = |node: &Node<'_>| !matches!(node.value, Value::Null);
    let mut documents = decoded.documents.into_iter().filter(is_something);
    match (documents.next(), documents.next()) {
        (Some(node), None) => Ok(node.into_owned()),
        (None, _) => Err(failed(&"holds no object")),
        (Some(_), Some(_)) => Err(failed(&"holds several documents, and an expression sees one")),
    }
}
