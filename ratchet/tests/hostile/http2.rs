//! Handwritten HTTP/2 frames for rapid resets.

use super::wire::Client;
use std::io;
use std::time::{Duration, Instant};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// `GET path` in HPACK without a table: method and scheme are indexed, path and authority are literals.
fn headers(path: &str) -> Vec<u8> {
    let mut block = vec![0x82, 0x87, 0x04, path.len() as u8];
    block.extend(path.bytes());
    block.extend([0x01, 9]);
    block.extend(b"localhost");
    block
}

/// Opens streams and resets each at once; returns how many the server accepted before it closed.
pub(crate) fn rapid_reset(client: &mut Client, streams: u32, path: &str) -> u32 {
    let mut begun = PREFACE.to_vec();
    begun.extend(frame(4, 0, 0, &[]));
    if client.write(&begun).is_err() {
        return 0;
    }
    for number in 0..streams {
        let stream = 2 * number + 1;
        let mut two = frame(1, 0x5, stream, &headers(path));
        two.extend(frame(3, 0, stream, &8u32.to_be_bytes()));
        if client.write(&two).is_err() {
            return number;
        }
    }
    streams
}

/// Sends garbage in place of frames; returns whether the server closed or sent an error.
pub(crate) fn garbage(client: &mut Client, bytes: &[u8]) -> io::Result<()> {
    let mut begun = PREFACE.to_vec();
    begun.extend(bytes);
    client.write(&begun)?;
    client.wait_at_most(Duration::from_secs(2));
    let since = Instant::now();
    let mut piece = [0; 4096];
    while since.elapsed() < Duration::from_secs(2) {
        if client.read(&mut piece)? == 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// A flood of CONTINUATION frames that never end a block of headers.
pub(crate) fn endless_headers(client: &mut Client, frames: usize) -> usize {
    let mut begun = PREFACE.to_vec();
    begun.extend(frame(4, 0, 0, &[]));
    begun.extend(frame(1, 0, 1, &headers("/readyz")));
    if client.write(&begun).is_err() {
        return 0;
    }
    // A header literal that is never indexed: `x: aaaa…`.
    let mut literal = vec![0x00, 1, b'x', 0x7f, 0x81, 0x07];
    literal.extend(vec![b'a'; 1024]);
    let more = frame(9, 0, 1, &literal);
    (0..frames).take_while(|_| client.write(&more).is_ok()).count()
}
