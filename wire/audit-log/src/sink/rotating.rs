//! Log file with rotation, and removal of old backups.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The time in the name of a backup, in UTC.
const STAMP: &str = "%Y-%m-%dT%H-%M-%S%.3f";

/// When a file is rotated, and how long backups are kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rotation {
    /// `--audit-log-maxsize`: megabytes of one file; 0 disables rotation.
    pub max_size_megabytes: u64,
    /// `--audit-log-maxbackup`: the number of backups to keep; 0 keeps all.
    pub max_backups: usize,
    /// `--audit-log-maxage`: the number of days to keep backups; 0 keeps them for ever.
    pub max_age_days: u32,
}

pub(super) struct RotatingFile {
    path: PathBuf,
    rotation: Rotation,
    file: File,
    /// The size of complete lines in the file.
    size: u64,
    /// Whether the file may end with a partial line, as a full disk leaves it.
    has_partial_line: bool,
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
        let (file, size) = open_append(path)?;
        let this = Self { path: path.into(), rotation, file, size, has_partial_line: false };
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
        (self.file, self.size) = open_append(&self.path)?;
        self.has_partial_line = false;
        self.remove_old();
        Ok(())
    }

    /// An unused name for a backup made now: two backups of one millisecond must not overwrite each
    /// other.
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

    /// The parts before and after the time in the names of backups: `audit-` and `.log`.
    fn name_parts(&self) -> (String, String) {
        let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let extension = text(self.path.extension());
        let suffix = if extension.is_empty() { extension } else { format!(".{extension}") };
        (format!("{}-", text(self.path.file_stem())), suffix)
    }

    /// Removes old backups; those that cannot be removed now are tried again next time.
    fn remove_old(&self) {
        let Rotation { max_backups, max_age_days, .. } = self.rotation;
        let oldest = Timestamp::now() - SignedDuration::from_hours(24 * i64::from(max_age_days));
        for (index, (time, path)) in self.backups().into_iter().enumerate() {
            let too_many = max_backups > 0 && index >= max_backups;
            let too_old = max_age_days > 0 && time < oldest;
            if (too_many || too_old) && fs::remove_file(&path).is_err() {
                tracing::warn!(file = %path.display(), "an old audit log cannot be removed");
            }
        }
    }

    /// The backups, the newest first; other files in the directory are ignored.
    fn backups(&self) -> Vec<(Timestamp, PathBuf)> {
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
        files.sort_unstable_by(|first, second| second.cmp(first));
        files
    }
}

/// Opens a file for its owner only, and returns its size.
fn open_append(path: &Path) -> io::Result<(File, u64)> {
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

    /// Writes complete lines or none: a partial write to a full disk is truncated.
    fn write_all(&mut self, lines: &[u8]) -> io::Result<()> {
        let length = lines.len() as u64;
        if self.has_partial_line {
            self.file.set_len(self.size)?;
            self.has_partial_line = false;
        }
        if self.size > 0 && self.size + length > self.limit() {
            self.rotate()?;
        }
        if let Err(error) = self.file.write_all(lines) {
            // If this fails, the next write tries again.
            self.has_partial_line = self.file.set_len(self.size).is_err();
            return Err(error);
        }
        self.size += length;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
