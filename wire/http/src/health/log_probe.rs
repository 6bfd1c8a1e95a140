//! The health check `log`: whether somebody still takes what is logged.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

/// The interval at which the log is tried.
const EVERY: Duration = Duration::from_secs(60);
/// How long after it was last found well the log counts as well.
const STALE: Duration = Duration::from_secs(120);

/// When the log was last found well. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct LogProbe(Arc<Times>);

#[derive(Debug, Default)]
struct Times {
    /// When the probe began.
    began: OnceLock<Instant>,
    /// Milliseconds from then until the log was last well.
    last_well: AtomicU64,
}

impl LogProbe {
    /// Tries the log for ever: whoever writes to a pipe that nobody reads holds the lock of standard
    /// error.
    pub async fn run(self) {
        self.try_with(|| {
            // What cannot be written is no reason to restart a server; what blocks is.
            let _ = std::io::stderr().lock().flush();
        })
        .await;
    }

    async fn try_with(&self, log: impl Fn() + Copy + Send + 'static) {
        let began = *self.0.began.get_or_init(Instant::now);
        loop {
            // Waits as long as the log does, and holds one thread meanwhile.
            if tokio::task::spawn_blocking(log).await.is_ok() {
                let after = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                self.0.last_well.store(after, Ordering::Relaxed);
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// The reason if the log hangs.
    pub fn check(&self) -> Result<(), String> {
        let Some(began) = self.0.began.get() else { return Ok(()) };
        let last_well = Duration::from_millis(self.0.last_well.load(Ordering::Relaxed));
        match began.elapsed().saturating_sub(last_well) < STALE {
            true => Ok(()),
            false => Err("logging blocked".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    static BLOCKED: AtomicBool = AtomicBool::new(true);

    fn write() {
        while BLOCKED.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[tokio::test]
    async fn a_log_that_hangs_is_told() {
        let probe = LogProbe::default();
        assert_eq!(probe.check(), Ok(()), "nothing is known yet");
        let runner = probe.clone();
        let task = tokio::spawn(async move { runner.try_with(write).await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(probe.check(), Ok(()));
        tokio::time::pause();
        tokio::time::advance(STALE + Duration::from_secs(1)).await;
        assert_eq!(probe.check(), Err("logging blocked".to_owned()));
        tokio::time::resume();
        BLOCKED.store(false, Ordering::Relaxed);
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if probe.check().is_ok() {
                break;
            }
        }
        assert_eq!(probe.check(), Ok(()), "somebody reads again");
        task.abort();
    }
}
