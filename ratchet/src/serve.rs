//! `ratchet serve`: flags become a configuration, a store and a certificate authority, then the door opens.

use crate::Done;
use crate::args::ServeArgs;
use ratchet_embedded::{Embedded, Options};
use ratchet_engine::Policy;
use ratchet_http::certificates::{self, Authority};
use ratchet_identity::SigningKey;
use ratchet_server::{Config, Credentials, Mode, Ranges};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Serves until somebody says stop.
pub(crate) fn run(args: ServeArgs, out: &mut impl Write) -> Done {
    let policy = crate::policy::of(args.policy)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let dir = args.data_dir.clone();
    std::fs::create_dir_all(&dir)?;
    let bind: SocketAddr = format!("{}:{}", args.bind_address, args.secure_port).parse()?;
    let ranges: Vec<&str> = args.service_cluster_ip_range.split(',').collect();
    let ranges = Ranges::new(
        ranges.first().copied().unwrap_or("10.0.0.0/24"),
        ranges.get(1).copied(),
        (30000, 32767),
    )?;
    let pki = dir.join("pki");
    let authority = Authority::load_or_create(&pki)?;
    let mut names = certificates::usual_names();
    names.push(bind.ip().to_string());
    names.extend(ranges.first_address().map(|ip| ip.to_string()));
    let serving = authority.serving(&names)?;
    let signing_key = pki.join("sa.key");
    if !signing_key.exists() {
        let (_, pem) = SigningKey::generate()?;
        certificates::write_secret(&signing_key, &pem)?;
    }
    let (cert, key) = authority.admin()?;
    let url = format!("https://{bind}");
    let kubeconfig = certificates::kubeconfig(&url, authority.pem(), &cert, &key);
    certificates::write_secret(&dir.join("kubeconfig"), &kubeconfig)?;
    let config = Config {
        bind,
        advertise: None,
        plugins: plugins(&policy),
        policy,
        modes: vec![Mode::Node, Mode::Rbac],
        ranges,
        credentials: Credentials {
            serving,
            client_ca: Some(authority.path()),
            token_file: args.token_auth_file,
            anonymous: true,
            bootstrap_tokens: false,
            issuers: vec!["https://kubernetes.default.svc.cluster.local".into()],
            audiences: Vec::new(),
            signing_key,
            verification_keys: Vec::new(),
        },
        drain_limit: Duration::from_secs(60),
        compaction: Duration::from_secs(300),
    };
    runtime.block_on(serve(config, &dir, out))
}

fn plugins(_: &Policy) -> Vec<&'static str> {
    vec![
        "NamespaceLifecycle",
        "Priority",
        "DefaultTolerationSeconds",
        "TaintNodesByCondition",
        "PodSecurity",
    ]
}

async fn serve(config: Config, dir: &Path, out: &mut impl Write) -> Done {
    let store = Arc::new(Embedded::open(&dir.join("store"), Options::default())?);
    let ready = ratchet_server::start(config, store).await?;
    writeln!(out, "ratchet serves {} on https://{}", ready.app.address, ready.address())?;
    out.flush()?;
    let drain = ready.app.drain.clone();
    tokio::spawn(async move {
        let mut term =
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(term) => term,
                Err(_) => return,
            };
        tokio::select! {
            _ = term.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        drain.begin();
    });
    ready.serve().await;
    Ok(0)
}
