//! Metrics of connections to kubelets.

use ratchet_http::metrics::{CounterVec, Registry, Stability};
use ratchet_kubelet::{NameCheck, Trust, Witness};

/// The metric families of connections.
pub struct Connections {
    logs: CounterVec,
    log_failures: CounterVec,
    streaming: CounterVec,
    translations: CounterVec,
    tunnels: CounterVec,
}

impl Connections {
    /// Registers all families.
    pub(super) fn new(registry: &Registry) -> Self {
        let alpha = Stability::Alpha;
        Self {
            logs: registry.counter("kube_apiserver_pod_logs_insecure_backend_total", alpha, "Requests for logs of pods, by whether the kubelet's certificate had to be good.", &["usage"]),
            log_failures: registry.counter("kube_apiserver_pod_logs_backend_tls_failure_total", alpha, "Requests for logs of pods that failed because the kubelet's certificate was no good.", &[]),
            streaming: registry.counter("apiserver_websocket_streaming_requests_total", alpha, "Connections with containers over WebSockets, by who speaks WebSocket: the kubelet, or this server alone.", &["subresource", "proxy_type"]),
            translations: registry.counter("apiserver_stream_translator_requests_total", alpha, "Commands over WebSockets that were translated for a kubelet, by how they ended.", &["code"]),
            tunnels: registry.counter("apiserver_stream_tunnel_requests_total", alpha, "Ports forwarded through WebSockets, by how the tunnel began.", &["code"]),
        }
    }

    /// Counts a log request by its TLS verification.
    pub fn log_requested(&self, is_insecure: bool) {
        let usage = if is_insecure { "skip_tls_allowed" } else { "enforce_tls" };
        self.logs.with(&[usage]).inc();
    }

    /// Counts a log request that failed because of the kubelet's certificate.
    pub fn log_tls_failed(&self) {
        self.log_failures.with(&[]).inc();
    }

    /// Counts an exec, attach or portforward request by who handles WebSockets.
    pub fn streaming(&self, subresource: &str, kubelet_speaks: bool) {
        let who = if kubelet_speaks { "proxied_to_kubelet" } else { "translated_at_apiserver" };
        self.streaming.with(&[subresource, who]).inc();
    }

    /// Counts a translated WebSocket connection by its final status code.
    pub fn translated(&self, code: u16) {
        self.translations.with(&[&code.to_string()]).inc();
    }

    /// Counts a WebSocket tunnel by the status code of its handshake.
    pub fn tunnelled(&self, code: u16) {
        self.tunnels.with(&[&code.to_string()]).inc();
    }
}

/// Counts certificate name checks of kubelets; without checks the metric does not exist.
pub(crate) fn name_witness(registry: &Registry, trust: &Trust) -> Witness {
    if !matches!(trust, Trust::Authority { names: NameCheck::Observe | NameCheck::Enforce, .. }) {
        return Box::new(|_| {});
    }
    let checks = registry.counter(
        "kube_apiserver_validation_kubelet_cert_cn_total",
        Stability::Alpha,
        "Checks of whether a kubelet's certificate bears its node's name, by result.",
        &["result"],
    );
    // Both series from the start, so that "no failure" differs from "no check".
    let [success, failure] = ["success", "failure"].map(|result| checks.with(&[result]));
    Box::new(move |matched| if matched { success.inc() } else { failure.inc() })
}
