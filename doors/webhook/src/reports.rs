//! `ReportWriter`: findings in admitted objects as PolicyReports and OpenReports, one a namespace, within limits.

mod results;

use crate::metrics::Metrics;
use crate::notice::Notice;
use crate::subject::Subject;
use ratchet_cluster::Cluster;
use ratchet_object::Node;
use results::Results;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::mpsc;

/// The interval at which reports are written.
const FLUSH: Duration = Duration::from_secs(2);
/// The interval at which it is looked up which kinds of reports the cluster has.
const DISCOVERY: Duration = Duration::from_secs(30);
/// The most reports that are written at once.
const MAX_WRITES: usize = 20;
/// The most namespaces whose findings wait to be written.
const MAX_NAMESPACES: usize = 1000;
/// The most findings of one namespace that wait to be written.
const MAX_PENDING: usize = 500;
/// The most objects that are remembered because they have results.
const MAX_OPEN: usize = 20_000;
/// The name of the report of a namespace, and of that of cluster-scoped objects.
const NAME: &str = "ratchet-webhook";

/// The kinds of reports: group and version, then kind and resource for namespaces and for the cluster.
const FORMATS: [Format; 2] = [
    Format {
        group: "wgpolicyk8s.io/v1alpha2",
        namespaced: ("PolicyReport", "policyreports"),
        cluster: ("ClusterPolicyReport", "clusterpolicyreports"),
        has_source: false,
    },
    Format {
        group: "openreports.io/v1alpha1",
        namespaced: ("Report", "reports"),
        cluster: ("ClusterReport", "clusterreports"),
        has_source: true,
    },
];

/// One kind of reports. Their results have the same fields.
struct Format {
    group: &'static str,
    namespaced: (&'static str, &'static str),
    cluster: (&'static str, &'static str),
    has_source: bool,
}

impl Format {
    fn collection(&self, namespace: &str) -> String {
        match namespace {
            "" => format!("/apis/{}/{}", self.group, self.cluster.1),
            _ => format!("/apis/{}/namespaces/{namespace}/{}", self.group, self.namespaced.1),
        }
    }

    /// A report without results.
    fn report(&self, namespace: &str) -> Node<'static> {
        let kind = if namespace.is_empty() { self.cluster.0 } else { self.namespaced.0 };
        let labels = Node::map([("app.kubernetes.io/managed-by", Node::string("ratchet-webhook"))]);
        let mut metadata = Node::map([("name", Node::string(NAME)), ("labels", labels)]);
        if !namespace.is_empty() {
            metadata.set("namespace", Node::string(namespace.to_owned()));
        }
        let mut report = Node::map([
            ("apiVersion", Node::string(self.group)),
            ("kind", Node::string(kind)),
            ("metadata", metadata),
        ]);
        if self.has_source {
            report.set("source", Node::string("ratchet"));
        }
        report
    }
}

/// Objects that have results in a report, by a hash of their names.
#[derive(Default)]
pub(crate) struct OpenResults(Mutex<HashSet<u64>>);

impl OpenResults {
    pub(crate) fn contains(&self, subject: &Subject) -> bool {
        let Subject { kind, namespace, name, .. } = subject;
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !all.is_empty() && all.contains(&hash(kind, namespace, name))
    }

    fn insert(&self, kind: &str, namespace: &str, name: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < MAX_OPEN {
            all.insert(hash(kind, namespace, name));
        }
    }

    fn remove(&self, subject: &Subject) {
        let Subject { kind, namespace, name, .. } = subject;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&hash(kind, namespace, name));
    }
}

fn hash(kind: &str, namespace: &str, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, namespace, name).hash(&mut hasher);
    hasher.finish()
}

/// Writes the reports of one replica.
pub(crate) struct ReportWriter {
    cluster: Cluster,
    metrics: Arc<Metrics>,
    queue: mpsc::Receiver<Arc<Notice>>,
    open_results: Arc<OpenResults>,
    /// What is to be written, by namespace.
    pending: BTreeMap<String, Vec<Arc<Notice>>>,
    formats: Vec<&'static Format>,
    discovered: Option<Instant>,
}

impl ReportWriter {
    pub(crate) fn new(
        cluster: Cluster,
        metrics: Arc<Metrics>,
        queue: mpsc::Receiver<Arc<Notice>>,
        open_results: Arc<OpenResults>,
    ) -> Self {
        let (pending, formats) = (BTreeMap::new(), Vec::new());
        Self { cluster, metrics, queue, open_results, pending, formats, discovered: None }
    }

    pub(crate) async fn run(mut self) {
        let mut flush = tokio::time::interval(FLUSH);
        flush.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                notice = self.queue.recv() => match notice {
                    Some(notice) => self.add(notice),
                    None => return,
                },
                _ = flush.tick() => self.flush().await,
            }
        }
    }

    fn add(&mut self, notice: Arc<Notice>) {
        let namespace = notice.subject.namespace.clone();
        let is_full =
            self.pending.len() >= MAX_NAMESPACES && !self.pending.contains_key(&namespace);
        let waiting = self.pending.get(&namespace).map_or(0, Vec::len);
        if is_full || waiting >= MAX_PENDING {
            self.metrics.reports.with(&["dropped"]).inc();
            return;
        }
        self.pending.entry(namespace).or_default().push(notice);
    }

    async fn flush(&mut self) {
        if self.discovered.is_none_or(|at| at.elapsed() >= DISCOVERY) {
            self.discover().await;
        }
        if self.formats.is_empty() {
            // Without a kind of reports there is nothing to write.
            self.pending.clear();
            return;
        }
        for _ in 0..MAX_WRITES {
            let Some((namespace, notices)) = self.pending.pop_first() else { return };
            for format in &self.formats {
                let label = match self.write(format, &namespace, &notices).await {
                    Ok(()) => "written",
                    Err(why) => {
                        tracing::debug!(namespace, why, "a report could not be written");
                        "error"
                    }
                };
                self.metrics.reports.with(&[label]).inc();
            }
        }
    }

    /// Looks up which kinds of reports there are.
    async fn discover(&mut self) {
        let mut formats = Vec::new();
        for format in &FORMATS {
            let Ok(answer) = self.cluster.ask(&format!("/apis/{}", format.group)).await else {
                return; // What is known stays.
            };
            let is_there = answer.object().is_some_and(|list| {
                let resources = list.get("resources").map(Node::items).unwrap_or_default();
                resources.iter().any(|row| row.text_at(&["name"]) == format.namespaced.1)
            });
            if answer.is_success() && is_there {
                formats.push(format);
            }
        }
        self.formats = formats;
        self.discovered = Some(Instant::now());
    }

    /// Merges findings into the report of a namespace; tried again when another replica writes it meanwhile.
    async fn write(
        &self,
        format: &Format,
        namespace: &str,
        notices: &[Arc<Notice>],
    ) -> Result<(), String> {
        let collection = format.collection(namespace);
        let path = format!("{collection}/{NAME}");
        for _ in 0..3 {
            let found = self.cluster.ask(&path).await.map_err(|error| error.to_string())?;
            let old = match found.code {
                404 => None,
                _ if found.is_success() => Some(found.object().ok_or("a report that is no JSON")?),
                _ => return Err(found.describe()),
            };
            let is_new = old.is_none();
            let mut report = old.unwrap_or_else(|| format.report(namespace));
            let mut results = Results::of(&report);
            for notice in notices {
                results.replace(notice, SystemTime::now());
            }
            if is_new && results.is_empty() {
                break;
            }
            results.write_to(&mut report);
            let answer = match is_new {
                true => self.cluster.create(&collection, &report).await,
                false => self.cluster.update(&path, &report).await,
            };
            let answer = answer.map_err(|error| error.to_string())?;
            match answer.code {
                409 => continue,
                _ if answer.is_success() => {
                    notices.iter().filter(|n| n.findings.is_empty()).for_each(|notice| {
                        self.open_results.remove(&notice.subject);
                    });
                    for (kind, name) in results.objects() {
                        self.open_results.insert(kind, namespace, name);
                    }
                    return Ok(());
                }
                _ => return Err(answer.describe()),
            }
        }
        Ok(())
    }
}
