//! Two kubelets swap addresses and certificates while requests run: no client gets the output of the wrong node.

use super::cluster::{Cluster, Pod};
use super::kubectl::{PATIENCE, Way};
use super::timeline::{Answer, Phase, Verdict, judge, line, other};
use kubelet_peer::Container;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The commands that run all the time, on both nodes.
const WORK: [(&str, Way); 3] = [
    ("logs pod-{node}", Way::WebSocket),
    ("exec pod-{node} -- sh -c :: echo $SAYING", Way::WebSocket),
    ("exec pod-{node} -- sh -c :: echo $SAYING", Way::Spdy),
];
const NODES: [&str; 2] = ["alpha", "beta"];

/// Number of complete answers that each worker needs before the next change.
const ANSWERS: usize = 2;

/// What is swapped, one after the other: addresses, certificates, or both. Impersonations and honest moves take turns.
const STEPS: [(bool, bool); 8] = [
    (true, false), // impersonation: each node is said to be at the other's kubelet
    (false, true), // the certificates follow: the nodes have moved
    (false, true), // impersonation: the certificates go back
    (true, false), // the addresses follow: as in the beginning
    (false, true), // impersonation: each kubelet calls itself the other
    (false, true), // as in the beginning
    (true, true),  // the nodes move
    (true, true),  // and back
];

/// The cluster's current state and its history.
struct Swap<'a> {
    cluster: &'a Cluster,
    answers: &'a Mutex<Vec<Answer>>,
    moved: bool,
    renamed: bool,
    phases: Vec<Phase>,
}

impl Swap<'_> {
    /// Swaps the registered addresses; between the two changes both nodes have one address.
    fn addresses(&mut self) {
        self.moved = !self.moved;
        for node in NODES {
            let port = self.cluster.port(if self.moved { other(node) } else { node });
            let patch = format!(
                r#"{{"status":{{"daemonEndpoints":{{"kubeletEndpoint":{{"Port":{port}}}}}}}}}"#
            );
            let line = format!("patch node {node} --subresource=status --type=merge -p :: {patch}");
            self.cluster.kubectl.ok(&line);
        }
    }

    /// Swaps the certificates, and closes connections made with the old ones, as a new kubelet would.
    fn certificates(&mut self) {
        self.renamed = !self.renamed;
        for kubelet in NODES {
            let name = if self.renamed { other(kubelet) } else { kubelet };
            self.cluster.kubelet(kubelet).set_certificate(&self.cluster.certificate(name)).unwrap();
        }
        for kubelet in NODES {
            self.cluster.kubelet(kubelet).close_connections();
        }
    }

    /// Waits until every worker has had its answers.
    fn rest(&mut self) {
        let from = Instant::now();
        while !self.has_heard_enough(from) {
            assert!(from.elapsed() < PATIENCE, "no answers");
            std::thread::sleep(Duration::from_millis(20));
        }
        let (moved, renamed) = (self.moved, self.renamed);
        self.phases.push(Phase { from, until: Instant::now(), moved, renamed });
    }

    fn has_heard_enough(&self, from: Instant) -> bool {
        let answers = self.answers.lock().unwrap();
        (0..WORK.len() * NODES.len()).all(|worker| {
            let of_worker = |answer: &&Answer| answer.worker == worker && answer.began >= from;
            answers.iter().filter(of_worker).count() >= ANSWERS
        })
    }
}

/// Repeats one command until the end.
fn work(cluster: &Cluster, worker: usize, over: &AtomicBool, answers: &Mutex<Vec<Answer>>) {
    let (line, way) = WORK[worker / NODES.len()];
    let node = NODES[worker % NODES.len()];
    let (kubectl, line) = (cluster.kubectl.over(way), line.replace("{node}", node));
    while !over.load(Ordering::Relaxed) {
        let began = Instant::now();
        let output = kubectl.run(&line);
        let ended = Instant::now();
        answers.lock().unwrap().push(Answer { worker, node, began, ended, output });
    }
}

/// Sets a flag on drop, so that waiting threads end whether the test passes or fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Both kubelets have both pods, as an impersonator would, and log their own name.
fn prepare() -> Cluster {
    let cluster = Cluster::start();
    let container = |kubelet: &str| {
        let output = line(kubelet);
        let environment = vec![("SAYING".to_owned(), output.trim_end().to_owned())];
        Container { environment, ..Container::saying(output.as_str()) }
    };
    cluster.add(vec![
        Pod::of("pod-alpha", "alpha", container("alpha")),
        Pod::of("pod-beta", "beta", container("beta")),
    ]);
    for (kubelet, pod) in [("alpha", "pod-beta"), ("beta", "pod-alpha")] {
        let kubelet = (cluster.kubelet(kubelet), container(kubelet));
        kubelet.0.add_container("default", pod, "main", kubelet.1).unwrap();
    }
    cluster
}

#[test]
fn nobody_gets_the_output_of_the_wrong_node() {
    let cluster = prepare();
    let (over, answers) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let phases = std::thread::scope(|scope| {
        let _over = Over(&over);
        for worker in 0..WORK.len() * NODES.len() {
            let (cluster, over, answers) = (&cluster, &over, &answers);
            scope.spawn(move || work(cluster, worker, over, answers));
        }
        let (cluster, answers) = (&cluster, &answers);
        let mut swap = Swap { cluster, answers, moved: false, renamed: false, phases: vec![] };
        swap.rest();
        for (addresses, certificates) in STEPS {
            if certificates {
                swap.certificates();
            }
            if addresses {
                swap.addresses();
            }
            swap.rest();
        }
        swap.phases
    });
    let answers = answers.into_inner().unwrap();
    let verdicts: Vec<Verdict> = answers
        .iter()
        .map(|answer| judge(&phases, answer).unwrap_or_else(|why| panic!("{why}")))
        .collect();
    let count = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let honest = phases.iter().filter(|phase| phase.is_honest()).count();
    let each = WORK.len() * NODES.len() * ANSWERS;
    assert!(count(Verdict::Served) >= honest * each, "{verdicts:?}");
    assert!(count(Verdict::Refused) >= (phases.len() - honest) * each, "{verdicts:?}");
    assert_eq!((phases.len(), honest), (9, 6));
    is_counted_and_told(&cluster);
}

fn is_counted_and_told(cluster: &Cluster) {
    let total = "kube_apiserver_validation_kubelet_cert_cn_total";
    for result in ["success", "failure"] {
        assert!(cluster.metric(&format!("{total}{{result=\"{result}\"}}")) > 0, "{result}");
    }
    let log = cluster.log();
    for node in NODES {
        let wanted = ["does not bear the name of its node", "enforce", &format!("node=\"{node}\"")];
        let is_logged = log.lines().any(|line| wanted.iter().all(|word| line.contains(word)));
        assert!(is_logged, "nothing is told of {node}:\n{log}");
    }
}
