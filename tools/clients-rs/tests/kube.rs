//! A program on kube-rs: discovery, typed and dynamic objects, patches, errors, and a reflector that outlives a restart.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test may fail")]

use anyhow::{Context, Result};
use clients_rs::Server;
use futures_util::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod, Service};
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
    Preconditions, WatchEvent, WatchParams,
};
use kube::core::Status;
use kube::discovery::{Discovery, Scope};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Error, ResourceExt};
use serde_json::{Value, json};
use std::time::Duration;

fn of<K: serde::de::DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).expect("a literal of the right kind")
}

fn map(name: &str, value: &str) -> ConfigMap {
    of(json!({"metadata": {"name": name, "labels": {"of": "test"}}, "data": {"key": value}}))
}

async fn namespace(client: &Client, name: &str) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.create(&PostParams::default(), &of(json!({"metadata": {"name": name}}))).await?;
    Ok(())
}

/// The Status that a refused call came with.
fn refused<T: std::fmt::Debug>(result: kube::Result<T>) -> Status {
    match result {
        Err(Error::Api(status)) => *status,
        other => panic!("not refused: {other:?}"),
    }
}

/// Waits for something that another task brings about.
async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} did not happen");
}

#[tokio::test]
async fn objects_are_made_read_patched_and_deleted() -> Result<()> {
    let server = Server::start().await?;
    let client = server.client().await?;
    assert_eq!(client.apiserver_version().await?.minor, "36");
    namespace(&client, "crud").await?;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "crud");
    let made = maps.create(&PostParams::default(), &map("a", "1")).await?;
    assert_eq!(maps.get("a").await?, made);
    assert_eq!(maps.get_opt("none").await?, None);
    let missing = refused(maps.get("none").await);
    assert_eq!((missing.code, missing.message.as_str()), (404, "configmaps \"none\" not found"));
    let twice = refused(maps.create(&PostParams::default(), &map("a", "1")).await);
    assert_eq!((twice.code, twice.reason.as_str()), (409, "AlreadyExists"));

    let mut newer = made.clone();
    newer.data = Some([("key".to_owned(), "2".to_owned())].into());
    maps.replace("a", &PostParams::default(), &newer).await?;
    let late = refused(maps.replace("a", &PostParams::default(), &newer).await);
    assert_eq!((late.code, late.reason.as_str()), (409, "Conflict"));

    let other = Preconditions { uid: Some("no".into()), ..Preconditions::default() };
    let params = DeleteParams { preconditions: Some(other), ..DeleteParams::default() };
    assert_eq!(refused(maps.delete("a", &params).await).code, 409);
    let own = Preconditions { uid: made.uid(), ..Preconditions::default() };
    let params = DeleteParams { preconditions: Some(own), ..DeleteParams::default() };
    let gone = maps.delete("a", &params).await?.right().context("a Status")?;
    assert!(gone.is_success());
    Ok(())
}

#[tokio::test]
async fn every_kind_of_patch() -> Result<()> {
    let server = Server::start().await?;
    let client = server.client().await?;
    namespace(&client, "patches").await?;
    let deployments: Api<Deployment> = Api::namespaced(client, "patches");
    let labels = json!({"app": "web"});
    let spec = json!({"containers": [{"name": "web", "image": "nginx:1"}]});
    let template = json!({"metadata": {"labels": labels}, "spec": spec});
    let spec = json!({"selector": {"matchLabels": labels}, "template": template});
    let web: Deployment = of(json!({"metadata": {"name": "web"}, "spec": spec}));
    deployments.create(&PostParams::default(), &web).await?;
    let containers = |deployment: &Deployment| -> Vec<String> {
        let spec = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
        spec.map(|spec| spec.containers.iter().map(|one| one.name.clone()).collect())
            .unwrap_or_default()
    };
    let params = PatchParams::default();
    let side =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "b"}]}}}});
    let merged = deployments.patch("web", &params, &Patch::Strategic(&side)).await?;
    assert_eq!(containers(&merged).len(), 2, "lists merge by name");
    let replaced = deployments.patch("web", &params, &Patch::Merge(&side)).await?;
    assert_eq!(containers(&replaced), ["side"], "lists are replaced");
    let steps = json!([{"op": "test", "path": "/spec/replicas", "value": 1}, {"op": "replace", "path": "/spec/replicas", "value": 3}]);
    let steps = Patch::<Value>::Json(serde_json::from_value(steps)?);
    let stepped = deployments.patch("web", &params, &steps).await?;
    assert_eq!(stepped.spec.and_then(|spec| spec.replicas), Some(3));
    assert_eq!(
        refused(deployments.patch("web", &params, &steps).await).code,
        422,
        "the test fails"
    );
    let scale = deployments.get_scale("web").await?;
    assert_eq!(scale.spec.and_then(|spec| spec.replicas), Some(3));
    let scale = json!({"spec": {"replicas": 5}});
    deployments.patch_scale("web", &params, &Patch::Merge(&scale)).await?;
    let status = json!({"status": {"replicas": 2}, "spec": {"replicas": 9}});
    let patched = deployments.patch_status("web", &params, &Patch::Merge(&status)).await?;
    assert_eq!(patched.spec.and_then(|spec| spec.replicas), Some(5));
    assert_eq!(patched.status.and_then(|status| status.replicas), Some(2));
    Ok(())
}

#[tokio::test]
async fn a_refusal_names_every_field() -> Result<()> {
    let server = Server::start().await?;
    let services: Api<Service> = Api::namespaced(server.client().await?, "default");
    let spec = json!({"ports": [{"port": 0}], "externalIPs": ["1.2.3.04"]});
    let bad: Service = of(json!({"metadata": {"name": "bad"}, "spec": spec}));
    let status = refused(services.create(&PostParams::default(), &bad).await);
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));
    let causes = status.details.context("details")?.causes;
    let fields: Vec<&str> = causes.iter().map(|cause| cause.field.as_str()).collect();
    assert!(fields.contains(&"spec.ports[0].port") && fields.contains(&"spec.externalIPs[0]"));
    Ok(())
}

#[tokio::test]
async fn kinds_are_found_without_being_known() -> Result<()> {
    let server = Server::start().await?;
    let client = server.client().await?;
    namespace(&client, "found").await?;
    for discovery in [
        Discovery::new(client.clone()).run().await?,
        Discovery::new(client.clone()).run_aggregated().await?,
    ] {
        let kinds: Vec<(ApiResource, Scope)> = discovery
            .groups()
            .flat_map(kube::discovery::ApiGroup::recommended_resources)
            .map(|(resource, capabilities)| (resource, capabilities.scope))
            .collect();
        assert!(kinds.len() > 50, "{}", kinds.len());
        let (resource, scope) =
            kinds.iter().find(|(resource, _)| resource.kind == "ConfigMap").context("ConfigMap")?;
        assert_eq!(*scope, Scope::Namespaced);
        let maps: Api<DynamicObject> = Api::namespaced_with(client.clone(), "found", resource);
        let object = DynamicObject::new("dyn", resource).data(json!({"data": {"a": "b"}}));
        maps.create(&PostParams::default(), &object).await?;
        assert_eq!(maps.get("dyn").await?.data["data"]["a"], "b");
        assert_eq!(maps.get_metadata("dyn").await?.name_any(), "dyn");
        maps.delete("dyn", &DeleteParams::default()).await?;
    }
    Ok(())
}

#[tokio::test]
async fn pages_and_a_plain_watch() -> Result<()> {
    let server = Server::start().await?;
    let client = server.client().await?;
    namespace(&client, "pages").await?;
    let maps: Api<ConfigMap> = Api::namespaced(client, "pages");
    for index in 0..7 {
        maps.create(&PostParams::default(), &map(&format!("m{index}"), "1")).await?;
    }
    let mut params = ListParams::default().limit(3).labels("of=test");
    let mut names = Vec::new();
    let version = loop {
        let page = maps.list(&params).await?;
        names.extend(page.items.iter().map(ResourceExt::name_any));
        match page.metadata.continue_.clone().filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break page.metadata.resource_version.context("a version")?,
        }
    };
    assert_eq!(names.len(), 7);
    maps.delete("m3", &DeleteParams::default()).await?;
    // A controller may write the authorities of the namespace meanwhile.
    let params = WatchParams::default().timeout(2).labels("of=test");
    let mut events = maps.watch(&params, &version).await?.boxed();
    match events.next().await.context("an event")?? {
        WatchEvent::Deleted(object) => assert_eq!(object.name_any(), "m3"),
        other => panic!("{other:?}"),
    }
    Ok(())
}

#[tokio::test]
async fn a_reflector_follows_and_outlives_a_restart() -> Result<()> {
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let mut server = Server::start().await?;
        let client = server.client().await?;
        namespace(&client, "mirror").await?;
        let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "mirror");
        maps.create(&PostParams::default(), &map("before", "1")).await?;
        let (store, writer) = reflector::store();
        let stream = reflector::reflector(writer, watcher(maps.clone(), config)).default_backoff();
        let task = tokio::spawn(stream.for_each(|_| async {}));
        store.wait_until_ready().await?;
        let key = |name: &str| ObjectRef::new(name).within("mirror");
        let value = |name: &str| {
            let object = store.get(&key(name))?;
            object.data.as_ref()?.get("key").cloned()
        };
        eventually("the first list", || value("before").as_deref() == Some("1")).await;
        maps.create(&PostParams::default(), &map("new", "1")).await?;
        eventually("a creation", || value("new").as_deref() == Some("1")).await;
        let patch = json!({"data": {"key": "2"}});
        maps.patch("new", &PatchParams::default(), &Patch::Merge(&patch)).await?;
        eventually("an update", || value("new").as_deref() == Some("2")).await;
        maps.delete("before", &DeleteParams::default()).await?;
        eventually("a deletion", || value("before").is_none()).await;

        server.restart().await?;
        maps.create(&PostParams::default(), &map("after", "3")).await?;
        maps.delete("new", &DeleteParams::default()).await?;
        eventually("a creation after the restart", || value("after").as_deref() == Some("3")).await;
        eventually("a deletion after the restart", || value("new").is_none()).await;
        task.abort();
    }
    Ok(())
}

#[tokio::test]
async fn a_pod_is_followed_through_its_life() -> Result<()> {
    let server = Server::start().await?;
    let client = server.client().await?;
    namespace(&client, "pods").await?;
    let pods: Api<Pod> = Api::namespaced(client, "pods");
    let (store, writer) = reflector::store();
    let stream = reflector::reflector(writer, watcher(pods.clone(), watcher::Config::default()));
    let task = tokio::spawn(stream.for_each(|_| async {}));
    store.wait_until_ready().await?;
    let spec = json!({"containers": [{"name": "c", "image": "busybox"}]});
    let pod: Pod = of(json!({"metadata": {"name": "p"}, "spec": spec}));
    pods.create(&PostParams::default(), &pod).await?;
    let phase = || {
        let pod = store.get(&ObjectRef::new("p").within("pods"))?;
        pod.status.as_ref()?.phase.clone()
    };
    eventually("Pending", || phase().as_deref() == Some("Pending")).await;
    let running = json!({"status": {"phase": "Running", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]}});
    pods.patch_status("p", &PatchParams::default(), &Patch::Merge(&running)).await?;
    eventually("Running", || phase().as_deref() == Some("Running")).await;
    pods.delete("p", &DeleteParams::default().grace_period(0)).await?;
    eventually("the end", || phase().is_none()).await;
    task.abort();
    Ok(())
}
