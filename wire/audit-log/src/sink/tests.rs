//! Tests of written lines, rotated files and full disks.

use super::*;
use std::fs;
use std::sync::mpsc;

const TIMEOUT: Duration = Duration::from_secs(20);

fn files(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn lines_are_added_to_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/audit.log");
    for text in ["one\n", "two\n"] {
        let sink = Sink::open(path.to_str().unwrap(), Rotation::default()).unwrap();
        sink.write(text.to_owned());
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }
}

#[test]
fn a_path_that_cannot_be_opened_is_told_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Sink::open(dir.path().to_str().unwrap(), Rotation::default()).is_err());
}

#[test]
fn full_files_are_put_aside_and_the_oldest_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("audit.log");
    let foreign = ["audit-notes.log", "audit-2020.log", "other-2020-01-01T00-00-00.000.log"];
    foreign.iter().for_each(|name| fs::write(dir.path().join(name), "mine").unwrap());
    let rotation = Rotation { max_size_megabytes: 1, max_backups: 2, max_age_days: 0 };
    let sink = Sink::open(path.to_str().unwrap(), rotation).unwrap();
    let line = format!("{}\n", "x".repeat(400_000));
    for _ in 0..12 {
        sink.write(line.clone());
        assert!(sink.flush(TIMEOUT));
    }
    let names = files(dir.path());
    assert_eq!(names.len(), 1 + 2 + foreign.len(), "{names:?}");
    foreign.iter().for_each(|name| assert!(names.iter().any(|other| other == name), "{name}"));
    for name in names.iter().filter(|name| !foreign.contains(&name.as_str())) {
        let text = fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(text.len() <= 1 << 20 && text.ends_with('\n'), "{name}");
    }
    assert_eq!(sink.counts().errors(), 0);
}

#[test]
fn old_files_are_removed_by_the_time_in_their_name() {
    let dir = tempfile::tempdir().unwrap();
    let yesterday = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24);
    let young = format!("audit-{}.log", yesterday.strftime("%Y-%m-%dT%H-%M-%S%.3f"));
    for name in ["audit-2020-01-01T00-00-00.000.log", &young] {
        fs::write(dir.path().join(name), "old").unwrap();
    }
    let rotation = Rotation { max_size_megabytes: 1, max_backups: 0, max_age_days: 2 };
    drop(Sink::open(dir.path().join("audit.log").to_str().unwrap(), rotation).unwrap());
    let mut expected = vec![young, "audit.log".to_owned()];
    expected.sort();
    assert_eq!(files(dir.path()), expected);
}

/// A writer that fails on request.
struct Disk {
    /// Is told of each write when it begins.
    begun: mpsc::Sender<()>,
    full: Receiver<bool>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.begun.send(());
        if self.full.recv().unwrap_or(false) {
            return Err(io::Error::from_raw_os_error(28)); // ENOSPC
        }
        self.written.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_a_full_disk_refuses_is_counted_and_the_next_line_is_written() {
    let (full, orders) = mpsc::channel();
    let written = Arc::default();
    let disk = Disk { begun: mpsc::channel().0, full: orders, written: Arc::clone(&written) };
    let sink = Sink::into_writer(disk).unwrap();
    for (order, line) in [(true, "lost\n"), (false, "kept\n")] {
        full.send(order).unwrap();
        sink.write(line.to_owned());
        assert!(sink.flush(TIMEOUT));
    }
    assert_eq!(sink.counts().errors(), 1);
    assert_eq!(*written.lock().unwrap(), b"kept\n");
}

#[test]
fn a_slow_disk_holds_nobody_up_and_memory_has_an_end() {
    let (release, orders) = mpsc::channel();
    let written = Arc::<Mutex<Vec<u8>>>::default();
    let (begun, begins) = mpsc::channel();
    let disk = Disk { begun, full: orders, written: Arc::clone(&written) };
    let sink = Sink::into_writer(disk).unwrap();
    sink.write("first\n".to_owned());
    // From here on nobody takes lines.
    begins.recv_timeout(TIMEOUT).unwrap();
    let start = Instant::now();
    let sent = MAX_LINES + 5;
    for _ in 0..sent {
        sink.write("short\n".to_owned());
    }
    let took = start.elapsed();
    let lost = sink.counts().errors();
    sink.write("x".repeat(MAX_BYTES));
    let too_long = sink.counts().errors() - lost;
    let flushed_too_early = sink.flush(Duration::from_millis(50));
    drop(release);
    assert!(sink.flush(TIMEOUT) && !flushed_too_early);
    assert!(took < Duration::from_secs(5));
    assert_eq!((lost, too_long), (5, 1));
    let lines = written.lock().unwrap().len() / 6;
    assert_eq!(lines, 1 + MAX_LINES, "what was taken is written");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_really_full_loses_events_and_nothing_else() {
    if fs::OpenOptions::new().append(true).open("/dev/full").is_err() {
        return; // a machine without this device
    }
    let sink = Sink::open("/dev/full", Rotation::default()).unwrap();
    for _ in 0..3 {
        sink.write("line\n".to_owned());
        assert!(sink.flush(TIMEOUT));
    }
    assert_eq!(sink.counts().errors(), 3);
}
