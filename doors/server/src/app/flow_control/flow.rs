//! `RequestFlow`: a FlowSchema with its priority level, as requests use it.

use super::level::Level;
use super::metrics::{FlowMetrics, FlowSeries};
use http::{HeaderMap, HeaderName, HeaderValue};
use ratchet_flow_control::{FlowSchema, Limits, PriorityLevel};
use std::sync::Arc;

const SCHEMA_UID: HeaderName = HeaderName::from_static("x-kubernetes-pf-flowschema-uid");
const LEVEL_UID: HeaderName = HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid");

/// A FlowSchema with its priority level.
pub(crate) struct RequestFlow {
    pub(super) schema: FlowSchema,
    pub(super) level: Arc<Level>,
    /// The uids of schema and level, as headers.
    uids: [HeaderValue; 2],
    /// The most seats that one of its requests takes.
    pub(super) max_seats: u32,
    pub(super) series: FlowSeries,
}

impl RequestFlow {
    pub(super) fn new(
        schema: &FlowSchema,
        level: &PriorityLevel,
        limits: &Limits,
        own: &Arc<Level>,
        metrics: &FlowMetrics,
    ) -> Self {
        let header = |uid: &str| HeaderValue::from_str(uid).unwrap_or(HeaderValue::from_static(""));
        let series = FlowSeries::new(metrics, level, schema);
        Self {
            schema: schema.clone(),
            level: own.clone(),
            uids: [header(&schema.uid), header(&level.uid)],
            max_seats: limits.max_seats,
            series,
        }
    }

    /// Says which schema and which level a response had.
    pub(crate) fn set_headers(&self, headers: &mut HeaderMap) {
        let [schema, level] = &self.uids;
        headers.insert(SCHEMA_UID, schema.clone());
        headers.insert(LEVEL_UID, level.clone());
    }
}
