//! Dumps: lists of kubectl, archives of `ratchet store backup`, and backups of Velero, read as streams.

use crate::collector::Collector;
use crate::files::{Files, Format, is_manifest};
use crate::inflate::Inflate;
use crate::judge::Judge;
use crate::kinds::audited_kinds;
use crate::namespace_labels::NamespaceLabels;
use crate::page::Page;
use crate::{AuditError, Config, tar};
use indicatif::ProgressBar;
use ratchet_manifests::{DocumentRef, Documents, Item, objects_in};
use ratchet_object::{Limits, Node, decode, decode_stored};
use ratchet_store::archive::Reader;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// Objects of an archive that are judged together.
const BATCH: u64 = 500;

/// Limits of a document: the largest stored object has fewer values, and aliases of YAML make no more of them.
const LIMITS: Limits = Limits { nodes: 1 << 19, ..Limits::STORED };

/// Judges every object of the dumps.
pub(crate) fn read(
    config: &Config,
    inputs: &[PathBuf],
    mut collector: Collector,
    bar: &ProgressBar,
) -> Result<Collector, AuditError> {
    let mut files = Files::find(inputs).map_err(AuditError::Setup)?;
    collector.inventory.unreadable.extend(std::mem::take(&mut files.unreadable));
    let mut namespaces = NamespaceLabels::default();
    bar.set_length(files.found.len() as u64 * 2);
    // The first pass: labels of namespaces decide about pods anywhere.
    for_each(&files.found, config, bar, Pass::Namespaces(&mut namespaces))?;
    let mut number = 0;
    for_each(
        &files.found,
        config,
        bar,
        Pass::Judge(
            Judge { targets: &config.targets, namespaces: &namespaces },
            &mut |mut page| {
                number += 1;
                let unreadable = page.inventory.unreadable.rows_mut();
                unreadable.iter_mut().for_each(|why| *why = files.named(why));
                collector.absorb(0, number, page)
            },
        ),
    )?;
    Ok(collector)
}

/// What is done with the objects of files.
enum Pass<'p, 'c> {
    Namespaces(&'p mut NamespaceLabels),
    Judge(Judge<'c>, &'p mut dyn FnMut(Page) -> io::Result<()>),
}

fn named(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{}: {why}", path.display())
}

fn for_each(
    files: &[(PathBuf, Format)],
    config: &Config,
    bar: &ProgressBar,
    mut pass: Pass<'_, '_>,
) -> Result<(), AuditError> {
    let manifests: Vec<PathBuf> = files
        .iter()
        .filter(|file| file.1 == Format::Manifests)
        .map(|file| file.0.clone())
        .collect();
    read_manifests(&manifests, config, bar, &mut pass)?;
    for (path, format) in files.iter().filter(|file| file.1 != Format::Manifests) {
        let mut batch = Batch::new(&mut pass);
        let read = match format {
            Format::Store => read_store(path, &mut batch),
            Format::Tar | Format::GzippedTar | Format::Manifests => {
                read_tar(path, *format, &mut batch)
            }
        };
        if let Err(error) = read {
            let why = match error.kind() {
                io::ErrorKind::UnexpectedEof => "it ends in the middle: copy it again".to_owned(),
                _ => error.to_string(),
            };
            batch.unreadable(named(path, &why));
        }
        batch.flush().map_err(AuditError::Output)?;
        bar.inc(1);
    }
    Ok(())
}

/// The outcome of a document of manifests.
enum Outcome {
    Page(Box<Page>),
    Namespaces(Vec<Node<'static>>),
    FileDone,
}

fn read_manifests(
    files: &[PathBuf],
    config: &Config,
    bar: &ProgressBar,
    pass: &mut Pass<'_, '_>,
) -> Result<(), AuditError> {
    let mut failed = None;
    let workers = config.workers.get();
    let (judge, mut namespaces, mut each) = match pass {
        Pass::Namespaces(labels) => (None, Some(labels), None),
        Pass::Judge(judge, each) => (Some(&*judge), None, Some(each)),
    };
    let work = |item: Item<'_>, results: &mut Vec<Outcome>| {
        let outcome = match (item, judge) {
            (Item::Document(file, document), Some(judge)) => {
                Outcome::Page(Box::new(judge_document(file, &document, judge)))
            }
            (Item::Document(_, document), None) => Outcome::Namespaces(namespaces_in(&document)),
            (Item::Done, _) => Outcome::FileDone,
            (Item::Failed(..), None) => return,
            (Item::Failed(path, why), Some(_)) => {
                let mut page = Page::default();
                page.inventory.unreadable.push(named(path, &why));
                Outcome::Page(Box::new(page))
            }
        };
        results.push(outcome);
    };
    ratchet_manifests::run(files, false, workers, work, |outcome| {
        match outcome {
            Outcome::FileDone => bar.inc(1),
            Outcome::Namespaces(found) => {
                if let Some(labels) = &mut namespaces {
                    found.iter().for_each(|namespace| labels.insert(namespace));
                }
            }
            Outcome::Page(page) => {
                if let Some(each) = &mut each {
                    failed = each(*page).err();
                }
            }
        }
        failed.is_none()
    });
    failed.map_or(Ok(()), |error| Err(AuditError::Output(error)))
}

fn judge_document(file: &str, document: &DocumentRef<'_>, judge: &Judge<'_>) -> Page {
    let mut page = Page::default();
    judge_into(file, document, judge, &mut page);
    page
}

fn judge_into(file: &str, document: &DocumentRef<'_>, judge: &Judge<'_>, page: &mut Page) {
    let place = || format!("{file}:{}", document.line + 1);
    match document.text {
        Err(error) => page.inventory.unreadable.push(format!("{}: {error}", place())),
        Ok(text) => match decode(text, LIMITS) {
            Err(error) => page.inventory.unreadable.push(format!("{}: {}", place(), error.message)),
            Ok(decoded) => {
                for object in objects_in(document, decoded.documents) {
                    judge.object(&object, page);
                }
            }
        },
    }
}

fn namespaces_in(document: &DocumentRef<'_>) -> Vec<Node<'static>> {
    let is_listed = document.list.is_some_and(|head| head.kind == "Namespace");
    let Ok(text) = document.text else { return Vec::new() };
    if !is_listed && !text.contains("Namespace") {
        return Vec::new();
    }
    let Ok(decoded) = decode(text, LIMITS) else { return Vec::new() };
    let objects = objects_in(document, decoded.documents).into_iter();
    objects.filter(is_namespace).map(Node::into_owned).collect()
}

fn is_namespace(node: &Node<'_>) -> bool {
    node.text_at(&["kind"]) == "Namespace" && node.text_at(&["apiVersion"]) == "v1"
}

/// Objects of an archive, judged some at a time.
struct Batch<'b, 'p, 'c> {
    pass: &'b mut Pass<'p, 'c>,
    page: Page,
}

impl<'b, 'p, 'c> Batch<'b, 'p, 'c> {
    fn new(pass: &'b mut Pass<'p, 'c>) -> Self {
        Self { pass, page: Page::default() }
    }

    /// Takes a document of a file in an archive.
    fn document(&mut self, file: &str, document: &DocumentRef<'_>) -> io::Result<()> {
        match self.pass {
            Pass::Namespaces(labels) => {
                namespaces_in(document).iter().for_each(|namespace| labels.insert(namespace));
                return Ok(());
            }
            Pass::Judge(judge, _) => judge_into(file, document, judge, &mut self.page),
        }
        self.flush_if_full()
    }

    fn object(&mut self, node: &Node<'_>) -> io::Result<()> {
        match self.pass {
            Pass::Namespaces(labels) => {
                if is_namespace(node) {
                    labels.insert(node);
                }
                return Ok(());
            }
            Pass::Judge(judge, _) => judge.object(node, &mut self.page),
        }
        self.flush_if_full()
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        let size = self.page.objects.max(self.page.inventory.unreadable.total());
        if size >= BATCH { self.flush() } else { Ok(()) }
    }

    fn unreadable(&mut self, why: String) {
        if let Pass::Judge(..) = self.pass {
            self.page.inventory.unreadable.push(why);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.pass {
            Pass::Namespaces(_) => Ok(()),
            Pass::Judge(_, each) => each(std::mem::take(&mut self.page)),
        }
    }
}

/// Reads the manifests of a backup.
fn read_tar(path: &Path, format: Format, batch: &mut Batch<'_, '_, '_>) -> io::Result<()> {
    let file = File::open(path)?;
    let input: Box<dyn Read> = match format {
        Format::GzippedTar => Box::new(Inflate::new(file)?),
        _ => Box::new(BufReader::with_capacity(1 << 16, file)),
    };
    tar::for_each_file(input, is_wanted, |name, bytes| {
        let name = format!("{}: {name}", path.display());
        let Some(bytes) = bytes else {
            let most = tar::LARGEST_FILE >> 20;
            batch
                .unreadable(format!("{name}: larger than {most} MiB: unpack it and name the file"));
            return Ok(());
        };
        let mut documents = Documents::new(bytes);
        while let Some(document) = documents.next_document()? {
            batch.document(&name, &document.as_document_ref())?;
        }
        Ok(())
    })
}

/// Whether a file of an archive is a manifest. Velero has an object once more for each version that is served, below a
/// folder of that version, and those are passed over.
fn is_wanted(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let resources = parts.iter().position(|part| *part == "resources");
    let folder = resources.and_then(|at| parts.get(at + 2)).copied().unwrap_or_default();
    let is_version = folder.ends_with("-preferredversion")
        || folder
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let file = parts.last().copied().unwrap_or_default();
    let is_folder = resources.is_some_and(|at| at + 3 < parts.len());
    // Files that begin so are what tar of macOS adds.
    is_manifest(Path::new(file)) && !file.starts_with("._") && !(is_folder && is_version)
}

/// Reads the records of an archive of a store: their keys say what they are.
fn read_store(path: &Path, batch: &mut Batch<'_, '_, '_>) -> io::Result<()> {
    let input = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut reader = Reader::open(input).map_err(io::Error::other)?;
    let kinds = audited_kinds();
    while let Some(archived) = reader.next_record().map_err(io::Error::other)? {
        let key = &*archived.record.key;
        let storage = key.strip_prefix("/registry/").and_then(|rest| rest.split_once('/'));
        let Some((storage, _)) = storage else { continue };
        let (plural, group) = storage.split_once('.').unwrap_or((storage, ""));
        let kind = kinds.iter().find(|kind| (kind.plural, kind.group) == (plural, group));
        let Some(kind) = kind else { continue };
        let text = std::str::from_utf8(&archived.record.value).ok();
        let Some(mut node) = text.and_then(|text| decode_stored(text).ok()) else {
            batch.unreadable(format!("{}: {key} is not stored as JSON", path.display()));
            continue;
        };
        let version = kind.versions.first().copied().unwrap_or("v1");
        if node.get("apiVersion").is_none() {
            let api_version = match group {
                "" => version.to_owned(),
                group => format!("{group}/{version}"),
            };
            node.set("apiVersion", Node::string(api_version));
        }
        node.set("kind", Node::string(kind.kind));
        batch.object(&node)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_velero_are_wanted_once_and_names_of_namespaces_do_not_matter() {
        for name in [
            "resources/pods/namespaces/shop/a.json",
            "./resources/pods/namespaces/metadata/a.json",
            "resources/pods/namespaces/v1/a.json",
            "resources/pods/namespaces/x-preferredversion/v1.json",
            "resources/nodes/cluster/a.json",
            "dump/services.yaml",
            "resources/v1.yaml",
            "my/resources/shop/v1.yaml",
        ] {
            assert!(is_wanted(name), "{name}");
        }
        for name in [
            "resources/pods/v1-preferredversion/namespaces/shop/a.json",
            "resources/pods/v2beta1/cluster/a.json",
            "metadata/version",
            "resources/pods/namespaces/shop/._a.json",
            "a.txt",
        ] {
            assert!(!is_wanted(name), "{name}");
        }
    }
}
