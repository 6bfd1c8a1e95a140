//! Stored objects from a path or a commit, by which `--against` checks a manifest as an update.

use ratchet_manifests::{DocumentRef, Item, ListHead, is_stdin, objects_in, run};
use ratchet_object::{Limits, Node, Object, decode};
use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The source of the stored objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// A file or directory.
    Path(PathBuf),
    /// The same paths in a commit of the repository around the working directory.
    Git(String),
}

/// The location of an object, which is read again when needed so that memory does not grow with what is stored.
#[derive(Clone, Copy, Debug)]
struct Location {
    /// Index of the list that the object is an item of, plus one; zero for none.
    list: u32,
    file: u32,
    offset: u64,
    length: u32,
    item: u32,
}

/// The stored objects, by kind, namespace and name.
#[derive(Debug, Default)]
pub(crate) struct StoredObjects {
    files: Vec<PathBuf>,
    objects: HashMap<u64, Location>,
    pods: HashMap<u64, Vec<Location>>,
    namespaces: HashMap<u64, Location>,
    definitions: Vec<Location>,
    lists: Vec<Arc<ListHead>>,
    /// Files and documents that could not be read and so count as not stored.
    pub(crate) unread: Vec<String>,
    /// Guards the copy of a commit's files until drop.
    _spool: Option<tempfile::TempDir>,
}

/// What objects are paired by.
#[derive(Hash, PartialEq, Eq)]
struct ObjectId<'a> {
    group: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
}

impl<'a> ObjectId<'a> {
    fn of(node: &'a Node<'_>, default_namespace: &'a str) -> Self {
        let metadata = node.metadata();
        Self {
            group: node.text_at(&["apiVersion"]).rsplit_once('/').map_or("", |(group, _)| group),
            kind: node.text_at(&["kind"]),
            namespace: match metadata.namespace() {
                "" => default_namespace,
                namespace => namespace,
            },
            name: metadata.name(),
        }
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl StoredObjects {
    /// Indexes every object of a path or a commit.
    pub(crate) fn read(
        against: &Against,
        inputs: &[PathBuf],
        recursive: bool,
        namespace: &str,
        workers: usize,
    ) -> Result<Self, String> {
        match against {
            Against::Path(path) => {
                std::fs::metadata(path).map_err(|error| missing(path, &error))?;
                Ok(Self::of_paths(std::slice::from_ref(path), recursive, namespace, workers, None))
            }
            Against::Git(revision) => {
                let spool =
                    tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
                copy_commit(revision, inputs, spool.path())?;
                let root = [spool.path().to_path_buf()];
                Ok(Self::of_paths(&root, true, namespace, workers, Some(spool)))
            }
        }
    }

    fn of_paths(
        paths: &[PathBuf],
        recursive: bool,
        namespace: &str,
        workers: usize,
        spool: Option<tempfile::TempDir>,
    ) -> Self {
        let mut stored = Self { _spool: spool, ..Self::default() };
        let mut current: Option<Arc<str>> = None;
        let work = |item: Item<'_>, found: &mut Vec<Result<IndexedObject, String>>| match item {
            Item::Document(file, document) => index(file, &document, namespace, found),
            Item::Failed(path, why) => found.push(Err(format!("{}: {why}", path.display()))),
            Item::Done => {}
        };
        run(paths, recursive, workers, work, |found| {
            let IndexedObject { file, key, role, mut location, list } = match found {
                Ok(found) => found,
                Err(why) => {
                    stored.unread.push(why);
                    return true;
                }
            };
            if let Some(head) = list {
                if stored.lists.last().is_none_or(|last| **last != head) {
                    stored.lists.push(Arc::new(head));
                }
                location.list = u32::try_from(stored.lists.len()).unwrap_or(0);
            }
            if current.as_deref() != Some(&*file) {
                stored.files.push(PathBuf::from(&*file));
                current = Some(Arc::clone(&file));
            }
            location.file = u32::try_from(stored.files.len() - 1).unwrap_or(u32::MAX);
            stored.objects.insert(key, location);
            match role {
                Role::Pod { namespace } => {
                    stored.pods.entry(namespace).or_default().push(location);
                }
                Role::Namespace { name } => drop(stored.namespaces.insert(name, location)),
                Role::Definition => stored.definitions.push(location),
                Role::Other => {}
            }
            true
        });
        stored
    }

    /// The stored object that `new` would replace.
    pub(crate) fn find(&self, new: &Node<'_>, namespace: &str) -> Option<Object<'static>> {
        let new = &ObjectId::of(new, namespace);
        if new.name.is_empty() {
            return None;
        }
        let location = self.objects.get(&hash(new))?;
        let old = self.load(location)?;
        // Two objects may share a hash; only the right one is used.
        let is_same = ObjectId::of(old.node(), namespace) == *new;
        is_same.then_some(old)
    }

    /// The stored definitions, with the names of their files.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = (Arc<str>, Object<'static>)> {
        self.definitions.iter().filter_map(|location| {
            let file = self.files.get(location.file as usize)?.to_string_lossy();
            Some((file.into(), self.load(location)?))
        })
    }

    /// A stored namespace.
    pub(crate) fn namespace(&self, name: &str) -> Option<Node<'static>> {
        Some(self.load(self.namespaces.get(&hash(name))?)?.into_node())
    }

    /// The stored pods of a namespace.
    pub(crate) fn pods(&self, namespace: &str) -> Vec<Object<'static>> {
        let objects = self.pods.get(&hash(namespace)).map(Vec::as_slice).unwrap_or_default();
        objects.iter().filter_map(|location| self.load(location)).collect()
    }

    fn load(&self, location: &Location) -> Option<Object<'static>> {
        let mut file = File::open(self.files.get(location.file as usize)?).ok()?;
        file.seek(SeekFrom::Start(location.offset)).ok()?;
        let mut text = String::new();
        file.take(u64::from(location.length)).read_to_string(&mut text).ok()?;
        // An item that was cut from a list still has its dash.
        let indent = text.bytes().take_while(|&byte| byte == b' ').count();
        if text.get(indent..).is_some_and(|rest| rest.starts_with("- ")) {
            text.replace_range(indent..=indent, " ");
        }
        let decoded = decode(&text, Limits::DEFAULT).ok()?;
        let head = (location.list as usize).checked_sub(1).and_then(|list| self.lists.get(list));
        let list = head.map(|head| &**head);
        let document = DocumentRef { text: Ok(&text), line: 0, column: 0, offset: 0, list };
        let mut objects = objects_in(&document, decoded.documents).into_iter();
        objects.nth(location.item as usize).map(|node| Object::new(node.into_owned()))
    }
}

/// An object for the index, with the role in which rules may need it.
struct IndexedObject {
    file: Arc<str>,
    key: u64,
    role: Role,
    location: Location,
    list: Option<ListHead>,
}

enum Role {
    Pod { namespace: u64 },
    Namespace { name: u64 },
    Definition,
    Other,
}

fn index(
    file: &Arc<str>,
    document: &DocumentRef<'_>,
    namespace: &str,
    found: &mut Vec<Result<IndexedObject, String>>,
) {
    let decoded = document.text.ok().map(|text| (text, decode(text, Limits::DEFAULT)));
    let Some((text, Ok(decoded))) = decoded else {
        found.push(Err(format!("{file}:{}: cannot be read", document.line + 1)));
        return;
    };
    for (item, node) in objects_in(document, decoded.documents).iter().enumerate() {
        let id = ObjectId::of(node, namespace);
        let location = Location {
            list: 0,
            file: 0,
            offset: document.offset,
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
            item: u32::try_from(item).unwrap_or(u32::MAX),
        };
        let role = match id.kind {
            "Pod" => Role::Pod { namespace: hash(id.namespace) },
            "Namespace" => Role::Namespace { name: hash(id.name) },
            "CustomResourceDefinition" if id.group == "apiextensions.k8s.io" => Role::Definition,
            _ => Role::Other,
        };
        let (file, key) = (Arc::clone(file), hash(&id));
        found.push(Ok(IndexedObject { file, key, role, location, list: document.list.cloned() }));
    }
}

fn missing(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    format!("--against {path}: {error}; for a commit, write --against git:{path}")
}

/// Copies the manifests of a commit into a folder.
fn copy_commit(revision: &str, inputs: &[PathBuf], folder: &Path) -> Result<(), String> {
    let failed = |what: &str, why: &dyn std::fmt::Display| {
        format!("--against git:{revision}: {what}: {why}")
    };
    if revision.is_empty() || revision.starts_with('-') {
        return Err(failed("git", &"not a revision"));
    }
    let mut list = Command::new("git");
    list.args(["ls-tree", "-r", "-z", "--name-only", revision, "--"]);
    list.args(inputs.iter().filter(|input| !is_stdin(input)));
    let listed = list.output().map_err(|error| failed("git cannot be run", &error))?;
    if !listed.status.success() {
        return Err(failed("git", &String::from_utf8_lossy(&listed.stderr).trim()));
    }
    let mut git = Command::new("git")
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed("git cannot be run", &error))?;
    let (Some(mut git_input), Some(git_output)) = (git.stdin.take(), git.stdout.take()) else {
        return Err(failed("git", &"no pipe"));
    };
    let mut git_output = BufReader::new(git_output);
    let names = listed.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    // A file that is named may have any ending.
    let is_wanted = |name: &&[u8]| {
        let name = String::from_utf8_lossy(name);
        let endings = [".yaml", ".yml", ".json"];
        endings.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending))
            || inputs
                .iter()
                .any(|input| input.ends_with(&*name) || Path::new(&*name).ends_with(input))
    };
    for (number, name) in names.filter(is_wanted).enumerate() {
        let name = String::from_utf8_lossy(name);
        let copy = folder.join(format!("{number}.yaml"));
        writeln!(git_input, "{revision}:./{name}")
            .and_then(|()| git_input.flush())
            .and_then(|()| copy_blob(&mut git_output, &copy))
            .map_err(|error| failed(&name, &error))?;
    }
    drop(git_input);
    git.wait().map(drop).map_err(|error| failed("git", &error))
}

/// Copies one blob from `git cat-file --batch`: a line that ends with the size, the bytes, a line break.
fn copy_blob(git_output: &mut impl BufRead, copy: &Path) -> io::Result<()> {
    let mut head = String::new();
    git_output.read_line(&mut head)?;
    let mut fields = head.split_whitespace().rev();
    let size = fields.next().and_then(|field| field.parse::<u64>().ok());
    let (Some(size), Some("blob")) = (size, fields.next()) else {
        return Err(io::Error::other(head.trim().to_owned()));
    };
    io::copy(&mut git_output.take(size), &mut File::create(copy)?)?;
    git_output.read_exact(&mut [0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str) -> (tempfile::TempDir, StoredObjects) {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("old.yaml"), text).unwrap();
        let against = Against::Path(root.path().into());
        let stored = StoredObjects::read(&against, &[], false, "default", 2).unwrap();
        (root, stored)
    }

    fn object(text: &str) -> Node<'_> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
    }

    #[test]
    fn objects_are_paired_by_kind_namespace_and_name() {
        let (_root, stored) = stored(
            "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {x: 1}\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Service, metadata: {name: b, namespace: shop}}\n",
        );
        let found = stored.find(
            &object("apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: default}"),
            "default",
        );
        assert!(found.is_some_and(|old| old.root().field("spec").is_set()));
        assert!(
            stored
                .find(
                    &object("apiVersion: v1\nkind: Service\nmetadata: {name: b, namespace: shop}"),
                    "default"
                )
                .is_some()
        );
        for other in [
            "{apiVersion: v1, kind: Service, metadata: {name: b}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: a}}",
            "{apiVersion: v1, kind: Service, metadata: {generateName: a}}",
        ] {
            assert!(stored.find(&object(other), "default").is_none(), "{other}");
        }
    }
}
