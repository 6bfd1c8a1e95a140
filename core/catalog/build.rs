//! Build script that extracts the descriptions of types and fields from the source of the
//! k8s-openapi crate.
//!
//! The texts are Kubernetes' own, so they are not part of this repository; the crate has them in
//! the schemas of its feature `schemars`. They are not compiled: cargo locates the source, which is
//! parsed as text.
//!
//! `descriptions.txt` in `OUT_DIR` has a block per type, sorted by id, separated by blank lines.
//! The first line of a block is the id and, if there is one, a tab and the text; each further line
//! is a dot, the name of a field, a tab and the text. Newlines, tabs and backslashes in texts are
//! escaped as `\n`, `\t` and `\\`. Texts of fields that nearly all kinds share are in the first
//! block, whose id is `*`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release whose types are described.
const RELEASE: &str = "v1_36";

/// The fields of all kinds.
const SHARED: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Types of responses that are in no document.
const EXCLUDED: &[&str] = &[
    "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup",
    "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList",
    "io.k8s.apimachinery.pkg.apis.meta.v1.APIResource",
    "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList",
    "io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions",
    "io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery",
    "io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR",
    "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent",
    "io.k8s.apimachinery.pkg.version.Info",
];

/// The description of a type, and those of its fields by name.
type Texts = (String, BTreeMap<String, String>);

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let home = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    let lock = home.ancestors().map(|folder| folder.join("Cargo.lock")).find(|file| file.is_file());
    let lock = lock.ok_or("there is no Cargo.lock")?;
    let mut types = BTreeMap::new();
    let source = source(&home, &out, &lock)?.join("src").join(RELEASE);
    parse_directory(&source, &mut types)?;
    if types.is_empty() {
        return Err(format!("{} describes nothing", source.display()).into());
    }
    fs::write(out.join("descriptions.txt"), file(types))?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", lock.display());
    Ok(())
}

fn variable(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|why| format!("{name}: {why}").into())
}

/// The directory of the locked k8s-openapi.
///
/// Cargo is asked about a package of its own that needs nothing else: for the workspace it could
/// fail offline where only the build's dependencies were fetched.
fn source(home: &Path, out: &Path, lock: &Path) -> Result<PathBuf, Failure> {
    let asking = out.join("asking");
    fs::create_dir_all(asking.join("src"))?;
    fs::write(asking.join("src/lib.rs"), "")?;
    fs::copy(lock, asking.join("Cargo.lock"))?;
    let feature =
        format!("{{ version = \"*\", default-features = false, features = [\"{RELEASE}\"] }}");
    let manifest = format!(
        "[package]\nname = \"asking\"\nedition = \"2024\"\n\n[dependencies]\nk8s-openapi = {feature}\n\n[workspace]\n"
    );
    fs::write(asking.join("Cargo.toml"), manifest)?;
    let offline = metadata(home, &asking, &["--offline"])?;
    if let Ok(answer) = &offline {
        return manifest_of(answer);
    }
    // Cargo wants to see more than it compiles; what is compiled is unpacked.
    if let Some(unpacked) = unpacked(&fs::read_to_string(lock)?) {
        return Ok(unpacked);
    }
    // A build of this crate alone may still have to fetch it.
    let error = |why| format!("cargo cannot say where k8s-openapi is: {why}");
    manifest_of(&metadata(home, &asking, &[])?.map_err(error)?)
}

/// The output of `cargo metadata` for a package, or its error.
fn metadata(
    home: &Path,
    asking: &Path,
    network: &[&str],
) -> Result<Result<String, String>, Failure> {
    let mut cargo = Command::new(variable("CARGO")?);
    // The working directory determines the configuration of cargo, such as vendored sources.
    cargo.current_dir(home).args(["metadata", "--format-version=1", "--filter-platform"]);
    cargo.arg(variable("TARGET")?).args(network);
    cargo.arg("--manifest-path").arg(asking.join("Cargo.toml"));
    let answer = cargo.output()?;
    if answer.status.success() {
        return Ok(Ok(String::from_utf8(answer.stdout)?));
    }
    Ok(Err(String::from_utf8_lossy(&answer.stderr).into_owned()))
}

/// The directory into which cargo has unpacked the locked version from a registry.
fn unpacked(lock: &str) -> Option<PathBuf> {
    let rest = lock.split_once("name = \"k8s-openapi\"\nversion = \"")?.1;
    let name = format!("k8s-openapi-{}", rest.split('"').next()?);
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registries = fs::read_dir(cargo.join("registry").join("src")).ok()?;
    let mut folders = registries.flatten().map(|registry| registry.path().join(&name));
    folders.find(|folder| folder.is_dir())
}

/// The directory of k8s-openapi's manifest: no other manifest is in a directory of that name.
fn manifest_of(metadata: &str) -> Result<PathBuf, Failure> {
    let manifests = metadata.split("\"manifest_path\":\"").skip(1);
    let mut manifests = manifests.filter_map(|rest| rest.split('"').next());
    let is_it = |path: &&str| {
        let mut steps = path.rsplit(['/', '\\']).filter(|step| !step.is_empty());
        steps.nth(1).is_some_and(|folder| folder.starts_with("k8s-openapi"))
    };
    let path = manifests.find(is_it).ok_or("cargo does not name k8s-openapi's manifest")?;
    let path = PathBuf::from(path.replace("\\\\", "\\"));
    Ok(path.parent().map(Path::to_owned).unwrap_or_default())
}

/// Parses the schemas in all files below a directory.
fn parse_directory(folder: &Path, types: &mut BTreeMap<String, Texts>) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            parse_directory(&path, types)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            schemas(&fs::read_to_string(&path)?, types);
        }
    }
    Ok(())
}

/// Parses the schemas of a file. Their layout is fixed: a type's text is indented one step inside
/// the schema, its fields two steps, and their texts three.
fn schemas(source: &str, types: &mut BTreeMap<String, Texts>) {
    let (mut id, mut field) = (None, String::new());
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let inside = line.trim_start();
        let depth = line.len() - inside.len();
        if inside.starts_with("fn schema_name()") {
            id = lines.next().and_then(literal);
            if let Some(id) = &id {
                types.entry(id.clone()).or_default();
            }
        }
        let Some((text, fields)) = id.as_ref().and_then(|id| types.get_mut(id)) else { continue };
        let description =
            ["\"description\": ", "schema_obj.ensure_object().insert(\"description\".into(), "];
        let description = description.iter().find_map(|start| literal(inside.strip_prefix(start)?));
        match (depth, description) {
            (12, Some(description)) => *text = description,
            (20, Some(description)) => drop(fields.insert(field.clone(), description)),
            (16, _) if inside.starts_with('"') => field = literal(inside).unwrap_or_default(),
            _ => {}
        }
    }
}

/// The first string literal of a line, unescaped.
fn literal(line: &str) -> Option<String> {
    let mut letters = line.split_once('"')?.1.chars();
    let mut text = String::new();
    loop {
        text.push(match letters.next()? {
            '"' => return Some(text),
            '\\' => match letters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'u' => {
                    let digits: String =
                        letters.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                }
                other => other,
            },
            plain => plain,
        });
    }
}

/// The complete file.
fn file(types: BTreeMap<String, Texts>) -> String {
    let shared = shared(&types);
    let mut out = String::new();
    block(&mut out, "*", "", &shared);
    for (id, (text, mut fields)) in types {
        if EXCLUDED.contains(&id.as_str()) {
            continue;
        }
        fields.retain(|name, text| shared.get(name) != Some(text));
        out.push('\n');
        block(&mut out, &id, &text, &fields);
    }
    out
}

/// The most frequent text of each field that all kinds have.
fn shared(types: &BTreeMap<String, Texts>) -> BTreeMap<String, String> {
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
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
    let tab = if text.is_empty() { "" } else { "\t" };
    let _ = writeln!(out, "{id}{tab}{}", escaped(text));
    for (name, text) in fields {
        let _ = writeln!(out, ".{name}\t{}", escaped(text));
    }
}
