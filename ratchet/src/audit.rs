//! The command `ratchet audit`: converts arguments into a `Config` and runs the audit.

use crate::api_config;
use crate::color_arg::When;
use crate::command_result::CommandResult;
use crate::connection::{ConnectionArgs, connection_flags};
use crate::policy_args::{PolicyArgs, ServerArg};
use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ratchet_audit::{Config, Live, OutputFormat, Source, Target};
use ratchet_kubelet_certs as certs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Audit what is stored in a cluster: which objects will warn, be refused when created again, or freeze.
///
/// Every object is judged as a create, as an update of itself, and as the updates that usually come next (a label, a
/// replica, its status, the removal of its finalizers), for each release in --target-version (separated by commas).
/// Findings are grouped by who can fix them. Nothing is written to the cluster.
///
/// Exit status: 0 nothing refused or frozen; 1 something refused or frozen (or warned about, with
/// --warnings-as-errors); 2 something could not be seen (missing rights, unreadable files), bad usage.
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    connection: ConnectionArgs,

    /// Dump to audit instead of a cluster: output of `kubectl get -A -o yaml` or `-o json`, an archive of `ratchet store
    /// backup`, a backup of Velero (tar.gz), a directory with such files, or - for standard input. May be repeated.
    #[arg(short = 'f', long = "filename", value_name = "DUMP", conflicts_with_all = ["kubeconfig", "context", "cluster", "user", "impersonate", "impersonate_groups", "request_timeout", "qps", "parallel", "chunk_size", "resume", "kubelet_certs"])]
    filename: Vec<PathBuf>,

    #[command(flatten)]
    policy: PolicyArgs,

    /// Output format.
    #[arg(short = 'o', long, value_parser = output_format(), default_value = "table")]
    output: OutputFormat,

    /// Most requests a second to the API server. 0 means no limit.
    #[arg(long, value_name = "N", default_value = "20")]
    qps: u32,

    /// Most requests at the same time.
    #[arg(long, value_name = "N", default_value = "4")]
    parallel: NonZeroUsize,

    /// Most objects in one response, as in kubectl. Smaller pages need less memory on both sides.
    #[arg(long, value_name = "N", default_value = "250")]
    chunk_size: NonZeroU32,

    /// File for the progress of the audit. If it exists, the interrupted audit that wrote it is continued; it is removed
    /// at the end.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// JSON report of an earlier audit, whose findings are ignored.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// JSON report of an earlier audit, to show what is new and what is gone.
    #[arg(long, value_name = "FILE")]
    since: Option<PathBuf>,

    /// Check the serving certificates of the kubelets, too, as `ratchet kubelet-certs` does.
    #[arg(long)]
    kubelet_certs: bool,

    /// With --kubelet-certs, value of this flag on the API server.
    #[arg(long, value_name = "FILE", requires = "kubelet_certs")]
    kubelet_certificate_authority: Option<PathBuf>,

    /// Treat warnings as errors.
    #[arg(long)]
    warnings_as_errors: bool,

    /// When to use color.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: When,

    /// Number of threads that judge [default: number of CPUs].
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "Examples:
  # Audit the current cluster for the upgrade to 1.36
  ratchet audit --target-version 1.36

  # Write a report for people
  ratchet audit -o html > audit.html

  # Audit a dump without access to the cluster
  kubectl get services,endpointslices,networkpolicies,nodes,pods,deployments -A -o yaml > dump.yaml
  ratchet audit -f dump.yaml

  # Show what changed since last week
  ratchet audit -o json > today.json --since last-week.json

  # Audit a large cluster gently, and go on after an interruption
  ratchet audit --qps 5 --resume audit.progress -o json > audit.json";

/// Values of `--output` and what they stand for.
const OUTPUTS: &[(&str, OutputFormat, &str)] = &[
    ("table", OutputFormat::Table, "Findings by owner"),
    ("json", OutputFormat::Json, "JSON document"),
    ("yaml", OutputFormat::Yaml, "YAML document, with the same content as JSON"),
    ("sarif", OutputFormat::Sarif, "SARIF 2.1.0"),
    ("junit", OutputFormat::Junit, "JUnit XML"),
    ("markdown", OutputFormat::Markdown, "Markdown table"),
    (
        "prometheus",
        OutputFormat::Prometheus,
        "Prometheus metrics, for the textfile collector of node_exporter",
    ),
    ("html", OutputFormat::Html, "HTML page"),
    ("policyreport", OutputFormat::PolicyReport, "PolicyReport objects, for kubectl apply"),
];

/// The parser of `--output`.
fn output_format() -> impl TypedValueParser<Value = OutputFormat> {
    let values = OUTPUTS.iter().map(|(name, _, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).try_map(|name| {
        let row = OUTPUTS.iter().find(|row| row.0 == name);
        row.map(|row| row.1).ok_or("no format has this name")
    })
}

pub(crate) fn run(args: AuditArgs, out: &mut dyn Write) -> CommandResult {
    let certificates = args.kubelet_certs.then(|| certificates(&args)).transpose()?;
    let mut config = config(args)?;
    config.kubelets = certificates;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let summary = ratchet_audit::run(&config, &mut out, &mut io::stderr())?;
    match out.flush() {
        // A reader that closes the pipe does not change the result.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(summary.exit_code(config.warnings_as_errors)),
    }
}

fn now() -> Result<i64, String> {
    let now =
        SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| "the clock stands before 1970")?;
    i64::try_from(now.as_secs()).map_err(|_| "the clock stands too far in the future".to_owned())
}

/// The report of `ratchet kubelet-certs` about the same cluster.
fn certificates(args: &AuditArgs) -> Result<serde_json::Value, Box<dyn std::error::Error>> {
    let config = certs::Config {
        source: certs::Source::Live(certs::Live {
            connection: connection_flags(args.connection.clone()),
            selector: String::new(),
            via: certs::Via::Auto,
            parallel: 64,
            timeout: Duration::from_secs(5),
        }),
        names: Vec::new(),
        address_types: certs::ADDRESS_TYPES.iter().map(|kind| (*kind).to_owned()).collect(),
        authority: args.kubelet_certificate_authority.clone(),
        expiry_warning: Duration::from_secs(30 * 86_400),
        output: certs::OutputFormat::Json,
        colour: false,
        progress: false,
        now: now()?,
    };
    let mut report = Vec::new();
    certs::run(&config, &mut report, &mut io::stderr())?;
    Ok(serde_json::from_slice(&report)?)
}

/// The targets: one for each release that is named.
fn targets(args: &PolicyArgs) -> Result<Vec<Target>, String> {
    let releases: Vec<&str> = match args.server {
        ServerArg::Kubernetes => args.target_version.split(',').map(str::trim).collect(),
        ServerArg::Ratchet => vec![args.target_version.as_str()],
    };
    let mut targets: Vec<Target> = Vec::new();
    for release in releases {
        let one = PolicyArgs { target_version: release.to_owned(), ..args.clone() };
        let api_config = api_config::of(one)?;
        let name = api_config.release.to_string();
        if targets.iter().any(|target| target.name == name) {
            return Err(format!("--target-version: {name} is named twice"));
        }
        targets.push(Target { name, api_config });
    }
    Ok(targets)
}

/// The configuration that the arguments describe.
fn config(args: AuditArgs) -> Result<Config, String> {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = match args.color {
        When::Always => true,
        When::Never => false,
        When::Auto => io::stdout().is_terminal() && !no_color && !is_dumb,
    };
    let source = match args.filename.is_empty() {
        false => Source::Dumps(args.filename),
        true => Source::Live(Live {
            connection: connection_flags(args.connection),
            qps: NonZeroU32::new(args.qps),
            parallel: args.parallel,
            chunk_size: args.chunk_size,
            resume: args.resume,
        }),
    };
    let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Ok(Config {
        source,
        targets: targets(&args.policy)?,
        output: args.output,
        baseline: args.baseline,
        since: args.since,
        warnings_as_errors: args.warnings_as_errors,
        colour,
        progress: io::stderr().is_terminal() && !is_dumb,
        workers: args.jobs.unwrap_or_else(processors),
        now: now()?,
        kubelets: None,
    })
}
