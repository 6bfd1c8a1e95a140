//! Flags that choose the rules, which several commands have.

use crate::behavior_arg::BehaviorArg;
use crate::gate_args::GateArgs;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

/// Flags that choose the rules.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct PolicyArgs {
    /// Kubernetes release to check against, from 1.31 to 1.37.
    #[arg(long, default_value = "1.36", value_name = "VERSION")]
    pub(crate) target_version: String,

    /// Older release that the API server emulates, up to three before --target-version, with --for ratchet from 1.32:
    /// [kube=]VERSION [default: --target-version].
    #[arg(long, value_name = "VERSION")]
    pub(crate) emulated_version: Option<String>,

    #[command(flatten)]
    pub(crate) gates: GateArgs,

    /// Pod Security level of namespaces without labels. Example: baseline:v1.34.
    #[arg(long, value_name = "LEVEL[:VERSION]")]
    pub(crate) pod_security: Option<String>,

    /// File with an AdmissionConfiguration or a PodSecurityConfiguration, as kube-apiserver reads it.
    #[arg(long, value_name = "FILE", conflicts_with = "pod_security")]
    pub(crate) admission_control_config_file: Option<PathBuf>,

    /// Behavior where an enhancement proposal (KEP) and released Kubernetes differ.
    #[arg(long, value_enum, default_value = "released")]
    pub(crate) behavior: BehaviorArg,

    /// API server whose answer is predicted.
    #[arg(long = "for", value_enum, default_value = "kubernetes", value_name = "SERVER", conflicts_with_all = ["behavior", "target_version"])]
    pub(crate) server: ServerArg,
}

/// The server whose verdict is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServerArg {
    /// kube-apiserver of the release in --target-version.
    Kubernetes,
    /// ratchet serve with its defaults, which follows the proposals.
    Ratchet,
}
