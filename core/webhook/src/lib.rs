//! Admission webhooks as a state machine: which call is next, and what its answer means; the door makes the calls.
//!
//! [`WebhookConfiguration::compile`] compiles API objects, [`Webhooks::new`] puts them in order. A [`MutatingDispatch`]
//! is asked for the [`Next`] call again and again, each time with the answer of the one before; a
//! [`ValidatingDispatch`] gives all its calls at once, and takes the answers as they arrive. What they need to know of
//! the cluster comes from [`ObjectInterfaces`].
//!
//! ```
//! use ratchet_access::User;
//! use ratchet_object::{Limits, NoCluster, Node, decode};
//! use ratchet_policy::{Attributes, GroupVersionKind, GroupVersionResource, Operation, Reader};
//! use ratchet_webhook::{AdmissionType, Answer, Context, ValidatingDispatch, WebhookConfiguration, Webhooks};
//!
//! let read = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
//! let configuration = read("{metadata: {name: c}, webhooks: [{name: no.example.com, sideEffects: None,
//!     admissionReviewVersions: [v1], clientConfig: {url: 'https://127.0.0.1:9443/no'},
//!     rules: [{apiGroups: [''], apiVersions: [v1], resources: [nodes], operations: [CREATE]}]}]}");
//! let reader = Reader::new((1, 36));
//! let configuration = WebhookConfiguration::compile(&configuration, AdmissionType::Validating, &reader);
//! let webhooks = Webhooks::new(AdmissionType::Validating, vec![configuration.into()]);
//!
//! let object: Node<'static> = read("{apiVersion: v1, kind: Node, metadata: {name: bad}}");
//! let attributes = Attributes {
//!     operation: Operation::Create,
//!     kind: GroupVersionKind { group: "", version: "v1", kind: "Node" },
//!     resource: GroupVersionResource { group: "", version: "v1", resource: "nodes" },
//!     subresource: "",
//!     name: "bad",
//!     namespace: "",
//!     object: Some(&object),
//!     old: None,
//!     options: None,
//!     user: &User::anonymous(),
//!     dry_run: false,
//! };
//! let new_uid = || "u-1".to_string();
//! let context = Context { attributes: &attributes, objects: &NoCluster, new_uid: &new_uid, is_overdue: false };
//! let (mut dispatch, calls) = ValidatingDispatch::start(&webhooks, &context).unwrap();
//! assert_eq!(calls[0].url(10), "https://127.0.0.1:9443/no?timeout=10s");
//! let body = br#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
//!     "response": {"uid": "u-1", "allowed": false, "status": {"message": "no bad nodes"}}}"#;
//! let answer = Answer::Response { status: 200, content_type: String::new(), body: body.to_vec() };
//! dispatch.answer(&calls[0], answer, &context);
//! let (rejection, report) = dispatch.finish();
//! assert_eq!(
//!     rejection.unwrap().message(&attributes),
//!     "admission webhook \"no.example.com\" denied the request: no bad nodes"
//! );
//! assert_eq!(report.observations[0].metric, "apiserver_admission_webhook_rejection_count");
//! ```
#![no_std]
extern crate alloc;

mod annotations;
mod call;
mod client_config;
mod configuration;
mod conversion;
mod decode;
mod denial;
mod exempt;
mod http;
mod matching;
mod mutating;
#[cfg(test)]
mod mutating_tests;
mod outcome;
mod rejection;
mod report;
mod response;
mod review;
#[cfg(test)]
mod testing;
mod validating;
#[cfg(test)]
mod validating_tests;

pub use ratchet_policy::{ObjectInterfaces, ReinvocationContext};

pub use annotations::{AuditAnnotation, AuditLevel};
pub use call::{Answer, Context, MAX_RESPONSE_BYTES, WebhookCall};
pub use client_config::{ClientConfig, Endpoint};
pub use configuration::{AdmissionType, Webhook, WebhookConfiguration, Webhooks};
pub use conversion::{
    CONVERSION_TIMEOUT_SECONDS, ConversionCall, ConversionError, ConversionFailure,
    ConversionWebhook,
};
pub use denial::DeniedStatus;
pub use exempt::is_exempt;
pub use mutating::{MutatingDispatch, Next};
pub use rejection::Rejection;
pub use report::Report;
pub use validating::ValidatingDispatch;
