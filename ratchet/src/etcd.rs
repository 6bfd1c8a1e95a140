//! The stand-in for etcd in tests: listens where etcd would, answers health checks, and tells API servers where to store.
//!
//! envtest starts an etcd beside every kube-apiserver and waits for its health. `ratchet serve` has a store of its own,
//! so nothing is left to do but to lend it the data directory, which outlives a restart of the API server.

pub(crate) mod flags;
pub(crate) mod notice;

use flags::Flags;
use notice::Notice;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Threads of a listener: a client that is slow to ask keeps one of them.
const THREADS: usize = 4;
/// The time that a client has to send its request and to read the response.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest head of a request.
const MAX_HEAD: usize = 8 << 10;

/// Runs until a signal ends the process, as etcd does; its exit status is 1 if it cannot start.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let result = match flags::parse(arguments) {
        Ok(flags::Command::Help) => io::stdout().write_all(flags::HELP.as_bytes()),
        Ok(flags::Command::Version) => writeln!(io::stdout(), "{}", flags::VERSION),
        Ok(flags::Command::Run(flags)) => serve(flags),
        Err(why) => Err(io::Error::other(why)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(io::stderr(), "etcd: {why}");
            ExitCode::FAILURE
        }
    }
}

fn serve(flags: Flags) -> io::Result<()> {
    let notice = Notice { data_dir: std::path::absolute(&flags.data_dir)?, flush: flags.flush };
    let notice: Arc<str> = notice.to_text()?.into();
    let mut threads = Vec::new();
    for address in &flags.listen {
        let listener = TcpListener::bind(address).map_err(|why| {
            io::Error::new(why.kind(), format!("cannot listen on {address}: {why}"))
        })?;
        for _ in 0..THREADS {
            let (listener, notice) = (listener.try_clone()?, Arc::clone(&notice));
            threads.push(std::thread::Builder::new().spawn(move || accept(&listener, &notice))?);
        }
    }
    let _ = writeln!(
        io::stderr(),
        "{}: it stores nothing itself, and lends {} to kube-apiserver",
        flags::VERSION,
        flags.data_dir.display()
    );
    for thread in threads {
        let _ = thread.join();
    }
    Ok(())
}

fn accept(listener: &TcpListener, notice: &str) {
    loop {
        match listener.accept() {
            // A client that has gone is no reason to stop.
            Ok((stream, _)) => drop(answer(stream, notice)),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn answer(mut stream: TcpStream, notice: &str) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(&mut stream)?;
    let (status, kind, body) = respond(&head, notice);
    let length = body.len();
    let body = if head.starts_with("HEAD ") { "" } else { body };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// The first line of a request; the rest of the head is read, too, so that the connection is not reset.
fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    let deadline = Instant::now() + PATIENCE;
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() > MAX_HEAD {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = stream.read(&mut part)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(part.get(..read).unwrap_or_default());
    }
    let text = String::from_utf8_lossy(&head);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// Status, content type and body for the first line of a request.
fn respond<'a>(line: &str, notice: &'a str) -> (&'static str, &'static str, &'a str) {
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    match (method, path) {
        ("GET" | "HEAD", "/health") => ("200 OK", JSON, r#"{"health":"true","reason":""}"#),
        ("GET" | "HEAD", notice::PATH) => ("200 OK", TEXT, notice),
        (_, "/health" | notice::PATH) => ("405 Method Not Allowed", TEXT, "Method Not Allowed\n"),
        _ => ("404 Not Found", TEXT, "404 page not found\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_and_the_store_are_told_and_nothing_else() {
        let status = |line: &str| respond(line, "notice").0;
        assert_eq!(status("GET /health HTTP/1.1"), "200 OK");
        assert_eq!(status("GET /health?exclude=NOSPACE HTTP/1.1"), "200 OK");
        assert_eq!(status("POST /health HTTP/1.1"), "405 Method Not Allowed");
        assert_eq!(status("POST /v3/kv/put HTTP/1.1"), "404 Not Found");
        assert_eq!(status(""), "404 Not Found");
        let line = format!("GET {} HTTP/1.1", notice::PATH);
        assert_eq!(respond(&line, "notice").2, "notice");
    }

    #[test]
    fn who_sends_nothing_does_not_hold_up_the_others() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        for _ in 0..THREADS {
            let listener = listener.try_clone().unwrap();
            std::thread::spawn(move || accept(&listener, "notice"));
        }
        let _silent: Vec<TcpStream> =
            (1..THREADS).map(|_| TcpStream::connect(address).unwrap()).collect();
        let mut asking = TcpStream::connect(address).unwrap();
        asking.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut text = String::new();
        asking.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        assert!(text.ends_with("\r\n\r\n{\"health\":\"true\",\"reason\":\"\"}"), "{text}");
    }
}
