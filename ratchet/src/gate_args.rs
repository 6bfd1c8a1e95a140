//! Flags of feature gates and admission plugins, which the server and the commands that predict a server have.

use clap::Args as ClapArgs;

/// Flags of feature gates and admission plugins.
#[derive(ClapArgs, Clone, Debug, Default)]
pub(crate) struct GateArgs {
    /// Feature gates to set: [kube:]Name=true|false, separated by commas. May be repeated.
    #[arg(long, value_name = "GATES")]
    pub(crate) feature_gates: Vec<String>,

    /// Admission plugins to enable in addition to those that are on by default.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) enable_admission_plugins: Vec<String>,

    /// Admission plugins to disable, even if they are on by default.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) disable_admission_plugins: Vec<String>,
}
