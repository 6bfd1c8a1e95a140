//! Tests of alpha and beta APIs: absent by default, and as good as others where they are asked for.

use crate::client::Client;
use crate::server::Server;
use serde_json::{Value, json};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The paths of collections that are served only if they are asked for.
const COLLECTIONS: &[&str] = &[
    "/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies",
    "/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings",
    "/apis/certificates.k8s.io/v1alpha1/clustertrustbundles",
    "/apis/certificates.k8s.io/v1beta1/clustertrustbundles",
    "/apis/certificates.k8s.io/v1beta1/podcertificaterequests",
    "/apis/coordination.k8s.io/v1alpha2/leasecandidates",
    "/apis/coordination.k8s.io/v1beta1/leasecandidates",
    "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions",
    "/apis/networking.k8s.io/v1beta1/ipaddresses",
    "/apis/networking.k8s.io/v1beta1/servicecidrs",
    "/apis/resource.k8s.io/v1alpha3/devicetaintrules",
    "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests",
    "/apis/resource.k8s.io/v1beta1/resourceclaims",
    "/apis/resource.k8s.io/v1beta2/resourceslices",
    "/apis/scheduling.k8s.io/v1alpha2/podgroups",
    "/apis/scheduling.k8s.io/v1alpha2/workloads",
    "/apis/storage.k8s.io/v1beta1/volumeattributesclasses",
    "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations",
];

/// The gates that some of them need.
const GATES: &str = "ClusterTrustBundle=true,ClusterTrustBundleProjection=true,PodCertificateRequest=true,GenericWorkload=true,StorageVersionMigrator=true";

/// A server with entries of `--runtime-config` and feature gates.
async fn serving(runtime: &'static [(&'static str, bool)], gates: &'static str) -> Client {
    let server = Server::start_with(move |config| {
        config.runtime = runtime.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
        config.api_config.gates.apply(&[gates]).unwrap();
    });
    // The server runs until the process ends.
    Box::leak(Box::new(server)).admin().await
}

async fn create(client: &Client, path: &str, object: Value) -> Value {
    let made = client.post(path, object).await;
    assert_eq!(made.code, 201, "{path}: {}", made.text());
    made.json()
}

#[tokio::test]
async fn they_are_absent_by_default() {
    let client = Server::shared().admin().await;
    for path in COLLECTIONS {
        assert_eq!(client.get(path).await.code, 404, "{path}");
    }
    let groups = client.get_as("/apis", AGGREGATED).await;
    assert!(!groups.text().contains("v1beta") && !groups.text().contains("v1alpha"));
}

#[tokio::test]
async fn all_are_served_where_all_are_asked_for() {
    let client = serving(&[("api/beta", true), ("api/alpha", true)], GATES).await;
    let specs = client.get("/openapi/v3").await.json();
    let document = client.get("/openapi/v2").await.json();
    for path in COLLECTIONS {
        let listed = client.get(path).await;
        assert_eq!(listed.code, 200, "{path}: {}", listed.text());
        let (version, plural) = path.trim_start_matches('/').rsplit_once('/').unwrap();
        let discovery = client.get(&format!("/{version}")).await.json();
        let resources = discovery["resources"].as_array().unwrap();
        assert!(resources.iter().any(|row| row["name"] == plural), "{path}");
        assert!(specs["paths"][version].is_object(), "{version}");
        assert!(document["paths"][*path].is_object(), "{path}");
        let service = version.trim_start_matches("apis/").split_once('/').unwrap();
        let service =
            format!("/apis/apiregistration.k8s.io/v1/apiservices/{}.{}", service.1, service.0);
        assert_eq!(client.get(&service).await.code, 200, "{service}");
    }
    let groups = client.get("/apis").await.json();
    let of = |group: &str| {
        let all = groups["groups"].as_array().unwrap();
        let found = all.iter().find(|one| one["name"] == group).unwrap();
        let versions = found["versions"].as_array().unwrap().iter();
        versions.map(|one| one["version"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of("resource.k8s.io"), ["v1", "v1beta2", "v1beta1", "v1alpha3"]);
    assert_eq!(of("certificates.k8s.io"), ["v1", "v1beta1", "v1alpha1"]);
}

#[tokio::test]
async fn gates_and_single_entries_decide() {
    let client = serving(
        &[("certificates.k8s.io/v1beta1", true), ("resource.k8s.io/v1beta1/deviceclasses", true)],
        "",
    )
    .await;
    let code = |path: &'static str| async { client.get(path).await.code };
    assert_eq!(code("/apis/certificates.k8s.io/v1beta1/clustertrustbundles").await, 404);
    assert_eq!(code("/apis/resource.k8s.io/v1beta1/deviceclasses").await, 200);
    assert_eq!(code("/apis/resource.k8s.io/v1beta1/resourceclaims").await, 404);
    assert_eq!(code("/apis/resource.k8s.io/v1/resourceclaims").await, 200);
}

#[tokio::test]
async fn versions_share_their_objects() {
    let client = serving(&[("api/beta", true)], GATES).await;
    let (namespace, _) = client.namespace().await;
    let claims = |version: &str| {
        format!("/apis/resource.k8s.io/{version}/namespaces/{namespace}/resourceclaims")
    };
    let claim = json!({
        "metadata": {"name": "c"},
        "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "gpu"}]}},
    });
    let made = create(&client, &claims("v1beta1"), claim).await;
    let request = &made["spec"]["devices"]["requests"][0];
    assert_eq!((&request["deviceClassName"], &request["count"]), (&json!("gpu"), &json!(1)));
    let stable = client.get(&format!("{}/c", claims("v1"))).await.json();
    assert_eq!(stable["apiVersion"], "resource.k8s.io/v1");
    let request = &stable["spec"]["devices"]["requests"][0];
    assert_eq!(request["exactly"]["deviceClassName"], "gpu");
    assert!(request["deviceClassName"].is_null());
    let listed = client.get(&claims("v1beta2")).await.json();
    assert_eq!(listed["items"][0]["spec"], stable["spec"]);
    let back = client.get(&format!("{}/c", claims("v1beta1"))).await;
    assert_eq!(back.json()["spec"], made["spec"]);
    assert!(
        back.header("warning").contains(
            "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+"
        ),
        "{}",
        back.header("warning")
    );
    let slices = |version: &str| format!("/apis/resource.k8s.io/{version}/resourceslices");
    let slice = json!({
        "metadata": {"name": "s"},
        "spec": {
            "driver": "d.example.com",
            "nodeName": "n",
            "pool": {"name": "p", "resourceSliceCount": 1},
            "devices": [{"name": "g", "basic": {"attributes": {"model": {"string": "m"}}}}],
        },
    });
    let made = create(&client, &slices("v1beta1"), slice).await;
    assert_eq!(made["spec"]["devices"][0]["basic"]["attributes"]["model"]["string"], "m");
    let stable = client.get(&format!("{}/s", slices("v1"))).await.json();
    assert_eq!(stable["spec"]["devices"][0]["attributes"]["model"]["string"], "m");
    assert!(stable["spec"]["devices"][0]["basic"].is_null());
}

/// The certificate of an authority, which bundles consist of.
fn anchor() -> String {
    let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().pem()
}

#[tokio::test]
async fn kinds_without_a_stable_version_are_written_and_read() {
    let client = serving(&[("api/beta", true), ("api/alpha", true)], GATES).await;
    let bundles =
        |version: &str| format!("/apis/certificates.k8s.io/{version}/clustertrustbundles");
    let anchor = anchor();
    let bundle = json!({"metadata": {"name": "b"}, "spec": {"trustBundle": anchor}});
    create(&client, &bundles("v1alpha1"), bundle).await;
    let read = client.get(&format!("{}/b", bundles("v1beta1"))).await.json();
    assert_eq!(
        (&read["apiVersion"], &read["spec"]["trustBundle"]),
        (&json!("certificates.k8s.io/v1beta1"), &json!(anchor))
    );
    let migrations = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
    let migration = json!({
        "metadata": {"name": "m"},
        "spec": {"resource": {"group": "apps", "resource": "deployments"}},
        "status": {"resourceVersion": "1"},
    });
    let made = create(&client, migrations, migration).await;
    assert_eq!(made["spec"]["resource"]["resource"], "deployments");
    assert!(made["status"]["resourceVersion"].is_null(), "{made}");
    let status = client
        .patch(&format!("{migrations}/m/status"), json!({"status": {"resourceVersion": "7"}}))
        .await;
    assert_eq!(status.json()["status"]["resourceVersion"], "7", "{}", status.text());
    let unknown = client
        .post(
            &format!("{migrations}?fieldValidation=Strict"),
            json!({"metadata": {"name": "n"}, "spec": {"no": 1}}),
        )
        .await;
    assert_eq!(unknown.code, 400, "{}", unknown.text());
}

#[tokio::test]
async fn gates_decide_fields() {
    let set = json!({
        "metadata": {"name": "s"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "serviceName": "s",
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "containers": [{"name": "c", "image": "i"}],
                    "volumes": [{"name": "v", "projected": {"sources": [
                        {"clusterTrustBundle": {"name": "b", "path": "p"}},
                    ]}}],
                },
            },
        },
    });
    let bundle = |set: &Value| {
        let volume = &set["spec"]["template"]["spec"]["volumes"][0];
        volume["projected"]["sources"][0]["clusterTrustBundle"]["path"].clone()
    };
    let unavailable =
        |set: &Value| set["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"].clone();
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let made = create(&client, &format!("/apis/apps/v1/namespaces/{namespace}/statefulsets"), {
        // A source without its only member would be refused.
        let mut set = set.clone();
        set["spec"]["template"]["spec"]["volumes"] = json!([]);
        set
    })
    .await;
    assert_eq!(unavailable(&made), Value::Null);
    let gates =
        "ClusterTrustBundle=true,ClusterTrustBundleProjection=true,MaxUnavailableStatefulSet=true";
    let client = serving(&[], gates).await;
    let (namespace, _) = client.namespace().await;
    let made =
        create(&client, &format!("/apis/apps/v1/namespaces/{namespace}/statefulsets"), set).await;
    assert_eq!((unavailable(&made), bundle(&made)), (json!(2), json!("p")));
}
