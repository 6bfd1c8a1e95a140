//! A browser for tests: headless Chromium, driven over the DevTools protocol.
//!
//! ```
//! // `cargo xtask chromium` prints the value of the variable that names the program.
//! if let Some(program) = browser_peer::program() {
//!     let mut browser = browser_peer::Browser::start(&program);
//!     let mut page = browser.open("<!DOCTYPE html><title>hello</title><p>world");
//!     assert_eq!(page.eval("document.title"), "hello");
//!     assert_eq!(page.requests(), [String::new(); 0]);
//! }
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a peer of a test may fail like a test"
)]

mod connection;
mod keys;
mod page;

pub use page::Page;

use connection::{Connection, PATIENCE};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The variable with the program.
pub const VARIABLE: &str = "RATCHET_CHROMIUM";

/// Flags that keep the browser to itself: no window, no network of its own, nothing of the user's.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--mute-audio",
    "--remote-debugging-port=0",
    "--window-size=1280,900",
];

/// The program that the variable names.
pub fn program() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from)
}

/// The program, which must be named.
pub fn required_program() -> PathBuf {
    program().unwrap_or_else(|| {
        panic!("{VARIABLE} names no Chromium: `cargo xtask chromium` prints its value")
    })
}

/// A browser with a profile of its own; it ends with the value.
pub struct Browser {
    child: Child,
    connection: Connection,
    dir: TempDir,
    pages: usize,
}

impl Browser {
    /// Starts a browser and waits until it can be driven.
    pub fn start(program: &Path) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let profile = dir.path().join("profile");
        let mut child = Command::new(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .env("HOME", dir.path())
            .env("XDG_CONFIG_HOME", dir.path())
            .env("XDG_CACHE_HOME", dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|why| panic!("cannot start {}: {why}", program.display()));
        let file = profile.join("DevToolsActivePort");
        let start = Instant::now();
        let (port, path) = loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = text.split_once('\n')
                && let Ok(port) = port.parse::<u16>()
                && !path.trim().is_empty()
            {
                break (port, path.trim().to_owned());
            }
            if let Some(status) = child.try_wait().unwrap() {
                panic!("{} ended with {status}", program.display());
            }
            if start.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                panic!("{} opened no port", program.display());
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let connection = Connection::open(port, &path);
        Self { child, connection, dir, pages: 0 }
    }

    /// Opens a document of its own file, and waits until it is loaded.
    pub fn open(&mut self, html: &str) -> Page<'_> {
        self.open_at(html, "")
    }

    /// Opens a document with a fragment in its address.
    pub fn open_at(&mut self, html: &str, fragment: &str) -> Page<'_> {
        self.pages += 1;
        let file = self.dir.path().join(format!("page-{}.html", self.pages));
        std::fs::write(&file, html).unwrap();
        let mut page = Page::attach(&mut self.connection);
        page.navigate(&format!("file://{}{fragment}", file.display()));
        page
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its own end takes all of its processes along.
        self.connection.send_last("Browser.close", &json!({}));
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(15) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
