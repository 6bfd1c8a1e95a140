//! Tests of reads: `get` in all forms, `watch`, `describe`, `events`.

use super::console::{Console, Line};
use super::serving::Serving;

const OBJECTS: &[Line] = &[
    ("create sa robot", ""),
    ("create deployment web --image=nginx --replicas=2", ""),
    ("create service clusterip web --tcp=80", ""),
    ("create service clusterip api --tcp=80", ""),
    ("create service nodeport door --tcp=80 --node-port=30222", ""),
    ("create configmap paint --from-literal=color=red", ""),
    ("create secret generic plain --from-literal=a=b", ""),
    ("create role reader --verb=get --resource=pods", ""),
    ("create rolebinding reads --role=reader --user=jane", ""),
    ("create quota few --hard=pods=30", ""),
    ("create ingress front --rule=a.example.com/=web:80", ""),
    ("create pdb half --selector=app=web --min-available=1", ""),
    ("create job once --image=busybox -- date", ""),
    ("create cronjob often --image=busybox --schedule='*/5 * * * *' -- date", ""),
    (
        "run solo --image=nginx --labels=app=solo,tier=x --overrides='{\"spec\":{\"serviceAccountName\":\"robot\"}}'",
        "",
    ),
    (
        "run twin --image=nginx --labels=app=twin --overrides='{\"spec\":{\"serviceAccountName\":\"robot\"}}'",
        "",
    ),
];

const LOOKS: &[Line] = &[
    ("get ns", "kube-node-lease   Active"),
    ("get all", "deployment.apps/web   0/2     0            0"),
    ("get deploy -o wide", "SELECTOR"),
    ("get pods -o wide", "NOMINATED NODE"),
    ("get svc door", "80:30222/TCP"),
    ("get deploy web -o yaml", "kind: Deployment"),
    ("get deploy web -o json", "\"kind\": \"Deployment\""),
    ("get deploy,svc,cm -o yaml", "kind: List"),
    ("get svc -o name", "service/door"),
    ("get deploy -o custom-columns=N:.metadata.name,R:.spec.replicas", "web   2"),
    ("get deploy web -o go-template={{.spec.replicas}}", "2"),
    ("get deploy web -o jsonpath={.spec.template.spec.containers[*].image}", "nginx"),
    ("get pods --show-labels -L app", "app=solo,tier=x"),
    ("get deploy web --subresource=status", "web    0/2"),
    (
        "get deploy web --subresource=scale -o jsonpath={.kind}:{.spec.replicas}:{.status.selector}",
        "Scale:2:app=web",
    ),
    ("get deploy nothing --ignore-not-found", ""),
    ("get configmaps -A", "default"),
    ("get --raw /version", "\"1\""),
    ("get --raw /livez?verbose", "livez check passed"),
    ("get --raw /apis/apps/v1/namespaces/default/deployments/web", "\"kind\":\"Deployment\""),
    ("get events", "No resources found in default namespace."),
    ("events", "No events found in default namespace."),
    ("describe deploy web", "StrategyType:           RollingUpdate"),
    ("describe pod solo", "Service Account:  robot"),
    ("describe svc door", "NodePort:                 80  30222/TCP"),
    ("describe job once", "Parallelism:      1"),
    ("describe cj often", "Schedule:                      */5 * * * *"),
    ("describe ing front", "a.example.com"),
    ("describe cm paint", "color:"),
    ("describe secret plain", "a:  1 bytes"),
    ("describe role reader", "pods       []                 []              [get]"),
    ("describe rolebinding reads", "User  jane"),
    ("describe quota few", "Resource    Used  Hard"),
    ("describe pdb half", "Min available:  1"),
    ("describe ns default", "Status:       Active"),
    ("describe sa robot", "Name:                robot"),
];

const NOT_THERE: &[Line] = &[
    ("get nosuch", "error: the server doesn't have a resource type \"nosuch\""),
    ("get deploy nothing", "Error from server (NotFound): deployments.apps \"nothing\" not found"),
    ("get pods --field-selector=foo=bar", "field label not supported: foo"),
    (
        "get --raw /nope",
        "Error from server (NotFound): the server could not find the requested resource",
    ),
    ("describe deploy nothing", "deployments.apps \"nothing\" not found"),
    (
        "get pods --as=nobody",
        "User \"nobody\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"",
    ),
];

#[test]
fn what_is_there_is_shown_in_every_form() {
    let (_serving, console) = Serving::start();
    console.all_ok(OBJECTS);
    console.all_ok(LOOKS);
    console.all_refused(NOT_THERE);
    selections(&console);
}

/// The names in a list, in order.
fn names(console: &Console, line: &str) -> Vec<String> {
    let output = console.run(&format!("get {line} -o name"));
    assert_eq!(output.code, 0, "{}", output.text);
    output.stdout.lines().map(|name| name.rsplit('/').next().unwrap().to_owned()).collect()
}

fn selections(console: &Console) {
    let cases: &[(&str, &[&str])] = &[
        ("pods --selector=app=solo", &["solo"]),
        ("pods -l 'tier in (x,y),app!=web'", &["solo"]),
        ("pods -l !tier", &["twin"]),
        ("pods --field-selector=metadata.name=twin", &["twin"]),
        ("pods --field-selector=status.phase!=Running", &["solo", "twin"]),
        ("pods --field-selector=spec.nodeName=,status.phase=Pending", &["solo", "twin"]),
        ("pods --field-selector=status.phase=Running", &[]),
        ("svc --chunk-size=1", &["api", "door", "kubernetes", "web"]),
        ("svc --chunk-size=3 --sort-by={.spec.type}", &["api", "kubernetes", "web", "door"]),
        ("svc --field-selector=spec.type=NodePort", &["door"]),
        ("secrets --field-selector=type=Opaque", &["plain"]),
    ];
    for (line, wanted) in cases {
        assert_eq!(names(console, line), *wanted, "{line}");
    }
}

#[test]
fn a_watch_tells_every_change_in_its_order() {
    let (_serving, console) = Serving::start();
    console.ok("create configmap first --from-literal=n=0");
    let form = "-o jsonpath='{.metadata.name}={.data.n};'";
    let mut watch = console.start(&format!(
        "get cm -w -l '!hidden' --field-selector=metadata.name!=kube-root-ca.crt {form}"
    ));
    watch.says("first=0;");
    console.ok("create configmap second --from-literal=n=1");
    console.ok("patch cm first -p '{\"data\":{\"n\":\"2\"}}'");
    // An object that leaves the selection is reported as deleted, and as added when it returns.
    console.ok("label cm second hidden=yes");
    console.ok("patch cm second -p '{\"data\":{\"n\":\"3\"}}'");
    console.ok("label cm second hidden-");
    console.ok("delete cm first");
    watch.says("second=3;first=2;");
    assert_eq!(watch.text(), "first=0;second=1;first=2;second=1;second=3;first=2;");
    let mut table = console.start("get cm second -w --output-watch-events");
    table.says("ADDED");
    console.ok("delete cm second");
    table.says("DELETED");
}
