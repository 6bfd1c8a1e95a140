//! A file that is put aside when it is full, and whose forerunners are removed when they are many or old.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The time in the name of a file that was put aside, in UTC.
const STAMP: &str = "%Y-%m-%dT%H-%M-%S%.3f";

/// When a file is put aside, and how long it is kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rotation {
    /// `--audit-log-maxsize`: megabytes of one file; 0 means that it grows for ever.
    pub max_size_megabytes: u64,
    /// `--audit-log-maxbackup`: how many files that were put aside are kept; 0 means all.
    pub max_backups: usize,
    /// `--audit-log-maxage`: for how many days they are kept; 0 means for ever.
    pub max_age_days: u32,
}

pub(super) struct RotatingFile {
    path: PathBuf,
    rotation: Rotation,
    file: File,
    /// The bytes of whole lines in the file.
    size: u64,
    /// Whether half a line may stand at the end, as a full disk leaves it.
    torn: bool,
}

impl RotatingFile {
    pub(super) fn open(path: &Path, rotation: Rotation) -> io::Result<Self> {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(dir)?;
        }
        let (file, size) = append_to(path)?;
        let this = Self { path: path.into(), rotation, file, size, torn: false };
        this.remove_old();
        Ok(this)
    }

    fn limit(&self) -> u64 {
        match self.rotation.max_size_megabytes {
            0 => u64::MAX,
            megabytes => megabytes.saturating_mul(1 << 20),
        }
    }

    fn rotate(&mut self) -> io::Result<()> {
        fs::rename(&self.path, self.free_name())?;
        (self.file, self.size) = append_to(&self.path)?;
        self.torn = false;
        self.remove_old();
        Ok(())
    }

    /// A name of now that no file has: two files of one millisecond must not become one.
    fn free_name(&self) -> PathBuf {
        let (prefix, suffix) = self.name_parts();
        let now = Timestamp::now();
        let names = (0..1000).map(|later| {
            let time = now + SignedDuration::from_millis(later);
            self.path.with_file_name(format!("{prefix}{}{suffix}", time.strftime(STAMP)))
        });
        let mut names = names.peekable();
        let first = names.peek().cloned().unwrap_or_default();
        names.find(|name| !name.exists()).unwrap_or(first)
    }

    /// What stands before and behind the time in the names of files that were put aside: `audit-` and `.log`.
    fn name_parts(&self) -> (String, String) {
        let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let extension = text(self.path.extension());
        let suffix = if extension.is_empty() { extension } else { format!(".{extension}") };
        (format!("{}-", text(self.path.file_stem())), suffix)
    }

    /// Files that cannot be removed now are tried again next time.
    fn remove_old(&self) {
        let Rotation { max_backups, max_age_days, .. } = self.rotation;
        let oldest = Timestamp::now() - SignedDuration::from_hours(24 * i64::from(max_age_days));
        for (place, (time, path)) in self.put_aside().into_iter().enumerate() {
            let too_many = max_backups > 0 && place >= max_backups;
            let too_old = max_age_days > 0 && time < oldest;
            if (too_many || too_old) && fs::remove_file(&path).is_err() {
                tracing::warn!(file = %path.display(), "an old audit log cannot be removed");
            }
        }
    }

    /// The files that were put aside, the newest first; others in the folder are not ours.
    fn put_aside(&self) -> Vec<(Timestamp, PathBuf)> {
        let (prefix, suffix) = self.name_parts();
        let dir = self.path.parent().filter(|dir| !dir.as_os_str().is_empty());
        let Ok(entries) = fs::read_dir(dir.unwrap_or(Path::new("."))) else { return Vec::new() };
        let time_of = |path: &Path| {
            let name = path.file_name()?.to_str()?;
            let stamp = name.strip_prefix(&prefix)?.strip_suffix(&suffix)?;
            let time = DateTime::strptime(STAMP, stamp).ok()?;
            time.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp())
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<_> = paths.filter_map(|path| Some((time_of(&path)?, path))).collect();
        files.sort_unstable_by(|one, other| other.cmp(one));
        files
    }
}

/// Opens a file for its owner only, and says how long it is.
fn append_to(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let size = file.metadata()?.len();
    Ok((file, size))
}

impl Write for RotatingFile {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.write_all(lines).map(|()| lines.len())
    }

    /// Writes whole lines or none: what a full disk tore off is taken back.
    fn write_all(&mut self, lines: &[u8]) -> io::Result<()> {
        let length = lines.len() as u64;
        if self.torn {
            self.file.set_len(self.size)?;
            self.torn = false;
        }
        if self.size > 0 && self.size + length > self.limit() {
            self.rotate()?;
        }
        if let Err(error) = self.file.write_all(lines) {
            // Also when this fails, the next line tries it again.
            self.torn = self.file.set_len(self.size).is_err();
            return Err(error);
        }
        self.size += length;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
