//! Connection threads: each serves its own connections, without handing their tasks to the others.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

/// Threads on which the connections of a [`Listener`](crate::Listener) are served.
///
/// What a request allocates is freed on the same thread, and no thread is woken for the task of another: a create costs
/// a sixth less than on threads that take tasks from each other. The price is that a thread which computes holds up its
/// connections, so that longer work is [offloaded](crate::offload).
#[derive(Debug)]
pub struct ConnectionThreads {
    runtimes: Vec<Handle>,
    next: AtomicUsize,
    /// Dropped to end the threads.
    stop: Option<watch::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl ConnectionThreads {
    /// Starts at least one thread.
    pub fn start(count: usize, stack_size: usize) -> io::Result<Self> {
        let (stop, stopped) = watch::channel(());
        let (mut runtimes, mut threads) = (Vec::new(), Vec::new());
        for _ in 0..count.max(1) {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtimes.push(runtime.handle().clone());
            let mut stopped = stopped.clone();
            let run = move || {
                // It fails when the sender is gone, which is the end.
                let _ = runtime.block_on(stopped.changed());
            };
            let thread = std::thread::Builder::new().name("connections".to_owned());
            threads.push(thread.stack_size(stack_size).spawn(run)?);
        }
        Ok(Self { runtimes, next: AtomicUsize::new(0), stop: Some(stop), threads })
    }

    /// The runtime for the next connection.
    pub(crate) fn next(&self) -> Option<&Handle> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.runtimes.get(next.checked_rem(self.runtimes.len())?)
    }
}

impl Drop for ConnectionThreads {
    /// Waits for the threads, so that nothing of a connection runs on after its listener.
    fn drop(&mut self) {
        self.stop = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
