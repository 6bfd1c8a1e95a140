//! Pod Security Admission: checks pods against the level of their namespace.

mod admission;
#[cfg(test)]
mod admission_tests;
mod check;
mod checks;
mod config;
mod exemptions;
mod existing;
mod labels;
mod level;
mod metrics;
mod namespaces;
mod pod;
mod registry;
pub(crate) mod rules;
mod significance;
mod strict;
#[cfg(test)]
mod testing;

pub(crate) use admission::judge;
pub use admission::needs;
pub use check::{Check, Context, Evaluate, Variant, Violation, reasons, summary};
pub use checks::CHECKS;
pub use config::{Configuration, ConfigurationError, PluginConfiguration};
pub use exemptions::Exemptions;
pub use labels::{LabelError, label_field_errors, policy_of};
pub use level::{Level, LevelVersion, Mode, Modes, UnknownLevel, UnknownVersion, Version};
pub use metrics::{Decision, PodSecurityMetrics, Request, VersionLabel};
pub use pod::{Container, PodView};
pub use registry::evaluate;
pub use rules::RULES;
