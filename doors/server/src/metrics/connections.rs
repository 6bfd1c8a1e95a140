//! What is counted about connections to kubelets.

use ratchet_http::metrics::{CounterVec, Registry, Stability};
use ratchet_kubelet::{NameCheck, Trust, Witness};

/// The families of connections.
pub struct Connections {
    logs: CounterVec,
    log_failures: CounterVec,
    streaming: CounterVec,
    translations: CounterVec,
    tunnels: CounterVec,
}

impl Connections {
    /// The families, all at zero.
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

    /// Counts a request for a log.
    pub fn log_asked(&self, is_insecure: bool) {
        let usage = if is_insecure { "skip_tls_allowed" } else { "enforce_tls" };
        self.logs.with(&[usage]).inc();
    }

    /// Counts a log that could not be had because the kubelet's certificate was no good.
    pub fn log_tls_failed(&self) {
        self.log_failures.with(&[]).inc();
    }

    /// Counts a request for a connection with a container, by who understands WebSockets.
    pub fn streaming(&self, subresource: &str, kubelet_speaks: bool) {
        let who = if kubelet_speaks { "proxied_to_kubelet" } else { "translated_at_apiserver" };
        self.streaming.with(&[subresource, who]).inc();
    }

    /// Counts a translated connection by how it ended.
    pub fn translated(&self, code: u16) {
        self.translations.with(&[&code.to_string()]).inc();
    }

    /// Counts a tunnel by how it began.
    pub fn tunnelled(&self, code: u16) {
        self.tunnels.with(&[&code.to_string()]).inc();
    }
}

/// Who counts whether kubelets bear the names of their nodes; where nobody looks there is no metric either.
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
    // Both from the start, so that "no failure" can be told from "nobody looks".
    let [success, failure] = ["success", "failure"].map(|result| checks.with(&[result]));
    Box::new(move |matched| if matched { success.inc() } else { failure.inc() })
}
