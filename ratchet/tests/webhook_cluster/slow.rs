//! An API server that does not answer: reviews are answered before their timeout.

use crate::replica::{BAD, Called, review};
use crate::world::until;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

const NAMESPACES: &str =
    r#"{"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}"#;

/// Answers lists, and leaves everything else open without an answer.
fn answer(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let (mut line, mut header) = (String::new(), String::new());
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        while reader.read_line(&mut header).unwrap_or_default() > 2 {
            header.clear();
        }
        let is_list = line.starts_with("GET /api/v1/namespaces?") && !line.contains("watch=");
        if is_list {
            let length = NAMESPACES.len();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
            write!(stream, "{head}Content-Length: {length}\r\n\r\n{NAMESPACES}").unwrap();
        }
    }
}

/// Starts such a server; returns the text of a kubeconfig for it.
fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            std::thread::spawn(move || answer(stream));
        }
    });
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nusers: [{{name: u, user: {{}}}}]\n\
         clusters: [{{name: c, cluster: {{server: 'http://{address}'}}}}]\n\
         contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n"
    )
}

fn write(folder: &Path, text: &str) -> String {
    let file = folder.join("kubeconfig");
    std::fs::write(&file, text).unwrap();
    format!("--kubeconfig={}", file.display())
}

#[test]
fn a_lookup_without_an_answer_does_not_outlast_the_review() {
    let folder = tempfile::tempdir().unwrap();
    let flag = write(folder.path(), &start());
    let called = Called::start(None, "rules: {RTC-IP: enforce}\n", &[&flag]);
    until("readiness", || (called.get("/readyz").0 == 200).then_some(()));
    // More than may be read at once: those that wait for their turn have a deadline too.
    std::thread::scope(|scope| {
        for number in 0..20 {
            let called = &called;
            scope.spawn(move || {
                let begun = Instant::now();
                let name = format!("slow-{number}");
                let (code, _, text) = called.review_within("3s", &review(&name, "web", BAD));
                assert_eq!(code, 504, "{text}");
                assert!(text.contains("no verdict within the timeout"), "{text}");
                // The read itself would have ten seconds, one turn after another.
                assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
            });
        }
    });
    assert!(called.has_metric("ratchet_webhook_reviews_total{verdict=\"error\"} 20"));
    assert_eq!(called.get("/livez").0, 200);
}
