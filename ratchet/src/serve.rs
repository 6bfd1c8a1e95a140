//! The command `ratchet serve`: sets up configuration, store and keys, then runs the API server.

mod accepted;
pub(crate) mod args;
mod controller_runtime;
mod controllers;
mod data_location;
mod etcd_config;
mod etcd_overrides;
mod files;
mod front_proxy;
mod keys;
pub(crate) mod logging;
mod plugins;
mod runtime_config;
mod settings;
mod signals;
mod signing;
mod temporary_dir;
mod tls;
mod usage_error;
pub(crate) mod values;
mod version;
mod webhook_users;

use crate::command_result::CommandResult;
use args::{ClientArgs, KubeletArgs, Reconciler, ServeArgs};
use data_location::DataLocation;
pub(crate) use files::{STORE_FOLDER, usual_data_dir};
use keys::Keys;
use ratchet_controllers::Settings as ControllerSettings;
use ratchet_engine::ApiConfig;
use ratchet_formats::shell_quote;
use ratchet_http::TlsLimits;
use ratchet_server::{
    AggregationConfig, BackendConfig, ClientKeyFiles, Config, Credentials, Proxies, ProxyFiles,
    ServiceRouting, Trust,
};
use ratchet_store::Split;
use settings::Settings;
use signals::Signals;
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
pub(crate) use usage_error::usage;
use values::GoDuration;

/// Exit status when the server does not start.
pub(crate) const DID_NOT_START: u8 = 1;

/// Time for the controllers to end after the server has ended.
const CONTROLLER_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves until a signal stops the process.
pub(crate) fn run(args: ServeArgs, out: &mut impl Write) -> CommandResult {
    if let Some(text) = args.version.printed() {
        writeln!(out, "{text}")?;
        return Ok(0);
    }
    match start(args, out) {
        Ok(()) => Ok(0),
        Err(why) => {
            // The error must be one line.
            let why = why.to_string().replace('\n', " ");
            writeln!(io::stderr(), "Error: {why}")?;
            Ok(DID_NOT_START)
        }
    }
}

fn start(args: ServeArgs, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let settings = settings::resolve(&args)?;
    let mut controllers = controllers::resolve(&args.controllers, &settings.ranges.cidrs())?;
    logging::init(&args.logs);
    warn_without_effect(&args.accepted.without_effect, &settings.api_config);
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
    let _entropy = GatheredEntropy::start();
    let data = DataLocation::prepare(&args)?;
    if data.ignores_etcd(&args) {
        tracing::warn!("--etcd-servers is not used: everything is kept in the server's own store");
    }
    controllers.election = controllers::election(&args.controllers, data.is_shared())?;
    let runtime = ratchet_server::runtime()?;
    // The store is opened before anything is written: it knows whether another process owns the directory.
    let store = runtime.block_on(data.open_store())?;
    let keys = Arc::new(Keys::prepare(
        &data,
        &args.serving,
        &args.clients,
        &args.kubelets,
        &args.aggregation,
        &settings,
    )?);
    controllers.root_ca = keys.ca_bundle()?;
    controllers.signing = Some(signing::signer(&args.controllers, keys.authority_files())?);
    let config = config(args, settings, &keys);
    let result = runtime.block_on(serve(config, store, keys, controllers, out));
    // Whatever still reads the files ends first.
    drop(runtime);
    data.remove();
    result
}

/// Warns about flags and gates that are set and have no effect.
fn warn_without_effect(flags: &[(&str, &str)], config: &ApiConfig) {
    for (name, why) in flags {
        tracing::warn!("flag of kube-apiserver without effect here: --{name}: {why}");
    }
    let gates = config.gates.without_effect();
    if !gates.is_empty() {
        tracing::warn!("feature gates without effect here: {}", gates.join(", "));
    }
}

/// A thread that draws the first random number before a client waits for one: it costs fifty milliseconds in a build
/// without the settings of `.cargo/config.toml`.
struct GatheredEntropy(Option<std::thread::JoinHandle<()>>);

impl GatheredEntropy {
    fn start() -> Self {
        Self(Some(std::thread::spawn(|| {
            let _ = aws_lc_rs::rand::fill(&mut [0]);
        })))
    }
}

impl Drop for GatheredEntropy {
    /// The library aborts the process if the process ends while a thread is in it.
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

fn config(args: ServeArgs, settings: Settings, keys: &Keys) -> Config {
    let ServeArgs {
        clients,
        storage,
        rules,
        serving,
        services,
        kubelets,
        aggregation,
        version,
        ..
    } = args;
    Config {
        reported_version: version.reported(),
        bind: settings.bind,
        advertise: Some(settings.advertise),
        api_config: ApiConfig { allow_privileged: rules.allow_privileged, ..settings.api_config },
        plugins: settings.plugins,
        modes: settings.modes,
        ranges: settings.ranges,
        credentials: Credentials {
            named_serving: tls::named_pairs(&serving),
            tls_limits: tls::limits(&serving),
            ..credentials(clients, keys)
        },
        drain_limit: drain_limit(settings.limits.timeout),
        stop_delay: serving.shutdown_delay_duration.length(),
        compaction: storage.etcd_compaction_interval.length(),
        limits: settings.limits,
        event_life: storage.event_ttl.length(),
        runtime: settings.runtime,
        own_endpoints: services.endpoint_reconciler_type != Reconciler::None,
        audit: settings.audit,
        backends: BackendConfig {
            webhook_users: settings.webhook_users,
            ..backends(kubelets, settings.trust, settings.proxies, keys)
        },
        aggregation: AggregationConfig {
            client: keys.front_proxy.client().map(client_key_files),
            routing: routing(aggregation.enable_aggregator_routing),
            rejects_redirects: aggregation.aggregator_reject_forwarding_redirect,
        },
    }
}

/// Which address of a Service is dialed: as in kube-apiserver where the flag is given. Without it, nothing is assumed to
/// route cluster IPs.
fn routing(enable_aggregator_routing: Option<bool>) -> ServiceRouting {
    match enable_aggregator_routing {
        None => ServiceRouting::Automatic,
        Some(false) => ServiceRouting::ClusterIp,
        Some(true) => ServiceRouting::Endpoint,
    }
}

fn client_key_files(files: ratchet_http::KeyFiles) -> ClientKeyFiles {
    ClientKeyFiles { certificate: files.certificate, key: files.key }
}

fn backends(args: KubeletArgs, trust: Trust, proxies: Proxies, keys: &Keys) -> BackendConfig {
    BackendConfig {
        trust,
        client: Some(client_key_files(keys.kubelet_client())),
        address_types: args.kubelet_preferred_address_types,
        default_port: args.kubelet_port,
        bytes_per_second: u64::try_from(args.max_connection_bytes_per_sec).unwrap_or(0),
        proxies,
        ..BackendConfig::default()
    }
}

/// The time for requests under way at shutdown: the request timeout, or a minute where requests have none.
fn drain_limit(timeout: Duration) -> Duration {
    match timeout.is_zero() {
        true => Duration::from_secs(60),
        false => timeout,
    }
}

/// The longest life of a token in seconds; no limit if the flag is not given.
fn longest_token(flag: GoDuration) -> Option<i64> {
    let seconds = i64::try_from(flag.length().as_secs()).unwrap_or(i64::MAX);
    (seconds > 0).then_some(seconds)
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
    let proxy = proxy.or_else(|| keys.front_proxy.proxy());
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
        longest_token: longest_token(args.service_account_max_token_expiration),
        extends_tokens: args.service_account_extend_token_expiration,
        named_serving: Vec::new(),
        tls_limits: TlsLimits::default(),
    }
}

async fn serve(
    config: Config,
    store: Split,
    keys: Arc<Keys>,
    controllers: ControllerSettings,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let ready = ratchet_server::start(config, store).await?;
    keys.write_kubeconfig()?;
    let signals = Signals::install()?;
    match write_banner(keys.url(), keys.kubeconfig(), out) {
        // A closed output pipe does not stop the server.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    let controllers = tokio::spawn(controller_runtime::run(ready.app.clone(), controllers));
    tokio::spawn(signals.handle(ready.stop(), keys, ready.reloads()));
    ready.serve().await;
    // The leader releases its Lease, so that no successor has to wait for it to expire.
    let _ = tokio::time::timeout(CONTROLLER_SHUTDOWN_TIMEOUT, controllers).await;
    Ok(())
}

/// Prints the URL and how to point kubectl to it.
fn write_banner(url: &str, kubeconfig: &Path, out: &mut impl Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "ratchet {version} serves the Kubernetes API on {url}")?;
    writeln!(out, "export KUBECONFIG={}", shell_quote(&kubeconfig.display().to_string()))?;
    writeln!(out, "kubectl get namespaces")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_say_how_to_ask() {
        let mut out = Vec::new();
        write_banner("https://127.0.0.1:6443", Path::new("/a b/kubeconfig"), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].ends_with(" serves the Kubernetes API on https://127.0.0.1:6443"));
        assert_eq!(lines[1], "export KUBECONFIG='/a b/kubeconfig'");
        assert_eq!(lines[2], "kubectl get namespaces");
    }
}
