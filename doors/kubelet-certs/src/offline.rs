//! Certificates from a folder, one file per node, with an optional `nodes.json`.

use crate::dial::ProbeResult;
use crate::nodes::Kubelet;
use ratchet_certificate::{Facts, NodeName};
use ratchet_object::{Limits, Node, decode};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Extensions of certificate files.
const ENDINGS: &[&str] = &["pem", "crt", "cer", "der"];

/// `kubectl get nodes -o json`.
const NODES: &str = "nodes.json";

/// The contents of a folder.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// By node name: the kubelet, and its certificate file with the result of reading it.
    pub(crate) nodes: Nodes,
    /// Whether the addresses of nodes are known.
    pub(crate) has_nodes: bool,
    /// Files that name no node of `nodes.json`.
    pub(crate) unmatched: Vec<String>,
}

impl Collected {
    /// Reads a folder.
    pub(crate) fn read(folder: &Path, preferred: &[String]) -> Result<Self, String> {
        let failed = |error| format!("cannot read --offline {}: {error}", folder.display());
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            files.push(entry.map_err(failed)?.path());
        }
        files.sort();
        let mut all = Self::default();
        let list = folder.join(NODES);
        if list.exists() {
            all.has_nodes = true;
            all.nodes = read_nodes(&list, preferred)?;
        }
        for file in files {
            let Some(node) = node_of(&file) else { continue };
            let name = node.as_str().to_owned();
            if all.has_nodes && !all.nodes.contains_key(&name) {
                all.unmatched.push(file.display().to_string());
            }
            let probe = read_file(&file);
            let row = all.nodes.entry(name).or_insert_with(|| (Kubelet::unknown(node), None));
            if let Some((first, _)) = &row.1 {
                return Err(format!(
                    "{} and {} are both of one node",
                    first.display(),
                    file.display()
                ));
            }
            row.1 = Some((file, probe));
        }
        Ok(all)
    }
}

/// The node that a certificate file is named after; `None` for other files.
fn node_of(file: &Path) -> Option<NodeName> {
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    if !ENDINGS.contains(&ending.as_str()) {
        return None;
    }
    NodeName::new(file.file_stem()?.to_str()?)
}

fn read_file(file: &Path) -> ProbeResult {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return ProbeResult::Failed(format!("{}: {error}", file.display())),
    };
    const BEGIN: &[u8] = b"-----BEGIN ";
    let is_pem = bytes.windows(BEGIN.len()).any(|window| window == BEGIN);
    let chain: Result<Vec<Vec<u8>>, _> = if is_pem {
        CertificateDer::pem_slice_iter(&bytes).map(|one| one.map(|one| one.to_vec())).collect()
    } else {
        Ok(vec![bytes])
    };
    let place = file.display();
    match chain.map(|chain| (chain.first().map(|leaf| Facts::from_der(leaf)), chain)) {
        Err(error) => ProbeResult::Failed(format!("{place} cannot be read: {error}")),
        Ok((None, _)) => ProbeResult::Failed(format!("{place} holds no certificate")),
        // An invalid file does not tell what the kubelet presents.
        Ok((Some(Err(why)), _)) => ProbeResult::Failed(format!("{place} cannot be read: {why}")),
        Ok((Some(Ok(_)), chain)) => ProbeResult::Presented { chain, proof: Ok(()) },
    }
}

type Nodes = BTreeMap<String, (Kubelet, Option<(PathBuf, ProbeResult)>)>;

fn read_nodes(path: &Path, preferred: &[String]) -> Result<Nodes, String> {
    let place = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read {place}: {error}"))?;
    let decoded = decode(&text, Limits::STORED).map_err(|error| format!("{place}: {error}"))?;
    let mut nodes = BTreeMap::new();
    for document in &decoded.documents {
        let items = document.get("items").map_or(std::slice::from_ref(document), Node::items);
        for kubelet in items.iter().filter_map(|object| Kubelet::of(object, preferred)) {
            nodes.insert(kubelet.node.as_str().to_owned(), (kubelet, None));
        }
    }
    if nodes.is_empty() {
        return Err(format!("{place} holds no Node: make it with `kubectl get nodes -o json`"));
    }
    Ok(nodes)
}
