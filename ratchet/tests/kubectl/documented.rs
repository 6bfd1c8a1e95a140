//! Tests of every command in the README and below `docs`: it runs as printed, or a list says why it does not.

use super::console::{CommandOutput, Console};
use super::serving::{Serving, free_port};
use super::shell_blocks::{ShellCommand, commands};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The page of the chart; its helm is a stand-in here, and ratchet/tests/webhook_deploy runs the real one.
const CHART: &str = "deploy/charts/ratchet-webhook/README.md";

/// Commands that are not run: how they begin, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo ", "builds this repository; `cargo xtask` commands must exist"),
    ("RATCHET_FUZZ_SECONDS=5 cargo ", "builds this repository with optimization"),
    ("PROPTEST_CASES=200000 cargo ", "builds this repository with optimization"),
    (
        "ratchet kubelet-certs --kubelet-certificate-authority /etc/",
        "needs a cluster; ratchet/tests/kubelet_certs.rs has one",
    ),
    ("ratchet kubelet-certs -o prometheus > /var/", "needs a cluster, and writes outside"),
    ("mv /var/lib/node_exporter/", "the second half of the same"),
    ("ratchet serve --kubelet-certificate-authority /etc/", "needs the files of a cluster"),
    ("ratchet webhook manifests --ca-bundle-file ca.crt", "needs the authority of a certificate"),
    ("kubectl apply -f webhook-configuration.yaml", "the second half of the same"),
    (
        "ratchet serve --etcd-servers=https://etcd-0",
        "needs etcd; ratchet/tests/serve_etcd starts some",
    ),
    ("kubectl get nodes -o json > certs/nodes.json", "dials the kubelets of a cluster"),
    (
        "openssl req -new -key kubelet.key",
        "run by core/certificate/src/shape/tests.rs, with a hostile request",
    ),
    ("ratchet audit -o json > audit.json", "needs a cluster that holds old spellings"),
    (
        "ratchet fix --from-audit audit.json",
        "the second half of the same; ratchet/tests/fix_apply.rs has such a server",
    ),
    ("go test ./...", "needs Go and a project; ratchet/tests/envtest replays what envtest does"),
    ("KUBEBUILDER_ASSETS=$PWD/bin/plain go test ./...", "needs Go and a project"),
    (
        "kube-controller-manager ",
        "needs the released binary; ratchet/tests/serve_controllers/released.rs runs it",
    ),
];

/// Commands that end with another status than 0: how they begin, and their status.
const STATUSES: &[(&str, i32)] = &[
    ("ratchet check examples/refused.yaml", 1),
    ("ratchet check --write-baseline", 1),
    ("ratchet check widget.yaml --crds crds", 1),
    ("kubectl apply -f widget.yaml", 1),
    ("kubectl apply -f examples/refused.yaml", 1),
];

/// The files that the pages speak about, beside those of the repository.
const FILES: &[(&str, &str)] = &[
    ("manifests/web.yaml", DEPLOYMENT),
    ("crds/widgets.yaml", DEFINITION),
    ("manifests/shop.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n"),
    (
        "o.yaml",
        "{apiVersion: example.com/v1, kind: Net, metadata: {name: a}, spec: {cidr: 10.1.2.3/8}}\n",
    ),
];

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
";

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: 'registry.example/web:1'}]}
";

/// What the pages assume to be there: a namespace with a workload, and a pod with unusual search names.
const OBJECTS: &[&str] = &[
    "create namespace shop",
    "create deployment web --namespace=shop --image=example.com/none",
    r#"run odd --image=example.com/none --overrides='{"spec":{"dnsConfig":{"searches":["a_b.example"]}}}'"#,
    "create deployment odd --image=example.com/none",
    r#"patch deployment odd -p '{"spec":{"template":{"spec":{"dnsConfig":{"searches":["a_b.example"]}}}}}'"#,
];

/// A folder as the pages assume it: a repository of manifests with a main branch, and stand-ins for other programs.
const FOLDER: &str = "\
printf '#!/bin/sh\\ncat examples/admitted.yaml\\n' > tools/helm && chmod +x tools/helm &&
git init -q -b main . && git add manifests policies &&
git -c user.name=a -c user.email=a@example.com commit -q -m a &&
git update-ref refs/remotes/origin/main HEAD";

/// The pages, relative to the root of the repository.
fn pages() -> Vec<String> {
    let beside = [
        "README.md",
        "deploy/audit/README.md",
        "deploy/policies/README.md",
        "deploy/webhook/README.md",
        CHART,
    ];
    let mut found = beside.map(str::to_owned).to_vec();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(Path::new(ROOT).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// Why a command is not run.
fn exception(command: &ShellCommand) -> Option<&'static str> {
    let row = NOT_RUN.iter().find(|(start, _)| command.text.starts_with(start));
    row.map(|(start, _)| *start)
}

/// What is wrong with the result of a command.
fn fault(command: &ShellCommand, output: &CommandOutput) -> Option<String> {
    let (code, text) = (output.code, &output.text);
    let row = STATUSES.iter().find(|(start, _)| command.text.starts_with(start));
    let wanted = row.map_or(0, |(_, code)| *code);
    match &command.output {
        Some(expected) if text.trim_end() != expected.trim_end() => {
            Some(format!("the page shows\n{expected}\nbut it prints\n{text}"))
        }
        None if code != wanted => Some(format!("ended with {code} instead of {wanted}\n{text}")),
        _ => None,
    }
}

/// A server that was started as a page prints it; its data directory is the usual one below the console's home.
struct Printed(Child);

impl Printed {
    /// Starts it on a free port and waits for its kubeconfig to work.
    fn start(console: &Console, command: &str) -> Self {
        let port = free_port();
        let home = console.folder();
        let usual = home.join(".local/state/ratchet/kubeconfig");
        let _ = std::fs::remove_file(&usual);
        let arguments = command.split_whitespace().skip(1);
        let child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
            .args(arguments)
            .arg(format!("--secure-port={port}"))
            .env("HOME", home)
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self(child);
        let client = Console::new(&usual, home);
        let since = Instant::now();
        while !usual.exists() || client.run("get --raw /readyz").code != 0 {
            assert!(server.0.try_wait().unwrap().is_none(), "$ {command}\nended");
            assert!(since.elapsed() < Duration::from_secs(120), "$ {command}\nis not ready");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl Drop for Printed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Makes the files and objects that the pages speak about.
fn prepare(console: &Console) {
    for (name, text) in FILES {
        console.file(name, text);
    }
    console.file("web.yaml", &DEPLOYMENT.replace("replicas: 3", "replicas: 7"));
    let page = read("docs/how-to/policies.md");
    let policy = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next());
    console.file("policies/few-replicas.yaml", policy.expect("the page has a policy"));
    for folder in ["examples", "deploy/audit", "deploy/policies", "deploy/policies/bindings"] {
        for entry in std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.file_name().unwrap().to_str().unwrap();
                console.file(&format!("{folder}/{name}"), &std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let manifests = Path::new(ROOT).join("deploy/webhook");
    let copied = console.shell(&format!("cp -r {} deploy/", manifests.display()));
    assert_eq!(copied.code, 0, "{}", copied.text);
    let folder = console.shell(FOLDER);
    assert_eq!(folder.code, 0, "{}", folder.text);
    for line in OBJECTS {
        console.ok(line);
    }
}

/// Runs the commands of a page in order; returns what is wrong.
fn run(path: &str, all: &[ShellCommand]) -> Vec<String> {
    let (_serving, console) = Serving::start();
    prepare(&console);
    let mut faults = Vec::new();
    let mut server = None;
    let mut exports = String::new();
    for command in all {
        if command.text.starts_with("rm ") {
            drop(server.take());
        }
        if command.text.starts_with("ratchet serve") {
            // The store belongs to one process, so the server before it ends first.
            drop(server.take());
            server = Some(Printed::start(&console, &command.text));
            continue;
        }
        // Each command has a shell of its own, so exports are repeated.
        let output = console.shell(&format!("{exports}{}", command.text));
        if command.text.starts_with("export ") {
            exports = format!("{}\n", command.text);
        }
        let fault = fault(command, &output);
        faults.extend(
            fault.map(|fault| format!("{path}:{}: $ {}\n{fault}", command.line, command.text)),
        );
    }
    faults
}

#[test]
fn every_command_of_the_documents_runs_or_is_excepted_with_a_reason() {
    let mut used = BTreeSet::new();
    let mut faults = Vec::new();
    let mut count = 0;
    for path in pages() {
        let all = commands(&read(&path));
        used.extend(all.iter().filter_map(exception));
        let all: Vec<ShellCommand> =
            all.into_iter().filter(|command| exception(command).is_none()).collect();
        count += all.len();
        if !all.is_empty() {
            faults.extend(run(&path, &all));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(count > 40, "only {count} commands were found");
    let unused: Vec<&str> =
        NOT_RUN.iter().map(|(start, _)| *start).filter(|start| !used.contains(start)).collect();
    assert!(unused.is_empty(), "no page has these any more: {unused:?}");
}

#[test]
fn every_command_of_xtask_in_the_documents_exists() {
    let [main, long_runs] = ["xtask/src/main.rs", "xtask/src/long_runs.rs"].map(read);
    let pages = pages().into_iter().chain(["CONTRIBUTING.md".to_owned()]);
    let mut count = 0;
    for path in pages {
        let text = read(&path);
        for (at, start) in text.match_indices("cargo xtask ") {
            let rest = text.get(at + start.len()..).unwrap_or_default();
            let name = rest.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
            count += 1;
            let is_there = main.contains(&format!("[\"{name}\""))
                || long_runs.contains(&format!("name: \"{name}\","));
            assert!(is_there, "{path}: cargo xtask {name}");
        }
    }
    assert!(count > 10, "only {count} commands were found");
}

#[test]
fn a_wrong_status_or_another_output_is_a_fault() {
    let command = |text: &str, output: Option<&str>| ShellCommand {
        line: 1,
        text: text.to_owned(),
        output: output.map(str::to_owned),
    };
    let output =
        |code, text: &str| CommandOutput { code, text: text.to_owned(), stdout: text.to_owned() };
    assert_eq!(fault(&command("true", None), &output(0, "")), None);
    assert!(fault(&command("false", None), &output(1, "")).is_some());
    let refused = command("ratchet check examples/refused.yaml", None);
    assert_eq!(fault(&refused, &output(1, "")), None);
    assert!(fault(&refused, &output(0, "")).is_some());
    assert_eq!(fault(&command("ask", Some("yes\n")), &output(1, "yes")), None);
    assert!(fault(&command("ask", Some("yes\n")), &output(0, "no")).is_some());
}
