//! The version of the server, as `/version` reports it.

use ratchet_engine::ApiConfig;
use ratchet_object::Node;

/// Operating system and architecture in Go's names.
pub const PLATFORM: &str =
    if cfg!(target_arch = "aarch64") { "linux/arm64" } else { "linux/amd64" };

/// The document at `/version`; `reported` is the version that an operator wants to have told.
pub(crate) fn document(config: &ApiConfig, reported: Option<&str>) -> String {
    let minor = config.release.minor();
    let emulated = config.emulated.minor();
    let oldest = emulated.saturating_sub(1);
    let version = Node::string(reported.map_or_else(|| git_version(config), str::to_owned));
    format!(
        r#"{{"major":"1","minor":"{minor}","emulationMajor":"1","emulationMinor":"{emulated}","minCompatibilityMajor":"1","minCompatibilityMinor":"{oldest}","gitVersion":{version},"gitCommit":"","gitTreeState":"clean","buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"rustc","platform":"{PLATFORM}"}}"#
    )
}

/// `gitVersion`: the served release and the version of this program.
pub fn git_version(config: &ApiConfig) -> String {
    format!("v1.{}.4+ratchet-{}", config.release.minor(), env!("CARGO_PKG_VERSION"))
}
