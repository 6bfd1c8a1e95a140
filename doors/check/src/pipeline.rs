//! Many files at once, in their order, with a bounded amount of them in memory.
//!
//! Tasks are dealt to the workers in turn and their results collected in the same turn, so that
//! the order comes out right without a lock and without a buffer to sort in.

use crate::documents::{Document, DocumentRef, Documents, sheets};
use crate::files::{Source, walk};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// A file up to this size is read by the worker that judges it; a larger one is cut up for many.
const SMALL_FILE: u64 = 1 << 20;
const FILES_A_TASK: usize = 32;
const BYTES_A_TASK: usize = 64 << 10;
const TASKS_WAITING: usize = 2;

/// What a worker is given.
enum Task {
    Files(Vec<PathBuf>),
    Documents(Arc<str>, Vec<Document>),
    Failed(PathBuf, String),
}

/// What a worker makes of it.
pub(crate) enum Item<'a> {
    /// A document of a file.
    DocumentRef(&'a Arc<str>, DocumentRef<'a>),
    /// A file that was read to its end.
    Done,
    /// A place that could not be read, and why.
    Failed(&'a Path, &'a str),
}

/// Reads every document that `inputs` name. `work` is called by many threads, `each` with the
/// results in the order of the input; it says whether to go on.
pub(crate) fn run<T: Send>(
    inputs: &[PathBuf],
    recursive: bool,
    workers: usize,
    work: impl Fn(Item<'_>, &mut Vec<T>) + Sync,
    mut each: impl FnMut(T) -> bool,
) {
    std::thread::scope(|scope| {
        let mut tasks: Vec<SyncSender<Task>> = Vec::new();
        let mut results: Vec<Receiver<Vec<T>>> = Vec::new();
        for _ in 0..workers.max(1) {
            let (task_in, task_out) = sync_channel::<Task>(TASKS_WAITING);
            let (result_in, result_out) = sync_channel(TASKS_WAITING);
            let work = &work;
            scope.spawn(move || {
                for task in task_out {
                    let mut made = Vec::new();
                    perform(&task, |item| work(item, &mut made));
                    if result_in.send(made).is_err() {
                        return;
                    }
                }
            });
            tasks.push(task_in);
            results.push(result_out);
        }
        scope.spawn(move || deal(inputs, recursive, &tasks));
        for result in results.iter().cycle() {
            let Ok(made) = result.recv() else { return };
            if !made.into_iter().all(&mut each) {
                return;
            }
        }
    });
}

fn perform(task: &Task, mut give: impl FnMut(Item<'_>)) {
    match task {
        Task::Failed(path, why) => give(Item::Failed(path, why)),
        Task::Documents(file, documents) => {
            for document in documents {
                give(Item::DocumentRef(file, document.sheet()));
            }
        }
        Task::Files(paths) => {
            for path in paths {
                match std::fs::read(path) {
                    Err(error) => give(Item::Failed(path, &error.to_string())),
                    Ok(bytes) => {
                        let name: Arc<str> = path.to_string_lossy().into();
                        sheets(&bytes, |sheet| give(Item::DocumentRef(&name, sheet)));
                        give(Item::Done);
                    }
                }
            }
        }
    }
}

/// Walks the inputs and deals what it finds, in turn.
fn deal(inputs: &[PathBuf], recursive: bool, tasks: &[SyncSender<Task>]) {
    let mut dealer = Dealer { tasks, turn: 0, files: Vec::new() };
    walk(inputs, recursive, &mut |source| match source {
        Source::File(path, size) if size <= SMALL_FILE => dealer.file(path),
        Source::File(path, _) => dealer.large(&path),
        Source::Failed(path, error) => {
            dealer.flush();
            dealer.send(Task::Failed(path, error.to_string()));
        }
    });
    dealer.flush();
}

struct Dealer<'a> {
    tasks: &'a [SyncSender<Task>],
    turn: usize,
    files: Vec<PathBuf>,
}

impl Dealer<'_> {
    fn file(&mut self, path: PathBuf) {
        self.files.push(path);
        if self.files.len() >= FILES_A_TASK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.files.is_empty() {
            let files = std::mem::take(&mut self.files);
            self.send(Task::Files(files));
        }
    }

    fn large(&mut self, path: &Path) {
        match File::open(path) {
            Ok(file) => self.stream(path.to_string_lossy().into(), file),
            Err(error) => self.send(Task::Failed(path.into(), error.to_string())),
        }
    }

    fn stream(&mut self, name: Arc<str>, input: impl std::io::Read) {
        self.flush();
        let mut documents = Documents::new(input);
        let mut batch: Vec<Document> = Vec::new();
        let mut size = 0;
        loop {
            match documents.next() {
                Ok(Some(document)) => {
                    size += document.text.as_ref().map_or(0, String::len);
                    batch.push(document);
                    if size >= BYTES_A_TASK {
                        self.send(Task::Documents(Arc::clone(&name), std::mem::take(&mut batch)));
                        size = 0;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    self.send(Task::Failed(PathBuf::from(&*name), error.to_string()));
                    break;
                }
            }
        }
        self.send(Task::Documents(name, batch));
    }

    /// Nobody listens any more once the reader of our output has gone; then nothing is worth doing.
    fn send(&mut self, task: Task) {
        if let Some(worker) = self.tasks.get(self.turn % self.tasks.len().max(1)) {
            let _ = worker.send(task);
            self.turn += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_files() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..500 {
            std::fs::write(
                root.path().join(format!("{number:04}.yaml")),
                format!("n: {number}\n---\nm: {number}\n"),
            )
            .unwrap();
        }
        for workers in [1, 2, 5] {
            let mut seen = Vec::new();
            let work = |item: Item<'_>, made: &mut Vec<String>| {
                if let Item::DocumentRef(_, sheet) = item {
                    made.push(sheet.text.unwrap().to_owned());
                }
            };
            run(&[root.path().into()], false, workers, work, |text| {
                seen.push(text);
                true
            });
            let wanted: Vec<String> =
                (0..500).flat_map(|n| [format!("n: {n}\n"), format!("m: {n}\n")]).collect();
            assert_eq!(seen, wanted, "{workers} workers");
        }
    }

    #[test]
    fn a_reader_who_goes_away_ends_the_work() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..2000 {
            std::fs::write(root.path().join(format!("{number}.yaml")), "a: 1\n").unwrap();
        }
        let mut seen = 0;
        let work = |item: Item<'_>, made: &mut Vec<()>| {
            if let Item::DocumentRef(..) = item {
                made.push(());
            }
        };
        run(&[root.path().into()], false, 2, work, |()| {
            seen += 1;
            seen < 10
        });
        assert_eq!(seen, 10);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let mut failed = 0;
        let work = |item: Item<'_>, made: &mut Vec<()>| {
            if let Item::Failed(..) = item {
                made.push(());
            }
        };
        run(&["no/such/file".into()], false, 2, work, |()| {
            failed += 1;
            true
        });
        assert_eq!(failed, 1);
    }
}
