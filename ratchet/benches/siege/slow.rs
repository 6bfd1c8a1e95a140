//! Clients that do not read, or do not send: they are left, and hold up nobody.

use crate::attacks::Field;
use crate::hostile::Client;
use crate::hostile::wire::request;
use std::time::{Duration, Instant};

/// How many of them there are at once.
const CROWD: usize = 24;

/// Asks for much and reads nothing of it; whoever was cut off comes again.
pub(crate) fn deaf(field: &Field, _: u64) -> u64 {
    const PATHS: [&str; 4] = [
        "/api/v1/namespaces/long/configmaps?watch=1",
        "/api/v1/namespaces/long/configmaps?pretty=1",
        "/api/v1/namespaces/long/configmaps",
        "/openapi/v2",
    ];
    let mut cut = 0;
    let mut crowd: Vec<(Client, Instant)> = Vec::new();
    let mut next = 0;
    while !field.is_over() {
        while crowd.len() < CROWD {
            let mut client = field.client();
            let accept = [("Accept", ["application/json", "application/yaml"][next / 4 % 2])];
            let _ = client.write(&request("GET", PATHS[next % PATHS.len()], &accept, b""));
            crowd.push((client, Instant::now()));
            next += 1;
        }
        std::thread::sleep(Duration::from_millis(250));
        crowd.retain_mut(|(client, since)| {
            let is_old = since.elapsed() > Duration::from_secs(20);
            if is_old {
                // What is on its way still comes; then there is an end, or the server has gone on for ever.
                cut += u64::from(ends(client));
            }
            !is_old
        });
    }
    cut
}

/// Whether the server has closed a connection.
fn ends(client: &mut Client) -> bool {
    client.wait_at_most(Duration::from_millis(500));
    let mut piece = [0; 64 * 1024];
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        match client.read(&mut piece) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => {
                use std::io::ErrorKind::{TimedOut, WouldBlock};
                return !matches!(error.kind(), WouldBlock | TimedOut);
            }
        }
    }
    false
}

/// Begins requests and does not end them.
pub(crate) fn mute(field: &Field, _: u64) -> u64 {
    let mut count = 0;
    let mut crowd: Vec<Client> = Vec::new();
    while !field.is_over() {
        let mut client = field.client();
        let begin = match count % 3 {
            0 => "GET /api/v1/pods HTTP/1.1\r\nX-A: b\r\n",
            1 => {
                "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n{"
            }
            _ => {
                "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            }
        };
        let _ = client.write(begin.as_bytes());
        crowd.push(client);
        count += 1;
        if crowd.len() > 100 {
            crowd.remove(0);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    count
}
