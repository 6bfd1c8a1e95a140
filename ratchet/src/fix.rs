//! The command `ratchet fix`: converts arguments into a configuration and runs the fix of files or of live objects.

use crate::color_arg::When;
use crate::command_result::CommandResult;
use clap::{Args as ClapArgs, ValueEnum};
use ratchet_cluster::ConfigFlags;
use ratchet_fix::live::{self, LiveConfig};
use ratchet_fix::{Config, OutputFormat};
use ratchet_rewrite::{Choices, HostBits, ReadAs};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Rewrite badly spelled IP addresses, CIDRs and DNS search names to their canonical form, in files or in a cluster.
///
/// In files, only the value changes: comments, order, quotes, anchors and line ends stay. Every edit is proven: old and
/// new text denote the same address, and the parsed document differs in that value only. What has two meanings is
/// refused with the reason and the flag that decides. With --from-audit, stored objects are repaired by JSON patches.
///
/// Exit status: 0 nothing to do, or all is written; 1 there is something to fix, or something was refused; 2 error (bad
/// usage, unreadable input, unreachable server).
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FixArgs {
    /// Files or directories to fix. - means standard input.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// File or directory to fix, as an alternative to PATH. May be repeated.
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filename: Vec<PathBuf>,

    /// Search directories recursively.
    #[arg(short = 'R', long, overrides_with = "recursive")]
    recursive: bool,

    /// Write the files. Standard input is written to standard output. Without it, print a diff and change nothing.
    #[arg(long)]
    write: bool,

    /// How to read leading zeros, where programs differ.
    #[arg(long, value_enum, value_name = "READING")]
    read_as: Option<ReadAsArg>,

    /// What a CIDR with host bits means.
    #[arg(long, value_enum, value_name = "MEANING")]
    host_bits: Option<HostBitsArg>,

    /// Output format [default: diff, or patches with --from-audit].
    #[arg(short = 'o', long, value_enum)]
    output: Option<Output>,

    /// File with the output of `ratchet audit -o json`, whose objects to repair in the cluster. - means standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "filename", "recursive", "write", "jobs"])]
    from_audit: Option<PathBuf>,

    /// Send the patches, one by one, each after a dry run on the server; stop at the first surprise.
    #[arg(long, requires = "from_audit")]
    apply: bool,

    /// File in which --apply records what is done, and from which it continues.
    #[arg(long, value_name = "FILE", requires = "apply")]
    resume: Option<PathBuf>,

    /// Path of the kubeconfig file [default: $KUBECONFIG, else ~/.kube/config].
    #[arg(long, value_name = "FILE", requires = "from_audit")]
    kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig to use [default: the current context].
    #[arg(long, value_name = "NAME", requires = "from_audit")]
    context: Option<String>,

    /// When to use color.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: When,

    /// Number of files to fix in parallel [default: number of CPUs].
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
}

const EXAMPLES: &str = "Examples:
  # Show what would change below a directory
  ratchet fix -R manifests/

  # Write it, where leading zeros mean nothing
  ratchet fix -R manifests/ --read-as decimal --write

  # Fix a stream
  kubectl get services -o yaml | ratchet fix - --write

  # Print the patches for what an audit found in a cluster
  ratchet audit -o json > audit.json
  ratchet fix --from-audit audit.json

  # Send them, and continue where an earlier run stopped
  ratchet fix --from-audit audit.json --apply --resume done.txt";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReadAsArg {
    /// As Kubernetes reads them: 010 is ten.
    Decimal,
    /// As C programs read them: 010 is eight.
    Octal,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HostBitsArg {
    /// The network: 10.1.2.3/8 is 10.0.0.0/8.
    Network,
    /// The one address: 10.1.2.3/8 is 10.1.2.3/32.
    Host,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Unified diff.
    Diff,
    /// JSON document.
    Json,
    /// Commands of kubectl, with --from-audit.
    Patches,
}

/// Time limit of a request to the API server.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) fn run(args: FixArgs, out: &mut dyn Write) -> CommandResult {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let code = match args.from_audit.clone() {
        Some(audit) => live::run(&live_config(args, audit)?, &mut out, &mut io::stderr())?,
        None => ratchet_fix::run(&config(args)?, &mut out, &mut io::stderr())?.exit_code(),
    };
    match out.flush() {
        // A reader that closes the pipe does not change the result.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(code),
    }
}

fn choices(args: &FixArgs) -> Choices {
    Choices {
        read_as: args.read_as.map(|reading| match reading {
            ReadAsArg::Decimal => ReadAs::Decimal,
            ReadAsArg::Octal => ReadAs::Octal,
        }),
        host_bits: args.host_bits.map(|meaning| match meaning {
            HostBitsArg::Network => HostBits::Network,
            HostBitsArg::Host => HostBits::Host,
        }),
    }
}

fn live_config(args: FixArgs, audit: PathBuf) -> Result<LiveConfig, String> {
    if args.output.is_some_and(|output| output != Output::Patches) {
        return Err("--from-audit prints commands: use -o patches, or no -o".into());
    }
    let choices = choices(&args);
    let flags = ConfigFlags {
        kubeconfig: args.kubeconfig,
        context: args.context,
        request_timeout: Some(REQUEST_TIMEOUT),
        ..ConfigFlags::default()
    };
    Ok(LiveConfig { audit, choices, flags, apply: args.apply, resume: args.resume })
}

fn config(args: FixArgs) -> Result<Config, String> {
    // clap does not insist on --from-audit where a path rules it out.
    let is_live = args.apply || args.resume.is_some();
    if is_live || args.kubeconfig.is_some() || args.context.is_some() {
        return Err(
            "--apply, --resume, --kubeconfig and --context are for live objects: name an audit with --from-audit".into()
        );
    }
    let choices = choices(&args);
    let inputs: Vec<PathBuf> = args.paths.into_iter().chain(args.filename).collect();
    if inputs.is_empty() {
        return Err(
            "nothing to fix: name files or directories, - for standard input, or --from-audit"
                .into(),
        );
    }
    let output = match args.output {
        None | Some(Output::Diff) => OutputFormat::Diff,
        Some(Output::Json) => OutputFormat::Json,
        Some(Output::Patches) => {
            return Err("-o patches is for live objects: name an audit with --from-audit".into());
        }
    };
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let is_stream = args.write && inputs.iter().any(|input| input.as_os_str() == "-");
    if is_stream && (inputs.len() > 1 || output == OutputFormat::Json) {
        return Err("- with --write is a filter: it takes no other input, and no -o json".into());
    }
    let colour = match args.color {
        When::Always => !is_stream,
        When::Never => false,
        When::Auto => io::stdout().is_terminal() && !no_color && !is_dumb && !is_stream,
    };
    Ok(Config {
        inputs,
        recursive: args.recursive,
        write: args.write,
        choices,
        output,
        colour,
        workers: args.jobs.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            std::num::NonZero::get,
        ),
    })
}
