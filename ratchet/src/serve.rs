//! `ratchet serve`: flags become a configuration, a store and a certificate authority, then the door opens.

mod accepted;
pub(crate) mod args;
mod controllers;
mod files;
mod keys;
mod logging;
mod loops;
mod plugins;
mod runtime_config;
mod settings;
mod signals;
mod signing;
mod values;
mod wording;

use crate::Done;
use args::{ClientArgs, KubeletArgs, Reconciler, ServeArgs};
use keys::Keys;
use ratchet_controllers::Settings as Loops;
use ratchet_embedded::{Embedded, Options};
use ratchet_engine::Policy;
use ratchet_server::{BackendConfig, Config, Credentials, KeyFiles, Proxies, ProxyFiles, Trust};
use settings::Settings;
use signals::Signals;
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
pub(crate) use wording::usage;

/// What the command ends with when the server does not start.
pub(crate) const DID_NOT_START: u8 = 1;

/// So long the controllers may take to end when the server has ended.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves until somebody says stop.
pub(crate) fn run(args: ServeArgs, out: &mut impl Write) -> Done {
    match begin(args, out) {
        Ok(()) => Ok(0),
        Err(why) => {
            // One line, whatever is inside.
            let why = why.to_string().replace('\n', " ");
            writeln!(io::stderr(), "Error: {why}")?;
            Ok(DID_NOT_START)
        }
    }
}

fn begin(args: ServeArgs, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let settings = settings::settle(&args)?;
    let mut loops = controllers::settle(&args.controllers, &settings.ranges.cidrs())?;
    logging::begin(&args.logs);
    tell_without_effect(&args.accepted.without_effect, &settings.policy);
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
    gather_entropy();
    let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let dir = args.storage.data_dir.clone().unwrap_or_else(|| files::usual_data_dir(env));
    files::make_data_dir(&dir)?;
    let dir = dir.canonicalize().unwrap_or(dir);
    // The store before anything else is written: it knows whether the directory belongs to another process.
    let store = Arc::new(Embedded::open(&dir.join("store"), Options::default())?);
    let keys =
        Arc::new(Keys::prepare(&dir, &args.serving, &args.clients, &args.kubelets, &settings)?);
    loops.root_ca = keys.believed()?;
    loops.signing = Some(signing::signer(&args.controllers, keys.authority_files())?);
    let config = config(args, settings, &keys);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(ratchet_server::worker_threads()).enable_all().build()?;
    runtime.block_on(serve(config, store, keys, loops, out))
}

/// What was set and changes nothing: one line each, so that nobody waits for its effect.
fn tell_without_effect(flags: &[&str], policy: &Policy) {
    if !flags.is_empty() {
        let flags: Vec<String> = flags.iter().map(|name| format!("--{name}")).collect();
        tracing::warn!("flags of kube-apiserver without effect here: {}", flags.join(", "));
    }
    if flags.contains(&"etcd-servers") {
        tracing::warn!("--etcd-servers is not used: everything is kept in the embedded store");
    }
    let gates = policy.gates.without_effect();
    if !gates.is_empty() {
        tracing::warn!("feature gates without effect here: {}", gates.join(", "));
    }
}

/// The first random number of a process costs the library fifty milliseconds; here no client waits for it.
fn gather_entropy() {
    std::thread::spawn(|| aws_lc_rs::rand::fill(&mut [0]));
}

fn config(args: ServeArgs, settings: Settings, keys: &Keys) -> Config {
    let ServeArgs { clients, storage, rules, serving, services, kubelets, .. } = args;
    Config {
        bind: settings.bind,
        advertise: Some(settings.advertise),
        policy: Policy { allow_privileged: rules.allow_privileged, ..settings.policy },
        plugins: settings.plugins,
        modes: settings.modes,
        ranges: settings.ranges,
        credentials: credentials(clients, keys),
        drain_limit: drain_limit(settings.limits.timeout),
        stop_delay: serving.shutdown_delay_duration.length(),
        compaction: storage.etcd_compaction_interval.length(),
        limits: settings.limits,
        event_life: storage.event_ttl.length(),
        runtime: settings.runtime,
        own_endpoints: services.endpoint_reconciler_type != Reconciler::None,
        audit: settings.audit,
        backends: backends(kubelets, settings.trust, settings.proxies, keys),
    }
}

fn backends(args: KubeletArgs, trust: Trust, proxies: Proxies, keys: &Keys) -> BackendConfig {
    let ratchet_http::KeyFiles { certificate, key } = keys.kubelet_client();
    BackendConfig {
        trust,
        client: Some(KeyFiles { certificate, key }),
        address_types: args.kubelet_preferred_address_types,
        default_port: args.kubelet_port,
        bytes_per_second: u64::try_from(args.max_connection_bytes_per_sec).unwrap_or(0),
        proxies,
    }
}

/// Requests may take as long as ever while the server stops; where that is for ever, the process must still end.
fn drain_limit(timeout: Duration) -> Duration {
    match timeout.is_zero() {
        true => Duration::from_secs(60),
        false => timeout,
    }
}

fn credentials(args: ClientArgs, keys: &Keys) -> Credentials {
    let proxy = args.requestheader_client_ca_file.map(|authorities| ProxyFiles {
        authorities,
        allowed_names: args.requestheader_allowed_names,
        user_headers: args.requestheader_username_headers,
        uid_headers: args.requestheader_uid_headers,
        group_headers: args.requestheader_group_headers,
        extra_prefixes: args.requestheader_extra_headers_prefix,
    });
    Credentials {
        serving: keys.serving(),
        client_ca: Some(keys.client_ca()),
        proxy,
        token_file: args.token_auth_file,
        anonymous: args.anonymous_auth,
        bootstrap_tokens: args.enable_bootstrap_token_auth,
        issuers: args.service_account_issuer,
        audiences: args.api_audiences,
        signing_key: keys.signing_key(),
        verification_keys: args.service_account_key_file,
    }
}

async fn serve(
    config: Config,
    store: Arc<Embedded>,
    keys: Arc<Keys>,
    loops: Loops,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let ready = ratchet_server::start(config, store).await?;
    keys.write_kubeconfig()?;
    let signals = Signals::take()?;
    match welcome(keys.url(), keys.kubeconfig(), out) {
        // Who reads no more of our output still wants to be served.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    let loops = tokio::spawn(loops::run(ready.app.clone(), loops));
    tokio::spawn(signals.obey(ready.stop(), keys, ready.reloads()));
    ready.serve().await;
    // Who holds the Lease gives it up, so that nobody waits until it ends.
    let _ = tokio::time::timeout(FAREWELL, loops).await;
    Ok(())
}

/// What serves where, and how to ask it.
fn welcome(url: &str, kubeconfig: &Path, out: &mut impl Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "ratchet {version} serves the Kubernetes API on {url}")?;
    writeln!(out, "export KUBECONFIG={}", in_shell(&kubeconfig.display().to_string()))?;
    writeln!(out, "kubectl get namespaces")?;
    out.flush()
}

/// A text that a shell reads as one word.
fn in_shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_say_how_to_ask() {
        let mut out = Vec::new();
        welcome("https://127.0.0.1:6443", Path::new("/a b/kubeconfig"), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].ends_with(" serves the Kubernetes API on https://127.0.0.1:6443"));
        assert_eq!(lines[1], "export KUBECONFIG='/a b/kubeconfig'");
        assert_eq!(lines[2], "kubectl get namespaces");
        assert_eq!(in_shell("/x/it's"), "'/x/it'\\''s'");
    }
}
