//! The command `ratchet webhook`: converts arguments into a `ServerConfig` and serves until it is told to stop.

pub(crate) mod args;
mod observing;

use crate::api_config;
use crate::command_result::CommandResult;
use crate::gate_args::GateArgs;
use crate::policy_args::{PolicyArgs, ServerArg};
use crate::serve::logging;
use args::{FailurePolicy, ManifestsArgs, SelfSignedArgs, WebhookArgs, WebhookCommand};
use ratchet_cluster::{Cluster, ConfigFlags};
use ratchet_http::{Drain, KeyFiles, ListenLimits};
use ratchet_object::{NoCluster, encode_base64};
use ratchet_webhook_server::{
    CertificateSource, ClusterSource, NoticeConfig, ReloadHandle, SelfSignedConfig, Server,
    ServerConfig, WebhookManifest,
};
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How long one request to the API server may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time before the server stops, and then the longest time in which it does: kubelets wait 30 seconds unless
/// a pod says otherwise.
const LONGEST_DELAY: Duration = Duration::from_secs(30);
const DRAIN_LIMIT: Duration = Duration::from_secs(20);
/// The shortest validity that leaves time for a rotation.
const SHORTEST_VALIDITY: Duration = Duration::from_secs(10);
/// The file with the namespace of a pod.
const POD_NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

pub(crate) fn run(mut args: WebhookArgs, out: &mut impl Write) -> CommandResult {
    if let Some(WebhookCommand::Manifests(args)) = args.command.take() {
        out.write_all(manifest(args)?.to_yaml().as_bytes())?;
        return Ok(0);
    }
    logging::init(&args.logs);
    let kubeconfig = args.kubeconfig.take();
    let config = config(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(config, kubeconfig, out))?;
    Ok(0)
}

async fn serve(
    config: ServerConfig,
    kubeconfig: Option<PathBuf>,
    out: &mut impl Write,
) -> Result<(), Box<dyn std::error::Error>> {
    // Before the address is told, so that a signal after that is never lost.
    let signals = Signals::install()?;
    let server = Server::bind(config, cluster(kubeconfig).await?).await?;
    let (drain, reload) = (server.drain(), server.reload_handle());
    writeln!(out, "ratchet webhook listens at https://{}", server.address())?;
    out.flush()?;
    tokio::spawn(signals.handle(drain, reload));
    server.serve(listen_limits()).await;
    Ok(())
}

/// Limits for a few API servers, which have one connection each, and for a memory of 128 MiB. Whoever else reaches the
/// port can send as much as these let through.
fn listen_limits() -> ListenLimits {
    ListenLimits {
        drain_limit: DRAIN_LIMIT,
        max_connections: 1024,
        max_header_bytes: 64 * 1024,
        max_headers: 100,
        max_streams: 100, // what clients assume before they are told
        stream_window: 64 * 1024,
        write_timeout: Duration::from_secs(30),
        ..ListenLimits::default()
    }
}

/// The cluster of a kubeconfig, or the one that this process runs in.
async fn cluster(
    kubeconfig: Option<PathBuf>,
) -> Result<ClusterSource, ratchet_cluster::ClusterError> {
    let request_timeout = Some(REQUEST_TIMEOUT);
    let cluster = match kubeconfig {
        Some(file) => {
            let flags =
                ConfigFlags { kubeconfig: Some(file), request_timeout, ..ConfigFlags::default() };
            Some(Cluster::connect(&flags).await?)
        }
        None => Cluster::in_cluster(request_timeout)?,
    };
    Ok(match cluster {
        Some(cluster) => {
            tracing::info!(server = cluster.server(), "namespaces are watched");
            ClusterSource::Live(cluster)
        }
        None => {
            tracing::warn!(
                "no --kubeconfig and no service account: namespaces count as unlabelled"
            );
            ClusterSource::Fixed(Arc::new(NoCluster))
        }
    })
}

/// The configuration that the arguments describe.
fn config(args: WebhookArgs) -> Result<ServerConfig, String> {
    let WebhookArgs {
        command: _,
        bind_address,
        secure_port,
        tls_cert_file,
        tls_private_key_file,
        kubeconfig: _,
        self_signed,
        observing,
        shutdown_delay_duration,
        config,
        target_version,
        behavior,
        feature_gates,
        pod_security,
        admission_control_config_file,
        logs: _,
    } = args;
    let api_config = api_config::of(PolicyArgs {
        target_version,
        emulated_version: None,
        gates: GateArgs { feature_gates, ..GateArgs::default() },
        pod_security,
        admission_control_config_file,
        behavior,
        server: ServerArg::Kubernetes,
    })?;
    let address = SocketAddr::new(bind_address, secure_port);
    let certificates = match (tls_cert_file, tls_private_key_file) {
        (Some(certificate), Some(key)) => CertificateSource::Files(KeyFiles { certificate, key }),
        _ if self_signed.self_signed => CertificateSource::SelfSigned(own_authority(self_signed)?),
        _ => {
            let why = "--tls-cert-file and --tls-private-key-file are required, or --self-signed";
            return Err(why.into());
        }
    };
    let shutdown_delay = shutdown_delay_duration.length();
    if shutdown_delay_duration.is_negative() || shutdown_delay > LONGEST_DELAY {
        return Err("--shutdown-delay-duration must be from 0s to 30s".into());
    }
    let notices = NoticeConfig { events: observing.events, reports: observing.reports };
    let tracing = observing::tracing(&observing)?;
    let file = config;
    Ok(ServerConfig { address, certificates, file, api_config, notices, tracing, shutdown_delay })
}

/// The own authority that the arguments describe.
fn own_authority(args: SelfSignedArgs) -> Result<SelfSignedConfig, String> {
    for (name, validity) in
        [("ca-validity", args.ca_validity), ("cert-validity", args.cert_validity)]
    {
        if validity.length() < SHORTEST_VALIDITY {
            return Err(format!("--{name} must be at least 10s"));
        }
    }
    let namespace = args.namespace.or_else(|| {
        let text = std::fs::read_to_string(POD_NAMESPACE).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    });
    Ok(SelfSignedConfig {
        namespace: namespace.unwrap_or_else(|| "ratchet-system".to_owned()),
        service: args.service_name,
        secret: args.cert_secret_name,
        lease: args.lease_name,
        configurations: args.webhook_configuration_name,
        ca_validity: args.ca_validity.length(),
        cert_validity: args.cert_validity.length(),
    })
}

/// The manifest that the arguments describe.
fn manifest(args: ManifestsArgs) -> Result<WebhookManifest, String> {
    let ManifestsArgs {
        namespace,
        service,
        port,
        ca_bundle_file,
        failure_policy,
        timeout_seconds,
        all_pods,
        exempt_namespaces,
        canonicalize_users,
    } = args;
    let bundle = ca_bundle_file.map(|path| {
        let bytes = std::fs::read(&path);
        bytes.map_err(|error| format!("--ca-bundle-file {}: {error}", path.display()))
    });
    Ok(WebhookManifest {
        namespace,
        service,
        port,
        ca_bundle: bundle.transpose()?.map(|bytes| encode_base64(&bytes)),
        fails_closed: failure_policy == FailurePolicy::Fail,
        timeout_seconds,
        pod_security: all_pods,
        exempt_namespaces,
        canonicalized_users: canonicalize_users,
    })
}

/// The signals that the webhook handles.
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

impl Signals {
    /// Installs the handlers; from here on signals do not end the process by themselves.
    fn install() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Drains on a signal to stop, and reads the files again on SIGHUP.
    async fn handle(mut self, drain: Drain, reload: ReloadHandle) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => drain.begin(),
                _ = self.interrupt.recv() => drain.begin(),
                _ = self.hang_up.recv() => {
                    let reload = reload.clone();
                    // A slow disk must not block the requests of this thread.
                    if tokio::task::spawn_blocking(move || reload.now()).await.is_err() {
                        tracing::error!("reading the files again failed");
                    }
                }
            }
        }
    }
}
