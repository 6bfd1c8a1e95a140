//! What happens beside requests: signals, and files that change.

use super::keys::Keys;
use ratchet_server::{Reloads, Stop};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(10);
/// How often certificates are looked at for their end.
const RENEW: Duration = Duration::from_secs(24 * 60 * 60);
/// What a process ends with that was told twice to stop.
const HURRIED: i32 = 1;

/// The signals that a server obeys.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    /// Taken so that nobody else takes it; what matters is that it does not end the process.
    _file_size: Signal,
}

/// `SIGXFSZ`: a file would become larger than this process may make one. The write fails, as it does on a full disk.
const FILE_SIZE: i32 = 25;

impl Signals {
    /// From here on signals no longer end the process by themselves.
    pub(crate) fn take() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            _file_size: signal(SignalKind::from_raw(FILE_SIZE))?,
        })
    }

    /// Drains at the first word to stop, ends the process at the second, and looks at files in between.
    pub(crate) async fn obey(mut self, stop: Stop, keys: Arc<Keys>, reloads: Reloads) {
        let mut look = tokio::time::interval(LOOK);
        let mut renew = tokio::time::interval(RENEW);
        // An interval ticks at once, and at the start everything has just been read.
        look.tick().await;
        renew.tick().await;
        let mut is_stopping = false;
        loop {
            let renews = tokio::select! {
                _ = self.terminate.recv() => None,
                _ = self.interrupt.recv() => None,
                _ = self.hang_up.recv() => Some(true),
                _ = renew.tick() => Some(true),
                _ = look.tick() => Some(false),
            };
            match renews {
                Some(renews) => refresh(renews, &keys, &reloads).await,
                None if is_stopping => std::process::exit(HURRIED),
                None => {
                    is_stopping = true;
                    tracing::info!("stopping: requests under way may finish");
                    let stop = stop.clone();
                    tokio::spawn(async move { stop.begin().await });
                }
            }
        }
    }
}

/// Reads and writes files, which may be slow, away from requests.
async fn refresh(renews: bool, keys: &Arc<Keys>, reloads: &Reloads) {
    let (keys, reloads) = (keys.clone(), reloads.clone());
    let work = tokio::task::spawn_blocking(move || {
        if renews {
            keys.renew();
        }
        keys.refresh();
        reloads.now();
    });
    if work.await.is_err() {
        tracing::error!("looking at the files of certificates failed");
    }
}
