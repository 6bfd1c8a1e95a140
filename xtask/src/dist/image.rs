//! An OCI image archive with the program as its only layer, whose bytes depend on nothing but its contents.

use super::archive::{Entry, gzip, tar};
use super::digest::sha256;
use super::toolchain::architecture;
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A user without rights, by number: an image from scratch has no names.
const USER: u32 = 65532;

/// The home of that user, which is where `ratchet serve` keeps its state.
const HOME: &str = "/var/lib/ratchet";

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// What is put into an image.
pub(super) struct Image<'a> {
    pub(super) program: &'a [u8],
    /// Our licence, and those of others.
    pub(super) licence: &'a [u8],
    pub(super) notices: &'a [u8],
    pub(super) version: &'a str,
    pub(super) triple: &'a str,
    /// Time of all files, in seconds since 1970.
    pub(super) mtime: u64,
}

impl Image<'_> {
    /// The image layout as a tar archive, which skopeo, podman and docker load.
    pub(super) fn archive(&self) -> Result<Vec<u8>> {
        let files = self.layout()?;
        let mut entries =
            vec![Entry::directory("blobs", 0o755, 0), Entry::directory("blobs/sha256", 0o755, 0)];
        entries.extend(files.iter().map(|(path, bytes)| Entry::file(path, 0o644, bytes)));
        tar(entries, self.mtime)
    }

    /// The files of the image layout by path.
    fn layout(&self) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut files = BTreeMap::new();
        let mut add = |kind: &str, bytes: Vec<u8>| {
            let digest = sha256(&bytes);
            let descriptor = json!({
                "mediaType": kind, "digest": format!("sha256:{digest}"), "size": bytes.len(),
            });
            files.insert(format!("blobs/sha256/{digest}"), bytes);
            descriptor
        };
        let layer = self.layer()?;
        let config = self.config(&sha256(&layer));
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": add(CONFIG, config.to_string().into_bytes()),
            "layers": [add(LAYER, gzip(&layer)?)],
        });
        let mut manifest = add(MANIFEST, manifest.to_string().into_bytes());
        if let Some(members) = manifest.as_object_mut() {
            members.insert("platform".into(), self.platform());
            let name = format!("ratchet:{}", self.version);
            members
                .insert("annotations".into(), json!({"org.opencontainers.image.ref.name": name}));
        }
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest]});
        files.insert("index.json".into(), index.to_string().into_bytes());
        files.insert("oci-layout".into(), br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec());
        Ok(files)
    }

    /// The file system: the program, licences, a home, and a place for temporary files.
    fn layer(&self) -> Result<Vec<u8>> {
        let entries = vec![
            Entry::file("ratchet", 0o755, self.program),
            Entry::directory("tmp", 0o1777, 0),
            Entry::directory("usr", 0o755, 0),
            Entry::directory("usr/share", 0o755, 0),
            Entry::directory("usr/share/doc", 0o755, 0),
            Entry::directory("usr/share/doc/ratchet", 0o755, 0),
            Entry::file("usr/share/doc/ratchet/LICENSE", 0o644, self.licence),
            Entry::file("usr/share/doc/ratchet/licenses.txt", 0o644, self.notices),
            Entry::directory("var", 0o755, 0),
            Entry::directory("var/lib", 0o755, 0),
            Entry::directory(HOME.trim_start_matches('/'), 0o700, USER),
        ];
        tar(entries, self.mtime)
    }

    fn config(&self, layer: &str) -> Value {
        let mut config = self.platform();
        if let Some(members) = config.as_object_mut() {
            members.insert(
                "config".into(),
                json!({
                    "User": format!("{USER}:{USER}"),
                    "Entrypoint": ["/ratchet"],
                    "Env": [format!("HOME={HOME}")],
                    "WorkingDir": HOME,
                    "Labels": {
                        "org.opencontainers.image.title": "ratchet",
                        "org.opencontainers.image.version": self.version,
                        "org.opencontainers.image.licenses": "Apache-2.0",
                    },
                }),
            );
            members.insert(
                "rootfs".into(),
                json!({"type": "layers", "diff_ids": [format!("sha256:{layer}")]}),
            );
            members.insert("history".into(), json!([{"created_by": "cargo xtask dist"}]));
        }
        config
    }

    /// Architecture and system in Go's words.
    fn platform(&self) -> Value {
        let architecture = match architecture(self.triple) {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            "riscv64gc" => "riscv64",
            "powerpc64le" => "ppc64le",
            other => other,
        };
        json!({"architecture": architecture, "os": "linux"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    const IMAGE: Image<'_> = Image {
        program: b"program",
        licence: b"licence",
        notices: b"notices",
        version: "1.2.3",
        triple: "x86_64-unknown-linux-musl",
        mtime: 0,
    };

    /// The blob that a descriptor leads to, after its size and digest were compared.
    fn blob<'f>(files: &'f BTreeMap<String, Vec<u8>>, descriptor: &Value) -> &'f [u8] {
        let digest = descriptor["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        let bytes = &files[&format!("blobs/sha256/{digest}")];
        assert_eq!(descriptor["size"], bytes.len());
        assert_eq!(sha256(bytes), digest);
        bytes
    }

    fn json(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    #[test]
    fn every_digest_is_that_of_the_bytes_it_leads_to() {
        let files = IMAGE.layout().unwrap();
        assert_eq!(json(&files["oci-layout"])["imageLayoutVersion"], "1.0.0");
        let index = json(&files["index.json"]);
        let descriptor = &index["manifests"][0];
        assert_eq!(descriptor["platform"], json!({"architecture": "amd64", "os": "linux"}));
        let manifest = json(blob(&files, descriptor));
        let config = json(blob(&files, &manifest["config"]));
        let mut layer = Vec::new();
        let packed = blob(&files, &manifest["layers"][0]);
        flate2::read::GzDecoder::new(packed).read_to_end(&mut layer).unwrap();
        assert_eq!(config["rootfs"]["diff_ids"], json!([format!("sha256:{}", sha256(&layer))]));
        assert_eq!(files.len(), 5, "{:?}", files.keys());
    }

    #[test]
    fn it_runs_the_program_as_nobody_in_particular() {
        let config = IMAGE.config("");
        assert_eq!(config["config"]["User"], "65532:65532");
        assert_eq!(config["config"]["Entrypoint"], json!(["/ratchet"]));
        let layer = IMAGE.layer().unwrap();
        let header = layer.windows(8).position(|bytes| bytes == b"ratchet\0").unwrap();
        assert_eq!(&layer[header + 100..header + 108], b"0000755\0");
        assert_eq!(&layer[header + 512..header + 519], b"program");
    }

    #[test]
    fn the_same_contents_are_the_same_image() {
        let archive = IMAGE.archive().unwrap();
        assert_eq!(IMAGE.archive().unwrap(), archive);
        assert_ne!(Image { program: b"another", ..IMAGE }.archive().unwrap(), archive);
        assert_ne!(Image { mtime: 1, ..IMAGE }.archive().unwrap(), archive);
    }
}
