//! OTLP traces: a span a review, sent in batches as JSON over HTTP, without a review ever waiting for it.

use crate::metrics::Metrics;
use crate::subject::Subject;
use bytes::Bytes;
use http::{HeaderMap, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use ratchet_object::Node;
use rustls::pki_types::ServerName;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsConnector;

/// The most spans that wait; further ones are dropped and counted.
const MAX_WAITING: usize = 4096;
/// The most spans of one request.
const MAX_BATCH: usize = 256;
/// How long spans wait for company.
const LINGER: Duration = Duration::from_secs(1);
/// How long a collector may take for one batch.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where traces go, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracingConfig {
    /// The URL that OTLP/HTTP requests are posted to, such as `http://collector:4318/v1/traces`.
    pub endpoint: String,
    /// How many of a million reviews without a sampled parent are traced.
    pub sampling_rate_per_million: u32,
}

impl TracingConfig {
    /// Whether the URL can be used; the reason if it cannot.
    pub fn check(&self) -> Result<(), String> {
        Endpoint::parse(&self.endpoint).map(|_| ())
    }
}

/// One review as a span.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) parent: Option<Parent>,
    pub(crate) path: &'static str,
    pub(crate) subject: Subject,
    pub(crate) verdict: &'static str,
    pub(crate) findings: usize,
    pub(crate) error: Option<String>,
    pub(crate) start: SystemTime,
    pub(crate) duration: Duration,
}

/// The span of the caller, from the header `traceparent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    trace: String,
    span: String,
    is_sampled: bool,
}

impl Parent {
    /// The parent that W3C Trace Context describes; anything else is none.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get("traceparent")?.to_str().ok()?;
        let mut parts = text.split('-');
        let (version, trace, span, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_id = |text: &str, length: usize| {
            text.len() == length
                && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
                && text.bytes().any(|byte| byte != b'0')
        };
        let flags = u8::from_str_radix(flags, 16).ok()?;
        let is_valid = version.len() == 2 && version != "ff" && is_id(trace, 32) && is_id(span, 16);
        is_valid.then(|| Self {
            trace: trace.to_owned(),
            span: span.to_owned(),
            is_sampled: flags & 1 == 1,
        })
    }
}

/// Takes the spans of reviews.
pub(crate) struct Tracer {
    queue: mpsc::Sender<Span>,
    rate: u32,
    metrics: Arc<Metrics>,
}

impl Tracer {
    /// A tracer, and the exporter that must run beside it.
    pub(crate) fn new(
        config: &TracingConfig,
        metrics: &Arc<Metrics>,
    ) -> Result<(Self, Exporter), String> {
        let (sender, queue) = mpsc::channel(MAX_WAITING);
        let endpoint = Endpoint::parse(&config.endpoint)?;
        let rate = config.sampling_rate_per_million;
        let tracer = Self { queue: sender, rate, metrics: Arc::clone(metrics) };
        Ok((tracer, Exporter { queue, endpoint, metrics: Arc::clone(metrics), has_failed: false }))
    }

    /// Whether a review with this parent is traced.
    pub(crate) fn is_sampled(&self, parent: Option<&Parent>) -> bool {
        parent.map_or_else(|| fastrand::u32(0..1_000_000) < self.rate, |parent| parent.is_sampled)
    }

    pub(crate) fn add(&self, span: Span) {
        if self.queue.try_send(span).is_err() {
            self.metrics.spans.with(&["dropped"]).inc();
        }
    }
}

/// Sends spans to a collector.
pub(crate) struct Exporter {
    queue: mpsc::Receiver<Span>,
    endpoint: Endpoint,
    metrics: Arc<Metrics>,
    has_failed: bool,
}

impl Exporter {
    /// Sends what comes, for ever.
    pub(crate) async fn run(&mut self) {
        let mut spans = Vec::with_capacity(MAX_BATCH);
        loop {
            let Some(first) = self.queue.recv().await else { return };
            spans.push(first);
            let more = async {
                while spans.len() < MAX_BATCH {
                    let free = MAX_BATCH - spans.len();
                    if self.queue.recv_many(&mut spans, free).await == 0 {
                        return;
                    }
                }
            };
            // The end of the time is the end of the batch.
            let _ = tokio::time::timeout(LINGER, more).await;
            self.send(&spans).await;
            spans.clear();
        }
    }

    /// Sends what waits, at the end of the server.
    pub(crate) async fn finish(&mut self) {
        let mut spans = Vec::new();
        while let Ok(span) = self.queue.try_recv() {
            spans.push(span);
        }
        if !spans.is_empty() {
            self.send(&spans).await;
        }
    }

    async fn send(&mut self, spans: &[Span]) {
        let body = Bytes::from(request(spans).to_json());
        let sent = tokio::time::timeout(TIMEOUT, self.endpoint.post(body)).await;
        let sent = sent.unwrap_or_else(|_| Err(format!("no answer within {TIMEOUT:?}")));
        let label = if sent.is_ok() { "exported" } else { "error" };
        (0..spans.len()).for_each(|_| self.metrics.spans.with(&[label]).inc());
        let has_failed = sent.is_err();
        if let Err(error) = sent
            && !self.has_failed
        {
            tracing::warn!(error, endpoint = %self.endpoint.uri, "spans could not be exported");
        }
        self.has_failed = has_failed;
    }
}

/// The collector.
#[derive(Clone, Debug)]
struct Endpoint {
    uri: Uri,
    host: String,
    port: u16,
    is_tls: bool,
}

impl Endpoint {
    fn parse(text: &str) -> Result<Self, String> {
        let invalid = |why: &str| {
            format!(
                "{text:?} is no endpoint of traces: {why}; expected a URL such as http://collector:4318/v1/traces"
            )
        };
        let uri: Uri = text.parse().map_err(|_| invalid("it is no URL"))?;
        let is_tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(invalid("it must begin with http:// or https://")),
        };
        let host = uri.host().ok_or_else(|| invalid("it has no host"))?.to_owned();
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        Ok(Self { uri, host, port, is_tls })
    }

    async fn post(&self, body: Bytes) -> Result<(), String> {
        let host = self.host.trim_matches(['[', ']']);
        let stream =
            TcpStream::connect((host, self.port)).await.map_err(|error| error.to_string())?;
        if !self.is_tls {
            return self.post_on(stream, body).await;
        }
        let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
        let connector = TlsConnector::from(Arc::new(tls_config()?));
        let stream = connector.connect(name, stream).await.map_err(|error| error.to_string())?;
        self.post_on(stream, body).await
    }

    async fn post_on<S>(&self, stream: S, body: Bytes) -> Result<(), String>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::post(path)
            .header("host", self.uri.authority().map_or("", |authority| authority.as_str()))
            .header("content-type", "application/json")
            .body(Full::new(body))
            .map_err(|error| error.to_string())?;
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let status = response.status();
        // Read to its end, so that the connection ends in order; what it says is of no use.
        let _ = http_body_util::Limited::new(response.into_body(), 64 << 10).collect().await;
        if status.is_success() { Ok(()) } else { Err(format!("the collector answers {status}")) }
    }
}

fn tls_config() -> Result<rustls::ClientConfig, String> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider);
    let builder =
        builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// An `ExportTraceServiceRequest` as OTLP/JSON has it: ids in hexadecimal, 64-bit numbers as texts.
fn request(spans: &[Span]) -> Node<'static> {
    let resource = attributes([("service.name", "ratchet-webhook")]);
    let scope = Node::map([
        ("name", Node::string("ratchet-webhook")),
        ("version", Node::string(env!("CARGO_PKG_VERSION"))),
    ]);
    let spans = Node::list(spans.iter().map(span_node).collect());
    let scope_spans = Node::map([("scope", scope), ("spans", spans)]);
    let resource_spans = Node::map([
        ("resource", Node::map([("attributes", resource)])),
        ("scopeSpans", Node::list(vec![scope_spans])),
    ]);
    Node::map([("resourceSpans", Node::list(vec![resource_spans]))])
}

fn span_node(span: &Span) -> Node<'static> {
    let hex = |bytes: u64| format!("{bytes:016x}");
    let random = || fastrand::u64(1..);
    let trace = match &span.parent {
        Some(parent) => parent.trace.clone(),
        None => format!("{}{}", hex(random()), hex(random())),
    };
    let nanoseconds = |time: SystemTime| {
        time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
    };
    let Subject { uid, operation, api_version, kind, namespace, name, user, .. } = &span.subject;
    let findings = span.findings.to_string();
    let attributes = attributes([
        ("k8s.admission.uid", uid.as_str()),
        ("k8s.admission.operation", operation),
        ("k8s.admission.user", user),
        ("k8s.admission.verdict", span.verdict),
        ("k8s.object.api_version", api_version),
        ("k8s.object.kind", kind),
        ("k8s.object.name", name),
        ("k8s.namespace.name", namespace),
        ("ratchet.findings", &findings),
    ]);
    let mut node = Node::map([
        ("traceId", Node::string(trace)),
        ("spanId", Node::string(hex(random()))),
        ("name", Node::string(format!("review {}", span.path))),
        ("kind", Node::int(2)), // a server
        ("startTimeUnixNano", Node::string(nanoseconds(span.start))),
        ("endTimeUnixNano", Node::string(nanoseconds(span.start + span.duration))),
        ("attributes", attributes),
    ]);
    if let Some(parent) = &span.parent {
        node.set("parentSpanId", Node::string(parent.span.clone()));
    }
    if let Some(error) = &span.error {
        let status = [("code", Node::int(2)), ("message", Node::string(error.clone()))];
        node.set("status", Node::map(status));
    }
    node
}

fn attributes<const N: usize>(pairs: [(&'static str, &str); N]) -> Node<'static> {
    let present = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    let attribute = |(key, value): (&'static str, &str)| {
        let value = Node::map([("stringValue", Node::string(value.to_owned()))]);
        Node::map([("key", Node::string(key)), ("value", value)])
    };
    Node::list(present.map(attribute).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_read_as_trace_context_has_it() {
        let parent = |text: &'static str| {
            Parent::of(&HeaderMap::from_iter([(
                "traceparent".parse().unwrap(),
                text.parse().unwrap(),
            )]))
        };
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let found = parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").unwrap();
        assert_eq!((found.trace.as_str(), found.is_sampled), (trace, true));
        assert!(
            !parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00").unwrap().is_sampled
        );
        for text in [
            "",
            "00",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-zz",
        ] {
            assert_eq!(parent(text), None, "{text}");
        }
        assert_eq!(Parent::of(&HeaderMap::new()), None);
    }

    #[test]
    fn endpoints_are_urls() {
        let endpoint = Endpoint::parse("http://collector:4318/v1/traces").unwrap();
        assert_eq!(
            (endpoint.host.as_str(), endpoint.port, endpoint.is_tls),
            ("collector", 4318, false)
        );
        assert_eq!(Endpoint::parse("https://[::1]/x").unwrap().port, 443);
        for text in ["", "collector:4318", "grpc://a", "/v1/traces"] {
            assert!(Endpoint::parse(text).unwrap_err().contains("no endpoint of traces"), "{text}");
        }
    }
}
