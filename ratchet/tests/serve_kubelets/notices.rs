//! Capture of the log lines that the servers of this process write.

use std::io::{self, Write};
use std::sync::{LazyLock, Mutex};

static LINES: LazyLock<Mutex<Vec<u8>>> = LazyLock::new(|| {
    let lines = tracing_subscriber::fmt().with_max_level(tracing::Level::WARN).with_ansi(false);
    lines.with_writer(|| Capture).init();
    Mutex::default()
});

struct Capture;

impl Write for Capture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts to capture log lines.
pub(crate) fn begin() {
    LazyLock::force(&LINES);
}

/// The captured lines that contain a text.
pub(crate) fn about(what: &str) -> Vec<String> {
    let text = LINES.lock().unwrap().clone();
    let text = String::from_utf8(text).unwrap();
    text.lines().filter(|line| line.contains(what)).map(str::to_owned).collect()
}
