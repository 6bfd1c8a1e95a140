//! The one thread that writes: takes what is waiting, does it in one durable transaction, then answers.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use ratchet_store::{Act, Commit, Event, Revision, StoreError, Write};
use tokio::sync::oneshot;

use crate::engine::{head_of, sheltered};
use crate::error::Trouble;
use crate::rows::TRIAL;
use crate::shared::Shared;
use crate::tables::Tables;

/// So many commits share a transaction at most.
const GROUP: usize = 256;
/// So many rows are swept in a transaction at most.
const SWEEP: usize = 1000;
/// How long housekeeping rests after it failed, and after how long a store that could not write tries again by itself.
const REST: Duration = Duration::from_secs(1);
/// No more bytes are tried to be written.
const MOST_TRIED: usize = 8 << 20;
/// No reader keeps writers waiting for longer.
const LONGEST_HOLD: Duration = Duration::from_secs(1);
/// The clock of the wall may jump: look at it again after this time.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Who waits for an answer.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// While a reader has one, nothing is written: a write that fails would make the engine useless to it once more.
#[derive(Debug)]
pub(crate) struct Hold(
    #[expect(dead_code, reason = "what counts is when it is dropped")] Sender<()>,
);

/// What the writer is asked to do.
pub(crate) enum Job {
    Commit(Vec<Write>, Reply<Commit>),
    Forget(Revision, Reply<()>),
    /// A reader found the engine unusable.
    Renew(u64, Reply<Hold>),
    Stop,
}

/// What is known of work that nobody asks for.
#[derive(Default)]
struct Chores {
    dusty: bool,
    next_expiry: Option<u64>,
    rest_until: Option<Instant>,
    /// How many bytes could not be written.
    needs: usize,
}

/// What one transaction did.
#[derive(Default)]
struct Done {
    commits: Vec<Result<Commit, Trouble>>,
    forgets: Vec<Result<(), StoreError>>,
    told: Vec<(u64, Vec<Event>)>,
    dusty: bool,
    next_expiry: Option<u64>,
    /// Whether something reached the disk.
    written: bool,
}

/// What is done together.
#[derive(Default)]
struct Group {
    commits: Vec<(Vec<Write>, Reply<Commit>)>,
    forgets: Vec<(Revision, Reply<()>)>,
    renewals: Vec<(u64, Reply<Hold>)>,
    stop: bool,
}

impl Group {
    fn add(&mut self, job: Job) {
        match job {
            Job::Commit(writes, reply) => self.commits.push((writes, reply)),
            Job::Forget(before, reply) => self.forgets.push((before, reply)),
            Job::Renew(generation, reply) => self.renewals.push((generation, reply)),
            Job::Stop => self.stop = true,
        }
    }
}

/// Writes until it is told to stop.
pub(crate) fn run(shared: &Arc<Shared>, jobs: &Receiver<Job>) {
    // Whatever a former life left to do is found by the first round.
    let mut chores = Chores { dusty: true, ..Chores::default() };
    loop {
        let unwritable = shared.engine.is_unwritable();
        let wait = chores.wait();
        let wait = if unwritable { Some(wait.map_or(REST, |wait| wait.min(REST))) } else { wait };
        let group = gather(jobs, wait);
        renew(shared, group.renewals);
        let resting = chores.rest_until.is_some_and(|until| Instant::now() < until);
        let due = chores.due() && !resting;
        // Nobody may be asking any more: whether there is room again is tried, not waited for.
        let probe = unwritable && !resting;
        if !group.commits.is_empty() || !group.forgets.is_empty() || due {
            work(shared, group.commits, group.forgets, due, &mut chores);
        } else if probe {
            try_room(shared, &mut chores);
        }
        if group.stop {
            shared.engine.close();
            shared.published.send_modify(|published| published.closed = true);
            return;
        }
    }
}

/// Makes the engine usable for readers, and lets them read before the next write is tried.
fn renew(shared: &Shared, renewals: Vec<(u64, Reply<Hold>)>) {
    let (hold, released) = channel();
    for (generation, reply) in renewals {
        let renewed = shared.engine.renew(generation).map_err(|why| shared.engine.explain(why));
        catch_up(shared);
        let _ = reply.send(renewed.map(|()| Hold(hold.clone())));
    }
    drop(hold);
    // Nothing is ever sent: the channel ends with the last hold. Writers do not wait for a slow reader for long.
    let _ = released.recv_timeout(LONGEST_HOLD);
}

/// Waits for the first job, then takes all that are there.
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
    while !group.stop && group.commits.len() < GROUP {
        let Ok(job) = jobs.try_recv() else { break };
        group.add(job);
    }
    group
}

impl Chores {
    /// How long to wait for jobs; `None` means for ever.
    fn wait(&self) -> Option<Duration> {
        let until_expiry =
            self.next_expiry.map(|when| Duration::from_millis(when.saturating_sub(now())));
        let wait = if self.dusty { Some(Duration::ZERO) } else { until_expiry };
        let rest = self.rest_until.map(|until| until.saturating_duration_since(Instant::now()));
        wait.map(|wait| wait.max(rest.unwrap_or_default()).min(LONGEST_WAIT))
    }

    fn due(&self) -> bool {
        self.dusty || self.next_expiry.is_some_and(|when| when <= now())
    }
}

/// Does a group and tells what became of it.
fn work(
    shared: &Shared,
    commits: Vec<(Vec<Write>, Reply<Commit>)>,
    forgets: Vec<(Revision, Reply<()>)>,
    due: bool,
    chores: &mut Chores,
) {
    let writes: Vec<Vec<Write>>;
    let replies: Vec<Reply<Commit>>;
    (writes, replies) = commits.into_iter().unzip();
    let befores: Vec<Revision> = forgets.iter().map(|(before, _)| *before).collect();
    let (generation, transaction) = shared.engine.write();
    let result = transaction
        .and_then(|transaction| sheltered(|| attempt(transaction, &writes, &befores, due)));
    match result {
        Ok(done) => {
            chores.dusty = done.dusty;
            chores.next_expiry = done.next_expiry;
            chores.rest_until = None;
            if done.written {
                chores.needs = 0;
                shared.engine.note_written();
            }
            publish(shared, done.told);
            replies.into_iter().zip(done.commits).for_each(|(reply, result)| {
                let _ = reply.send(result.map_err(|why| shared.engine.explain(why)));
            });
            forgets.into_iter().zip(done.forgets).for_each(|((_, reply), result)| {
                let _ = reply.send(result);
            });
        }
        Err(trouble) => {
            let bytes = writes.iter().flatten().map(bytes_of).sum::<usize>();
            chores.needs = chores.needs.max(bytes).min(MOST_TRIED);
            let mut why = failed(shared, generation, trouble, chores);
            if catch_up(shared) {
                why = StoreError::Broken(format!("it was written, but then: {why}"));
            }
            replies.into_iter().for_each(|reply| {
                let _ = reply.send(Err(why.clone()));
            });
            forgets.into_iter().for_each(|(_, reply)| {
                let _ = reply.send(Err(why.clone()));
            });
        }
    }
}

/// Notes that nothing could be written, and makes the engine ready for another attempt.
fn failed(shared: &Shared, generation: u64, trouble: Trouble, chores: &mut Chores) -> StoreError {
    chores.rest_until = Some(Instant::now() + REST);
    let why = shared.engine.explain(trouble);
    shared.engine.note_failed(&why);
    let _ = shared.engine.renew(generation); // if it fails, the next one to need it tries again
    why
}

fn bytes_of(write: &Write) -> usize {
    match &write.act {
        Act::Put { value, .. } => write.key.len() + value.len(),
        Act::Delete | Act::Keep => write.key.len(),
    }
}

/// Whether what could not be written would fit now: as many bytes are written and taken out again, for the file may
/// have room for less.
fn try_room(shared: &Shared, chores: &mut Chores) {
    for bytes in [Some(vec![0_u8; chores.needs]), None] {
        let (generation, transaction) = shared.engine.write();
        let result = transaction.and_then(|transaction| {
            sheltered(|| {
                let mut table = transaction.open_table(TRIAL)?;
                match &bytes {
                    Some(bytes) => drop(table.insert((), bytes.as_slice())?),
                    None => drop(table.remove(())?),
                }
                drop(table);
                Ok(transaction.commit()?)
            })
        });
        if let Err(trouble) = result {
            failed(shared, generation, trouble, chores);
            catch_up(shared);
            return;
        }
    }
    chores.needs = 0;
    chores.rest_until = None;
    shared.engine.note_written();
}

/// One durable transaction. An error of one commit alone is its answer; an error of the engine undoes the whole group.
fn attempt(
    transaction: redb::WriteTransaction,
    commits: &[Vec<Write>],
    forgets: &[Revision],
    due: bool,
) -> Result<Done, Trouble> {
    let mut done = Done::default();
    let mut tables = Tables::open(&transaction)?;
    let now = now();
    for writes in commits {
        match tables.commit(writes, now) {
            Ok((commit, events)) => {
                if !events.is_empty() {
                    done.told.push((tables.head.latest, events));
                }
                done.commits.push(Ok(commit));
            }
            // Only the record found by a refused commit can be unreadable: nothing was written for it.
            Err(trouble @ Trouble::Damaged(_)) => done.commits.push(Err(trouble)),
            Err(trouble) => return Err(trouble),
        }
    }
    done.forgets = forgets.iter().map(|before| tables.forget(*before)).collect();
    if due {
        done.told.extend(tables.expire(now)?);
        // Faster than what this group added, and yet no group waits long for it.
        let budget = if commits.is_empty() { SWEEP } else { 64 + 2 * commits.len() };
        if tables.is_dusty() {
            tables.sweep(budget.min(SWEEP))?;
        }
    }
    done.dusty = tables.is_dusty();
    done.next_expiry = tables.next_expiry()?;
    done.written = tables.finish()?;
    if done.written {
        transaction.commit()?;
    } else {
        transaction.abort()?;
    }
    Ok(done)
}

/// Wakes the watches.
fn publish(shared: &Shared, told: Vec<(u64, Vec<Event>)>) {
    let Some(latest) = told.last().map(|(revision, _)| *revision) else { return };
    for (revision, events) in told {
        shared.recent.push(revision, events);
    }
    shared.published.send_modify(|published| published.latest = latest);
}

/// After an error it is the file that knows what happened; whether a transaction is in it that was not acknowledged.
fn catch_up(shared: &Shared) -> bool {
    let latest = shared.engine.read().1.and_then(|snapshot| sheltered(|| head_of(&snapshot)));
    let Ok(latest) = latest.map(|head| head.latest) else { return false };
    if latest == shared.recent.latest() {
        return false;
    }
    shared.recent.reset(latest);
    shared.published.send_modify(|published| published.latest = latest);
    true
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
