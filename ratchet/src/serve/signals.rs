//! Signal handling and periodic reloads of changed files.

use super::keys::Keys;
use ratchet_server::{ReloadHandle, ShutdownHandle};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;

/// Interval between reloads of files.
const RELOAD_INTERVAL: Duration = Duration::from_secs(10);
/// Interval between checks for expiring certificates.
const RENEW_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// Exit status after a second signal to stop.
const EXIT_SECOND_SIGNAL: i32 = 1;

/// The signals that the server handles.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    /// Installed only so that the signal does not end the process.
    _file_size: Signal,
}

/// `SIGXFSZ`: a file would exceed the process's size limit. The write fails, as it does on a full disk.
const FILE_SIZE: i32 = 25;

impl Signals {
    /// Installs the handlers; from here on signals do not end the process by themselves.
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            _file_size: signal(SignalKind::from_raw(FILE_SIZE))?,
        })
    }

    /// Drains on the first signal to stop, exits on the second, and reloads files in between.
    pub(crate) async fn handle(
        mut self,
        stop: ShutdownHandle,
        keys: Arc<Keys>,
        reloads: ReloadHandle,
    ) {
        let mut reload = tokio::time::interval(RELOAD_INTERVAL);
        let mut renew = tokio::time::interval(RENEW_INTERVAL);
        // An interval ticks at once, and everything has just been read.
        reload.tick().await;
        renew.tick().await;
        let mut is_stopping = false;
        // Files and the threads that read them may be slow; signals do not wait for either.
        let (mut is_renewal_due, mut refreshing) = (false, None::<JoinHandle<()>>);
        loop {
            let renews = tokio::select! {
                _ = self.terminate.recv() => None,
                _ = self.interrupt.recv() => None,
                _ = self.hang_up.recv() => Some(true),
                _ = renew.tick() => Some(true),
                _ = reload.tick() => Some(false),
            };
            match renews {
                Some(renews) => {
                    is_renewal_due |= renews;
                    if refreshing.as_ref().is_none_or(JoinHandle::is_finished) {
                        let renews = std::mem::take(&mut is_renewal_due);
                        let (keys, reloads) = (keys.clone(), reloads.clone());
                        refreshing = Some(tokio::spawn(refresh(renews, keys, reloads)));
                    }
                }
                None if is_stopping => std::process::exit(EXIT_SECOND_SIGNAL),
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

/// Reloads and renews files on a blocking thread, because file access may be slow.
async fn refresh(renews: bool, keys: Arc<Keys>, reloads: ReloadHandle) {
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
