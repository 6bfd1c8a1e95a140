//! Command-line arguments as clap parses them; each command validates their combination itself.

use crate::cel::CelArgs;
use crate::kubelet_certs::KubeletCertsArgs;
use crate::requester::RequesterArgs;
use crate::serve::args::ServeArgs;
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
    Cel(Box<CelArgs>),
    Check(Box<CheckArgs>),
    /// Print a shell completion script.
    #[command(visible_alias = "completions")]
    Completion {
        /// The shell.
        shell: Shell,
    },
    /// Tell what a rule means, why it exists and how to fix what it finds; without an id, list all.
    Explain {
        /// The rule's id, as a finding shows it: RTC-IP-001.
        id: Option<String>,
    },
    /// Print the table of the API's address and network fields.
    Fields,
    KubeletCerts(Box<KubeletCertsArgs>),
    /// Print a manual page, or write all of them into a directory.
    Man {
        /// The subcommand whose page to print.
        command: Option<String>,
        /// Write the pages of all commands into this directory, which must exist.
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        directory: Option<PathBuf>,
    },
    Serve(Box<ServeArgs>),
}

/// Tell what the API would say to manifests, word for word.
///
/// Exit status: 0 nothing refused; 1 something refused (or warned about, with
/// --warnings-as-errors); 2 could not tell (bad usage, unreadable or undecodable input).
#[derive(ClapArgs, Debug)]
pub(crate) struct CheckArgs {
    /// Files or directories to check; `-` reads standard input.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// A file or directory to check; may be repeated.
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    pub(crate) filename: Vec<PathBuf>,

    /// Search directories to the bottom.
    #[arg(short = 'R', long, overrides_with = "recursive")]
    pub(crate) recursive: bool,

    /// Judge updates: PATH, or git:REVISION for the same paths in a commit, holds what is stored.
    #[arg(long, value_name = "PATH|git:REV")]
    pub(crate) against: Option<String>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// A file or directory with ValidatingAdmissionPolicies, bindings, parameters and namespaces, which decide too;
    /// may be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) policies: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) requester: RequesterArgs,

    /// The namespace of objects that name none.
    #[arg(short = 'n', long, default_value = "default")]
    pub(crate) namespace: String,

    /// What becomes of unknown and repeated fields, as kubectl has it.
    #[arg(long, value_enum, default_value = "strict", value_name = "MODE")]
    pub(crate) validate: Validate,

    /// How findings are written.
    #[arg(short = 'o', long, value_enum, default_value = "human")]
    pub(crate) output: Output,

    /// Let a warning count like a refusal.
    #[arg(long)]
    pub(crate) warnings_as_errors: bool,

    /// A file of known findings, which are passed over.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write what is found now as a baseline for later.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// Colour: on a terminal only, always, or never. NO_COLOR is honoured.
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: When,

    /// How many documents to judge at the same time; one a core by default.
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
}

/// The flags that choose the rules in force.
#[derive(ClapArgs, Debug)]
pub(crate) struct PolicyArgs {
    /// The Kubernetes release whose words are spoken, from 1.31 to 1.37.
    #[arg(long, default_value = "1.36", value_name = "VERSION")]
    pub(crate) target_version: String,

    /// Emulate an older release, as kube-apiserver's flag does: [kube=]VERSION.
    #[arg(long, value_name = "VERSION")]
    pub(crate) emulated_version: Option<String>,

    /// Feature gates, as kube-apiserver takes them: Name=true|false, separated by commas.
    #[arg(long, value_name = "GATES")]
    pub(crate) feature_gates: Vec<String>,

    /// Admission plugins to turn on beside the defaults.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) enable_admission_plugins: Vec<String>,

    /// Admission plugins to turn off.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) disable_admission_plugins: Vec<String>,

    /// The Pod Security level of namespaces without labels: LEVEL[:VERSION].
    #[arg(long, value_name = "LEVEL[:VERSION]")]
    pub(crate) pod_security: Option<String>,

    /// An AdmissionConfiguration or PodSecurityConfiguration file, as kube-apiserver takes it.
    #[arg(long, value_name = "FILE", conflicts_with = "pod_security")]
    pub(crate) admission_control_config_file: Option<PathBuf>,

    /// Who decides where a proposal and released Kubernetes differ: check predicts a released cluster, so `released` is
    /// its default, while `ratchet serve` enforces the proposals; `--for ratchet` predicts that server.
    #[arg(long, value_enum, default_value = "released")]
    pub(crate) behavior: BehaviorArg,

    /// Whose verdict is predicted: that of a released kube-apiserver, or that of `ratchet serve` with its defaults.
    #[arg(long = "for", value_enum, default_value = "kubernetes", value_name = "SERVER", conflicts_with_all = ["behavior", "target_version"])]
    pub(crate) server: ServerArg,
}

/// The server whose verdict is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServerArg {
    /// kube-apiserver, in the release that --target-version names.
    Kubernetes,
    /// `ratchet serve`: the proposals decide.
    Ratchet,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Validate {
    /// Refuse them.
    #[value(alias = "true")]
    Strict,
    /// Warn about them.
    Warn,
    /// Pass over them.
    #[value(alias = "false")]
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    #[value(alias = "text")]
    Human,
    /// One JSON document.
    Json,
    /// The same in YAML.
    Yaml,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    Junit,
    /// GitHub workflow commands.
    Github,
    /// A Markdown table.
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BehaviorArg {
    /// As the proposals say.
    Proposal,
    /// As released Kubernetes does.
    Released,
}
