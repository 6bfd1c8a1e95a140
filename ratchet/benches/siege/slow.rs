//! Clients that never read or never send, which must not block others.

use crate::attacks::Siege;
use crate::hostile::Client;
use crate::hostile::wire::request;
use std::time::{Duration, Instant};

/// Number of concurrent clients.
const CROWD: usize = 24;

/// Requests large answers and never reads them; clients that were cut off are replaced.
pub(crate) fn never_read(siege: &Siege, _: u64) -> u64 {
    const PATHS: [&str; 4] = [
        "/api/v1/namespaces/long/configmaps?watch=1",
        "/api/v1/namespaces/long/configmaps?pretty=1",
        "/api/v1/namespaces/long/configmaps",
        "/openapi/v2",
    ];
    let mut cut = 0;
    let mut crowd: Vec<(Client, Instant)> = Vec::new();
    let mut next = 0;
    while !siege.is_over() {
        while crowd.len() < CROWD {
            let mut client = siege.client();
            let accept = [("Accept", ["application/json", "application/yaml"][next / 4 % 2])];
            let _ = client.write(&request("GET", PATHS[next % PATHS.len()], &accept, b""));
            crowd.push((client, Instant::now()));
            next += 1;
        }
        std::thread::sleep(Duration::from_millis(250));
        crowd.retain_mut(|(client, since)| {
            let is_old = since.elapsed() > Duration::from_secs(20);
            if is_old {
                // Data in flight still arrives; then the connection ends, unless the server would go on for ever.
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

/// Begins requests and never completes them.
pub(crate) fn never_send(siege: &Siege, _: u64) -> u64 {
    let mut count = 0;
    let mut crowd: Vec<Client> = Vec::new();
    while !siege.is_over() {
        let mut client = siege.client();
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
