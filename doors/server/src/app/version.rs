//! The version of the server, as `/version` reports it.

use ratchet_engine::ApiConfig;

/// Operating system and architecture in Go's names.
pub(crate) const PLATFORM: &str =
    if cfg!(target_arch = "aarch64") { "linux/arm64" } else { "linux/amd64" };

/// The document at `/version`.
pub(crate) fn document(config: &ApiConfig) -> String {
    let minor = config.release.minor();
    let emulated = config.emulated.minor();
    let oldest = emulated.saturating_sub(1);
    let version = git_version(config);
    format!(
        r#"{{"major":"1","minor":"{minor}","emulationMajor":"1","emulationMinor":"{emulated}","minCompatibilityMajor":"1","minCompatibilityMinor":"{oldest}","gitVersion":"{version}","gitCommit":"","gitTreeState":"clean","buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"rustc","platform":"{PLATFORM}"}}"#
    )
}

/// `gitVersion`: the served release and the version of this program.
pub fn git_version(config: &ApiConfig) -> String {
    format!("v1.{}.4+ratchet-{}", config.release.minor(), env!("CARGO_PKG_VERSION"))
}
