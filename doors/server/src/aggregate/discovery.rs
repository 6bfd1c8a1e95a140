//! What extension servers say about themselves: discovery and OpenAPI documents, fetched again after a while.

use super::availability::service_path;
use super::backoff::Backoff;
use super::fetch::{Fetch, Fetched, aggregator_user, fetch, openapi_user};
use super::{changes, convert, openapi, openapi_v3};
use crate::app::App;
use crate::app::aggregator::api_service::ApiService;
use crate::app::aggregator::documents::{ExtensionDocuments, OpenApiV2};
use crate::app::documents::HashedDocument;
use ratchet_object::{Limits, Node, decode_json};
use std::sync::Arc;
use std::time::Duration;

/// How often documents are fetched again.
const INTERVAL: Duration = Duration::from_secs(60);
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(60));
/// The time that a server has for its resources.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The time that a server has for an OpenAPI document, which it may have to build first.
const OPENAPI_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a server may be asked even though it may have moved meanwhile.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest list of resources: in all APIs of Kubernetes there are a thousand or so.
const LIMITS: Limits = Limits { bytes: 4 << 20, nodes: 1 << 17, ..Limits::DEFAULT };
/// The largest OpenAPI document: four times that of all APIs of Kubernetes.
const OPENAPI_LIMITS: Limits = Limits { bytes: 16 << 20, nodes: 1 << 19, ..Limits::DEFAULT };

/// Both versions of aggregated discovery; they differ in nothing but their name.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// What was fetched before, and its tags.
#[derive(Default)]
struct Known {
    /// The version's part of an aggregated document.
    entry: Option<Node<'static>>,
    etag: String,
    v2: OpenApiV2,
    v2_etags: [String; 2],
    /// The v2 document in the form of v3, if the server has no such document itself.
    converted: Option<Arc<HashedDocument>>,
}

/// Keeps the documents of one APIService until the task is aborted.
pub(super) async fn keep(app: Arc<App>, name: Arc<str>) {
    let mut woken = changes::Changes::subscribe(&app);
    let mut known = Known::default();
    let mut failures = 0;
    loop {
        let seen = changes::inputs(&app, &name);
        // Who waits for a server that was replaced meanwhile waits for nothing.
        let is_fine = tokio::select! {
            is_fine = refresh(&app, &name, &mut known) => is_fine,
            () = replaced(&app, &name, &mut woken, &seen) => continue,
        };
        failures = if is_fine { 0 } else { failures + 1 };
        let pause = if is_fine { INTERVAL } else { BACKOFF.delay(failures) };
        woken.wait(pause, || changes::inputs(&app, &name) != seen).await;
    }
}

/// Waits until something has changed that the documents depend on, but not less than a while.
async fn replaced(app: &App, name: &str, woken: &mut changes::Changes, seen: &[u64]) {
    tokio::time::sleep(PATIENCE).await;
    woken.wait(INTERVAL * 60, || changes::inputs(app, name) != seen).await;
}

/// Fetches everything once; whether discovery succeeded.
async fn refresh(app: &Arc<App>, name: &Arc<str>, known: &mut Known) -> bool {
    let set = app.aggregator.services.now();
    let Some(service) = set.get(name).filter(|service| service.remote.is_some()) else {
        return true;
    };
    let result = resources(app, service, known).await;
    if let Err(why) = &result {
        tracing::debug!(%name, why, "the resources of an extension server are not known");
    }
    let is_current = result.is_ok();
    let empty = || Node::map([("version", Node::string(service.version.clone()))]);
    let mut entry = known.entry.clone().unwrap_or_else(empty);
    let freshness = if is_current { "Current" } else { "Stale" };
    entry.set("freshness", Node::string(freshness));
    let before = app.aggregator.remote_documents.get(name);
    let mut documents =
        ExtensionDocuments { entry, ..before.as_deref().cloned().unwrap_or_default() };
    // First what everybody waits for.
    app.aggregator.remote_documents.set(name, documents.clone());
    if is_current {
        let index = index(app, service).await;
        let is_missing = index == Some(Index::Missing);
        if is_missing && known.converted.is_none() {
            // Known or not: it has to be converted.
            known.v2_etags.iter_mut().for_each(String::clear);
        }
        specification(app, service, known, is_missing).await;
        documents.v2 = known.v2.clone();
        match index {
            Some(Index::Paths(paths)) => (documents.v3, documents.converted) = (paths, None),
            Some(Index::Missing) => {
                documents.v3 = known.converted.iter().map(|one| entry_of(service, one)).collect();
                documents.converted.clone_from(&known.converted);
            }
            None => {}
        }
        app.aggregator.remote_documents.set(name, documents);
    }
    is_current
}

/// The version's part of aggregated discovery, or the resource list in its form.
async fn resources(app: &App, service: &ApiService, known: &mut Known) -> Result<(), String> {
    let what = Fetch {
        path: "/apis",
        accept: AGGREGATED,
        etag: &known.etag,
        limit: LIMITS.bytes,
        timeout: TIMEOUT,
    };
    let fetched = fetch(&app.aggregator, service, &aggregator_user(), what).await?;
    match fetched.code {
        // Also if the document did not name the version.
        304 if !known.etag.is_empty() => return Ok(()),
        503 => return Err(format!("non-success response code: {}", fetched.code)),
        200 if is_aggregated(&fetched) => {
            let text = utf8(&fetched)?;
            let entry = app.compute.run(|| {
                let list = decode(text, LIMITS)?;
                Ok::<_, String>(convert::version_of(&list, &service.group, &service.version))
            });
            // A server that does not name the version has no resources in it.
            known.entry = entry.await?;
            known.etag = fetched.etag;
            return Ok(());
        }
        _ => {}
    }
    let path = service_path(service);
    let what = Fetch {
        path: &path,
        accept: "application/json",
        etag: "",
        limit: LIMITS.bytes,
        timeout: TIMEOUT,
    };
    let fetched = fetch(&app.aggregator, service, &aggregator_user(), what).await?;
    if fetched.code != 200 {
        return Err(format!("failed to download legacy discovery for {path}: {}", fetched.code));
    }
    let text = utf8(&fetched)?;
    let entry =
        app.compute.run(|| convert::from_resource_list(&decode(text, LIMITS)?, &service.version));
    known.entry = Some(entry.await?);
    known.etag = String::new();
    Ok(())
}

fn is_aggregated(fetched: &Fetched) -> bool {
    let has = |wanted: &str| fetched.content_type.split(';').any(|part| part.trim() == wanted);
    has("g=apidiscovery.k8s.io")
        && has("as=APIGroupDiscoveryList")
        && (has("v=v2") || has("v=v2beta1"))
}

fn utf8(fetched: &Fetched) -> Result<&str, String> {
    std::str::from_utf8(&fetched.body).map_err(|error| error.to_string())
}

/// Decodes JSON of an extension server.
fn decode(text: &str, limits: Limits) -> Result<Node<'static>, String> {
    let mut decoded = decode_json(text, limits).map_err(|error| error.to_string())?;
    if decoded.documents.len() != 1 {
        return Err("it is not one JSON value".to_owned());
    }
    Ok(decoded.documents.remove(0).into_owned())
}

/// The index of OpenAPI v3 documents.
#[derive(PartialEq, Eq)]
enum Index {
    /// Those of the version: path and URL.
    Paths(Vec<(String, String)>),
    /// The server knows of no OpenAPI v3.
    Missing,
}

/// The entry of a converted document in the index.
fn entry_of(service: &ApiService, document: &HashedDocument) -> (String, String) {
    let path = format!("apis/{}/{}", service.group, service.version);
    let url = format!("/openapi/v3/{path}?hash={}", document.hash);
    (path, url)
}

/// Fetches the index; none if the server does not say.
async fn index(app: &App, service: &ApiService) -> Option<Index> {
    let what = Fetch {
        path: "/openapi/v3",
        accept: "application/json",
        etag: "",
        limit: LIMITS.bytes,
        timeout: OPENAPI_TIMEOUT,
    };
    let fetched = fetch(&app.aggregator, service, &openapi_user(), what).await.ok()?;
    if fetched.code != 200 {
        return (fetched.code == 404).then_some(Index::Missing);
    }
    let node = decode(utf8(&fetched).ok()?, LIMITS).ok()?;
    Some(Index::Paths(openapi::v3_paths(&node, &service.group, &service.version)))
}

/// Forgets a document in one encoding, with its tag: the same document may come back, and must be sent again then.
fn forget(documents: &mut OpenApiV2, is_json: bool, etag: &mut String) {
    etag.clear();
    match is_json {
        true => documents.json = Arc::default(),
        false => documents.protobuf = Arc::default(),
    }
}

/// The part of OpenAPI v2 about the version, in both encodings, and all of it in the form of v3 where this is wanted.
async fn specification(app: &App, service: &ApiService, known: &mut Known, is_converted: bool) {
    let prefix = format!("/apis/{}/{}/", service.group, service.version);
    let [json_etag, protobuf_etag] = &mut known.v2_etags;
    let encodings = [("application/json", true, json_etag), (PROTOBUF, false, protobuf_etag)];
    for (accept, is_json, etag) in encodings {
        let what = Fetch {
            path: "/openapi/v2",
            accept,
            etag: etag.as_str(),
            limit: OPENAPI_LIMITS.bytes,
            timeout: OPENAPI_TIMEOUT,
        };
        let Ok(fetched) = fetch(&app.aggregator, service, &openapi_user(), what).await else {
            continue;
        };
        if fetched.code != 200 {
            if fetched.code == 404 {
                forget(&mut known.v2, is_json, etag);
                known.converted = known.converted.take().filter(|_| !is_json);
            }
            continue;
        }
        match is_json {
            true => {
                let Ok(text) = utf8(&fetched) else { continue };
                let read = || {
                    let node = decode(text, OPENAPI_LIMITS)?;
                    let convert = || openapi_v3::from_v2(&node, OPENAPI_LIMITS.bytes);
                    let converted = is_converted.then(convert).flatten();
                    let converted = converted.map(|text| Arc::new(HashedDocument::of(text)));
                    Ok::<_, String>((openapi::json_parts(&node, &prefix), converted))
                };
                match app.compute.run(read).await {
                    Ok((parts, converted)) => {
                        known.v2.json = Arc::new(parts);
                        known.converted = converted;
                    }
                    Err(why) => {
                        tracing::debug!(name = service.name, why, "not an OpenAPI document");
                    }
                }
            }
            // A server that knows no protobuf sends JSON.
            false if fetched.content_type.contains("protobuf") => {
                let read = || openapi::protobuf_parts(&fetched.body, &prefix);
                known.v2.protobuf = Arc::new(app.compute.run(read).await.unwrap_or_default());
            }
            false => {}
        }
        *etag = fetched.etag;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::aggregator::documents::Parts;

    #[test]
    fn what_is_gone_is_asked_for_without_its_tag() {
        let paths = || vec![("/apis/a/v1/".to_owned(), "{}".to_owned())];
        let json = Parts { paths: paths(), definitions: Vec::new() };
        let mut documents = OpenApiV2 { json: Arc::new(json.clone()), ..OpenApiV2::default() };
        let (mut json_tag, mut protobuf_tag) = ("j".to_owned(), "p".to_owned());
        forget(&mut documents, false, &mut protobuf_tag);
        assert_eq!((&*documents.json, protobuf_tag.as_str()), (&json, ""));
        forget(&mut documents, true, &mut json_tag);
        assert_eq!((&*documents.json, json_tag.as_str()), (&Parts::default(), ""));
    }
}
