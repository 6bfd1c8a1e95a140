//! Certificates of many kubelets, collected a limited number at a time.

use crate::dial::{Seen, dial};
use crate::nodes::Kubelet;
use crate::offline::Collected;
use crate::proxy::{self, Proxied};
use crate::requests::Requests;
use crate::{Config, Live, Via};
use indicatif::ProgressBar;
use ratchet_certificate::NodeName;
use ratchet_cluster::{Cluster, ClusterError};
use ratchet_object::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// A kubelet and what was seen of it.
pub(crate) struct Case {
    pub(crate) kubelet: Kubelet,
    pub(crate) witness: Witness,
    /// What else is known.
    pub(crate) evidence: Vec<String>,
    /// Authorities that the cluster issued to the node.
    pub(crate) authorities: Vec<String>,
    /// Other nodes that report the same address and port.
    pub(crate) shares: Vec<String>,
}

/// How something was seen of a kubelet.
pub(crate) enum Witness {
    /// It was dialled.
    Dialled(Seen),
    /// The API server was asked to.
    Proxied {
        proxied: Proxied,
        /// Why it could not be dialled, if that was tried.
        direct: Option<String>,
    },
    /// Its certificate was collected.
    File(PathBuf, Seen),
    /// It was not collected.
    NoFile,
    /// There is nothing to dial.
    NoAddress,
    /// There is no such node.
    NoNode,
}

/// Cases, and what is to be said about all of them.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) cases: Vec<Case>,
    pub(crate) notes: Vec<String>,
}

/// Looks at the kubelets of a live cluster.
pub(crate) async fn live(
    config: &Config,
    live: &Live,
    bar: &ProgressBar,
) -> Result<Gathered, ClusterError> {
    let cluster = Cluster::connect(&live.way).await?;
    let kubelets = list(&cluster, config, live).await?;
    let shares = shared(&kubelets);
    // A bar is drawn only when it is known how long it is.
    bar.set_length(kubelets.len() as u64);
    bar.enable_steady_tick(Duration::from_millis(200));
    let found: BTreeSet<String> = kubelets.iter().map(|one| one.node.as_str().to_owned()).collect();
    let mut witnesses = look(&cluster, &kubelets, live, bar).await;
    let mut gathered = Gathered::default();
    let requests = requests(&cluster, &witnesses, &mut gathered.notes).await;
    for (at, kubelet) in kubelets.into_iter().enumerate() {
        let name = kubelet.node.as_str();
        let witness = witnesses
            .remove(&at)
            .unwrap_or_else(|| Witness::Dialled(Seen::Nothing("it was not looked at".to_owned())));
        let evidence = if needs_evidence(&witness) {
            requests.about(name).into_iter().collect()
        } else {
            Vec::new()
        };
        let authorities = requests.authorities(name);
        let shares = shares_of(&shares, &kubelet);
        gathered.cases.push(Case { kubelet, witness, evidence, authorities, shares });
    }
    gathered.add_missing(&config.names, &found);
    Ok(gathered)
}

/// Reads what was collected elsewhere.
pub(crate) fn offline(config: &Config, folder: &Path) -> Result<Gathered, String> {
    let collected = Collected::read(folder, &config.address_types)?;
    let mut gathered = Gathered::default();
    if !collected.has_nodes && !collected.nodes.is_empty() {
        gathered.notes.push(
            "there is no nodes.json: addresses are not compared with subject alternative names"
                .to_owned(),
        );
    }
    for file in &collected.strangers {
        gathered
            .notes
            .push(format!("{file} is of no node in nodes.json: its addresses are not compared"));
    }
    let kubelets: Vec<Kubelet> =
        collected.nodes.values().map(|(kubelet, _)| kubelet.clone()).collect();
    let shares = shared(&kubelets);
    let found: BTreeSet<String> = collected.nodes.keys().cloned().collect();
    for (name, (kubelet, file)) in collected.nodes {
        if !is_wanted(&config.names, &name) {
            continue;
        }
        let witness = file.map_or(Witness::NoFile, |(file, seen)| Witness::File(file, seen));
        let shares = shares_of(&shares, &kubelet);
        let (evidence, authorities) = (Vec::new(), Vec::new());
        gathered.cases.push(Case { kubelet, witness, evidence, authorities, shares });
    }
    gathered.add_missing(&config.names, &found);
    Ok(gathered)
}

impl Gathered {
    /// Nodes that were asked for by name and are not there.
    fn add_missing(&mut self, wanted: &[String], found: &BTreeSet<String>) {
        let missing: BTreeSet<&String> =
            wanted.iter().filter(|name| !found.contains(*name)).collect();
        for node in missing.into_iter().filter_map(|name| NodeName::new(name)) {
            let kubelet = Kubelet::unknown(node);
            self.cases.push(Case {
                kubelet,
                witness: Witness::NoNode,
                evidence: Vec::new(),
                authorities: Vec::new(),
                shares: Vec::new(),
            });
        }
    }
}

fn is_wanted(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|wanted| wanted == name)
}

async fn list(
    cluster: &Cluster,
    config: &Config,
    live: &Live,
) -> Result<Vec<Kubelet>, ClusterError> {
    let mut kubelets = Vec::new();
    let mut pages = cluster.list("/api/v1/nodes", &[("labelSelector", &live.selector)]);
    while let Some(page) = pages.next().await? {
        let Ok(list) = page.read() else { continue };
        let items = list.get("items").map(Node::items).unwrap_or_default();
        let all = items.iter().filter_map(|object| Kubelet::of(object, &config.address_types));
        kubelets.extend(all.filter(|one| is_wanted(&config.names, one.node.as_str())));
    }
    kubelets.sort_by(|one, other| one.node.cmp(&other.node));
    Ok(kubelets)
}

/// Looks at every kubelet, so many at a time.
async fn look(
    cluster: &Cluster,
    kubelets: &[Kubelet],
    live: &Live,
    bar: &ProgressBar,
) -> BTreeMap<usize, Witness> {
    let gate = Arc::new(Semaphore::new(live.parallel.max(1)));
    let mut tasks = JoinSet::new();
    for (at, kubelet) in kubelets.iter().enumerate() {
        let (gate, cluster, kubelet, live) =
            (Arc::clone(&gate), cluster.clone(), kubelet.clone(), live.clone());
        tasks.spawn(async move {
            let _permit = gate.acquire().await;
            (at, witness(&cluster, &kubelet, &live).await)
        });
    }
    let mut witnesses = BTreeMap::new();
    while let Some(done) = tasks.join_next().await {
        if let Ok((at, witness)) = done {
            witnesses.insert(at, witness);
        }
        bar.inc(1);
    }
    witnesses
}

async fn witness(cluster: &Cluster, kubelet: &Kubelet, live: &Live) -> Witness {
    let Some(host) = &kubelet.host else { return Witness::NoAddress };
    let node = kubelet.node.as_str();
    if live.via == Via::Proxy {
        return Witness::Proxied { proxied: proxy::ask(cluster, node).await, direct: None };
    }
    match dial(host, kubelet.port, live.timeout).await {
        Seen::Nothing(why) if live.via == Via::Auto => {
            Witness::Proxied { proxied: proxy::ask(cluster, node).await, direct: Some(why) }
        }
        seen => Witness::Dialled(seen),
    }
}

/// Whether the certificate itself was not seen.
fn needs_evidence(witness: &Witness) -> bool {
    matches!(witness, Witness::Proxied { .. } | Witness::Dialled(Seen::Nothing(_)))
}

/// Requests are read only if somebody needs their evidence.
async fn requests(
    cluster: &Cluster,
    witnesses: &BTreeMap<usize, Witness>,
    notes: &mut Vec<String>,
) -> Requests {
    if !witnesses.values().any(needs_evidence) {
        return Requests::default();
    }
    Requests::read(cluster).await.unwrap_or_else(|error| {
        notes.push(format!("requests for certificates tell nothing: {error}"));
        Requests::default()
    })
}

/// Nodes by the address and port that they report.
fn shared(kubelets: &[Kubelet]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for kubelet in kubelets {
        if let Some(endpoint) = kubelet.endpoint() {
            all.entry(endpoint).or_default().push(kubelet.node.as_str().to_owned());
        }
    }
    all
}

/// The other nodes at a kubelet's address; a few of them, for a person.
fn shares_of(shares: &BTreeMap<String, Vec<String>>, kubelet: &Kubelet) -> Vec<String> {
    const MOST: usize = 5;
    let names = kubelet.endpoint().and_then(|endpoint| shares.get(&endpoint));
    let others = names.into_iter().flatten().filter(|name| *name != kubelet.node.as_str());
    others.take(MOST).cloned().collect()
}
