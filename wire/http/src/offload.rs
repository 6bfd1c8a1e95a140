//! Offloading: a request that is about to compute leaves the thread of its connection, which serves others.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::Response;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::body::Body;

thread_local! {
    /// Whether the request that is polled on this thread is to leave it.
    static LEAVES: Cell<bool> = const { Cell::new(false) };
}

/// Lets the tasks go first that this thread would run next; a request leaves the thread of its connection.
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

/// A request that runs where it is polled until it is offloaded, and then on worker threads.
pub(crate) struct Offloadable<F> {
    here: Option<Pin<Box<F>>>,
    /// Where it goes; without them it stays.
    workers: Option<Handle>,
    /// The request once it has gone: aborted when this is dropped.
    there: Option<JoinSet<Response<Body>>>,
}

impl<F> Offloadable<F> {
    pub(crate) fn new(request: F, workers: Option<Handle>) -> Self {
        Self { here: Some(Box::pin(request)), workers, there: None }
    }
}

impl<F> Future for Offloadable<F>
where
    F: Future<Output = Response<Body>> + Send + 'static,
{
    type Output = Response<Body>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response<Body>> {
        let Self { here, workers, there } = &mut *self;
        if let Some(request) = here {
            // Another task of this thread may have set it.
            LEAVES.set(false);
            let response = request.as_mut().poll(context);
            let leaves = response.is_pending() && LEAVES.take();
            let Some(workers) = workers.as_ref().filter(|_| leaves) else { return response };
            let there = there.get_or_insert_default();
            here.take().map(|request| there.spawn_on(request, workers));
        }
        let Some(there) = there else { return Poll::Pending };
        match ready!(there.poll_join_next(context)) {
            Some(Ok(response)) => Poll::Ready(response),
            Some(Err(error)) if error.is_panic() => resume_unwind(error.into_panic()),
            // The workers are shut down, and the connections next.
            _ => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::empty;
    use crate::panics::CatchPanic;
    use http::StatusCode;
    use std::sync::Arc;
    use std::thread::{ThreadId, current};
    use tokio::runtime::{Builder, Runtime};
    use tokio::sync::Notify;

    fn workers() -> Runtime {
        Builder::new_multi_thread().worker_threads(1).build().unwrap()
    }

    /// The threads on which a request runs before and after it is offloaded.
    fn threads(workers: Option<Handle>) -> (ThreadId, ThreadId) {
        let (sender, receiver) = std::sync::mpsc::channel();
        let request = async move {
            let before = current().id();
            tokio::task::yield_now().await;
            assert_eq!(current().id(), before, "only what is offloaded leaves");
            offload().await;
            sender.send((before, current().id())).unwrap();
            Response::new(empty())
        };
        let connection = Builder::new_current_thread().build().unwrap();
        let response = connection.block_on(Offloadable::new(request, workers));
        assert_eq!(response.status(), StatusCode::OK);
        receiver.recv().unwrap()
    }

    #[test]
    fn a_request_leaves_its_thread_to_compute() {
        let runtime = workers();
        let (before, after) = threads(Some(runtime.handle().clone()));
        assert_eq!(before, current().id());
        assert_ne!(after, before);
        assert_eq!(threads(None), (before, before));
    }

    #[test]
    fn a_panic_there_is_a_response_here() {
        let runtime = workers();
        let request = async {
            offload().await;
            panic!("as this test wants")
        };
        let request = Offloadable::new(request, Some(runtime.handle().clone()));
        let connection = Builder::new_current_thread().build().unwrap();
        let response = connection.block_on(CatchPanic(request));
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[test]
    fn a_request_whose_client_left_ends() {
        let runtime = workers();
        let (is_there, has_ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (arrived, ends) = (Arc::clone(&is_there), NotifyOnDrop(Arc::clone(&has_ended)));
        let request = async move {
            let _ends = ends;
            offload().await;
            arrived.notify_one();
            std::future::pending().await
        };
        let request = Offloadable::new(request, Some(runtime.handle().clone()));
        let connection = Builder::new_current_thread().build().unwrap();
        connection.block_on(async {
            tokio::select! {
                _ = request => unreachable!("it never ends"),
                () = is_there.notified() => {}
            }
            has_ended.notified().await;
        });
    }

    struct NotifyOnDrop(Arc<Notify>);

    impl Drop for NotifyOnDrop {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
}
