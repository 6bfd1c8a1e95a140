//! What controllers on kube-rs do: a custom resource, server-side apply, a watcher, finalizers.

use anyhow::{Context, Result};
use clients_rs::Server;
use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams,
};
use kube::core::Status;
use kube::runtime::controller::Action;
use kube::runtime::finalizer::finalizer;
use kube::runtime::watcher::{self, Event as Watched};
use kube::runtime::{conditions, wait::await_condition};
use kube::{Client, Error, ResourceExt};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const FINALIZER: &str = "example.com/cleanup";

/// A definition with a default, a rule and a status.
fn definition() -> Value {
    let spec = json!({
        "type": "object",
        "properties": {
            "size": {"type": "integer", "minimum": 1, "default": 3},
            "ports": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": {"type": "string"}, "port": {"type": "integer"}},
                },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
        },
        "x-kubernetes-validations": [{"rule": "self.size < 100", "message": "too large"}],
    });
    let status = json!({"type": "object", "properties": {"ready": {"type": "boolean"}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wg"]},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
            }],
        },
    })
}

fn kind() -> ApiResource {
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    ApiResource::from_gvk_with_plural(&kind, "widgets")
}

fn widget(name: &str, spec: Value) -> DynamicObject {
    DynamicObject::new(name, &kind()).data(json!({"spec": spec}))
}

/// Applies the definition and waits until it is established; returns its API in the namespace `default`.
async fn define(client: &Client) -> Result<Api<DynamicObject>> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("test").force();
    let name = "widgets.example.com";
    definitions.patch(name, &params, &Patch::Apply(definition())).await?;
    let established = await_condition(definitions, name, conditions::is_crd_established());
    tokio::time::timeout(Duration::from_secs(10), established).await??;
    Ok(Api::default_namespaced_with(client.clone(), &kind()))
}

fn refused<T: std::fmt::Debug>(result: kube::Result<T>) -> Status {
    match result {
        Err(Error::Api(status)) => *status,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_custom_resource_is_defaulted_and_validated() -> Result<()> {
    let server = Server::start().await?;
    let widgets = define(&server.client().await?).await?;
    let made = widgets.create(&PostParams::default(), &widget("a", json!({}))).await?;
    assert_eq!(made.data["spec"]["size"], 3);
    assert_eq!(made.metadata.generation, Some(1));
    let large =
        refused(widgets.create(&PostParams::default(), &widget("b", json!({"size": 100}))).await);
    assert_eq!((large.code, large.reason.as_str()), (422, "Invalid"));
    assert!(large.message.contains("too large"), "{}", large.message);
    let status = json!({"status": {"ready": true}, "spec": {"size": 9}});
    let patched =
        widgets.patch_status("a", &PatchParams::default(), &Patch::Merge(&status)).await?;
    assert_eq!(
        (&patched.data["spec"]["size"], &patched.data["status"]["ready"]),
        (&json!(3), &json!(true))
    );
    Ok(())
}

#[tokio::test]
async fn two_managers_apply_one_object() -> Result<()> {
    let server = Server::start().await?;
    let client = server.client().await?;
    let widgets = define(&client).await?;
    let apply = |manager: &'static str, ports: Value| {
        let object = widget("a", json!({"ports": ports}));
        let widgets = widgets.clone();
        async move { widgets.patch("a", &PatchParams::apply(manager), &Patch::Apply(&object)).await }
    };
    apply("one", json!([{"name": "http", "port": 80}])).await?;
    let both = apply("two", json!([{"name": "https", "port": 443}])).await?;
    assert_eq!(both.data["spec"]["ports"].as_array().map(Vec::len), Some(2), "{both:?}");
    let managers: Vec<String> =
        both.managed_fields().iter().filter_map(|entry| entry.manager.clone()).collect();
    assert!(managers.contains(&"one".to_owned()) && managers.contains(&"two".to_owned()));
    let conflict = refused(apply("two", json!([{"name": "http", "port": 81}])).await);
    assert_eq!((conflict.code, conflict.reason.as_str()), (409, "Conflict"));
    let given_up = apply("one", json!([])).await?;
    let ports = given_up.data["spec"]["ports"].as_array().context("ports")?.clone();
    assert_eq!(ports, [json!({"name": "https", "port": 443})]);
    Ok(())
}

#[tokio::test]
async fn a_watcher_sees_custom_objects() -> Result<()> {
    let server = Server::start().await?;
    let widgets = define(&server.client().await?).await?;
    widgets.create(&PostParams::default(), &widget("before", json!({}))).await?;
    let mut events = watcher::watcher(widgets.clone(), watcher::Config::default()).boxed();
    let mut seen = Vec::new();
    let follow = async {
        while let Some(event) = events.next().await {
            match event? {
                Watched::InitApply(object) => seen.push(format!("there {}", object.name_any())),
                Watched::InitDone => {
                    widgets.create(&PostParams::default(), &widget("after", json!({}))).await?;
                    widgets.delete("before", &DeleteParams::default()).await?;
                }
                Watched::Apply(object) => seen.push(format!("made {}", object.name_any())),
                Watched::Delete(object) => {
                    seen.push(format!("gone {}", object.name_any()));
                    break;
                }
                Watched::Init => {}
            }
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(Duration::from_secs(30), follow).await??;
    assert_eq!(seen, ["there before", "made after", "gone before"]);
    Ok(())
}

#[tokio::test]
async fn a_finalizer_holds_an_object_and_its_owner_goes_last() -> Result<()> {
    let server = Server::start().await?;
    let client = server.client().await?;
    let widgets = define(&client).await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let owner = widgets.create(&PostParams::default(), &widget("a", json!({}))).await?;
    let reference =
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "name": "a", "uid": owner.uid()});
    let owned = json!({"metadata": {"name": "owned", "ownerReferences": [reference]}});
    maps.create(&PostParams::default(), &serde_json::from_value(owned)?).await?;
    let reconcile = |object: DynamicObject| {
        finalizer(&widgets, FINALIZER, Arc::new(object), |_| async {
            Ok::<_, std::io::Error>(Action::await_change())
        })
    };
    // The first call adds the finalizer, the second one finds it there.
    reconcile(owner).await?;
    let held = widgets.get("a").await?;
    assert_eq!(held.finalizers(), [FINALIZER]);
    reconcile(held).await?;
    widgets.delete("a", &DeleteParams::default()).await?;
    let going = widgets.get("a").await?;
    assert!(going.metadata.deletion_timestamp.is_some(), "it waits for its finalizer");
    reconcile(going).await?;
    assert_eq!(refused(widgets.get("a").await).code, 404);
    for _ in 0..600 {
        if maps.get_opt("owned").await?.is_none() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("what it owned is still there");
}
