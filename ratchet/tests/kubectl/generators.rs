//! Tests of every `kubectl create`, and of `run`, `expose`, `autoscale`.

use super::console::Line;
use super::serving::Serving;

/// Generators, ordered by their dependencies.
const GENERATORS: &[Line] = &[
    ("create ns e2e", "namespace/e2e created"),
    ("config set-context --current --namespace=e2e", "modified"),
    ("create sa robot", "serviceaccount/robot created"),
    ("create deployment web --image=nginx --replicas=2 --port=80", "deployment.apps/web created"),
    ("create job once --image=busybox -- date", "job.batch/once created"),
    (
        "create cronjob often --image=busybox --schedule='*/5 * * * *' -- date",
        "cronjob.batch/often created",
    ),
    ("create job now --from=cronjob/often", "job.batch/now created"),
    ("create service clusterip inside --tcp=80:8080", "service/inside created"),
    ("create service clusterip headless --clusterip=None", "service/headless created"),
    ("create service nodeport node --tcp=80 --node-port=30100", "service/node created"),
    ("create service loadbalancer outside --tcp=443:8443", "service/outside created"),
    ("create service externalname away --external-name=example.com", "service/away created"),
    (
        "create configmap settings --from-literal=a=b --from-file=some.txt",
        "configmap/settings created",
    ),
    ("create secret generic plain --from-literal=a=b", "secret/plain created"),
    (
        "create secret docker-registry pulls --docker-server=r.io --docker-username=u --docker-password=p",
        "secret/pulls created",
    ),
    (
        "create secret tls front --cert=data/pki/apiserver.crt --key=data/pki/apiserver.key",
        "secret/front created",
    ),
    ("create role reader --verb=get,list --resource=pods,deployments.apps", "reader created"),
    (
        "create rolebinding reads --role=reader --serviceaccount=e2e:robot --user=jane",
        "reads created",
    ),
    ("create clusterrole sees-nodes --verb=get --resource=nodes", "sees-nodes created"),
    (
        "create clusterrole sees-metrics --verb=get --non-resource-url=/metrics",
        "sees-metrics created",
    ),
    (
        "create clusterrolebinding devs-see-nodes --clusterrole=sees-nodes --group=devs",
        "devs-see-nodes created",
    ),
    ("create quota few --hard=pods=30,services=30", "resourcequota/few created"),
    (
        "create ingress front --class=nginx --rule='a.example.com/x*=inside:80,tls=front'",
        "ingress.networking.k8s.io/front created",
    ),
    (
        "create pdb half --selector=app=web --min-available=50%",
        "poddisruptionbudget.policy/half created",
    ),
    ("create priorityclass higher --value=1000 --description=x", "higher created"),
    (
        "run solo --image=nginx --port=80 --labels=app=solo --env=A=B --overrides='{\"spec\":{\"serviceAccountName\":\"robot\"}}'",
        "pod/solo created",
    ),
    ("expose deployment web --port=80 --target-port=8080", "service/web exposed"),
    ("expose pod solo --port=80 --name=solo --type=NodePort", "service/solo exposed"),
    ("autoscale deploy web --min=1 --max=3", "horizontalpodautoscaler.autoscaling/web autoscaled"),
];

/// The expected objects.
const MADE: &[Line] = &[
    (
        "get deploy web -o jsonpath={.spec.replicas}:{.spec.strategy.rollingUpdate.maxSurge}:{.metadata.generation}",
        "2:25%:1",
    ),
    ("get cj often -o jsonpath={.spec.schedule}:{.spec.concurrencyPolicy}", "*/5 * * * *:Allow"),
    ("get job now -o jsonpath={.metadata.ownerReferences[0].name}", "often"),
    ("get job once -o jsonpath={.spec.template.metadata.labels.job-name}", "once"),
    ("get svc inside -o jsonpath={.spec.clusterIP}:{.spec.ports[0].targetPort}", "10.96."),
    ("get svc headless -o jsonpath={.spec.clusterIPs}", "None"),
    ("get svc node -o jsonpath={.spec.ports[0].nodePort}", "30100"),
    (
        "get svc outside -o jsonpath={.spec.ports[0].nodePort}:{.spec.allocateLoadBalancerNodePorts}",
        ":true",
    ),
    ("get svc away -o jsonpath={.spec.externalName}", "example.com"),
    ("get svc web -o jsonpath={.spec.selector.app}:{.spec.ports[0].targetPort}", "web:8080"),
    ("get cm settings -o jsonpath={.data}", "some.txt"),
    ("get secret pulls -o jsonpath={.type}", "kubernetes.io/dockerconfigjson"),
    ("get secret front -o jsonpath={.type}", "kubernetes.io/tls"),
    ("get ing front -o jsonpath={.spec.rules[0].http.paths[0].pathType}", "Prefix"),
    ("get pdb half -o jsonpath={.spec.minAvailable}", "50%"),
    (
        "get pod solo -o jsonpath={.status.phase}:{.status.qosClass}:{.spec.serviceAccountName}",
        "Pending:BestEffort:robot",
    ),
];

const REFUSED: &[Line] = &[
    ("create ns e2e", "Error from server (AlreadyExists): namespaces \"e2e\" already exists"),
    ("create deployment Web --image=nginx", "metadata.name: Invalid value: \"Web\""),
    (
        "create service nodeport twin --tcp=80 --node-port=30100",
        "provided port is already allocated",
    ),
    (
        "create service nodeport low --tcp=80 --node-port=80",
        "provided port is not in the valid range",
    ),
    (
        "create cronjob never --image=busybox --schedule=sometimes -- date",
        "spec.schedule: Invalid value",
    ),
    ("create sa robot -n nowhere", "namespaces \"nowhere\" not found"),
    ("create job late --from=cronjob/nothing", "cronjobs.batch \"nothing\" not found"),
];

#[test]
fn every_generator_makes_its_object_once() {
    let (_serving, console) = Serving::start();
    console.file("some.txt", "some text\n");
    console.all_ok(GENERATORS);
    console.all_ok(MADE);
    console.all_refused(REFUSED);
}

#[test]
fn a_token_of_a_service_account_opens_the_door() {
    let (_serving, console) = Serving::start();
    console.ok("create sa robot");
    let token = console.ok("create token robot --duration=1h");
    let line =
        format!("auth whoami --token={} -o jsonpath={{.status.userInfo.username}}", token.trim());
    // The client certificate of the kubeconfig would win over the token.
    let bare = console.ok("config view --raw --minify -o jsonpath={.clusters[0].cluster.server}");
    let as_robot =
        format!("--kubeconfig=/dev/null --server={bare} --insecure-skip-tls-verify {line}");
    assert_eq!(console.ok(&as_robot), "system:serviceaccount:default:robot");
    let pods = format!(
        "--kubeconfig=/dev/null --server={bare} --insecure-skip-tls-verify --token={} get pods",
        token.trim()
    );
    let output = console.run(&pods);
    assert_eq!(output.code, 1);
    let wanted = "User \"system:serviceaccount:default:robot\" cannot list resource \"pods\"";
    assert!(output.text.contains(wanted), "{}", output.text);
}

#[test]
fn a_dry_run_answers_and_stores_nothing() {
    let (_serving, console) = Serving::start();
    let text = console.ok("create deployment web --image=nginx --dry-run=server -o yaml");
    for wanted in ["progressDeadlineSeconds: 600", "uid: ", "creationTimestamp: \""] {
        assert!(text.contains(wanted), "{text}");
    }
    console.all_refused(&[("get deploy web", "deployments.apps \"web\" not found")]);
}
