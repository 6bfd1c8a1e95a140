//! A conversion webhook behind TLS: between `spec.size` in v1 and `spec.width` in v2, unless its path says otherwise.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// How long the path `/slow` takes.
pub(super) const SLOW: Duration = Duration::from_secs(4);

/// A webhook that runs as long as the test.
pub(super) struct Hook {
    pub(super) port: u16,
    /// Its certificate, as a `caBundle`.
    pub(super) bundle: String,
    requests: Mutex<Vec<Value>>,
}

impl Hook {
    pub(super) async fn start() -> Arc<Self> {
        let key = rcgen::KeyPair::generate().unwrap();
        let names = ["127.0.0.1", "convert.converters.svc"].map(str::to_owned);
        let params = rcgen::CertificateParams::new(names).unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        // Not only on the loopback: endpoints have no such addresses.
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let hook = Arc::new(Self {
            port: listener.local_addr().unwrap().port(),
            bundle: BASE64_STANDARD.encode(certificate.pem()),
            requests: Mutex::default(),
        });
        let own = hook.clone();
        tokio::spawn(async move {
            loop {
                let (tcp, _) = listener.accept().await.unwrap();
                let (acceptor, hook) = (acceptor.clone(), own.clone());
                tokio::spawn(async move {
                    let Ok(tls) = acceptor.accept(tcp).await else { return };
                    let service = service_fn(|request| hook.clone().answer(request));
                    let builder = auto::Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(tls), service).await;
                });
            }
        });
        hook
    }

    /// The requests of all reviews so far, and forgets them.
    pub(super) fn take_requests(&self) -> Vec<Value> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, hyper::Error> {
        let path = request.uri().path().to_owned();
        let body = request.into_body().collect().await?.to_bytes();
        let review: Value = serde_json::from_slice(&body).unwrap();
        let count = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(review["request"].clone());
            requests.len()
        };
        let wanted = review["request"]["desiredAPIVersion"].as_str().unwrap().to_owned();
        let objects = review["request"]["objects"].as_array().unwrap();
        let mut objects: Vec<Value> =
            objects.iter().map(|object| converted(object, &wanted)).collect();
        let mut result = json!({"status": "Success"});
        match path.as_str() {
            "/slow" => tokio::time::sleep(SLOW).await,
            "/first" if count == 1 => {}
            "/fails" | "/first" => result = json!({"status": "Failure", "message": "not today"}),
            "/loses" => objects.clear(),
            "/renames" => objects[0]["metadata"]["name"] = json!("other"),
            "/labels" => objects[0]["metadata"]["labels"] = json!({"from": "hook"}),
            _ => {}
        }
        let response =
            json!({"uid": review["request"]["uid"], "result": result, "convertedObjects": objects});
        let whole = json!({
            "apiVersion": review["apiVersion"],
            "kind": "ConversionReview",
            "response": response,
        });
        Ok(Response::new(Full::new(Bytes::from(whole.to_string()))))
    }
}

fn converted(object: &Value, wanted: &str) -> Value {
    let mut object = object.clone();
    let (from, to) = if wanted.ends_with("/v2") { ("size", "width") } else { ("width", "size") };
    object["apiVersion"] = json!(wanted);
    if let Some(spec) = object["spec"].as_object_mut()
        && let Some(value) = spec.remove(from)
    {
        spec.insert(to.to_owned(), value);
    }
    object
}
