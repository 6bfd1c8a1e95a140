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
            logs: registry.counter("kube_apiserver_pod_logs_insecure_backend_total", alpha, "Total number of requests for pods/logs sliced by usage type: enforce_tls, skip_tls_allowed, skip_tls_denied", &["usage"]),
            log_failures: registry.counter("kube_apiserver_pod_logs_backend_tls_failure_total", alpha, "Total number of requests for pods/logs that failed due to kubelet server TLS verification", &[]),
            streaming: registry.counter("apiserver_websocket_streaming_requests_total", alpha, "Total number of WebSocket streaming requests (exec/attach/portforward) routed by the API server, labeled by subresource and proxy_type. proxy_type is proxied_to_kubelet when the kubelet handles the request directly; otherwise translated_at_apiserver.", &["subresource", "proxy_type"]),
            translations: registry.counter("apiserver_stream_translator_requests_total", alpha, "Total number of requests that were handled by the StreamTranslatorProxy, which processes streaming RemoteCommand/V5", &["code"]),
            tunnels: registry.counter("apiserver_stream_tunnel_requests_total", alpha, "Total number of requests that were handled by the StreamTunnelProxy, which processes streaming PortForward/V2", &["code"]),
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
    let checks = registry.counter("kube_apiserver_validation_kubelet_cert_cn_total", Stability::Alpha, "Total number of kubelet serving certificate common name validations performed by the API server, by result.", &["result"]);
    // Both from the start, so that "no failure" can be told from "nobody looks".
    let [success, failure] = ["success", "failure"].map(|result| checks.with(&[result]));
    Box::new(move |matched| if matched { success.inc() } else { failure.inc() })
}
