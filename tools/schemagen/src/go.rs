//! A reader of struct fields in Go packages: names, protobuf numbers, pointers.
//!
//! Not a Go parser: it counts on the layout that gofmt gives and on the struct tags that
//! Kubernetes puts on every field of its API.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A field of a struct, from its tags.
pub struct GoField {
    /// The name in JSON; empty if its struct is inlined.
    pub name: String,
    /// The Go type, such as `*int32`.
    pub ty: String,
    /// The number in protobuf, if it has one.
    pub number: Option<u8>,
    pub omit_empty: bool,
    pub omit_zero: bool,
}

/// One package: structs, type aliases, and import paths by local name.
#[derive(Default)]
pub struct Package {
    structs: HashMap<String, Vec<GoField>>,
    aliases: HashMap<String, String>,
    imports: HashMap<String, String>,
}

/// Packages of a Kubernetes checkout, loaded on demand.
pub struct Source {
    root: PathBuf,
    packages: HashMap<String, Package>,
}

impl Source {
    pub fn new(root: &Path) -> Self {
        Self { root: root.join("staging/src"), packages: HashMap::new() }
    }

    /// The package at an import path such as `k8s.io/api/core/v1`.
    pub fn package(&mut self, path: &str) -> Result<&Package, Error> {
        if !self.packages.contains_key(path) {
            let package = Package::read(&self.root.join(path))?;
            self.packages.insert(path.to_owned(), package);
        }
        self.packages.get(path).ok_or_else(|| "just read".into())
    }

    /// The package and the name of a type at its declaration.
    pub fn resolve(&mut self, path: &str, name: &str) -> Result<(String, String), Error> {
        let package = self.package(path)?;
        if let Some((import, name)) = name.split_once('.') {
            let path = package.imports.get(import).ok_or_else(|| format!("{path}: no {import}"))?;
            return Ok((path.clone(), name.to_owned()));
        }
        match package.aliases.get(name).cloned() {
            Some(other) => self.resolve(path, &other),
            None => Ok((path.to_owned(), name.to_owned())),
        }
    }
}

impl Package {
    fn read(folder: &Path) -> Result<Self, Error> {
        let mut package = Self::default();
        let entries =
            std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_source =
                name.ends_with(".go") && !name.ends_with("_test.go") && !name.contains("generated");
            if is_source {
                package.add(&std::fs::read_to_string(&path)?);
            }
        }
        Ok(package)
    }

    fn add(&mut self, text: &str) {
        let mut inside: Option<String> = None;
        for line in text.lines() {
            if let Some(name) = &inside {
                if line == "}" {
                    inside = None;
                } else if let Some(field) = field(line) {
                    self.structs.entry(name.clone()).or_default().push(field);
                }
                continue;
            }
            if let Some((alias, path)) = import(line) {
                self.imports.insert(alias.to_owned(), path.to_owned());
            }
            let tokens: Vec<&str> = line.split_whitespace().collect();
            match tokens.as_slice() {
                ["type", name, "struct", "{"] => inside = Some((*name).to_owned()),
                // An alias of a struct; fields of other types are never looked up.
                ["type", name, "=", other] | ["type", name, other] => {
                    self.aliases.insert((*name).to_owned(), (*other).to_owned());
                }
                _ => {}
            }
        }
    }

    /// The fields of a struct.
    pub fn fields(&self, name: &str) -> Option<&[GoField]> {
        self.structs.get(name).map(Vec::as_slice)
    }
}

/// A line of an import group: the package's local name and its path.
fn import(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.strip_prefix('\t')?.split_once('"')?;
    let path = rest.strip_suffix('"').filter(|path| path.starts_with("k8s.io/"))?;
    let last = path.rsplit('/').next()?;
    Some((if before.is_empty() { last } else { before.trim_end() }, path))
}

/// A line of a struct, if it is a field with tags.
fn field(line: &str) -> Option<GoField> {
    let line = line.trim();
    if line.starts_with("//") {
        return None;
    }
    let (declared, rest) = line.split_once('`')?;
    let tags = rest.split_once('`')?.0;
    let tokens: Vec<&str> = declared.split_whitespace().collect();
    let ty = (*tokens.last()?).to_owned();
    let mut json = tag(tags, "json").unwrap_or_default().split(',');
    let name = json.next().unwrap_or_default().to_owned();
    let options: Vec<&str> = json.collect();
    let number = tag(tags, "protobuf").and_then(|tag| tag.split(',').nth(1));
    Some(GoField {
        name,
        ty,
        number: number.and_then(|number| number.parse().ok()),
        omit_empty: options.contains(&"omitempty"),
        omit_zero: options.contains(&"omitzero"),
    })
}

fn tag<'t>(tags: &'t str, name: &str) -> Option<&'t str> {
    let from = tags.find(&format!("{name}:\""))? + name.len() + 2;
    tags.get(from..)?.split('"').next()
}
