//! Tests of permits: who waits for whom, and who does not.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::task::{Context, Waker};
use tokio::task::yield_now;

/// The permits of one processor.
fn narrow() -> Arc<Compute> {
    Arc::new(Compute::new(Permits::of(1)))
}

/// How many were within at once.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Crowd {
    fn visit(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn others_are_answered_while_somebody_computes() {
    let compute = narrow();
    let (sender, receiver) = mpsc::channel();
    let computing = tokio::spawn(async move {
        // This thread waits here for what another one has to do.
        compute.run(move || receiver.recv().unwrap()).await
    });
    yield_now().await;
    let answered = tokio::spawn(async move { sender.send(7).unwrap() });
    answered.await.unwrap();
    assert_eq!(computing.await.unwrap(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn turns_are_taken_one_after_the_other() {
    let (compute, work) = (narrow(), Arc::new(Crowd::default()));
    let expressions = Arc::new(Crowd::default());
    let mut tasks = Vec::new();
    for number in 0..16 {
        let (compute, work) = (compute.clone(), work.clone());
        let expressions = expressions.clone();
        tasks.push(tokio::spawn(async move {
            match number % 3 {
                0 => compute.run(|| work.visit()).await,
                1 => compute.step(work, |work| work.visit()).await.1,
                _ => compute.evaluate(true, || expressions.visit()).await,
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(work.most.load(Ordering::SeqCst), 1);
    assert_eq!(expressions.most.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn large_requests_have_a_limit_and_may_compute_within() {
    let (compute, crowd) = (narrow(), Arc::new(Crowd::default()));
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let (compute, crowd) = (compute.clone(), crowd.clone());
        tasks.push(tokio::spawn(async move {
            let answer = async {
                crowd.visit();
                yield_now().await;
                compute.evaluate(true, || 1).await + compute.run(|| 1).await
            };
            compute.request(Duration::from_secs(60), answer).await
        }));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap(), Some(2));
    }
    assert!(crowd.most.load(Ordering::SeqCst) <= 2);
    let never = compute.request(Duration::from_millis(5), std::future::pending::<()>());
    assert_eq!(never.await, None);
}

#[tokio::test]
async fn who_waits_for_others_has_no_permit() {
    let compute = narrow();
    let free = || compute.requests.available_permits();
    let answer = async {
        assert_eq!(free(), 1);
        assert_eq!(compute.wait(async { free() }).await, 2);
        free()
    };
    assert_eq!(compute.request(Duration::ZERO, answer).await, Some(1));
    assert_eq!(compute.wait(async { free() }).await, 2, "a small request has none at all");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_takes_long_is_made_once() {
    let (compute, lazy) = (narrow(), Arc::new(Lazy::<usize>::default()));
    let made = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let (compute, lazy, made) = (compute.clone(), lazy.clone(), made.clone());
        tasks.push(tokio::spawn(async move {
            let make = || made.fetch_add(1, Ordering::SeqCst);
            *lazy.get(&compute, make).await
        }));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap(), 0);
    }
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_run_on_the_same_few_threads() {
    let compute = narrow();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..100 {
        let (state, thread) = compute.step(seen, |_| std::thread::current().id()).await;
        seen = state;
        seen.insert(thread);
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(!seen.contains(&std::thread::current().id()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_panics_ends_its_own_task_only() {
    let compute = narrow();
    let own = compute.clone();
    let task = tokio::spawn(async move { own.step((), |()| panic!("on purpose")).await });
    assert!(task.await.is_err_and(|error| error.is_panic()));
    assert_eq!(compute.step(1, |state| *state + 1).await, (1, 2));
}

#[tokio::test]
async fn a_runtime_with_one_thread_does_it_at_once() {
    let compute = narrow();
    assert_eq!(compute.run(|| 1).await, 1);
    assert_eq!(compute.evaluate(false, || 2).await, 2);
    assert_eq!(compute.request(Duration::ZERO, async { 3 }).await, Some(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_threads_compute_however_many_requests_want_to() {
    let (compute, crowd) = (narrow(), Arc::new(Crowd::default()));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..64 {
        let (compute, crowd) = (compute.clone(), crowd.clone());
        tasks.spawn(async move {
            let visit = || {
                crowd.visit();
                std::thread::current().id()
            };
            match number % 2 {
                0 => compute.run(visit).await,
                _ => compute.request(Duration::ZERO, compute.evaluate(false, visit)).await.unwrap(),
            }
        });
    }
    let threads: std::collections::HashSet<_> = tasks.join_all().await.into_iter().collect();
    assert!(crowd.most.load(Ordering::SeqCst) <= 3, "one works, two evaluate");
    // A thread that gave its permit back is not free before its task waits for something.
    assert!(threads.len() <= 2 + 2 * Permits::of(1).all(), "{threads:?}");
}

#[test]
fn threads_have_a_limit_however_many_tasks_compute() {
    let (cores, started) = (2, Arc::new(AtomicUsize::new(0)));
    let count = started.clone();
    let mut threads = request_threads(cores);
    threads.on_thread_start(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    threads.build().unwrap().block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..500 {
            // Without permits, as if none of those that are woken had begun to run.
            tasks.spawn(async { in_place(|| std::thread::sleep(Duration::from_millis(2))) });
        }
        assert_eq!(tasks.join_all().await.len(), 500);
    });
    let started = started.load(Ordering::SeqCst);
    assert!(started <= cores + Permits::of(cores).all() + WAITING, "{started} threads");
}

#[test]
fn permits_grow_with_the_processors() {
    for cores in [1, 2, 3, 8, 64] {
        let permits = Permits::of(cores);
        assert!(permits.work >= 1 && permits.expressions >= 1);
        assert!(permits.unmeasured >= 2 && permits.requests >= 2);
        assert!(permits.all() <= 6.max(2 * cores), "{cores}");
    }
}

/// Waits on this thread until it is released.
fn hold(started: &mpsc::Sender<()>, release: &Mutex<mpsc::Receiver<()>>) {
    started.send(()).unwrap();
    let _ = release.lock().unwrap().recv();
}

#[test]
fn others_are_answered_while_every_permit_is_taken() {
    let permits = Permits::of(1);
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).enable_time().build().unwrap();
    let compute = narrow();
    let (started, starts) = mpsc::channel();
    let mut held = Vec::new();
    // Twice as many as there are permits of each kind.
    for kind in 0..8 {
        let (compute, started) = (compute.clone(), started.clone());
        let (release, released) = mpsc::channel::<()>();
        held.push(release);
        let released = Mutex::new(released);
        runtime.spawn(async move {
            match kind % 4 {
                0 => compute.run(|| hold(&started, &released)).await,
                1 => compute.evaluate(true, || hold(&started, &released)).await,
                2 => compute.evaluate(false, || hold(&started, &released)).await,
                _ => compute
                    .request(Duration::ZERO, async { hold(&started, &released) })
                    .await
                    .unwrap(),
            }
        });
    }
    for _ in 0..permits.all() {
        starts.recv_timeout(Duration::from_secs(60)).expect("a permit for each");
    }
    let (sender, answers) = mpsc::channel();
    runtime.spawn(async move { sender.send(7).unwrap() });
    assert_eq!(answers.recv_timeout(Duration::from_secs(60)), Ok(7));
    assert!(starts.try_recv().is_err(), "more than there are permits");
    drop(held);
    runtime.shutdown_timeout(Duration::from_secs(60));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_its_thread_holds_no_permit() {
    let compute = narrow();
    let (sender, receiver) = mpsc::channel();
    let own = compute.clone();
    let first = tokio::spawn(async move {
        // It runs next on this thread, and takes as long as the other computation needs to begin.
        let busy = tokio::spawn(async move { receiver.recv().unwrap() });
        own.run(|| ()).await;
        busy.await.unwrap()
    });
    let second = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        compute.run(|| sender.send(7).unwrap()).await;
    });
    timeout(Duration::from_secs(60), second).await.expect("no permit").unwrap();
    assert_eq!(first.await.unwrap(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_not_polled_holds_no_permit() {
    let compute = narrow();
    let pause = |(): &mut ()| std::thread::sleep(Duration::from_millis(20));
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(compute.step((), pause))).collect();
    for step in &mut waiting {
        // Polled once, as the body of a response whose client then stops reading.
        let _ = step.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    let other = timeout(Duration::from_secs(60), compute.step(1, |state| *state + 1));
    assert_eq!(other.await.expect("the permit is kept"), (1, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_waits_for_is_not_computed() {
    let compute = narrow();
    let (started, starts) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let busy = compute.clone();
    let busy =
        tokio::spawn(async move { busy.step((), move |()| hold(&started, &released)).await });
    starts.recv_timeout(Duration::from_secs(60)).unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..10 {
        let step = compute.step(count.clone(), |count| count.fetch_add(1, Ordering::SeqCst));
        assert!(timeout(Duration::from_millis(1), step).await.is_err(), "it is busy");
    }
    drop(release);
    busy.await.unwrap();
    assert_eq!(compute.step((), |()| 1).await.1, 1);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_many_expressions_are_unmeasured_few_threads_evaluate_them() {
    let (compute, crowd) = (narrow(), Arc::new(Crowd::default()));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (compute, crowd) = (compute.clone(), crowd.clone());
        tasks.spawn(async move { compute.evaluate(false, || crowd.visit()).await });
    }
    tasks.join_all().await;
    assert_eq!(crowd.most.load(Ordering::SeqCst), 2);
}
