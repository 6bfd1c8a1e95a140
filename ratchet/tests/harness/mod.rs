//! A temporary folder with manifests, and runs of the real binary in it.
#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Service with an external IP that strict parsing refuses.
pub(crate) const BAD_SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  ports:
  - port: 80
  externalIPs:
  - 192.0.2.010
";

/// A Service without findings.
pub(crate) const GOOD_SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: fine
spec:
  ports:
  - port: 80
";

/// A Service that is admitted with one warning.
pub(crate) const WARNED_SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: odd
spec:
  ports:
  - port: 80
  externalIPs:
  - 192.0.2.1
";

/// The message of strict parsing for [`BAD_SERVICE`].
pub(crate) const BAD_MESSAGE: &str =
    "spec.externalIPs[0]: Invalid value: \"192.0.2.010\": must not have leading 0s";

/// The result of a run of the binary.
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// The findings of a JSON report as `file:line:column RULE message`.
    pub(crate) fn findings(&self) -> Vec<String> {
        let report = self.json();
        let mut all = Vec::new();
        for object in report["objects"].as_array().unwrap() {
            for finding in object["findings"].as_array().unwrap() {
                let text = |name: &str| finding[name].as_str().unwrap().to_owned();
                all.push(format!(
                    "{}:{}:{} {} {}",
                    object["file"].as_str().unwrap(),
                    finding["line"],
                    finding["column"],
                    text("rule"),
                    text("message")
                ));
            }
        }
        all
    }

    /// The objects listed in a JSON report, as `Kind name outcome`.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let report = self.json();
        let objects = report["objects"].as_array().unwrap();
        let text = |object: &Value, name: &str| object[name].as_str().unwrap().to_owned();
        objects
            .iter()
            .map(|object| {
                let (kind, name) = (text(object, "kind"), text(object, "name"));
                format!("{kind} {name} {}", text(object, "outcome"))
            })
            .collect()
    }

    /// A number of a JSON report's summary.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.json()["summary"][name].as_u64().unwrap()
    }
}

/// Runs the binary with `stdin` in the current folder.
pub(crate) fn run(args: &[&str], stdin: &str) -> Output {
    run_in(Path::new("."), args, stdin.as_bytes(), &[])
}

/// Runs the binary in a folder with an environment, and asserts that it does not panic.
pub(crate) fn run_in(
    folder: &Path,
    args: &[&str],
    stdin: &[u8],
    environment: &[(&str, &str)],
) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(args)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A program that does not read its input may close it.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let done = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let stdout = String::from_utf8(done.stdout).unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
    let Some(code) = done.status.code() else { panic!("{args:?} died: {stderr}") };
    assert!((0..=2).contains(&code), "{args:?} ended with {code}: {stderr}");
    Output { code, stdout, stderr }
}

/// A temporary folder.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders that lead to it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// `ratchet check` in this folder.
    pub(crate) fn check(&self, args: &[&str]) -> Output {
        self.feed(args, "")
    }

    /// `ratchet check` in this folder with something on standard input.
    pub(crate) fn feed(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
        run_in(self.0.path(), &[&["check"], args].concat(), stdin.as_ref(), &[])
    }

    /// `ratchet check -o json` in this folder.
    pub(crate) fn json(&self, args: &[&str]) -> Output {
        self.check(&[&["-o", "json"], args].concat())
    }

    /// Runs git in this folder.
    pub(crate) fn git(&self, args: &[&str]) {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
        let done = Command::new("git")
            .args(who)
            .args(["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Makes the folder a repository and commits all of it.
    pub(crate) fn commit(&self) {
        self.git(&["init", "-q"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "stored"]);
    }
}

/// `ratchet check -o json -` of one text.
pub(crate) fn judge(args: &[&str], text: &str) -> Output {
    let all = [&["check", "-o", "json", "-"], args].concat();
    run(&all, text)
}
