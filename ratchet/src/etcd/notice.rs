//! `Notice`: where the stand-in for etcd lets an API server store, asked for over HTTP.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

/// The path at which the stand-in answers with the notice.
pub(crate) const PATH: &str = "/ratchet/store";

/// The time for a stand-in to answer; it runs on the same machine.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest answer that is read.
const MAX_ANSWER: u64 = 64 << 10;

/// The data directory of a stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) data_dir: PathBuf,
    /// Whether commits must be on the disk before they count.
    pub(crate) flush: bool,
}

impl Notice {
    /// The text of the notice, a line a field.
    pub(crate) fn to_text(&self) -> io::Result<String> {
        match self.data_dir.to_str().filter(|path| !path.contains('\n')) {
            Some(path) => Ok(format!("data-dir={path}\nflush={}\n", self.flush)),
            None => Err(io::Error::other("the path of --data-dir must be text in one line")),
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let value_of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let data_dir = PathBuf::from(value_of("data-dir=")?);
        let flush = value_of("flush=")? != "false";
        data_dir.is_absolute().then_some(Self { data_dir, flush })
    }

    /// The notice of the stand-in at one of these URLs; none if all are something else.
    pub(crate) fn ask(urls: &[String]) -> Option<Self> {
        urls.iter().find_map(|url| Self::from_url(url).ok().flatten())
    }

    fn from_url(url: &str) -> io::Result<Option<Self>> {
        // The stand-in has no TLS; a real etcd is not asked over it either.
        let Some(address) = url.trim().strip_prefix("http://") else { return Ok(None) };
        let address = address.trim_end_matches('/');
        let Some(address) = address.to_socket_addrs()?.next() else { return Ok(None) };
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request =
            format!("GET {PATH} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.take(MAX_ANSWER).read_to_string(&mut answer)?;
        let body =
            answer.strip_prefix("HTTP/1.1 200 ").and_then(|rest| rest.split_once("\r\n\r\n"));
        Ok(body.and_then(|(_, body)| Self::from_text(body)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    #[test]
    fn a_notice_is_read_as_it_was_written() {
        for flush in [true, false] {
            let notice = Notice { data_dir: "/tmp/a b=c".into(), flush };
            assert_eq!(Notice::from_text(&notice.to_text().unwrap()), Some(notice));
        }
        for text in ["", "data-dir=/a\n", "data-dir=a\nflush=false\n", "flush=true\n"] {
            assert_eq!(Notice::from_text(text), None, "{text}");
        }
        let notice = Notice { data_dir: "/a\nb".into(), flush: true };
        assert!(notice.to_text().is_err());
    }

    /// Answers one request with a text.
    fn answering(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            // All of the request: closing a connection with unread bytes resets it.
            let mut head = BufReader::new(&stream).lines().map_while(Result::ok);
            head.any(|line| line.is_empty());
            let _ = (&stream).write_all(answer.as_bytes());
        });
        url
    }

    #[test]
    fn only_a_stand_in_is_believed() {
        let other = answering("HTTP/1.1 404 Not Found\r\n\r\n404 page not found\n");
        let silent = answering("");
        let closed = "http://127.0.0.1:1".to_owned();
        let tls = "https://127.0.0.1:1".to_owned();
        assert_eq!(Notice::ask(&[closed, tls, silent, other.clone()]), None);
        let own = answering("HTTP/1.1 200 OK\r\nA: b\r\n\r\ndata-dir=/d\nflush=false\n");
        let found = Notice { data_dir: "/d".into(), flush: false };
        assert_eq!(Notice::ask(&[other, own]), Some(found));
    }
}
