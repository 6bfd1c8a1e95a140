//! `Target`: an API server of the future, by release, gates and plugins.

use ratchet_engine::ApiConfig;

/// What objects are judged for.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name in reports: the release.
    pub name: String,
    /// The API configuration.
    pub api_config: ApiConfig,
}
