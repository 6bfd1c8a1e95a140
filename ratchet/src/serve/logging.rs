//! Logging to standard error, at kube-apiserver's verbosity levels.

use super::args::{LogArgs, LogFormat};
use tracing::level_filters::LevelFilter;

/// Installs the global subscriber.
pub(crate) fn init(args: &LogArgs) {
    let lines = tracing_subscriber::fmt()
        .with_max_level(level(args.verbosity))
        .with_writer(std::io::stderr)
        .with_target(false);
    // A second call, as in a test, changes nothing.
    let _ = match args.logging_format {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}

/// The level of a kube-apiserver verbosity.
fn level(verbosity: i64) -> LevelFilter {
    match verbosity {
        ..=0 => LevelFilter::WARN,
        1..=3 => LevelFilter::INFO,
        4..=5 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_told_with_higher_numbers() {
        let levels = [-1, 0, 1, 3, 4, 6, 10].map(level);
        assert_eq!(levels[0], LevelFilter::WARN);
        assert!(levels.is_sorted(), "{levels:?}");
        assert_eq!(levels[6], LevelFilter::TRACE);
    }
}
