//! `ratchet webhook`: the verdict of the engine on AdmissionReviews that the API server of any cluster sends.
//!
//! [`AdmissionRequest::decode`] reads a review, [`Reviewer`] leads its objects through the recipe that every door shares,
//! and [`AdmissionResponse`] is what goes back. A review that cannot be read is a [`ReviewError`], which the API server
//! treats by the failure policy of its configuration; a refusal is a response like any other.
//!
//! ```
//! use ratchet_engine::{ApiConfig, Behavior, Release};
//! use ratchet_object::NoCluster;
//! use ratchet_webhook_server::{AdmissionRequest, Reviewer};
//!
//! let body = br#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
//!     "uid": "705ab4f5", "operation": "CREATE", "userInfo": {"username": "ann"}, "namespace": "shop",
//!     "kind": {"group": "", "version": "v1", "kind": "Service"},
//!     "resource": {"group": "", "version": "v1", "resource": "services"},
//!     "object": {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], "clusterIP": "010.0.0.1"}}}}"#;
//! let reviewer = Reviewer::new(ApiConfig::of(Release::REFERENCE, Behavior::Proposal));
//! let request = AdmissionRequest::decode(body).unwrap();
//! let response = reviewer.review(request, &NoCluster).unwrap();
//! let status = response.status.as_ref().unwrap();
//! assert_eq!((status.code, status.reason), (422, "Invalid"));
//! assert!(status.message.starts_with("Service \"web\" is invalid: spec.clusterIP"));
//! assert!(response.to_json().contains(r#""response":{"uid":"705ab4f5","allowed":false"#));
//! ```

mod canonicalize;
mod certificates;
mod cluster;
mod configuration;
mod deadline;
mod error;
mod events;
mod excerpt;
mod exemptions;
mod finding_log;
mod findings;
mod leader;
mod manifests;
mod metrics;
mod mode;
mod namespaces;
mod notice;
mod notices;
mod otlp;
mod reload;
mod reports;
mod request;
mod response;
mod review_body;
mod reviewer;
mod server;
mod service;
mod subject;

pub use certificates::SelfSignedConfig;
pub use cluster::ClusterSource;
pub use configuration::{Configuration, Fault};
pub use error::ReviewError;
pub use exemptions::Exemptions;
pub use manifests::WebhookManifest;
pub use metrics::{METRIC_NAMES, Metrics};
pub use mode::{Mode, RuleModes};
pub use notices::NoticeConfig;
pub use otlp::TracingConfig;
pub use reload::{ConfigurationError, CurrentReviewer};
pub use request::{AdmissionRequest, MAX_REVIEW_BYTES};
pub use response::{AdmissionResponse, Finding, FindingVerdict};
pub use reviewer::Reviewer;
pub use server::{CertificateSource, ReloadHandle, Server, ServerConfig, StartError};
