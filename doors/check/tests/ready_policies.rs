//! Equivalence of the policies in `deploy/policies` and the engine, on every case of the engine's.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

#[path = "../../../core/engine/tests/case_file/mod.rs"]
#[allow(dead_code, reason = "only what is to be judged is used here")]
mod case_file;

use case_file::{Case, Proposal, Subject, cases};
use ratchet_access::User;
use ratchet_check::{administrator, as_stored};
use ratchet_engine::{ApiConfig, Behavior, Change, Namespace, Part, Release, Verdict, judge};
use ratchet_object::{ClusterReader, Limits, Node, Object, RestMapping, decode};
use ratchet_policy::{
    Attributes, Binding, GroupVersionKind, GroupVersionResource, Operation, Policies, PolicyContext,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A group of policies, the rules they implement, and the engine configuration that enforces these rules.
struct Family {
    policies: &'static str,
    rules: &'static [&'static str],
    engine: fn() -> ApiConfig,
    /// The engine configuration of the servers the policies are for; policies are not evaluated for what it refuses.
    before: fn() -> ApiConfig,
    /// The least number of refusals and admissions that makes the comparison meaningful.
    least: (usize, usize),
}

fn proposal(gates: &str) -> ApiConfig {
    let mut policy = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
    policy.gates.apply(&[gates.to_owned()]).unwrap();
    policy
}

static FAMILIES: [Family; 4] = [
    Family {
        policies: "strict-ips-in-",
        rules: &["RTC-IP-001", "RTC-IP-002"],
        engine: || proposal("StrictIPCIDRValidation=true"),
        before: || proposal("StrictIPCIDRValidation=false"),
        least: (50, 200),
    },
    Family {
        policies: "deny-service-external-ips",
        rules: &["RTC-SVC-001"],
        engine: || {
            let mut policy = proposal("");
            policy.plugins.deny_external_ips = true;
            policy
        },
        before: || proposal(""),
        least: (5, 150),
    },
    Family {
        policies: "pod-security-probe-hosts",
        rules: &["RTC-PSA-001"],
        engine: || proposal(""),
        before: || proposal(""),
        least: (5, 150),
    },
    Family {
        policies: "alternatives/strict-dns-search",
        rules: &["RTC-DNS-001"],
        engine: || {
            // The newest release in which the proposal can still be turned off.
            let mut policy = ApiConfig::of(Release::new(33).unwrap(), Behavior::Proposal);
            policy.gates.apply(&["RelaxedDNSSearchValidation=false".to_owned()]).unwrap();
            policy
        },
        before: || ApiConfig::of(Release::REFERENCE, Behavior::Released),
        least: (3, 150),
    },
];

/// Intended differences between policy and engine: family, case, why.
static EXCEPTIONS: &[(&str, &str, &str)] = &[
    (SEARCH, "RTC-DNS-001/admits-job-created", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/admits-leading-underscore", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/admits-replica-set-created", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/admits-underscores-where-one-is-stored", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/admits-updated-in-1-36", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/refuses-job-leading-underscore-by-proposal", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/refuses-job-with-gate-off", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/refuses-replica-set-after-the-way-back", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/refuses-replica-set-with-gate-off", ONLY_PODS),
    (SEARCH, "RTC-DNS-001/refuses-underscore-added-with-gate-off", ONLY_PODS),
];

const SEARCH: &str = "alternatives/strict-dns-search";
const ONLY_PODS: &str =
    "The policy looks at pods: what a workload's template says is refused when its pods are made.";

#[test]
fn policies_decide_as_the_engine_does() {
    let cases: Vec<Case> = cases().into_iter().map(Result::unwrap).collect();
    let mut faults = Vec::new();
    let mut used = BTreeSet::new();
    for family in &FAMILIES {
        let policies = family.read();
        let (engine, before) = ((family.engine)(), (family.before)());
        let (mut refused, mut admitted) = (0, 0);
        for case in &cases {
            let Subject::Change(proposal) = &case.subject else { continue };
            let Some(change) = proposal.change() else { continue };
            let verdict = judge(&change, &proposal.facts(), &engine);
            let wanted = family.refuses(&verdict);
            // The server refuses the object before any policy is evaluated.
            let first = judge(&change, &proposal.facts(), &before);
            if !first.errors.is_empty() || (!wanted && !verdict.errors.is_empty()) {
                continue;
            }
            let denials = denials(&policies, &change, proposal);
            let exception = EXCEPTIONS.iter().find(|row| {
                row.0 == family.policies && row.1 == case.name.trim_end_matches(".yaml")
            });
            if let Some(exception) = exception {
                used.insert(exception.1);
                if wanted != denials.is_empty() {
                    faults
                        .push(format!("{} {}: no exception any more", family.policies, case.name));
                }
                continue;
            }
            let count = if wanted { &mut refused } else { &mut admitted };
            *count += 1;
            if wanted == denials.is_empty() {
                let side = if wanted { "must deny" } else { "must admit" };
                let (name, messages) = (&case.name, denials.join("; "));
                faults.push(format!("{} {side} {name}: {messages}", family.policies));
            }
        }
        let (least_refused, least_admitted) = family.least;
        if refused < least_refused || admitted < least_admitted {
            faults.push(format!("{}: {refused} refused, {admitted} admitted", family.policies));
        }
    }
    let idle = EXCEPTIONS.iter().filter(|row| !used.contains(row.1));
    faults.extend(idle.map(|row| format!("{}: an exception for nothing", row.1)));
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}

/// Every policy and binding in the folder is valid, also those that no case reaches.
#[test]
fn policies_are_valid_and_all_are_bound() {
    let mut policies = BTreeSet::new();
    let mut bound = BTreeSet::new();
    for file in ["", "alternatives", "bindings"].into_iter().flat_map(files) {
        for node in objects(&file) {
            let mut node = node;
            let kind = node.text_at(&["kind"]).to_owned();
            ratchet_object::defaults::apply("admissionregistration.k8s.io", "v1", &kind, &mut node);
            let object = Object::new(node);
            let change = Change::create(&object).unwrap();
            let mut verdict = Verdict::default();
            let engine = ApiConfig::of(Release::REFERENCE, Behavior::Released);
            ratchet_policy::validate(&change, &engine, &mut verdict);
            let wrong: Vec<String> = verdict
                .errors
                .iter()
                .map(|error| format!("{}: {}", error.field, error.message()))
                .collect();
            assert!(wrong.is_empty(), "{}:\n{}", file.display(), wrong.join("\n"));
            match kind.as_str() {
                "ValidatingAdmissionPolicy" => drop(policies.insert(object.name().to_owned())),
                "ValidatingAdmissionPolicyBinding" => {
                    bound.insert(object.node().text_at(&["spec", "policyName"]).to_owned());
                }
                _ => {}
            }
        }
    }
    assert_eq!(policies, bound);
    assert!(policies.len() >= 14, "{policies:?}");
}

impl Family {
    fn refuses(&self, verdict: &Verdict) -> bool {
        let errors = verdict.errors.iter().map(|error| error.rule.id);
        let denial = verdict.denial.iter();
        let labels =
            denial.clone().flat_map(|denial| denial.labels.iter().map(|label| label.rule.id));
        let mut all = errors.chain(denial.map(|denial| denial.rule.id)).chain(labels);
        all.any(|id| self.rules.contains(&id))
    }

    /// The family's policies, each bound everywhere.
    fn read(&self) -> Policies {
        let (folder, prefix) = self.policies.rsplit_once('/').unwrap_or(("", self.policies));
        let is_own =
            |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().starts_with(prefix);
        let nodes: Vec<Node<'static>> = files(folder)
            .iter()
            .filter(|file| is_own(file))
            .flat_map(|file| objects(file))
            .collect();
        let policies: Vec<Arc<ratchet_policy::Policy>> = nodes
            .iter()
            .filter(|node| node.text_at(&["kind"]) == "ValidatingAdmissionPolicy")
            .map(|node| Arc::new(ratchet_policy::Policy::compile(node, (1, 36))))
            .collect();
        let bindings = policies.iter().map(|policy| {
            let name = policy.name();
            let text = format!(
                "{{metadata: {{name: {name}}}, spec: {{policyName: {name}, validationActions: [Deny]}}}}"
            );
            let decoded = decode(&text, Limits::DEFAULT).unwrap();
            Arc::new(Binding::from_object(decoded.documents.first().unwrap()))
        });
        let bindings = bindings.collect();
        assert!(!policies.is_empty(), "{}", self.policies);
        Policies::new(policies, bindings)
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/policies").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    files
}

fn objects(file: &Path) -> Vec<Node<'static>> {
    let text = std::fs::read_to_string(file).unwrap();
    let decoded = decode(&text, Limits::DEFAULT).unwrap();
    decoded.documents.into_iter().map(Node::into_owned).collect()
}

/// The denial messages of the policies for a change.
fn denials(policies: &Policies, change: &Change<'_>, proposal: &Proposal) -> Vec<String> {
    let part = match change.part {
        Part::Main => "",
        Part::Sub(part) => part,
    };
    let place = |object: &Object<'_>| {
        let namespaced = change.kind.scope == ratchet_object::Scope::Namespaced;
        let object = object.clone();
        let node =
            if namespaced { object.in_namespace("shop").into_node() } else { object.into_node() };
        Object::new(node.into_owned())
    };
    let old = change.old_object().map(|old| {
        let old = place(old);
        as_stored(&old, Some(old.node()))
    });
    let object = place(change.new_object());
    let mut new = match part {
        "" => as_stored(&object, old.as_ref()),
        _ => as_stored(&object, Some(object.node())),
    };
    // A write of the status changes nothing else.
    if let ("status", Some(spec)) = (part, old.as_ref().and_then(|old| old.get("spec"))) {
        new.set("spec", spec.clone());
    }
    let (group, version) =
        object.api_version().rsplit_once('/').unwrap_or(("", object.api_version()));
    let user: User = administrator();
    let attributes = Attributes {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        kind: GroupVersionKind { group, version, kind: object.kind_name() },
        resource: GroupVersionResource { group, version, resource: change.kind.plural },
        subresource: part,
        name: object.name(),
        namespace: object.namespace(),
        object: Some(&new),
        old: old.as_ref(),
        options: None,
        user: &user,
        dry_run: false,
    };
    let labels = match proposal.facts().namespace {
        Namespace::Labels(Some(labels)) => labels.clone().into_owned(),
        _ => Node::empty_map(),
    };
    let verdicts = policies.judge(&attributes, &Cluster { labels });
    verdicts.denials.iter().map(ratchet_policy::Denial::message).collect()
}

/// A cluster with one namespace.
struct Cluster {
    labels: Node<'static>,
}

impl ClusterReader for Cluster {
    fn get(&self, _: &GroupVersionResource<'_>, _: &str, name: &str) -> Option<Node<'static>> {
        let metadata = [("name", Node::string(name.to_owned())), ("labels", self.labels.clone())];
        Some(Node::map([("metadata", Node::map(metadata))]))
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

impl PolicyContext for Cluster {}
