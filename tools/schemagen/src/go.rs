//! A reader of struct fields in Go packages: names, types, struct tags.
//!
//! Not a Go parser: it counts on the layout that gofmt gives and on the struct tags that
//! Kubernetes puts on every field of its API.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A field of a struct.
#[derive(Clone)]
pub struct GoField {
    /// The name in Go; an embedded struct has that of its type.
    pub name: String,
    /// The name in JSON; empty if the tag gives none, or if there is no tag.
    pub json: String,
    /// The Go type, such as `*int32`.
    pub ty: String,
    pub embedded: bool,
    /// The number in protobuf, if it has one.
    pub number: Option<u8>,
    pub omit_empty: bool,
    pub omit_zero: bool,
    /// The tag `patchStrategy`; empty if there is none.
    pub patch_strategy: String,
    /// The tag `patchMergeKey`; empty if there is none.
    pub merge_key: String,
}

/// A field of a struct or of one that it inlines.
pub struct FlatField {
    pub field: GoField,
    /// The name of the struct that declares it.
    pub holder: String,
    /// The import path of that struct.
    pub package: String,
    /// The embedded fields through which it is reached, outermost first.
    pub under: Vec<GoField>,
}

/// One package: structs, type aliases, types defined by another one, and import paths by local name.
#[derive(Default)]
pub struct Package {
    structs: HashMap<String, Vec<GoField>>,
    aliases: HashMap<String, String>,
    defined: HashMap<String, String>,
    imports: HashMap<String, String>,
}

/// Packages of a Kubernetes checkout, loaded on demand.
pub struct Source {
    root: PathBuf,
    packages: HashMap<String, Package>,
}

impl Source {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), packages: HashMap::new() }
    }

    /// The package at an import path such as `k8s.io/api/core/v1`.
    pub fn package(&mut self, path: &str) -> Result<&Package, Error> {
        if !self.packages.contains_key(path) {
            let package = Package::read(&self.folder(path))?;
            self.packages.insert(path.to_owned(), package);
        }
        self.packages.get(path).ok_or_else(|| "just read".into())
    }

    fn folder(&self, path: &str) -> PathBuf {
        match path.strip_prefix("k8s.io/kubernetes/") {
            Some(own) => self.root.join(own),
            None => self.root.join("staging/src").join(path),
        }
    }

    /// The package and the name of a type at its declaration; of one that is defined by another, those of the other.
    pub fn resolve(&mut self, path: &str, name: &str) -> Result<(String, String), Error> {
        if name.contains('.') {
            return self.imported(path, name);
        }
        let package = self.package(path)?;
        match package.aliases.get(name).or_else(|| package.defined.get(name)).cloned() {
            Some(other) => self.resolve(path, &other),
            None => Ok((path.to_owned(), name.to_owned())),
        }
    }

    /// The import path and the name of a type such as `metav1.Time`.
    fn imported(&mut self, path: &str, name: &str) -> Result<(String, String), Error> {
        let (import, name) = name.split_once('.').ok_or("a type of no other package")?;
        let package = self.package(path)?;
        let path = package.imports.get(import).ok_or_else(|| format!("{path}: no {import}"))?;
        Ok((path.clone(), name.to_owned()))
    }

    /// A type as Go prints it: `v1.Protocol`, with the name of the package that declares it.
    pub fn type_name(&mut self, path: &str, name: &str) -> Result<String, Error> {
        const PREDECLARED: [&str; 5] = ["bool", "float64", "int32", "int64", "string"];
        if PREDECLARED.contains(&name) {
            return Ok(name.to_owned());
        }
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
        if !name.bytes().all(is_word) {
            return Err(format!("no name for {name}").into());
        }
        if name.contains('.') {
            let (path, name) = self.imported(path, name)?;
            return self.type_name(&path, &name);
        }
        if let Some(other) = self.package(path)?.aliases.get(name).cloned() {
            return self.type_name(path, &other);
        }
        let package = path.rsplit('/').next().unwrap_or(path);
        Ok(format!("{package}.{name}"))
    }

    /// The fields of a struct as encoding/json sees them: an embedded struct without a name in JSON is inlined, in its
    /// place.
    pub fn flat_fields(&mut self, path: &str, name: &str) -> Result<Vec<FlatField>, Error> {
        let mut fields = Vec::new();
        self.flatten(path, name, &[], &mut fields)?;
        Ok(fields)
    }

    fn flatten(
        &mut self,
        path: &str,
        name: &str,
        under: &[GoField],
        out: &mut Vec<FlatField>,
    ) -> Result<(), Error> {
        let (path, name) = self.resolve(path, name)?;
        let fields = self.package(&path)?.fields(&name).unwrap_or_default().to_vec();
        for field in fields.into_iter().filter(|field| field.json != "-") {
            if field.embedded && field.json.is_empty() {
                let ty = field.ty.trim_start_matches('*').to_owned();
                let under: Vec<GoField> = under.iter().cloned().chain([field]).collect();
                self.flatten(&path, &ty, &under, out)?;
            } else {
                let (holder, package) = (name.clone(), path.clone());
                out.push(FlatField { field, holder, package, under: under.to_vec() });
            }
        }
        Ok(())
    }
}

/// The import path and the name of the Go type with an id such as `io.k8s.api.core.v1.ServiceSpec`.
pub fn type_of(id: &str) -> Result<(String, String), Error> {
    // `io.k8s.` is the host `k8s.io`; every other dot is a folder.
    let path = id.strip_prefix("io.k8s.").ok_or("an id that is not of Kubernetes")?;
    let (package, name) = path.rsplit_once('.').ok_or("an id without a package")?;
    Ok((format!("k8s.io/{}", package.replace('.', "/")), name.to_owned()))
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
        let mut is_comment = false;
        for line in text.lines() {
            is_comment |= line.trim_start().starts_with("/*");
            if is_comment {
                is_comment = !line.ends_with("*/");
                continue;
            }
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
                ["type", name, "=", other] => {
                    self.aliases.insert((*name).to_owned(), (*other).to_owned());
                }
                // Perhaps a struct; fields of other types are never looked up.
                ["type", name, other] => {
                    self.defined.insert((*name).to_owned(), (*other).to_owned());
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

/// A line of a struct, if it is a field.
fn field(line: &str) -> Option<GoField> {
    let line = line.trim();
    if line.starts_with("//") {
        return None;
    }
    let (declared, tags) = match line.split_once('`') {
        Some((declared, rest)) => (declared, rest.split_once('`')?.0),
        None => (line.split("//").next()?, ""),
    };
    let tokens: Vec<&str> = declared.split_whitespace().collect();
    let ty = *tokens.last()?;
    let type_name = ty.trim_start_matches('*').rsplit('.').next()?;
    let embedded = tokens.len() == 1;
    let mut json = tag(tags, "json").unwrap_or_default().split(',');
    let json_name = json.next().unwrap_or_default().to_owned();
    let options: Vec<&str> = json.collect();
    let number = tag(tags, "protobuf").and_then(|tag| tag.split(',').nth(1));
    Some(GoField {
        name: if embedded { type_name } else { tokens.first()? }.to_owned(),
        json: json_name,
        ty: ty.to_owned(),
        embedded,
        number: number.and_then(|number| number.parse().ok()),
        omit_empty: options.contains(&"omitempty"),
        omit_zero: options.contains(&"omitzero"),
        patch_strategy: tag(tags, "patchStrategy").unwrap_or_default().to_owned(),
        merge_key: tag(tags, "patchMergeKey").unwrap_or_default().to_owned(),
    })
}

fn tag<'t>(tags: &'t str, name: &str) -> Option<&'t str> {
    let from = tags.find(&format!("{name}:\""))? + name.len() + 2;
    tags.get(from..)?.split('"').next()
}
