//! The state of EndpointSlices and Endpoints, and the progress of their controllers.

use super::measurement::client::Target;
use bytes::Bytes;
use hyper::Method;
use serde_json::Value;
use std::collections::BTreeMap;

const SLICES: &str = "/apis/discovery.k8s.io/v1/endpointslices";
const ENDPOINTS: &str = "/api/v1/endpoints";

/// The items of both collections, as text.
#[derive(PartialEq, Eq)]
pub(crate) struct EndpointState {
    slices: String,
    endpoints: String,
}

async fn text(target: &Target, path: &str) -> String {
    let mut connection = target.connect().await;
    let (code, body) = connection.request(&Method::GET, path, Bytes::new()).await;
    assert_eq!(code, 200, "{path}");
    String::from_utf8_lossy(&body).into_owned()
}

/// The list without its own version, which any write changes.
fn items(list: &str) -> String {
    list.split_once("\"items\"").map(|(_, items)| items.to_owned()).unwrap_or_default()
}

impl EndpointState {
    /// Lists both collections.
    pub(crate) async fn read(target: &Target) -> Self {
        let (slices, endpoints) = (text(target, SLICES).await, text(target, ENDPOINTS).await);
        Self { slices: items(&slices), endpoints: items(&endpoints) }
    }

    /// Number of pods in each collection; only text is counted, because that is fast.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let pods = |text: &str| text.matches(r#""kind":"Pod""#).count();
        (pods(&self.slices), pods(&self.endpoints))
    }

    /// Asserts that both have exactly these addresses, and that no Service has more slices than it needs.
    pub(crate) fn check(&self, wanted: &BTreeMap<String, Vec<String>>, services: usize) {
        let list = |text: &str| -> Vec<Value> {
            let whole: Value = serde_json::from_str(&format!("{{\"items\"{text}")).unwrap();
            whole["items"].as_array().unwrap().clone()
        };
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut slices_found = 0;
        for slice in list(&self.slices) {
            let metadata = &slice["metadata"];
            let service = metadata["labels"]["kubernetes.io/service-name"].as_str().unwrap();
            let key = format!("{}/{service}", metadata["namespace"].as_str().unwrap());
            let Some(endpoints) =
                slice["endpoints"].as_array().filter(|_| wanted.contains_key(&key))
            else {
                continue;
            };
            slices_found += 1;
            let addresses =
                endpoints.iter().map(|it| it["addresses"][0].as_str().unwrap().to_owned());
            found.entry(key).or_default().extend(addresses);
        }
        found.values_mut().for_each(|list| list.sort());
        assert!(&found == wanted, "the slices are wrong");
        let needed: usize = wanted.values().map(|list| list.len().div_ceil(100)).sum();
        assert!(
            slices_found <= needed + services / 100,
            "{slices_found} slices, {needed} would do"
        );
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for endpoints in list(&self.endpoints) {
            let metadata = &endpoints["metadata"];
            let part = |name: &str| metadata[name].as_str().unwrap().to_owned();
            let key = format!("{}/{}", part("namespace"), part("name"));
            if wanted.contains_key(&key) {
                let addresses = endpoints["subsets"][0]["addresses"].as_array().unwrap();
                let addresses = addresses.iter().map(|it| it["ip"].as_str().unwrap().to_owned());
                found.entry(key).or_default().extend(addresses);
            }
        }
        found.values_mut().for_each(|list| list.sort());
        assert!(&found == wanted, "the Endpoints are wrong");
    }
}

/// Whether both controllers have synced every Service and their queues are empty.
pub(crate) async fn all_synced(target: &Target, services: usize) -> bool {
    let metrics = text(target, "/metrics").await;
    let value = |name: &str, queue: &str| -> f64 {
        let start = format!("{name}{{name=\"{queue}\"}} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&start));
        line.and_then(|value| value.parse().ok()).unwrap_or_default()
    };
    ["endpoint_slice", "endpoint"].iter().all(|queue| {
        value("workqueue_work_duration_seconds_count", queue) >= services as f64
            && value("workqueue_depth", queue) == 0.0
    })
}
