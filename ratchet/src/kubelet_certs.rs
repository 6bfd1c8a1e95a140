//! The command `ratchet kubelet-certs`: converts arguments into a `Config` and runs the audit.

use crate::color_arg::When;
use crate::command_result::CommandResult;
use crate::connection::{ConnectionArgs, connection_flags, time};
use clap::{Args as ClapArgs, ValueEnum};
use ratchet_kubelet_certs::{ADDRESS_TYPES, Config, Live, OutputFormat, Source, Via};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Check whether kubelet serving certificates have the names of their nodes (KEP-4872).
///
/// Run it before you set --enable-kubelet-cert-cn-validation on the API server: it lists the nodes that would fail,
/// why, and how to fix them. It connects to the kubelet of every node as the API server does, and sends nothing but a
/// TLS handshake.
///
/// Exit status: 0 all nodes pass; 1 some nodes would fail; 2 unknown (a node could not be checked, there are no nodes,
/// bad usage).
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct KubeletCertsArgs {
    /// Names of the nodes to check [default: all].
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,

    /// Label selector of the nodes to check, as in kubectl.
    #[arg(
        short = 'l',
        long,
        value_name = "SELECTOR",
        default_value = "",
        hide_default_value = true
    )]
    selector: String,

    #[command(flatten)]
    connection: ConnectionArgs,

    /// How to connect to kubelets.
    #[arg(long, value_enum, default_value = "auto")]
    via: ViaArg,

    /// Directory with collected certificates to check instead of a cluster: NODE.pem, NODE.crt, NODE.cer or NODE.der,
    /// and optionally nodes.json with the output of `kubectl get nodes -o json`.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kubeconfig", "context", "cluster", "user", "impersonate", "impersonate_groups", "selector", "via", "parallel", "timeout", "request_timeout"])]
    offline: Option<PathBuf>,

    /// Value of this flag on the API server: file with the certificate authorities of kubelets. With it, certificate
    /// chains are verified, too.
    #[arg(long, value_name = "FILE")]
    kubelet_certificate_authority: Option<PathBuf>,

    /// Value of this flag on the API server: types of node addresses, in order of preference.
    #[arg(long, value_name = "TYPES", value_delimiter = ',', default_values = ADDRESS_TYPES)]
    kubelet_preferred_address_types: Vec<String>,

    /// Warn about certificates that expire within this time. Example: 12h.
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = time)]
    expiry_warning: Duration,

    /// Number of kubelets to connect to in parallel.
    #[arg(long, value_name = "N", default_value = "64")]
    parallel: NonZeroUsize,

    /// Time limit of the connection to a kubelet.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    timeout: Duration,

    /// Output format.
    #[arg(short = 'o', long, value_enum, default_value = "table")]
    output: Output,

    /// When to use color.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: When,
}

const EXAMPLES: &str = "Examples:
  # Check all nodes of the current cluster
  ratchet kubelet-certs --kubelet-certificate-authority /etc/kubernetes/pki/ca.crt

  # Check the nodes of a pool
  ratchet kubelet-certs -l pool=blue

  # Check certificates that were collected elsewhere
  ratchet kubelet-certs --offline certs/

  # Write metrics for the textfile collector of node_exporter
  ratchet kubelet-certs -o prometheus > kubelet-certs.prom";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ViaArg {
    /// Directly, and through the API server's node proxy if that fails.
    Auto,
    /// Directly.
    Direct,
    /// Through the API server's node proxy, which does not show common names.
    Proxy,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Output {
    /// Table with findings and fixes.
    Table,
    /// JSON document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Markdown table.
    Markdown,
    /// One HTML file with a timeline of expiry.
    Html,
    /// Prometheus metrics, for the textfile collector of node_exporter.
    Prometheus,
}

pub(crate) fn run(args: KubeletCertsArgs, out: &mut dyn Write) -> CommandResult {
    let config = config(args)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let summary = ratchet_kubelet_certs::run(&config, &mut out, &mut io::stderr())?;
    match out.flush() {
        // A reader that closes the pipe does not change the result.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(summary.exit_code()),
    }
}

/// The configuration that the arguments describe.
fn config(args: KubeletCertsArgs) -> Result<Config, String> {
    let KubeletCertsArgs {
        nodes,
        selector,
        connection,
        via,
        offline,
        kubelet_certificate_authority,
        kubelet_preferred_address_types,
        expiry_warning,
        parallel,
        timeout,
        output,
        color,
    } = args;
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = match color {
        When::Always => true,
        When::Never => false,
        When::Auto => io::stdout().is_terminal() && !no_color && !is_dumb,
    };
    let live = Live {
        connection: connection_flags(connection),
        selector,
        via: match via {
            ViaArg::Auto => Via::Auto,
            ViaArg::Direct => Via::Direct,
            ViaArg::Proxy => Via::Proxy,
        },
        parallel: parallel.get(),
        timeout,
    };
    let now =
        SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| "the clock stands before 1970")?;
    Ok(Config {
        source: offline.map_or(Source::Live(live), Source::Offline),
        names: nodes,
        address_types: kubelet_preferred_address_types,
        authority: kubelet_certificate_authority,
        expiry_warning,
        output: match output {
            Output::Table => OutputFormat::Table,
            Output::Json => OutputFormat::Json,
            Output::Sarif => OutputFormat::Sarif,
            Output::Markdown => OutputFormat::Markdown,
            Output::Html => OutputFormat::Html,
            Output::Prometheus => OutputFormat::Prometheus,
        },
        colour,
        progress: io::stderr().is_terminal() && !is_dumb,
        now: i64::try_from(now.as_secs()).map_err(|_| "the clock stands too far in the future")?,
    })
}
