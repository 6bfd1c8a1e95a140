//! The progress bar: drawn on a terminal and gone at the end, and nothing of it anywhere else.

use super::harness::{Folder, run_in};
use super::legacy::fill;
use super::{Cluster, OLD};
use pty_process::Size;
use pty_process::blocking::{Command, open};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What an audit writes to a terminal of some kind when its report goes to a file, and its status.
fn on_terminal(folder: &Path, kind: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let (mut pty, end) = open().unwrap();
    pty.resize(Size::new(24, 100)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .arg("audit")
        .args(arguments)
        .current_dir(folder)
        .env("TERM", kind)
        .stdout(File::create(folder.join("report")).unwrap())
        .spawn(end)
        .unwrap();
    let (mut displayed, mut piece) = (Vec::new(), [0; 4096]);
    // Reading fails when the last program on the terminal has ended.
    while let Ok(count @ 1..) = pty.read(&mut piece) {
        displayed.extend_from_slice(&piece[..count]);
    }
    (String::from_utf8(displayed).unwrap(), child.wait().unwrap().code())
}

/// What stays on the line of the cursor.
fn left_over(displayed: &str) -> String {
    let line = displayed.rsplit("\u{1b}[2K").next().unwrap();
    line.replace("\u{1b}[?25h", "").trim().to_owned()
}

#[test]
fn a_bar_is_drawn_on_a_terminal_and_gone_at_the_end() {
    let cluster = Cluster::start(OLD);
    let stored = fill(&cluster, 48).len() + super::legacy::NAMESPACES.len();
    let folder = cluster.folder.path("");
    let flags = ["--kubeconfig", "data/kubeconfig", "-o", "json", "--qps", "20", "--chunk-size"];
    let slowly = [&flags[..], &["5"]].concat();
    let (displayed, code) = on_terminal(&folder, "xterm-256color", &slowly);
    assert_eq!(code, Some(1), "{displayed}");
    let bars: Vec<(u64, u64)> = displayed.split_whitespace().filter_map(position).collect();
    assert!(bars.len() >= 5, "{displayed}");
    assert!(bars.is_sorted_by_key(|bar| bar.0), "it goes back: {bars:?}");
    assert!(bars.iter().all(|(judged, all)| judged <= all), "more than all are judged: {bars:?}");
    assert!(bars.iter().any(|(_, all)| *all >= stored as u64), "{stored}: {bars:?}");
    assert_eq!(left_over(&displayed), "", "{displayed:?}");
    let report = std::fs::read_to_string(folder.join("report")).unwrap();
    assert!(report.starts_with("{\n\"version\""), "{report}");
    // What is no terminal, or one that cannot move its cursor, gets nothing of it.
    let output = cluster.audit(&["-o", "json"]);
    assert_eq!((output.code, output.stderr.as_str()), (1, ""));
    let (displayed, code) = on_terminal(&folder, "dumb", &slowly);
    assert_eq!((displayed.as_str(), code), ("", Some(1)));
}

/// The numbers of `12/48`.
fn position(word: &str) -> Option<(u64, u64)> {
    let (judged, all) = word.split_once('/')?;
    Some((judged.parse().ok()?, all.parse().ok()?))
}

#[test]
fn a_bar_of_files_is_no_part_of_a_message() {
    let service = "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}, spec: {ports: [{port: 80}]}}";
    let items: String = (0..20_000).map(|_| format!("- {service}\n")).collect();
    let folder =
        Folder::with(&[("dump.yaml", &format!("apiVersion: v1\nkind: List\nitems:\n{items}"))]);
    let arguments = ["-f", "dump.yaml", "--jobs", "1"];
    let (displayed, code) = on_terminal(&folder.path(""), "xterm-256color", &arguments);
    assert_eq!(code, Some(0), "{displayed}");
    assert!(displayed.contains(" files "), "{displayed:?}");
    assert_eq!(left_over(&displayed), "", "{displayed:?}");
    // Notes and errors stand on lines of their own.
    folder.write("broken.yaml", "{a: [\n");
    let (displayed, code) = on_terminal(
        &folder.path(""),
        "xterm-256color",
        &[&arguments[..], &["-f", "broken.yaml"]].concat(),
    );
    assert_eq!(code, Some(2), "{displayed}");
    assert!(
        left_over(&displayed).starts_with("note: cannot be read: broken.yaml:1"),
        "{displayed:?}"
    );
    let (displayed, code) =
        on_terminal(&folder.path(""), "xterm-256color", &["--kubeconfig", "no-such-file"]);
    assert_eq!(code, Some(2), "{displayed}");
    assert!(
        left_over(&displayed).starts_with("ratchet: cannot read the kubeconfig"),
        "{displayed:?}"
    );
    let output = run_in(&folder.path(""), &["audit", "-f", "dump.yaml"], b"", &[]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
}
