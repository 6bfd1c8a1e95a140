//! `CurrentReviewer`: the reviewer in force, which follows its configuration file.

use crate::configuration::{Configuration, Fault};
use crate::metrics::Metrics;
use crate::reviewer::Reviewer;
use arc_swap::ArcSwap;
use ratchet_engine::ApiConfig;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The largest configuration file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// Its content is wrong.
    #[error("{}", list(path, faults))]
    Faulty {
        /// The file.
        path: PathBuf,
        /// Every fault.
        faults: Vec<Fault>,
    },
}

fn list(path: &Path, faults: &[Fault]) -> String {
    let lines = faults.iter().map(|fault| format!("{}:{fault}", path.display()));
    lines.collect::<Vec<_>>().join("\n")
}

/// The reviewer in force. A new file is used when it is right; until then the old one stays.
pub struct CurrentReviewer {
    api_config: ApiConfig,
    file: Option<PathBuf>,
    reviewer: ArcSwap<Reviewer>,
    metrics: Arc<Metrics>,
    last: Mutex<LastFile>,
}

/// What the file said when it was last looked at.
struct LastFile {
    /// Its text, to report what is wrong with it once; `None` if it could not be read.
    text: Option<String>,
    /// Why it is not in force, if it is not.
    error: Option<String>,
}

impl CurrentReviewer {
    /// Reads the configuration file for the first time; without one every rule is enforced.
    pub fn load(
        api_config: ApiConfig,
        file: Option<PathBuf>,
        metrics: Arc<Metrics>,
    ) -> Result<Self, ConfigurationError> {
        let (configuration, text) = match &file {
            None => (Configuration::default(), None),
            Some(path) => {
                let text = read(path)?;
                (parse(path, &text)?, Some(text))
            }
        };
        metrics.reloaded(true);
        let reviewer = Reviewer::with_configuration(api_config.clone(), configuration);
        let last = Mutex::new(LastFile { text, error: None });
        let reviewer = ArcSwap::from_pointee(reviewer);
        Ok(Self { api_config, file, reviewer, metrics, last })
    }

    /// The reviewer in force.
    pub fn get(&self) -> Arc<Reviewer> {
        self.reviewer.load_full()
    }

    /// Why the file, as it is now, is not in force; `None` if it is.
    pub fn error(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).error.clone()
    }

    /// Looks at the file again. What is wrong with it is logged once.
    pub fn reload(&self) {
        let Some(path) = &self.file else { return };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let text = read(path);
        let is_same = text.as_ref().ok() == last.text.as_ref();
        if is_same && (text.is_ok() || last.error.is_some()) {
            return;
        }
        last.text = text.as_ref().ok().cloned();
        let configuration = text.and_then(|text| parse(path, &text));
        self.metrics.reloaded(configuration.is_ok());
        last.error = match configuration {
            Ok(configuration) => {
                let api_config = self.api_config.clone();
                let reviewer = Reviewer::with_configuration(api_config, configuration);
                self.reviewer.store(Arc::new(reviewer));
                tracing::info!(file = %path.display(), "configuration replaced");
                None
            }
            Err(error) => {
                tracing::error!(%error, "the new configuration is not usable, the old one stays");
                Some(error.to_string())
            }
        };
    }
}

fn read(path: &Path) -> Result<String, ConfigurationError> {
    let unreadable = |error| ConfigurationError::Unreadable { path: path.to_owned(), error };
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    if size > MAX_FILE_BYTES {
        return Err(unreadable(std::io::Error::other("the file is larger than 1 MiB")));
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

fn parse(path: &Path, text: &str) -> Result<Configuration, ConfigurationError> {
    Configuration::parse(text)
        .map_err(|faults| ConfigurationError::Faulty { path: path.to_owned(), faults })
}
