//! Wrong names are logged with node, expected and presented name, and rate-limited.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use ratchet_kubelet::{NameCheck, Settings, Timing};
use tracing_subscriber::fmt::MakeWriter;

use super::authority::{Authority, CN, Wanted, attribute, subject};
use super::peer::{H2, Peer};
use super::us::Us;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Removes the lines with this mark; other tests write into the same log.
    fn take(&self, mark: &str) -> Vec<String> {
        let mut log = self.0.lock().unwrap();
        let text = String::from_utf8(log.clone()).unwrap();
        let (found, others): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.contains(mark));
        *log = others.iter().flat_map(|line| [*line, "\n"]).collect::<String>().into_bytes();
        found.into_iter().map(ToOwned::to_owned).collect()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The log of the whole process: a thread-local subscriber may miss lines while other threads come
/// and go.
static LOG: LazyLock<Lines> = LazyLock::new(|| {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt().json().with_writer(lines.clone()).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    lines
});

#[tokio::test]
async fn each_node_is_told_of_in_its_turn() {
    let lines = &*LOG;
    let authority = Authority::new("kubelet-ca");
    let evil = "x\", \"level\": \"INFO\"}\n{\"forged\": \"\u{202e}";
    let leaf = authority.sign(&Wanted::new(subject(&[&[attribute(CN, 0x0c, evil.as_bytes())]])));
    let peer = Peer::start(&leaf, H2).await;
    let timing = Timing { notice: Duration::from_millis(500), ..Timing::default() };
    let settings = Settings { timing, ..Settings::default() };
    for (mode, mode_name) in [(NameCheck::Observe, "observe"), (NameCheck::Enforce, "enforce")] {
        let us = Us::with(&authority.pem(), mode, settings.clone());
        for _ in 0..5 {
            let _ = us.dial(&peer.of("told-a")).await;
            let _ = us.dial(&peer.of("told-b")).await;
        }
        assert_eq!(us.witnessed(), (0, 10), "all are counted");
        let logged = lines.take("told-");
        assert_eq!(logged.len(), 2, "{logged:?}");
        for (line, node) in logged.iter().zip(["told-a", "told-b"]) {
            for part in [
                "\"level\":\"ERROR\"".to_owned(),
                format!("\"node\":\"{node}\""),
                format!("\"expected\":\"system:node:{node}\""),
                r#""presented":"\"x\\\", \\\"level\\\""#.to_owned(),
                format!("\"mode\":\"{mode_name}\""),
                "\"suppressed\":0".to_owned(),
            ] {
                assert!(line.contains(&part), "{line} lacks {part}");
            }
            assert!(!line.contains('\u{202e}'), "{line}");
        }
        tokio::time::sleep(Duration::from_millis(550)).await;
        let _ = us.dial(&peer.of("told-a")).await;
        let logged = lines.take("told-");
        assert!(logged.len() == 1 && logged[0].contains("\"suppressed\":4"), "{logged:?}");
    }
}

#[tokio::test]
async fn a_broken_file_is_told_once() {
    let lines = &*LOG;
    let us = Us::enforcing(&Authority::new("kubelet-ca"));
    std::fs::write(us.file("ca.crt"), "garbage").unwrap();
    for _ in 0..3 {
        us.reload_now();
    }
    let file = us.file("ca.crt").display().to_string();
    let logged = lines.take(&file);
    assert!(
        logged.len() == 1 && logged[0].contains("unable to load root certificates"),
        "{logged:?}"
    );
}
