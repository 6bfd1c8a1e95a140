//! Connection threads: each serves its own connections, without handing their tasks to the others.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

/// Threads on which the connections of a [`Listener`](crate::Listener) are served.
///
/// What a request allocates is freed on the same thread, and no thread is woken for the task of another: a create costs
/// a sixth less than on threads that take tasks from each other. The price is that a thread which computes holds up its
/// connections, so that longer work is [offloaded](crate::offload), and connections of HTTP/1.1 are as a whole.
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
        let mut all = Self {
            runtimes: Vec::new(),
            next: AtomicUsize::new(0),
            stop: Some(stop),
            threads: Vec::new(),
        };
        for _ in 0..count.max(1) {
            let mut stopped = stopped.clone();
            let (sender, started) = mpsc::channel();
            let thread = std::thread::Builder::new().name("connections".to_owned());
            // A runtime is made and dropped on its own thread: a caller that is a task must not drop one.
            all.threads.push(thread.stack_size(stack_size).spawn(move || {
                let runtime = Builder::new_current_thread().enable_all().build();
                let _ = sender.send(
                    runtime
                        .as_ref()
                        .map(|runtime| runtime.handle().clone())
                        .map_err(io::Error::kind),
                );
                if let Ok(runtime) = runtime {
                    // It fails when the sender is gone, which is the end.
                    let _ = runtime.block_on(stopped.changed());
                }
            })?);
            all.runtimes.push(started.recv().map_err(io::Error::other)??);
        }
        Ok(all)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn threads_take_connections_in_turns_and_end_with_their_owner() {
        let threads = ConnectionThreads::start(2, 1 << 20).unwrap();
        let run =
            || async { threads.next().unwrap().spawn(async { std::thread::current().id() }).await };
        let (first, second, third) =
            (run().await.unwrap(), run().await.unwrap(), run().await.unwrap());
        assert_ne!(first, second);
        assert_eq!(first, third);
        let left = threads.next().unwrap().spawn(std::future::pending::<()>());
        drop(threads);
        assert!(left.await.unwrap_err().is_cancelled());
        assert!(ConnectionThreads::start(0, 1 << 20).unwrap().next().is_some());
    }
}
