//! A webhook behind TLS: each path has a script, and every review is kept.

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
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// What a webhook answers to a review.
pub(crate) enum Reply {
    /// A review with these members of its response; the id is that of the request.
    Response(Value),
    /// This body with this code.
    Raw(u16, Vec<u8>),
    /// Permission, after a time.
    Late(Duration),
}

impl Reply {
    pub(crate) fn allow() -> Self {
        Self::Response(json!({"allowed": true}))
    }

    pub(crate) fn deny(message: &str) -> Self {
        Self::Response(json!({"allowed": false, "status": {"message": message}}))
    }

    pub(crate) fn patch(patch: Value) -> Self {
        let patch = BASE64_STANDARD.encode(patch.to_string());
        Self::Response(json!({"allowed": true, "patchType": "JSONPatch", "patch": patch}))
    }
}

type Script = Arc<dyn Fn(&Value) -> Reply + Send + Sync>;

/// The webhook that all tests share.
pub(crate) struct Hook {
    pub(crate) port: u16,
    /// Its CA, as a `caBundle`.
    pub(crate) bundle: String,
    scripts: Mutex<HashMap<String, Script>>,
    reviews: Mutex<Vec<(String, Value)>>,
    /// The header `Authorization` of each call, by path.
    authorizations: Mutex<Vec<(String, String)>>,
}

static HOOK: LazyLock<Arc<Hook>> = LazyLock::new(Hook::start);

impl Hook {
    pub(crate) fn shared() -> Arc<Self> {
        HOOK.clone()
    }

    /// Starts on a runtime that outlives the test's.
    fn start() -> Arc<Self> {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, "webhook-ca");
        let ca_key = rcgen::KeyPair::generate().unwrap();
        let ca = params.self_signed(&ca_key).unwrap();
        let issuer = rcgen::Issuer::new(params, ca_key);
        let names = ["127.0.0.1", "hook.home.svc", "hook.routed.svc", "wide.routed.svc"];
        let names: Vec<String> = names.map(str::to_owned).into();
        let leaf_key = rcgen::KeyPair::generate().unwrap();
        let leaf = rcgen::CertificateParams::new(names).unwrap();
        let leaf = leaf.signed_by(&leaf_key, &issuer).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(leaf_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let bundle = BASE64_STANDARD.encode(ca.pem());
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async move {
                // Not only on the loopback: endpoints have no such addresses.
                let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
                let hook = Arc::new(Self {
                    port: listener.local_addr().unwrap().port(),
                    bundle,
                    scripts: Mutex::default(),
                    reviews: Mutex::default(),
                    authorizations: Mutex::default(),
                });
                send.send(hook.clone()).unwrap();
                loop {
                    let (tcp, _) = listener.accept().await.unwrap();
                    let (acceptor, hook) = (acceptor.clone(), hook.clone());
                    tokio::spawn(async move {
                        let Ok(tls) = acceptor.accept(tcp).await else { return };
                        let service = service_fn(|request| hook.clone().answer(request));
                        let builder = auto::Builder::new(TokioExecutor::new());
                        let _ = builder.serve_connection(TokioIo::new(tls), service).await;
                    });
                }
            });
        });
        receive.recv().unwrap()
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, hyper::Error> {
        let path = request.uri().path().to_owned();
        let authorization = request.headers().get("authorization");
        let authorization = authorization.map(|value| value.to_str().unwrap()).unwrap_or_default();
        self.authorizations.lock().unwrap().push((path.clone(), authorization.to_owned()));
        let body = request.into_body().collect().await?.to_bytes();
        let review: Value = serde_json::from_slice(&body).unwrap_or_default();
        self.reviews.lock().unwrap().push((path.clone(), review.clone()));
        let script = self.scripts.lock().unwrap().get(&path).cloned();
        let reply = script.map_or_else(Reply::allow, |script| script(&review));
        let (code, body) = match reply {
            Reply::Raw(code, body) => (code, body),
            Reply::Response(response) => (200, answered(&review, response)),
            Reply::Late(time) => {
                tokio::time::sleep(time).await;
                (200, answered(&review, json!({"allowed": true})))
            }
        };
        let response = Response::builder().status(code).body(Full::new(Bytes::from(body)));
        Ok(response.unwrap())
    }

    pub(crate) fn script(
        &self,
        path: &str,
        script: impl Fn(&Value) -> Reply + Send + Sync + 'static,
    ) {
        self.scripts.lock().unwrap().insert(path.to_owned(), Arc::new(script));
    }

    /// The header `Authorization` of each call of this path; empty if there was none.
    pub(crate) fn authorizations(&self, path: &str) -> Vec<String> {
        let all = self.authorizations.lock().unwrap();
        let own = all.iter().filter(|(own, _)| own == path);
        own.map(|(_, authorization)| authorization.clone()).collect()
    }

    /// The requests of the reviews that this path got.
    pub(crate) fn requests(&self, path: &str) -> Vec<Value> {
        let reviews = self.reviews.lock().unwrap();
        let own = reviews.iter().filter(|(own, _)| own == path);
        own.map(|(_, review)| review["request"].clone()).collect()
    }
}

fn answered(review: &Value, mut response: Value) -> Vec<u8> {
    response["uid"] = review["request"]["uid"].clone();
    let version = &review["apiVersion"];
    let whole = json!({"apiVersion": version, "kind": "AdmissionReview", "response": response});
    whole.to_string().into_bytes()
}
