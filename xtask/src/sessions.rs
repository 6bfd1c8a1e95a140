//! `cargo xtask sessions`: recorded terminal sessions of every door, as text and as pictures in `docs/sessions`.

mod normal;
mod record;
mod screen;
mod svg;

use crate::clients;
use crate::kube_tool::KUBECTL;
use crate::violation::Violation;
use anyhow::{Context, Result, bail};
use record::Recorder;
use std::path::{Path, PathBuf};

const FOLDER: &str = "docs/sessions";

/// A session: commands that are run in order in the repository's root, in an empty home.
struct Session {
    /// The name of its files.
    name: &'static str,
    /// Alternative text of the picture.
    title: &'static str,
    /// Width of the terminal.
    columns: usize,
    steps: &'static [Step],
}

/// A line that somebody types.
enum Step {
    /// A command; colours, which a terminal gets by itself, are asked for unseen.
    Run { line: &'static str, unseen: &'static str },
    /// A line that only prepares the shell for the next ones.
    Set(&'static str),
    /// `ratchet serve`, which runs until the session ends.
    Serve(&'static str),
}

const SESSIONS: &[Session] = &[
    Session {
        name: "check",
        title: "ratchet check refuses a Service with an ambiguous address",
        columns: 100,
        steps: &[
            Step::Run { line: "ratchet check examples/admitted.yaml", unseen: "--color=always" },
            Step::Run { line: "ratchet check examples/refused.yaml", unseen: "--color=always" },
        ],
    },
    Session {
        name: "serve",
        title: "kubectl with ratchet serve: a Service is admitted, its update is refused",
        columns: 100,
        steps: &[
            Step::Serve("ratchet serve &"),
            Step::Set("export KUBECONFIG=~/.local/state/ratchet/kubeconfig"),
            Step::Run { line: "kubectl create namespace shop", unseen: "" },
            Step::Run { line: "kubectl get namespaces", unseen: "" },
            Step::Run { line: "kubectl apply -f examples/admitted.yaml", unseen: "" },
            Step::Run { line: "kubectl apply -f examples/refused.yaml", unseen: "" },
        ],
    },
    Session {
        name: "kubelet-certs",
        title: "ratchet kubelet-certs tells which kubelets do not bear their nodes' names",
        columns: 155,
        steps: &[Step::Run {
            line: "ratchet kubelet-certs --offline examples/kubelets \
                   --kubelet-certificate-authority examples/kubelet-ca.crt",
            unseen: "--color=always",
        }],
    },
];

/// Records all sessions, then writes them or, with `--check`, compares them with what is there.
pub(crate) fn run(args: &[&str]) -> Result<Vec<Violation>> {
    let (is_check, binary) = match args {
        [] => (false, None),
        ["--check"] => (true, None),
        ["--binary", path] => (false, Some(path)),
        ["--check", "--binary", path] | ["--binary", path, "--check"] => (true, Some(path)),
        other => bail!("sessions has no option {}", other.join(" ")),
    };
    let ratchet = match binary {
        Some(path) => std::path::absolute(path).context("cannot tell where the program is")?,
        None => clients::build_ratchet()?,
    };
    let (kubectl, instead) = KUBECTL.find()?;
    if let Some(note) = instead {
        println!("not used: {note}");
    }
    let mut found = Vec::new();
    for session in SESSIONS {
        let recorded = Recorder::new(&ratchet, &kubectl)?
            .record(session.steps)
            .with_context(|| format!("in the session {}", session.name))?;
        for (path, text) in files(session, &recorded) {
            match is_check {
                true => found.extend(compare(&path, &text)),
                false => write(&path, &text)?,
            }
        }
    }
    Ok(found)
}

/// The files of a session: its plain text, and the picture.
fn files(session: &Session, recorded: &str) -> [(PathBuf, String); 2] {
    let path = |ending: &str| Path::new(FOLDER).join(format!("{}.{ending}", session.name));
    let lines = screen::lines(recorded);
    let picture = svg::draw(session.title, &screen::wrap(&lines, session.columns));
    [(path("txt"), screen::plain(&lines)), (path("svg"), picture)]
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::create_dir_all(FOLDER).with_context(|| format!("cannot make {FOLDER}"))?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// The first line in which a file is not what was recorded now.
fn compare(path: &Path, recorded: &str) -> Option<Violation> {
    let fix = "run `cargo xtask sessions`";
    let file = path.display().to_string();
    let Ok(text) = std::fs::read_to_string(path) else {
        return Some(Violation::new(file, 1, format!("the session is absent; {fix}")));
    };
    if text == recorded {
        return None;
    }
    let same = text.lines().zip(recorded.lines()).take_while(|(a, b)| a == b).count();
    let now = recorded.lines().nth(same).unwrap_or("the end");
    Some(Violation::new(file, same + 1, format!("the commands now print {now:?}; {fix}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::tests::Folder;

    #[test]
    fn a_recording_is_compared_line_by_line() {
        let folder = Folder::new("sessions");
        let path = folder.0.join("check.txt");
        let violation = |recorded: &str| compare(&path, recorded).map(|one| one.to_string());
        assert!(violation("a\n").unwrap().contains(":1: the session is absent"));
        std::fs::write(&path, "a\nb\n").unwrap();
        assert_eq!(violation("a\nb\n"), None);
        assert!(violation("a\nc\n").unwrap().contains(":2: the commands now print \"c\""));
        assert!(violation("a\n").unwrap().contains(":2: the commands now print \"the end\""));
    }

    #[test]
    fn a_session_is_a_text_and_a_picture() {
        let session = &SESSIONS[0];
        let [(text_path, text), (picture_path, picture)] =
            files(session, "$ a\n\u{1b}[31mb\u{1b}[0m\n");
        assert_eq!(text_path, Path::new("docs/sessions/check.txt"));
        assert_eq!(picture_path, Path::new("docs/sessions/check.svg"));
        assert_eq!(text, "$ a\nb\n");
        assert!(picture.starts_with("<svg ") && picture.contains(session.title));
    }

    #[test]
    fn unknown_options_are_refused() {
        assert!(run(&["--force"]).is_err());
    }
}
