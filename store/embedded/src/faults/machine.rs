//! Simulated disk that can lose power, run full and rot.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;

use crate::directory::Medium;

const SECTOR: usize = 512;
const BLOCK: u64 = 4096;

/// The simulated disk.
#[derive(Debug)]
pub(super) struct Machine(Mutex<State>);

#[derive(Debug)]
struct State {
    /// The contents for the next reader.
    view: Vec<u8>,
    /// The contents that are certainly on the disk.
    durable: Vec<u8>,
    /// The writes since the last flush.
    pending: Vec<Op>,
    /// The number of operations until the power fails; then nothing works any more.
    fuse: Option<usize>,
    /// The number of blocks of the disk.
    room: usize,
    allocated: BTreeSet<u64>,
    /// Whether growing a file allocates blocks at once, or only when they are written.
    eager: bool,
    /// Whether a store was created and settled.
    settled: bool,
    /// Whether flushes fail.
    stuck: bool,
    /// Whether writes fail.
    scratched: bool,
}

#[derive(Debug)]
enum Op {
    Write(usize, Vec<u8>),
    Length(usize),
}

impl Machine {
    /// A disk with this image; empty without one.
    pub(super) fn new(image: Vec<u8>) -> Arc<Self> {
        let settled = !image.is_empty();
        let allocated = (0..image.len() as u64).step_by(BLOCK as usize).map(|at| at / BLOCK);
        Arc::new(Self(Mutex::new(State {
            allocated: allocated.collect(),
            durable: image.clone(),
            view: image,
            pending: Vec::new(),
            fuse: None,
            room: usize::MAX,
            eager: false,
            settled,
            stuck: false,
            scratched: false,
        })))
    }

    /// Makes the power fail after this many operations.
    pub(super) fn light(&self, fuse: usize) {
        self.state().fuse = Some(fuse);
    }

    /// Limits the free blocks.
    pub(super) fn limit(&self, more: usize, eager: bool) {
        let mut state = self.state();
        state.room = state.allocated.len() + more;
        state.eager = eager;
    }

    /// Removes the limit.
    pub(super) fn widen(&self) {
        self.state().room = usize::MAX;
    }

    /// Makes flushes fail, or succeed again.
    pub(super) fn stick(&self, stuck: bool) {
        self.state().stuck = stuck;
    }

    /// Makes writes fail, or succeed again.
    pub(super) fn scratch(&self, scratched: bool) {
        self.state().scratched = scratched;
    }

    /// The file after a power failure in the worst case.
    pub(super) fn durable(&self) -> Vec<u8> {
        self.state().durable.clone()
    }

    /// The file as a reader sees it.
    pub(super) fn image(&self) -> Vec<u8> {
        self.state().view.clone()
    }

    /// The file after a power failure: flushed data, and any part of the rest, torn at sectors.
    pub(super) fn wreck(&self, random: &mut fastrand::Rng) -> Vec<u8> {
        let state = self.state();
        if !state.settled {
            return Vec::new();
        }
        let mut image = state.durable.clone();
        let share = random.u8(0..=4);
        for op in &state.pending {
            match op {
                Op::Length(length) if random.bool() => image.resize(*length, 0),
                Op::Length(_) => {}
                Op::Write(offset, data) => {
                    for (index, sector) in data.chunks(SECTOR).enumerate() {
                        let at = offset + index * SECTOR;
                        let end = (at + sector.len()).min(image.len());
                        if random.u8(0..4) < share && at < end {
                            image[at..end].copy_from_slice(&sector[..end - at]);
                        }
                    }
                }
            }
        }
        image
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn live(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        match &mut state.fuse {
            Some(0) => return Err(io::Error::other("the power is off")),
            Some(fuse) => *fuse -= 1,
            None => {}
        }
        Ok(state)
    }
}

impl State {
    fn allocate(&mut self, offset: u64, length: u64) -> io::Result<()> {
        for block in offset / BLOCK..(offset + length).div_ceil(BLOCK) {
            if !self.allocated.contains(&block) && self.allocated.len() >= self.room {
                return Err(ErrorKind::StorageFull.into());
            }
            self.allocated.insert(block);
        }
        Ok(())
    }
}

impl Medium for Arc<Machine> {
    fn path(&self) -> &Path {
        Path::new("/data/state.redb")
    }

    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        drop(self.live()?);
        Ok(Box::new(Open(Self::clone(self))))
    }

    fn is_new(&self) -> bool {
        !self.state().settled
    }

    fn draft(&self) -> io::Result<Box<dyn StorageBackend>> {
        self.live()?.view.clear();
        self.open()
    }

    fn settle(&self) -> io::Result<()> {
        self.live()?.settled = true;
        Ok(())
    }

    fn discard(&self) {}

    fn rewrite(&self) -> io::Result<()> {
        let mut state = self.live()?;
        if state.stuck {
            return Err(io::Error::other("Input/output error (os error 5)"));
        }
        state.durable = state.view.clone();
        state.pending.clear();
        Ok(())
    }

    fn release(&self) {}
}

/// The open file.
#[derive(Debug)]
struct Open(Arc<Machine>);

impl StorageBackend for Open {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.live()?.view.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.0.live()?;
        let from = state.view.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(from.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.0.live()?;
        if state.eager {
            let old = state.view.len() as u64;
            state.allocate(old, len.saturating_sub(old))?;
        }
        state.view.resize(len as usize, 0);
        state.pending.push(Op::Length(len as usize));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.0.live()?;
        if state.stuck {
            // Unwritten data is considered written, as systems do: no later flush tells.
            state.pending.clear();
            return Err(io::Error::other("Input/output error (os error 5)"));
        }
        for op in std::mem::take(&mut state.pending) {
            match op {
                Op::Length(length) => state.durable.resize(length, 0),
                Op::Write(at, data) => state.durable[at..at + data.len()].copy_from_slice(&data),
            }
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.0.live()?;
        if state.scratched {
            return Err(io::Error::other("Input/output error (os error 5)"));
        }
        state.allocate(offset, data.len() as u64)?;
        let at = offset as usize;
        let to = state.view.get_mut(at..at + data.len()).ok_or(ErrorKind::UnexpectedEof)?;
        to.copy_from_slice(data);
        state.pending.push(Op::Write(at, data.to_vec()));
        Ok(())
    }
}
