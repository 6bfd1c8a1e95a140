//! `EagerExecutor`: requests of HTTP/2 run on the task of their connection until they have to wait.

use std::future::Future;
use std::task::{Context, Waker};

use hyper::rt::Executor;

/// Polls a future where it is made, and spawns it only if it is not ready then.
///
/// Most reads are. A task of its own would be made for each, another thread woken to take it, and the connection woken
/// again to send the response.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EagerExecutor;

impl<F> Executor<F> for EagerExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, future: F) {
        let mut future = Box::pin(future);
        // Nobody is to be woken: a task is polled once more when it is spawned.
        let mut context = Context::from_waker(Waker::noop());
        if future.as_mut().poll(&mut context).is_pending() {
            tokio::spawn(future);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[test]
    fn what_need_not_wait_needs_no_runtime() {
        let (done, mut is_done) = oneshot::channel();
        EagerExecutor.execute(async { done.send(1).unwrap() });
        assert_eq!(is_done.try_recv(), Ok(1));
    }

    #[tokio::test]
    async fn what_has_to_wait_goes_on_as_a_task() {
        let (done, mut is_done) = oneshot::channel();
        let (go_on, may_go_on) = oneshot::channel();
        EagerExecutor.execute(async {
            may_go_on.await.unwrap();
            tokio::task::yield_now().await;
            done.send(2).unwrap();
        });
        assert!(is_done.try_recv().is_err());
        go_on.send(()).unwrap();
        assert_eq!(is_done.await, Ok(2));
    }
}
