//! Coalesced frames, observed from both ends of a real TLS connection.

use super::*;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio_rustls::{TlsAcceptor, TlsConnector, client};

/// The server's end of the wire, and what was written to it, call by call.
#[derive(Debug)]
struct Wire {
    io: DuplexStream,
    calls: Calls,
}

type Calls = Arc<Mutex<Vec<Vec<u8>>>>;

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.io).poll_write(context, bytes))?;
        self.calls.lock().unwrap().push(bytes[..count].to_vec());
        Poll::Ready(Ok(count))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let whole: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_vec()).collect();
        self.poll_write(context, &whole)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

struct Ends {
    near: CoalescingStream<Wire>,
    far: client::TlsStream<DuplexStream>,
    /// Writes since coalescing began.
    calls: Calls,
}

/// Both ends of a connection with a buffer of this size in between.
async fn ends(room: usize) -> Ends {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let chain = vec![made.cert.der().clone()];
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(chain[0].clone()).unwrap();
    let provider = Arc::new(aws_lc_rs::default_provider());
    let server = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let (near, far) = duplex(room);
    let calls = Calls::default();
    let wire = Wire { io: near, calls: calls.clone() };
    let (near, far) = tokio::join!(
        TlsAcceptor::from(Arc::new(server)).accept(Gate::open(wire)),
        TlsConnector::from(Arc::new(client)).connect("localhost".try_into().unwrap(), far),
    );
    calls.lock().unwrap().clear();
    Ends { near: CoalescingStream::new(near.unwrap()), far: far.unwrap(), calls }
}

impl Ends {
    /// The number of bytes that arrive soon.
    async fn arrived(&mut self) -> usize {
        let mut count = 0;
        let mut buffer = vec![0; RECORD];
        let soon = Duration::from_millis(20);
        while let Ok(read) = tokio::time::timeout(soon, self.far.read(&mut buffer)).await {
            count += read.unwrap();
        }
        count
    }

    /// Writes a frame as `h2` does: its head, its data, a flush.
    async fn frame(&mut self, length: usize) {
        let (head, data) = ([1; 9], vec![2; length]);
        let mut sent = 0;
        while sent < 9 + length {
            let data = &data[sent.saturating_sub(9)..];
            let pieces = [IoSlice::new(head.get(sent..).unwrap_or_default()), IoSlice::new(data)];
            sent += self.near.write_vectored(&pieces).await.unwrap();
        }
        self.near.flush().await.unwrap();
    }

    /// The lengths of the records that were sent, call by call.
    fn records(&self) -> Vec<Vec<usize>> {
        let calls = self.calls.lock().unwrap();
        calls.iter().map(|call| lengths(call)).collect()
    }
}

/// The plaintext length of each record; a record adds its type and a tag of 16 bytes.
fn lengths(mut records: &[u8]) -> Vec<usize> {
    let mut lengths = Vec::new();
    while let [_, _, _, high, low, rest @ ..] = records {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        lengths.push(length - 17);
        records = &rest[length..];
    }
    lengths
}

#[tokio::test]
async fn little_leaves_with_its_flush() {
    let mut ends = ends(1 << 20).await;
    for _ in 0..10 {
        ends.near.write_all(b"abc").await.unwrap();
    }
    assert_eq!(ends.arrived().await, 0);
    ends.near.flush().await.unwrap();
    assert_eq!(ends.arrived().await, 30);
    assert_eq!(ends.records(), [[30]]);
}

#[tokio::test]
async fn a_bulk_waits_while_it_grows_and_leaves_at_once_in_whole_records() {
    let mut ends = ends(1 << 20).await;
    for _ in 0..4 {
        ends.frame(RECORD).await;
        assert_eq!(ends.arrived().await, 0);
    }
    ends.near.flush().await.unwrap();
    assert_eq!(ends.arrived().await, 4 * (RECORD + 9));
    assert_eq!(ends.records(), [[RECORD, RECORD, RECORD, RECORD, 4 * 9]]);
}

#[tokio::test]
async fn more_than_a_bulk_leaves_unasked() {
    let mut ends = ends(1 << 20).await;
    ends.near.write_all(&[7; 5 * RECORD]).await.unwrap();
    assert_eq!(ends.arrived().await, 5 * RECORD);
    assert_eq!(ends.records(), [[RECORD; 5]]);
}

#[tokio::test]
async fn who_put_a_flush_off_is_woken_for_it() {
    let mut ends = ends(1 << 20).await;
    ends.near.write_all(&[7; RECORD]).await.unwrap();
    let mut polls = 0;
    // As a connection is driven: flushed at each wakeup, until everything is sent.
    poll_fn(|context| {
        polls += 1;
        let flushed = Pin::new(&mut ends.near).poll_flush(context);
        assert!(flushed.is_ready());
        if ends.calls.lock().unwrap().is_empty() { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    assert_eq!(polls, 2);
    assert_eq!(ends.arrived().await, RECORD);
}

#[tokio::test]
async fn everything_arrives_in_order_however_slow_the_other_end_is() {
    let sent: Vec<u8> = (0..500_000_u32).map(|number| number.to_le_bytes()[1]).collect();
    let Ends { mut near, mut far, .. } = ends(1000).await;
    let whole = sent.clone();
    let writing = tokio::spawn(async move {
        let mut rest = &whole[..];
        let mut size = 1;
        while !rest.is_empty() {
            let (piece, _) = rest.split_at(size.min(rest.len()));
            let (left, right) = piece.split_at(piece.len() / 2);
            let pieces = [IoSlice::new(left), IoSlice::new(right)];
            let count = near.write_vectored(&pieces).await.unwrap();
            assert!(count > 0);
            rest = &rest[count..];
            size = size * 3 % 100_003 + 1;
            if size % 2 == 0 {
                near.flush().await.unwrap();
            }
            assert!(near.partial.len() < RECORD);
            assert!(near.gate().waiting <= TLS_BUFFER + RECORD);
        }
        near.shutdown().await.unwrap();
    });
    let mut got = Vec::new();
    far.read_to_end(&mut got).await.unwrap();
    writing.await.unwrap();
    assert!(got == sent);
}

#[tokio::test]
async fn who_does_not_read_holds_the_writer_up() {
    let Ends { mut near, far, .. } = ends(1000).await;
    let mut sent = 0;
    let soon = Duration::from_millis(20);
    while let Ok(count) = tokio::time::timeout(soon, near.write(&[7; 10_000])).await {
        sent += count.unwrap();
        // A flush that cannot finish is left pending, as `h2` leaves it.
        poll_fn(|context| Poll::Ready(Pin::new(&mut near).poll_flush(context).is_ready())).await;
    }
    assert!((TLS_BUFFER - RECORD..TLS_BUFFER + 2 * RECORD).contains(&sent), "{sent}");
    drop(far);
}

#[tokio::test]
async fn a_quiet_connection_keeps_little() {
    let mut ends = ends(1 << 20).await;
    ends.near.write_all(&[7; RECORD - 1]).await.unwrap();
    ends.near.flush().await.unwrap();
    ends.near.flush().await.unwrap();
    assert!(ends.near.partial.capacity() <= IDLE_CAPACITY);
    assert_eq!(ends.arrived().await, RECORD - 1);
}

#[tokio::test]
async fn what_tls_complains_of_is_told_though_nothing_is_flushed() {
    let Ends { mut near, far, calls } = ends(1 << 20).await;
    let (mut far, _) = far.into_inner();
    let mut forged = vec![23, 3, 3, 0, 40];
    forged.resize(5 + 40, 0);
    far.write_all(&forged).await.unwrap();
    assert!(near.read(&mut [0; 100]).await.is_err());
    assert_eq!(calls.lock().unwrap().len(), 1, "no alert");
}
