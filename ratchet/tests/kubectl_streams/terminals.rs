//! Tests of `kubectl exec -it` and `attach -it` on a real terminal: keys, window sizes, exit codes.

use super::cluster::{Cluster, Pod};
use super::kubectl::{self, Kubectl, PATIENCE, WAYS};
use kubelet_peer::Container;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use std::io::{Read, Write};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A terminal that runs kubectl.
struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    displayed: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    fn open(kubectl: &Kubectl, line: &str, size: Size) -> Self {
        let (pty, end) = open().unwrap();
        pty.resize(size).unwrap();
        let command = Command::new(kubectl::program())
            .args(kubectl::arguments(line))
            .current_dir(&kubectl.folder)
            .envs(kubectl.environment());
        let child = command.spawn(end).unwrap();
        let (pty, displayed) = (Arc::new(pty), Arc::new(Mutex::new(Vec::new())));
        let (reader, screen) = (Arc::clone(&pty), Arc::clone(&displayed));
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            // Reading fails when the last program on it has ended.
            while let Ok(count @ 1..) = (&*reader).read(&mut piece) {
                screen.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        });
        Self { pty, child, displayed }
    }

    fn type_in(&self, text: &str) {
        (&*self.pty).write_all(text.as_bytes()).unwrap();
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.displayed.lock().unwrap()).into_owned()
    }

    fn shows(&self, wanted: &str) {
        let since = Instant::now();
        while !self.text().contains(wanted) {
            assert!(since.elapsed() < PATIENCE, "wanted {wanted}: {}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types the same until something is shown: nothing tells when a change of the window has arrived, or when a program
    /// has begun that ^C should end.
    fn shows_after(&self, keys: &[&str], wanted: &str) {
        let since = Instant::now();
        for keys in keys.iter().cycle() {
            if self.text().contains(wanted) {
                return;
            }
            assert!(since.elapsed() < PATIENCE, "wanted {wanted}: {}", self.text());
            self.type_in(keys);
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn ends(mut self) -> Option<i32> {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(since.elapsed() < PATIENCE, "it does not end: {}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_shell_on_a_terminal_sees_keys_and_windows() {
    let cluster = Cluster::start();
    cluster.add(WAYS.map(|way| Pod::of(way.node(), way.node(), Container::default())).into());
    for way in WAYS {
        // A shell cannot take SIGINT back that was ignored when it began, as in the background of another one.
        let line = format!("exec -it {} -- env --default-signal=INT sh", way.node());
        let terminal = Terminal::open(&cluster.kubectl.over(way), &line, Size::new(40, 100));
        terminal.shows_after(&["stty size\n"], "40 100");
        terminal.type_in("test -t 0 && test -t 1 && echo real''ly\n");
        terminal.shows("really");
        terminal.pty.resize(Size::new(30, 81)).unwrap();
        terminal.shows_after(&["stty size\n"], "30 81");
        terminal.type_in("echo sle''eping; sleep 100\n");
        terminal.shows("sleeping");
        // ^C goes to the command, not to kubectl; it throws away what was typed before.
        terminal.shows_after(&["\u{3}", "echo go''ne on\n"], "gone on");
        terminal.type_in("exit 5\n");
        assert_eq!(terminal.ends(), Some(5), "{way:?}");
    }
}

#[test]
fn one_attaches_to_a_shell_on_its_terminal() {
    let cluster = Cluster::start();
    let pods = WAYS.map(|way| {
        let container = Container { tty: true, stdin_once: true, ..Container::running(["sh"]) };
        Pod::of(way.node(), way.node(), container)
    });
    cluster.add(pods.into());
    for way in WAYS {
        let line = format!("attach -it {}", way.node());
        let terminal = Terminal::open(&cluster.kubectl.over(way), &line, Size::new(33, 77));
        terminal.shows_after(&["stty size\n"], "33 77");
        terminal.type_in("echo he''re\n");
        terminal.shows("here");
        terminal.type_in("exit\n");
        assert_eq!(terminal.ends(), Some(0), "{way:?}");
    }
}
