//! The command `ratchet webhook`: converts arguments into a `ServerConfig` and serves until it is told to stop.

pub(crate) mod args;

use crate::api_config;
use crate::args::{PolicyArgs, ServerArg};
use crate::command_result::CommandResult;
use crate::serve::logging;
use args::{FailurePolicy, ManifestsArgs, WebhookArgs, WebhookCommand};
use ratchet_http::{Drain, ListenLimits};
use ratchet_object::{NoCluster, encode_base64};
use ratchet_webhook_server::{ReloadHandle, Server, ServerConfig, WebhookManifest};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

pub(crate) fn run(mut args: WebhookArgs, out: &mut impl Write) -> CommandResult {
    if let Some(WebhookCommand::Manifests(args)) = args.command.take() {
        out.write_all(manifest(args)?.to_yaml().as_bytes())?;
        return Ok(0);
    }
    logging::init(&args.logs);
    let config = config(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(config, out))?;
    Ok(0)
}

async fn serve(
    config: ServerConfig,
    out: &mut impl Write,
) -> Result<(), Box<dyn std::error::Error>> {
    // Before the address is told, so that a signal after that is never lost.
    let signals = Signals::install()?;
    let server = Server::bind(config, Arc::new(NoCluster)).await?;
    let (drain, reload) = (server.drain(), server.reload_handle());
    writeln!(out, "ratchet webhook listens at https://{}", server.address())?;
    out.flush()?;
    tokio::spawn(signals.handle(drain, reload));
    server.serve(ListenLimits::default()).await;
    Ok(())
}

/// The configuration that the arguments describe.
fn config(args: WebhookArgs) -> Result<ServerConfig, String> {
    let WebhookArgs {
        command: _,
        bind_address,
        secure_port,
        tls_cert_file,
        tls_private_key_file,
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
        feature_gates,
        enable_admission_plugins: Vec::new(),
        disable_admission_plugins: Vec::new(),
        pod_security,
        admission_control_config_file,
        behavior,
        server: ServerArg::Kubernetes,
    })?;
    let address = SocketAddr::new(bind_address, secure_port);
    let (Some(tls_cert_file), Some(tls_private_key_file)) = (tls_cert_file, tls_private_key_file)
    else {
        return Err("--tls-cert-file and --tls-private-key-file are required".into());
    };
    Ok(ServerConfig { address, tls_cert_file, tls_private_key_file, file: config, api_config })
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
