//! Command-line arguments as clap parses them; each command validates their combination itself.

use crate::audit::AuditArgs;
use crate::cel::CelArgs;
use crate::color_arg::When;
use crate::envtest::EnvtestArgs;
use crate::fix::FixArgs;
use crate::kubelet_certs::KubeletCertsArgs;
use crate::policy_args::PolicyArgs;
use crate::requester::RequesterArgs;
use crate::serve::args::ServeArgs;
use crate::store::StoreArgs;
use crate::webhook::args::WebhookArgs;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// Kubernetes API server and manifest checker in one binary.
#[derive(Debug, Parser)]
#[command(name = "ratchet", version, about, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Audit(Box<AuditArgs>),
    Cel(Box<CelArgs>),
    Check(Box<CheckArgs>),
    /// Print a shell completion script.
    #[command(visible_alias = "completions", after_help = COMPLETION_EXAMPLES)]
    Completion {
        /// Shell to print the script for.
        shell: Shell,
    },
    Envtest(EnvtestArgs),
    /// Print what a rule demands, why it exists and how to fix a finding.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain {
        /// ID of the rule, as a finding shows it. Without it, list all rules.
        id: Option<String>,
    },
    /// Print the IP address and CIDR fields of the API and how they are validated.
    Fields,
    Fix(Box<FixArgs>),
    KubeletCerts(Box<KubeletCertsArgs>),
    /// Print a manual page, or write all manual pages to a directory.
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Command to print the page of, such as check or store backup. Without it, print the page of ratchet.
        command: Vec<String>,
        /// Existing directory to write the pages of all commands to.
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        directory: Option<PathBuf>,
    },
    Serve(Box<ServeArgs>),
    Store(StoreArgs),
    Webhook(Box<WebhookArgs>),
}

const COMPLETION_EXAMPLES: &str = "Examples:
  # Load completions into the current shell
  source <(ratchet completion bash)

  # Install completions for fish
  ratchet completion fish > ~/.config/fish/completions/ratchet.fish";

const EXPLAIN_EXAMPLES: &str = "Examples:
  # List all rules
  ratchet explain

  # Explain one rule
  ratchet explain RTC-IP-001";

const MAN_EXAMPLES: &str = "Examples:
  # Show the manual page of a command
  ratchet man check | man -l -

  # Show the manual page of a subcommand
  ratchet man store backup | man -l -

  # Write all manual pages to a directory
  ratchet man --directory /usr/local/share/man/man1";

/// Check manifests as the Kubernetes API server would validate them, without a cluster.
///
/// A finding has the message of the API server, its place in the file and, if there is one, the fix. Objects are
/// checked as creates, or with --against as updates of stored objects.
///
/// Exit status: 0 nothing refused; 1 something refused (or warned about, with --warnings-as-errors); 2 error (bad
/// usage, unreadable or undecodable input).
#[derive(ClapArgs, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Files or directories to check. - means standard input.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// File or directory to check, as an alternative to PATH. May be repeated.
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    pub(crate) filename: Vec<PathBuf>,

    /// Search directories recursively.
    #[arg(short = 'R', long, overrides_with = "recursive")]
    pub(crate) recursive: bool,

    /// Stored objects, whose updates are checked: a file, a directory, or git:REV for the same paths in a Git revision.
    /// Objects that are not stored are checked as creates.
    #[arg(long, value_name = "PATH|git:REV")]
    pub(crate) against: Option<String>,

    /// File or directory with CustomResourceDefinitions, by which custom objects are checked, besides the definitions in
    /// the input and in --against. Directories are searched recursively. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) crds: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// File or directory with ValidatingAdmissionPolicies to evaluate, and their bindings, parameters and namespaces.
    /// May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) policies: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) requester: RequesterArgs,

    /// Namespace of objects that do not set one.
    #[arg(short = 'n', long, default_value = "default")]
    pub(crate) namespace: String,

    /// How to treat unknown and duplicate fields, as in kubectl.
    #[arg(long, value_enum, default_value = "strict", value_name = "MODE")]
    pub(crate) validate: Validate,

    /// Output format.
    #[arg(short = 'o', long, value_enum, default_value = "human")]
    pub(crate) output: Output,

    /// Treat warnings as errors.
    #[arg(long)]
    pub(crate) warnings_as_errors: bool,

    /// File with known findings to ignore, as --write-baseline writes it.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// File to write the current findings to, for --baseline.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// When to use color.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: When,

    /// Number of documents to check in parallel [default: number of CPUs].
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
}

const CHECK_EXAMPLES: &str = "Examples:
  # Check all manifests below a directory
  ratchet check -R manifests/

  # Check the output of a Helm chart
  helm template shop | ratchet check -

  # Check manifests as updates of those on the main branch
  ratchet check -R manifests/ --against git:origin/main

  # Check custom objects by their definitions
  ratchet check -R manifests/ --crds config/crd/bases

  # Check against another Kubernetes release
  ratchet check -R manifests/ --target-version 1.35

  # Write a report for GitHub code scanning
  ratchet check -R manifests/ -o sarif > ratchet.sarif";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Validate {
    /// Refuse the object.
    #[value(alias = "true")]
    Strict,
    /// Warn.
    Warn,
    /// Ignore them.
    #[value(alias = "false")]
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Text with source excerpts and fixes.
    #[value(alias = "text")]
    Human,
    /// JSON document.
    Json,
    /// YAML document, with the same content as JSON.
    Yaml,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    Junit,
    /// GitHub Actions workflow commands, shown as annotations.
    Github,
    /// Markdown table.
    Markdown,
    /// One HTML file: summary, filters, search and fixes, without any network.
    Html,
}
