//! The bill of materials of a program: CycloneDX 1.5 in JSON.

use super::digest::sha256;
use super::graph::Part;
use crate::metadata::Package;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The part of `Cargo.lock` that is read here.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// SHA-256 of the packages' archives by name and version.
pub(super) type Checksums = BTreeMap<(String, String), String>;

/// Reads the checksums in a `Cargo.lock`.
pub(super) fn checksums(lock: &str) -> Result<Checksums> {
    let lock: Lock = toml::from_str(lock).context("cannot read Cargo.lock")?;
    let of = |one: Locked| Some(((one.name, one.version), one.checksum?));
    Ok(lock.package.into_iter().filter_map(of).collect())
}

/// The document about a program that is built from these parts.
pub(super) fn document(
    parts: &[Part<'_>],
    root: &Package,
    program: &[u8],
    checksums: &Checksums,
) -> Result<String> {
    let mut about = component(root, "application", None, checksums);
    about.insert("hashes".into(), hashes(&sha256(program)));
    let others = parts.iter().filter(|part| part.package.id != root.id);
    let components: Vec<Value> = others
        .map(|part| component(part.package, "library", Some(part.is_linked), checksums).into())
        .collect();
    let dependencies: Vec<Value> = parts
        .iter()
        .map(|part| {
            let used: Vec<String> = part.depends_on.iter().map(|other| reference(other)).collect();
            json!({"ref": reference(part.package), "dependsOn": used})
        })
        .collect();
    let contents = json!({
        "metadata": {"component": about},
        "components": components,
        "dependencies": dependencies,
    });
    let mut document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": serial_number(contents.to_string().as_bytes()),
        "version": 1,
    });
    if let (Value::Object(document), Value::Object(contents)) = (&mut document, contents) {
        document.extend(contents);
    }
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn component(
    package: &Package,
    kind: &str,
    is_linked: Option<bool>,
    checksums: &Checksums,
) -> Map<String, Value> {
    let mut out = Map::new();
    let mut set = |name: &str, value: Value| {
        out.insert(name.to_owned(), value);
    };
    set("type", kind.into());
    set("bom-ref", reference(package).into());
    set("name", package.name.clone().into());
    set("version", package.version.clone().into());
    if let Some(is_linked) = is_linked {
        // Excluded is what runs while the program is built and is not in it.
        set("scope", if is_linked { "required" } else { "excluded" }.into());
    }
    let key = (package.name.clone(), package.version.clone());
    if let Some(checksum) = checksums.get(&key).filter(|_| package.source.is_some()) {
        set("hashes", hashes(checksum));
    }
    if let Some(licence) = &package.license {
        set("licenses", json!([{"expression": spdx(licence)}]));
    }
    if package.source.is_some() {
        set("purl", reference(package).into());
    }
    if let Some(url) = &package.repository {
        set("externalReferences", json!([{"type": "vcs", "url": url}]));
    }
    out
}

/// The name of a package within the document; crates of others have one that is known everywhere.
fn reference(package: &Package) -> String {
    let Package { name, version, .. } = package;
    match package.source {
        Some(_) => format!("pkg:cargo/{name}@{version}"),
        None => format!("{name}@{version}"),
    }
}

fn hashes(sha256: &str) -> Value {
    json!([{"alg": "SHA-256", "content": sha256}])
}

/// The licence as an SPDX expression; older crates write `MIT/Apache-2.0` and mean OR.
pub(super) fn spdx(licence: &str) -> String {
    let parts: Vec<&str> = licence.split('/').map(str::trim).collect();
    parts.join(" OR ")
}

/// A UUID (version 8) made from the contents, so that the same contents have the same number.
fn serial_number(contents: &[u8]) -> String {
    let digits = sha256(contents);
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!(
        "urn:uuid:{}-{}-8{}-a{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 15),
        part(15, 18),
        part(18, 30)
    )
}

#[cfg(test)]
mod tests {
    use super::super::graph;
    use super::*;

    const LOCK: &str = "version = 4\n\
        [[package]]\nname = \"bytes\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"abcd\"\n\
        [[package]]\nname = \"ratchet\"\nversion = \"1.0.0\"\n";

    fn made() -> (Value, String) {
        let metadata = graph::tests::fixture();
        let parts = graph::parts(&metadata, "ratchet", &graph::tests::compiled()).unwrap();
        let root = parts.iter().find(|part| part.package.name == "ratchet").unwrap().package;
        let text = document(&parts, root, b"abc", &checksums(LOCK).unwrap()).unwrap();
        (serde_json::from_str(&text).unwrap(), text)
    }

    fn component<'d>(document: &'d Value, name: &str) -> &'d Value {
        let all = document["components"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap()
    }

    #[test]
    fn every_package_is_there_once_and_what_tests_use_is_not() {
        let (document, _) = made();
        let names: Vec<&str> = document["components"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["both", "bytes", "cc", "derive", "ratchet-net", "syn"]);
        assert_eq!(document["metadata"]["component"]["name"], "ratchet");
        assert_eq!(document["metadata"]["component"]["hashes"][0]["content"], sha256(b"abc"));
        assert_eq!(
            (&document["bomFormat"], &document["specVersion"]),
            (&json!("CycloneDX"), &json!("1.5"))
        );
    }

    #[test]
    fn a_package_has_its_checksum_licence_and_scope() {
        let (document, _) = made();
        let bytes = json!({
            "type": "library",
            "bom-ref": "pkg:cargo/bytes@1.0.0",
            "name": "bytes",
            "version": "1.0.0",
            "scope": "required",
            "hashes": [{"alg": "SHA-256", "content": "abcd"}],
            "licenses": [{"expression": "MIT"}],
            "purl": "pkg:cargo/bytes@1.0.0",
            "externalReferences": [{"type": "vcs", "url": "https://example.org/bytes"}],
        });
        assert_eq!(component(&document, "bytes"), &bytes);
        let derive = component(&document, "derive");
        assert_eq!(derive["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(derive["scope"], "excluded");
        // Crates of ours are in no registry.
        let net = component(&document, "ratchet-net");
        assert_eq!((net.get("purl"), net.get("hashes")), (None, None));
    }

    #[test]
    fn every_reference_leads_to_a_component() {
        let (document, _) = made();
        let mut known: Vec<&Value> =
            document["components"].as_array().unwrap().iter().map(|one| &one["bom-ref"]).collect();
        known.push(&document["metadata"]["component"]["bom-ref"]);
        let edges = document["dependencies"].as_array().unwrap();
        assert_eq!(edges.len(), known.len());
        for edge in edges {
            assert!(known.contains(&&edge["ref"]), "{edge}");
            let used = edge["dependsOn"].as_array().unwrap();
            assert!(used.iter().all(|one| known.contains(&one)), "{edge}");
        }
    }

    #[test]
    fn the_serial_number_is_a_uuid_that_depends_on_the_contents() {
        let (document, text) = made();
        assert_eq!(made().1, text);
        let number = document["serialNumber"].as_str().unwrap();
        let lengths: Vec<usize> =
            number.strip_prefix("urn:uuid:").unwrap().split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_ne!(serial_number(b"a"), serial_number(b"b"));
    }

    #[test]
    fn what_is_no_lock_file_fails() {
        assert!(checksums("package = 1").is_err());
    }
}
