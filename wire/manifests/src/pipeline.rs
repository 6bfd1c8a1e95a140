//! A worker pool that reads many files in parallel, keeps input order and bounds the memory in use.
//!
//! Tasks are dispatched to the workers round-robin and their results collected in the same order, so that neither a
//! lock nor a sort buffer is needed.

use crate::documents::{Document, DocumentRef, Documents, for_each_document};
use crate::files::{Source, walk};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// A file up to this size is read by the worker that checks it; the documents of a larger one are spread over workers.
const SMALL_FILE: u64 = 1 << 20;
const FILES_A_TASK: usize = 32;
const BYTES_A_TASK: usize = 64 << 10;
const TASKS_WAITING: usize = 2;

/// A unit of work for one worker.
enum Task {
    Files(Vec<PathBuf>),
    Documents(Arc<str>, Vec<Document>),
    Failed(PathBuf, String),
}

/// A part of a task, as the `work` callback receives it.
pub enum Item<'a> {
    /// A document of a file.
    Document(&'a Arc<str>, DocumentRef<'a>),
    /// The end of a file.
    Done,
    /// A path that could not be read, and why.
    Failed(&'a Path, &'a str),
}

/// Reads every document that `inputs` name. `work` runs on many threads; `each` receives the results in input order
/// and returns whether to continue.
pub fn run<T: Send>(
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
                    let mut results = Vec::new();
                    perform(&task, |item| work(item, &mut results));
                    if result_in.send(results).is_err() {
                        return;
                    }
                }
            });
            tasks.push(task_in);
            results.push(result_out);
        }
        scope.spawn(move || dispatch(inputs, recursive, &tasks));
        for result in results.iter().cycle() {
            let Ok(batch) = result.recv() else { return };
            if !batch.into_iter().all(&mut each) {
                return;
            }
        }
    });
}

fn perform(task: &Task, mut emit: impl FnMut(Item<'_>)) {
    match task {
        Task::Failed(path, why) => emit(Item::Failed(path, why)),
        Task::Documents(file, documents) => {
            for document in documents {
                emit(Item::Document(file, document.as_document_ref()));
            }
        }
        Task::Files(paths) => {
            for path in paths {
                match std::fs::read(path) {
                    Err(error) => emit(Item::Failed(path, &error.to_string())),
                    Ok(bytes) => {
                        let name: Arc<str> = path.to_string_lossy().into();
                        for_each_document(&bytes, |document| emit(Item::Document(&name, document)));
                        emit(Item::Done);
                    }
                }
            }
        }
    }
}

/// Walks the inputs and dispatches tasks to the workers round-robin.
fn dispatch(inputs: &[PathBuf], recursive: bool, tasks: &[SyncSender<Task>]) {
    let mut dispatcher = Dispatcher { tasks, turn: 0, files: Vec::new() };
    walk(inputs, recursive, &mut |source| match source {
        Source::File(path, size) if size <= SMALL_FILE => dispatcher.file(path),
        Source::File(path, _) => dispatcher.large(&path),
        Source::Failed(path, error) => {
            dispatcher.flush();
            dispatcher.send(Task::Failed(path, error.to_string()));
        }
    });
    dispatcher.flush();
}

struct Dispatcher<'a> {
    tasks: &'a [SyncSender<Task>],
    turn: usize,
    files: Vec<PathBuf>,
}

impl Dispatcher<'_> {
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
            match documents.next_document() {
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

    /// Sends a task to the next worker; ignores a worker that has stopped because `each` ended the run.
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
            let mut received = Vec::new();
            let work = |item: Item<'_>, results: &mut Vec<String>| {
                if let Item::Document(_, document) = item {
                    results.push(document.text.unwrap().to_owned());
                }
            };
            run(&[root.path().into()], false, workers, work, |text| {
                received.push(text);
                true
            });
            let wanted: Vec<String> =
                (0..500).flat_map(|n| [format!("n: {n}\n"), format!("m: {n}\n")]).collect();
            assert_eq!(received, wanted, "{workers} workers");
        }
    }

    #[test]
    fn a_reader_who_goes_away_ends_the_work() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..2000 {
            std::fs::write(root.path().join(format!("{number}.yaml")), "a: 1\n").unwrap();
        }
        let mut received = 0;
        let work = |item: Item<'_>, results: &mut Vec<()>| {
            if let Item::Document(..) = item {
                results.push(());
            }
        };
        run(&[root.path().into()], false, 2, work, |()| {
            received += 1;
            received < 10
        });
        assert_eq!(received, 10);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let mut failed = 0;
        let work = |item: Item<'_>, results: &mut Vec<()>| {
            if let Item::Failed(..) = item {
                results.push(());
            }
        };
        run(&["no/such/file".into()], false, 2, work, |()| {
            failed += 1;
            true
        });
        assert_eq!(failed, 1);
    }
}
