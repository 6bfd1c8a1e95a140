//! Calls of webhooks over real TLS: trust, services, retries, redirects, and peers that answer badly or not at all.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use ratchet_kubelet::{
    CallError, CallTimeout, MAX_RESPONSE_BYTES, Proxies, ServiceResolver, Timing, WebhookClient,
    WebhookResponse,
};
use ratchet_object::{Limits, Node, decode, encode_base64};
use ratchet_webhook::ClientConfig;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::authority::{Authority, Leaf, Wanted};

/// A webhook that answers by its path.
struct Hook {
    port: u16,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Shown(Arc<CertifiedKey>);

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

impl Hook {
    async fn start(leaf: &Leaf) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(Shown(leaf.certified())));
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (connections, requests) = (Arc::new(AtomicUsize::new(0)), Arc::default());
        let hook = Self { port, connections: Arc::clone(&connections), requests };
        let requests = Arc::clone(&hook.requests);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let (acceptor, requests) = (acceptor.clone(), Arc::clone(&requests));
                let connections = Arc::clone(&connections);
                tokio::spawn(async move {
                    let Ok(tls) = acceptor.accept(tcp).await else { return };
                    connections.fetch_add(1, Ordering::SeqCst);
                    let service = service_fn(|request| {
                        let nth = requests.fetch_add(1, Ordering::SeqCst);
                        answer(request, nth)
                    });
                    let builder = auto::Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(tls), service).await;
                });
            }
        });
        hook
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn config(&self, host: &str, path: &str, bundle: &str) -> ClientConfig {
        let bundle = encode_base64(bundle.as_bytes());
        let url = format!("https://{host}:{}{path}", self.port);
        client_config(&format!("{{url: '{url}', caBundle: '{bundle}'}}"))
    }
}

fn client_config(text: &str) -> ClientConfig {
    let node: Node<'_> = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
    ClientConfig::parse(Some(&node))
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

async fn answer(request: Request<Incoming>, nth: usize) -> Result<Response<Body>, std::io::Error> {
    let text = |text: String| Full::new(Bytes::from(text)).boxed_unsync();
    let head = |status: u16| Response::builder().status(status);
    let (parts, body) = request.into_parts();
    Ok(match parts.uri.path() {
        "/retry" if nth < 2 => {
            head(503).header("retry-after", "0").body(text("later".into())).unwrap()
        }
        "/never" => head(429).header("retry-after", "0").body(text("never".into())).unwrap(),
        "/wait" => head(500).header("retry-after", "60").body(text("wait".into())).unwrap(),
        "/redirect" => head(302).header("location", "/there").body(text(String::new())).unwrap(),
        "/round" => head(307).header("location", "/round").body(text(String::new())).unwrap(),
        "/there" => head(404).body(text(parts.method.to_string())).unwrap(),
        "/huge" => {
            let size = MAX_RESPONSE_BYTES + 1;
            head(200).body(Full::new(Bytes::from(vec![b'x'; size])).boxed_unsync()).unwrap()
        }
        "/endless" => head(200).body(Endless { pauses: false }.boxed_unsync()).unwrap(),
        "/stalls" => head(200).body(Endless { pauses: true }.boxed_unsync()).unwrap(),
        "/slow" => std::future::pending().await,
        "/close" => return Err(std::io::Error::other("gone")),
        _ => {
            let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
            let header = |name: &str| parts.headers.get(name).unwrap().to_str().unwrap();
            let reported = [
                parts.method.as_str(),
                parts.uri.path_and_query().unwrap().as_str(),
                header("content-type"),
                header("accept"),
                header("user-agent"),
                header("host"),
                std::str::from_utf8(&body).unwrap(),
            ];
            head(200).header("content-type", "text/x").body(text(reported.join("|"))).unwrap()
        }
    })
}

/// A body without an end: of chunks, or of silence.
struct Endless {
    pauses: bool,
}

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.pauses {
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 64 * 1024])))))
    }
}

/// Every service is at this port of this machine, but for one that nobody knows.
struct Services(u16);

impl ServiceResolver for Services {
    fn resolve(&self, namespace: &str, name: &str, port: u16) -> Result<(String, u16), String> {
        assert_eq!((namespace, port), ("home", 8443));
        match name {
            "hook" => Ok(("127.0.0.1".to_owned(), self.0)),
            name => Err(format!("service {name:?} not found")),
        }
    }
}

fn client(port: u16) -> WebhookClient {
    WebhookClient::new(Timing::default(), Proxies::default(), Arc::new(Services(port)))
}

async fn call(
    client: &WebhookClient,
    config: &ClientConfig,
    seconds: u32,
) -> Result<WebhookResponse, CallError> {
    client.call(config, Bytes::from_static(b"{}"), CallTimeout::of_seconds(seconds)).await
}

fn text(response: Result<WebhookResponse, CallError>) -> String {
    String::from_utf8(response.unwrap().body.to_vec()).unwrap()
}

#[tokio::test]
async fn a_webhook_is_asked_as_by_the_reference() {
    let ca = Authority::new("ca");
    let hook = Hook::start(&ca.sign(&Wanted::cn("hook"))).await;
    let (client, port) = (client(hook.port), hook.port);
    let config = hook.config("127.0.0.1", "/a/", &ca.pem());
    for _ in 0..3 {
        assert_eq!(
            text(call(&client, &config, 10).await),
            format!(
                "POST|/a?timeout=10s|application/json|application/json, */*|kube-apiserver-admission|127.0.0.1:{port}|{{}}"
            )
        );
        // A connection comes back a moment after its response was read.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(hook.connections.load(Ordering::SeqCst), 1, "connections are used again");
    let other = hook.config("localhost", "/b", &ca.pem());
    let timeout = CallTimeout { seconds: 0, limit: Duration::from_secs(5) };
    let response = client.call(&other, Bytes::new(), timeout).await.unwrap();
    assert_eq!((response.status, response.content_type.as_str()), (200, "text/x"));
    assert!(response.body.starts_with(b"POST|/b|"), "{response:?}");
}

#[tokio::test]
async fn only_those_are_trusted_whom_the_bundle_names() {
    let (ca, stranger) = (Authority::new("ca"), Authority::new("stranger"));
    let hook = Hook::start(&ca.sign(&Wanted::cn("hook"))).await;
    let client = client(hook.port);
    let url = format!("https://127.0.0.1:{}/x?timeout=10s", hook.port);
    let failed =
        |reason: &str| Err(CallError::Unreachable { url: url.clone(), reason: reason.to_owned() });
    let config = |bundle: &str| hook.config("127.0.0.1", "/x", bundle);
    const UNKNOWN: &str =
        "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    assert_eq!(call(&client, &config(&stranger.pem()), 10).await, failed(UNKNOWN));
    assert_eq!(call(&client, &config(""), 10).await, failed(UNKNOWN), "the system does not");
    assert!(call(&client, &config(&(stranger.pem() + &ca.pem())), 10).await.is_ok());
    // A connection that one bundle has verified serves no other.
    assert_eq!(call(&client, &config(&stranger.pem()), 10).await, failed(UNKNOWN));
    assert_eq!(
        call(&client, &config("nonsense"), 10).await,
        Err(CallError::NoClient(
            "unable to load root certificates: unable to parse bytes as PEM block".to_owned()
        ))
    );
    let elsewhere = Hook::start(&ca.sign(&Wanted::cn("x").names(&["elsewhere.example"]))).await;
    let error = call(&client, &elsewhere.config("127.0.0.1", "/x", &ca.pem()), 10).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        format!(
            "Post \"https://127.0.0.1:{}/x?timeout=10s\": tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
            elsewhere.port
        )
    );
}

#[tokio::test]
async fn services_are_looked_up_and_bear_their_own_names() {
    let ca = Authority::new("ca");
    let hook = Hook::start(&ca.sign(&Wanted::cn("x").names(&["hook.home.svc"]))).await;
    let client = client(hook.port);
    let bundle = encode_base64(ca.pem().as_bytes());
    let config = |name: &str| {
        client_config(&format!(
            "{{service: {{namespace: home, name: {name}, path: /p, port: 8443}}, caBundle: '{bundle}'}}"
        ))
    };
    let reported = text(call(&client, &config("hook"), 2).await);
    assert!(reported.contains("|hook.home.svc:8443|"), "{reported}");
    assert_eq!(
        call(&client, &config("gone"), 2).await.unwrap_err().to_string(),
        "Post \"https://gone.home.svc:8443/p?timeout=2s\": service \"gone\" not found"
    );
}

#[tokio::test]
async fn who_asks_for_it_is_asked_again() {
    let ca = Authority::new("ca");
    let hook = Hook::start(&ca.sign(&Wanted::cn("hook"))).await;
    let client = client(hook.port);
    let config = |path: &str| hook.config("127.0.0.1", path, &ca.pem());
    assert!(text(call(&client, &config("/retry"), 10).await).starts_with("POST|/retry"));
    assert_eq!(hook.requests(), 3);
    let response = call(&client, &config("/never"), 10).await.unwrap();
    assert_eq!((response.status, hook.requests()), (429, 3 + 11));
    let started = Instant::now();
    let error = call(&client, &config("/wait"), 1).await.unwrap_err().to_string();
    assert!(error.ends_with("/wait?timeout=1s\": context deadline exceeded"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5));
    // A redirect of a POST becomes a GET, as in Go.
    let response = call(&client, &config("/redirect"), 10).await.unwrap();
    assert_eq!((response.status, response.body), (404, Bytes::from_static(b"GET")));
    let error = call(&client, &config("/round"), 10).await.unwrap_err().to_string();
    assert!(error.ends_with("/round\": stopped after 10 redirects"), "{error}");
}

#[tokio::test]
async fn nobody_waits_for_ever_and_nothing_grows_without_end() {
    let ca = Authority::new("ca");
    let hook = Hook::start(&ca.sign(&Wanted::cn("hook"))).await;
    let client = client(hook.port);
    let error = async |path: &str, seconds: u32| {
        let config = hook.config("127.0.0.1", path, &ca.pem());
        call(&client, &config, seconds).await.unwrap_err()
    };
    let unreadable = |why: &str| CallError::Unreadable(why.to_owned());
    let too_large = format!("http: response body is larger than {MAX_RESPONSE_BYTES} bytes");
    assert_eq!(error("/huge", 20).await, unreadable(&too_large));
    assert_eq!(error("/endless", 20).await, unreadable(&too_large));
    let slow = error("/slow", 1).await.to_string();
    assert!(slow.ends_with("/slow?timeout=1s\": context deadline exceeded"), "{slow}");
    let stalls = error("/stalls", 1).await.to_string();
    assert!(stalls.ends_with("context deadline exceeded"), "{stalls}");
    let closed = error("/close", 10).await.to_string();
    assert!(closed.ends_with("/close?timeout=10s\": EOF"), "{closed}");
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let config = client_config(&format!("{{url: 'https://127.0.0.1:{port}/'}}"));
    let error = call(&client, &config, 1).await.unwrap_err().to_string();
    assert!(error.ends_with("context deadline exceeded"), "{error}");
    // Bound, so that nobody else listens there, and not listening itself.
    let deaf = tokio::net::TcpSocket::new_v4().unwrap();
    deaf.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let port = deaf.local_addr().unwrap().port();
    let config = client_config(&format!("{{url: 'https://127.0.0.1:{port}/'}}"));
    let error = call(&client, &config, 5).await.unwrap_err().to_string();
    let refused = format!("dial tcp 127.0.0.1:{port}: connect: connection refused");
    assert!(error.ends_with(&refused), "{error}");
}

#[tokio::test]
async fn who_speaks_no_tls_is_told_so() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut tcp, _) = listener.accept().await.unwrap();
        let _ = tcp.read(&mut [0; 4096]).await;
        let _ = tcp.write_all(b"HTTP/1.0 400 Bad Request\r\n\r\n").await;
        let _ = tcp.read(&mut [0; 4096]).await;
    });
    let config = client_config(&format!("{{url: 'https://127.0.0.1:{port}/'}}"));
    let error = call(&client(0), &config, 5).await.unwrap_err().to_string();
    assert!(error.ends_with("tls: first record does not look like a TLS handshake"), "{error}");
}
