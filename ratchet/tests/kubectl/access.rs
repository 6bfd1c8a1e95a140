//! Tests of access: `auth can-i`, `auth whoami`, refusals, and certificate signing requests.

use super::console::Line;
use super::serving::Serving;
use base64::Engine;

const RIGHTS: &[Line] = &[
    ("create role reader --verb=get,list --resource=pods", ""),
    ("create rolebinding reads --role=reader --user=jane", ""),
    ("create clusterrole sees-nodes --verb=get --resource=nodes", ""),
    ("create clusterrolebinding devs-see-nodes --clusterrole=sees-nodes --group=devs", ""),
    ("auth can-i create pods", "yes"),
    ("auth can-i '*' '*'", "yes"),
    ("auth can-i get pods --as=jane", "yes"),
    ("auth can-i get nodes --as=x --as-group=devs", "yes"),
    ("auth can-i get /healthz --as=x --as-group=system:authenticated", "yes"),
    ("auth can-i --list --as=jane", "pods "),
    ("auth can-i --list", "*.*"),
    ("get pods --as=jane", "No resources found"),
    ("auth whoami -o jsonpath={.status.userInfo.groups}", "system:authenticated"),
    ("auth whoami --as=jane --as-group=devs", "jane"),
    ("auth reconcile -f more.yaml", "role.rbac.authorization.k8s.io/reader reconciled"),
    ("auth can-i watch pods --as=jane", "yes"),
];

const NO_RIGHTS: &[Line] = &[
    ("auth can-i delete pods --as=jane", "no"),
    ("auth can-i get pods -n kube-system --as=jane", "no"),
    ("auth can-i get nodes --as=x", "no"),
    ("auth can-i get /metrics --as=x", "no"),
    (
        "get secrets -A --as=jane",
        "secrets is forbidden: User \"jane\" cannot list resource \"secrets\" in API group \"\" at the cluster scope",
    ),
    (
        "create deploy q --image=x --as=jane",
        "deployments.apps is forbidden: User \"jane\" cannot create resource \"deployments\"",
    ),
    ("create rolebinding mine --clusterrole=admin --user=jane --as=jane", "is forbidden"),
];

const MORE: &str = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules:
- apiGroups: ['']
  resources: [pods]
  verbs: [watch]
";

#[test]
fn rights_are_told_and_kept() {
    let (_serving, console) = Serving::start();
    console.file("more.yaml", MORE);
    console.all_ok(RIGHTS);
    console.all_refused(NO_RIGHTS);
}

#[test]
fn a_certificate_is_asked_for_and_approved() {
    let (_serving, console) = Serving::start();
    let key = rcgen::KeyPair::generate().unwrap();
    let mut wanted = rcgen::CertificateParams::default();
    wanted.distinguished_name.push(rcgen::DnType::CommonName, "jane");
    let request = wanted.serialize_request(&key).unwrap().pem().unwrap();
    let request = base64::engine::general_purpose::STANDARD.encode(request);
    for name in ["jane", "joan"] {
        let text = format!(
            "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\n\
             metadata: {{name: {name}}}\nspec:\n  request: {request}\n  usages: [client auth]\n  \
             signerName: kubernetes.io/kube-apiserver-client\n"
        );
        console.file(&format!("{name}.yaml"), &text);
    }
    console.all_ok(&[
        (
            "apply -f jane.yaml -f joan.yaml",
            "certificatesigningrequest.certificates.k8s.io/joan created",
        ),
        ("get csr jane", "Pending"),
        ("certificate approve jane", "certificatesigningrequest.certificates.k8s.io/jane approved"),
        ("get csr jane", "Approved"),
        ("certificate deny joan", "certificatesigningrequest.certificates.k8s.io/joan denied"),
        ("describe csr joan", "Denied"),
        ("get csr jane -o jsonpath={.spec.groups}", "system:authenticated"),
    ]);
    console.all_refused(&[("certificate deny jane", "is already Approved")]);
}
