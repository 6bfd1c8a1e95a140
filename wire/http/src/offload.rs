//! Offloading: a request of HTTP/2 runs on its connection until it has to wait, and on its thread until it computes.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use hyper::rt::Executor;
use tokio::runtime::Handle;
use tokio::task::coop::consume_budget;

thread_local! {
    /// Whether the request that is polled on this thread is to leave it.
    static LEAVES: Cell<bool> = const { Cell::new(false) };
}

/// Lets the tasks go first that this thread would run next; a request leaves the thread of its connection, and with it
/// the body of its response and the tasks that it spawns from then on.
///
/// Call it before work of more than a millisecond. Tokio's `yield_now` puts the task where only its own thread finds it,
/// which may compute for somebody else before.
pub async fn offload() {
    let mut has_left = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_left, true) {
            return Poll::Ready(());
        }
        LEAVES.set(true);
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Runs the requests of a connection, each to the end of its response.
///
/// A request is polled where it came, and becomes a task only if it is not ready then. Most reads are: a task would be
/// made for each, and wake the connection again to send the response.
#[derive(Clone, Debug)]
pub(crate) struct RequestExecutor {
    /// Where offloaded requests go; without them they stay.
    pub(crate) workers: Option<Handle>,
}

impl<F> Executor<F> for RequestExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, request: F) {
        let mut request =
            Offloadable { request: Some(Box::pin(request)), workers: self.workers.clone() };
        // Nobody is to be woken: a task is polled once more when it is spawned.
        let mut context = Context::from_waker(Waker::noop());
        // A connection with many requests does not hold up the others of its thread.
        if pin!(consume_budget()).poll(&mut context).is_pending() {
            tokio::spawn(request);
            return;
        }
        // A panic ends the stream of the request, not the connection.
        let poll = AssertUnwindSafe(|| Pin::new(&mut request).poll(&mut context));
        if catch_unwind(poll).is_ok_and(|poll| poll.is_pending()) {
            tokio::spawn(request);
        }
    }
}

/// A request that goes to the workers when it is offloaded.
struct Offloadable<F> {
    /// None once it has gone.
    request: Option<Pin<Box<F>>>,
    workers: Option<Handle>,
}

impl<F> Future for Offloadable<F>
where
    F: Future<Output = ()> + Send + 'static,
{
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self { request: slot, workers } = &mut *self;
        let Some(request) = slot else { return Poll::Ready(()) };
        // Another task of this thread may have set it.
        LEAVES.set(false);
        let ended = request.as_mut().poll(context);
        let Some(workers) = workers else { return ended };
        match slot.take_if(|_| ended.is_pending() && LEAVES.take()) {
            Some(request) => {
                workers.spawn(request);
                Poll::Ready(())
            }
            None => ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{ThreadId, current};
    use tokio::runtime::{Builder, Runtime};
    use tokio::sync::oneshot;

    fn connection() -> Runtime {
        Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn what_need_not_wait_is_no_task() {
        connection().block_on(async {
            let (done, mut is_done) = oneshot::channel();
            RequestExecutor { workers: None }.execute(async { done.send(1).unwrap() });
            assert_eq!(is_done.try_recv(), Ok(1));
        });
    }

    #[test]
    fn what_has_to_wait_goes_on_as_a_task() {
        connection().block_on(async {
            let (done, mut is_done) = oneshot::channel();
            let (go_on, may_go_on) = oneshot::channel();
            RequestExecutor { workers: None }.execute(async {
                may_go_on.await.unwrap();
                tokio::task::yield_now().await;
                done.send(2).unwrap();
            });
            assert!(is_done.try_recv().is_err());
            go_on.send(()).unwrap();
            assert_eq!(is_done.await, Ok(2));
        });
    }

    #[test]
    fn many_requests_at_once_take_turns_with_other_tasks() {
        connection().block_on(async {
            let (sender, mut done) = tokio::sync::mpsc::unbounded_channel();
            for number in 0..1000 {
                let sender = sender.clone();
                let request = async move { sender.send(number).unwrap() };
                RequestExecutor { workers: None }.execute(request);
            }
            assert!((1..1000).contains(&done.len()), "{} were run at once", done.len());
            for _ in 0..1000 {
                done.recv().await.unwrap();
            }
        });
    }

    #[test]
    fn a_panic_costs_one_request() {
        connection().block_on(async {
            RequestExecutor { workers: None }.execute(async { panic!("as this test wants") });
        });
    }

    /// The threads on which a request runs before and after it is offloaded.
    fn threads(workers: Option<Handle>) -> (ThreadId, ThreadId) {
        connection().block_on(async {
            let (sender, receiver) = oneshot::channel();
            RequestExecutor { workers }.execute(async move {
                let before = current().id();
                tokio::task::yield_now().await;
                assert_eq!(current().id(), before, "only what is offloaded leaves");
                offload().await;
                let _ = sender.send((before, current().id()));
            });
            receiver.await.unwrap()
        })
    }

    #[test]
    fn a_request_leaves_its_thread_to_compute() {
        let workers = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (before, after) = threads(Some(workers.handle().clone()));
        assert_eq!(before, current().id());
        assert_ne!(after, before);
        assert_eq!(threads(None), (before, before));
    }
}
