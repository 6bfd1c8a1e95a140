//! The writer thread: takes all waiting jobs, applies them in one durable transaction, then
//! responds.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ratchet_store::{Commit, Event, Operation, Revision, StoreError, Write};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::engine::catch_panics;
use crate::error::EngineError;
use crate::format::head_of;
use crate::rows::PROBE;
use crate::shared::Shared;
use crate::tables::Tables;

/// The maximum number of commits in a transaction.
const GROUP: usize = 256;
/// How long a transaction gives way to threads that may send more commits.
const LONGEST_GATHER: Duration = Duration::from_millis(2);
/// The maximum number of rows swept in a transaction.
const SWEEP: usize = 1000;
/// How long housekeeping pauses after a failure, and after how long a store that could not write
/// tries again by itself.
const PAUSE: Duration = Duration::from_secs(1);
/// The maximum size of a probe for free space.
const MAX_PROBE: usize = 8 << 20;
/// The maximum time for which readers delay writes.
const LONGEST_HOLD: Duration = Duration::from_secs(1);
/// The wall clock may jump: check it again after this time.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The sender of a result.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// Delays writes until a reader drops it: a failed write would make the engine unusable for that reader again.
#[derive(Debug)]
pub(crate) struct Hold(#[expect(dead_code, reason = "its drop is the signal")] Sender<()>);

/// A job of the writer.
pub(crate) enum Job {
    Commit(WaitingCommit),
    Compact(Revision, Reply<()>),
    /// A reader found the engine unusable.
    Renew(u64, Reply<Hold>),
    Stop,
}

/// A commit on its way to the disk.
pub(crate) struct WaitingCommit {
    pub(crate) writes: Vec<Write>,
    pub(crate) reply: Reply<Commit>,
    /// Its place among the bytes that may wait, also when nobody waits for the reply any more.
    pub(crate) _room: OwnedSemaphorePermit,
}

/// The state of internal work.
#[derive(Default)]
struct Housekeeping {
    needs_sweep: bool,
    next_expiry: Option<u64>,
    pause_until: Option<Instant>,
    /// The size of the last refused write in bytes.
    probe_size: usize,
}

/// The result of one transaction.
#[derive(Default)]
struct TransactionResult {
    commits: Vec<Result<Commit, EngineError>>,
    compactions: Vec<Result<(), StoreError>>,
    events: Vec<(u64, Vec<Event>)>,
    needs_sweep: bool,
    next_expiry: Option<u64>,
    /// Whether something reached the disk.
    written: bool,
}

/// Jobs that share a transaction.
#[derive(Default)]
struct Group {
    commits: Vec<WaitingCommit>,
    compactions: Vec<(Revision, Reply<()>)>,
    renewals: Vec<(u64, Reply<Hold>)>,
    stop: bool,
}

impl Group {
    fn add(&mut self, job: Job) {
        match job {
            // Whose request has ended needs no answer, and was promised nothing.
            Job::Commit(commit) if commit.reply.is_closed() => {}
            Job::Commit(commit) => self.commits.push(commit),
            Job::Compact(before, reply) => self.compactions.push((before, reply)),
            Job::Renew(generation, reply) => self.renewals.push((generation, reply)),
            Job::Stop => self.stop = true,
        }
    }

    /// Takes the jobs that wait; whether there were any, and there is room for more.
    fn take_waiting(&mut self, jobs: &Receiver<Job>) -> bool {
        let mut is_more = false;
        while !self.stop && self.commits.len() < GROUP {
            let Ok(job) = jobs.try_recv() else { return is_more };
            self.add(job);
            is_more = true;
        }
        false
    }
}

/// Runs the writer until it is stopped.
pub(crate) fn run(shared: &Arc<Shared>, jobs: &Receiver<Job>) {
    // Work left by an earlier process is found in the first round.
    let mut housekeeping = Housekeeping { needs_sweep: true, ..Housekeeping::default() };
    loop {
        let unwritable = shared.engine.is_unwritable();
        let wait = housekeeping.wait(shared.engine.now());
        let wait = if unwritable { Some(wait.map_or(PAUSE, |wait| wait.min(PAUSE))) } else { wait };
        let group = gather(jobs, wait);
        renew(shared, group.renewals);
        let is_paused = housekeeping.pause_until.is_some_and(|until| Instant::now() < until);
        let due = housekeeping.due(shared.engine.now()) && !is_paused;
        // There may be no further writes: free space is probed, not waited for.
        let probe = unwritable && !is_paused;
        if !group.commits.is_empty() || !group.compactions.is_empty() || due {
            process_group(shared, group.commits, group.compactions, due, &mut housekeeping);
        } else if probe {
            probe_space(shared, &mut housekeeping);
        }
        if group.stop {
            shared.engine.close();
            shared.published.send_modify(|published| published.closed = true);
            return;
        }
    }
}

/// Makes the engine usable for readers, and waits for their reads before the next write.
fn renew(shared: &Shared, renewals: Vec<(u64, Reply<Hold>)>) {
    let (hold, released) = channel();
    for (generation, reply) in renewals {
        let renewed = shared.engine.renew(generation).map_err(|why| shared.engine.explain(why));
        catch_up(shared);
        let _ = reply.send(renewed.map(|()| Hold(hold.clone())));
    }
    drop(hold);
    // Nothing is ever sent: the channel closes with the last hold. A slow reader does not delay writers for long.
    let _ = released.recv_timeout(LONGEST_HOLD);
}

/// Waits for the first job, then takes all waiting ones. Where processors are short, those who have commits to send wait
/// for one as well: the thread gives way to them for as long as that brings more, because a transaction costs as much
/// as a dozen of its commits. Where one is free, it does not wait for anybody.
fn gather(jobs: &Receiver<Job>, wait: Option<Duration>) -> Group {
    let mut group = Group::default();
    let first = match wait {
        None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        Some(wait) => jobs.recv_timeout(wait),
    };
    match first {
        Ok(job) => group.add(job),
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => group.stop = true,
    }
    let until = Instant::now() + LONGEST_GATHER;
    while group.take_waiting(jobs) && Instant::now() < until {
        std::thread::yield_now();
    }
    group
}

impl Housekeeping {
    /// How long to wait for jobs; `None` means for ever.
    fn wait(&self, now: u64) -> Option<Duration> {
        let until_expiry =
            self.next_expiry.map(|when| Duration::from_millis(when.saturating_sub(now)));
        let wait = if self.needs_sweep { Some(Duration::ZERO) } else { until_expiry };
        let rest = self.pause_until.map(|until| until.saturating_duration_since(Instant::now()));
        wait.map(|wait| wait.max(rest.unwrap_or_default()).min(LONGEST_WAIT))
    }

    fn due(&self, now: u64) -> bool {
        self.needs_sweep || self.next_expiry.is_some_and(|when| when <= now)
    }
}

/// Applies a group and sends the results.
fn process_group(
    shared: &Shared,
    commits: Vec<WaitingCommit>,
    compactions: Vec<(Revision, Reply<()>)>,
    due: bool,
    housekeeping: &mut Housekeeping,
) {
    let (writes, replies): (Vec<_>, Vec<_>) = commits
        .into_iter()
        .map(|WaitingCommit { writes, reply, _room }| (writes, (reply, _room)))
        .unzip();
    let befores: Vec<Revision> = compactions.iter().map(|(before, _)| *before).collect();
    let (generation, transaction) = shared.engine.write();
    let now = shared.engine.now();
    let result = transaction
        .and_then(|transaction| catch_panics(|| attempt(transaction, &writes, &befores, due, now)));
    match result {
        Ok(result) => {
            housekeeping.needs_sweep = result.needs_sweep;
            housekeeping.next_expiry = result.next_expiry;
            housekeeping.pause_until = None;
            if result.written {
                housekeeping.probe_size = 0;
                shared.engine.note_written();
            }
            publish(shared, result.events);
            replies.into_iter().zip(result.commits).for_each(|((reply, _), result)| {
                let _ = reply.send(result.map_err(|why| shared.engine.explain(why)));
            });
            compactions.into_iter().zip(result.compactions).for_each(|((_, reply), result)| {
                let _ = reply.send(result);
            });
        }
        Err(error) => {
            let bytes = writes.iter().flatten().map(bytes_of).sum::<usize>();
            housekeeping.probe_size = housekeeping.probe_size.max(bytes).min(MAX_PROBE);
            let mut why = record_failure(shared, generation, error, housekeeping);
            if catch_up(shared) {
                why = StoreError::Broken(format!("it was written, but then: {why}"));
            }
            replies.into_iter().for_each(|(reply, _)| {
                let _ = reply.send(Err(why.clone()));
            });
            compactions.into_iter().for_each(|(_, reply)| {
                let _ = reply.send(Err(why.clone()));
            });
        }
    }
}

/// Records a failed transaction, and prepares the engine for another attempt.
fn record_failure(
    shared: &Shared,
    generation: u64,
    error: EngineError,
    housekeeping: &mut Housekeeping,
) -> StoreError {
    housekeeping.pause_until = Some(Instant::now() + PAUSE);
    let why = shared.engine.explain(error);
    shared.engine.note_failed(&why);
    let _ = shared.engine.renew(generation); // if it fails, the next one to need it tries again
    why
}

/// The bytes of a write.
pub(crate) fn bytes_of(write: &Write) -> usize {
    match &write.act {
        Operation::Put { value, .. } => write.key.len() + value.len(),
        Operation::Delete | Operation::Keep => write.key.len(),
    }
}

/// Probes whether the refused write would fit now: as many bytes are written and removed again, for
/// the file may have space for less.
fn probe_space(shared: &Shared, housekeeping: &mut Housekeeping) {
    for bytes in [Some(vec![0_u8; housekeeping.probe_size]), None] {
        let (generation, transaction) = shared.engine.write();
        let result = transaction.and_then(|transaction| {
            catch_panics(|| {
                let mut table = transaction.open_table(PROBE)?;
                match &bytes {
                    Some(bytes) => drop(table.insert((), bytes.as_slice())?),
                    None => drop(table.remove(())?),
                }
                drop(table);
                Ok(transaction.commit()?)
            })
        });
        if let Err(error) = result {
            record_failure(shared, generation, error, housekeeping);
            catch_up(shared);
            return;
        }
    }
    housekeeping.probe_size = 0;
    housekeeping.pause_until = None;
    shared.engine.note_written();
}

/// One durable transaction. An error of a single commit is its result; an error of the engine
/// undoes the whole group.
fn attempt(
    transaction: redb::WriteTransaction,
    commits: &[Vec<Write>],
    compactions: &[Revision],
    due: bool,
    now: u64,
) -> Result<TransactionResult, EngineError> {
    let mut result = TransactionResult::default();
    let mut tables = Tables::open(&transaction)?;
    for writes in commits {
        match tables.commit(writes, now) {
            Ok((commit, events)) => {
                if !events.is_empty() {
                    result.events.push((tables.head.latest, events));
                }
                result.commits.push(Ok(commit));
            }
            // Only the record found by a refused commit can be damaged: nothing was written for it.
            Err(error @ EngineError::Damaged(_)) => result.commits.push(Err(error)),
            Err(error) => return Err(error),
        }
    }
    result.compactions = compactions.iter().map(|before| tables.compact(*before)).collect();
    if due {
        result.events.extend(tables.expire(now)?);
        // Faster than the growth by this group, and yet no group waits long for it.
        let budget = if commits.is_empty() { SWEEP } else { 64 + 2 * commits.len() };
        if tables.needs_sweep() {
            tables.sweep(budget.min(SWEEP))?;
        }
    }
    result.needs_sweep = tables.needs_sweep();
    result.next_expiry = tables.next_expiry()?;
    result.written = tables.finish()?;
    if result.written {
        transaction.commit()?;
    } else {
        transaction.abort()?;
    }
    Ok(result)
}

/// Wakes the watches.
fn publish(shared: &Shared, events: Vec<(u64, Vec<Event>)>) {
    let Some(latest) = events.last().map(|(revision, _)| *revision) else { return };
    for (revision, events) in events {
        shared.recent.push(revision, events);
    }
    shared.published.send_modify(|published| published.latest = latest);
}

/// After an error the file knows what happened; returns whether it contains a transaction that was
/// not acknowledged.
fn catch_up(shared: &Shared) -> bool {
    let latest = shared.engine.read().1.and_then(|snapshot| catch_panics(|| head_of(&snapshot)));
    let Ok(latest) = latest.map(|head| head.latest) else { return false };
    if latest == shared.recent.latest() {
        return false;
    }
    shared.recent.reset(latest);
    shared.published.send_modify(|published| published.latest = latest);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::Semaphore;

    /// A commit, and what keeps it wanted.
    fn commit() -> (Job, oneshot::Receiver<Result<Commit, StoreError>>) {
        let (reply, answer) = oneshot::channel();
        let room = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        (Job::Commit(WaitingCommit { writes: Vec::new(), reply, _room: room }), answer)
    }

    #[test]
    fn a_group_has_what_waits_up_to_its_limit() {
        let (sender, jobs) = channel();
        let (sent, _answers): (Vec<_>, Vec<_>) = (0..GROUP + 3).map(|_| commit()).unzip();
        sent.into_iter().for_each(|job| sender.send(job).unwrap());
        assert_eq!(gather(&jobs, None).commits.len(), GROUP);
        assert_eq!(gather(&jobs, None).commits.len(), 3);
        let nothing = gather(&jobs, Some(Duration::ZERO));
        assert!(nothing.commits.is_empty() && !nothing.stop);
    }

    #[test]
    fn nothing_is_taken_after_a_stop() {
        let (sender, jobs) = channel();
        let ((before, _first), (after, _second)) = (commit(), commit());
        [before, Job::Stop, after].into_iter().for_each(|job| sender.send(job).unwrap());
        let group = gather(&jobs, None);
        assert!(group.stop);
        assert_eq!(group.commits.len(), 1);
    }

    #[test]
    fn what_nobody_waits_for_any_more_is_not_written() {
        let (sender, jobs) = channel();
        let ((wanted, _answer), (left, answer)) = (commit(), commit());
        [left, wanted].into_iter().for_each(|job| sender.send(job).unwrap());
        drop(answer);
        assert_eq!(gather(&jobs, None).commits.len(), 1);
    }

    #[test]
    fn writers_who_are_gone_end_the_thread() {
        let (sender, jobs) = channel();
        drop(sender);
        assert!(gather(&jobs, None).stop);
    }
}
