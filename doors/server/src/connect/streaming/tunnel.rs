//! Portforward: tunnels the bytes of a SPDY connection to the kubelet in WebSocket messages.

use super::socket::{
    Disconnect, MessageReader, MessageWriter, PING_EVERY, Pongs, ReadBuffer, close,
};
use ratchet_streams::websocket::{NORMAL, Piece, UNSUPPORTED};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{MissedTickBehavior, interval_at, timeout};

/// The timeout for shutting the kubelet's connection down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Copies bytes in both directions until either end is done. `client` is upgraded to WebSocket, and `kubelet` to SPDY.
pub(crate) async fn tunnel<C, K>(client: C, kubelet: K)
where
    C: AsyncRead + AsyncWrite + Unpin,
    K: AsyncRead + AsyncWrite + Unpin,
{
    let (client_in, client_out) = split(client);
    let (mut kubelet_in, mut kubelet_out) = split(kubelet);
    let mut reader = MessageReader::new(client_in);
    let mut writer = MessageWriter::new(client_out);
    let pongs = Pongs::default();
    let disconnect = tokio::select! {
        disconnect = client_to_kubelet(&mut reader, &mut kubelet_out, &pongs) => disconnect,
        disconnect = kubelet_to_client(&mut kubelet_in, &mut writer, &pongs) => disconnect,
    };
    let _ = timeout(SHUTDOWN_TIMEOUT, kubelet_out.shutdown()).await;
    drop((kubelet_in, kubelet_out));
    close(reader, writer, disconnect.answer()).await;
}

/// Copies from the client to the kubelet.
async fn client_to_kubelet<R, W>(
    reader: &mut MessageReader<R>,
    kubelet: &mut W,
    pongs: &Pongs,
) -> Disconnect
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    loop {
        match reader.next().await {
            Ok(Piece::Data { text: true, .. }) => return Disconnect::Broken(UNSUPPORTED),
            Ok(Piece::Data { bytes, .. }) => {
                let sent = async {
                    kubelet.write_all(&bytes).await?;
                    kubelet.flush().await
                };
                if sent.await.is_err() {
                    return Disconnect::Closed(Some(NORMAL));
                }
            }
            Ok(Piece::Ping(question)) => pongs.request(question),
            Ok(Piece::Pong | Piece::Close(_)) => {}
            Err(disconnect) => return disconnect,
        }
    }
}

/// Copies from the kubelet to the client.
async fn kubelet_to_client<R, W>(
    kubelet: &mut R,
    writer: &mut MessageWriter<W>,
    pongs: &Pongs,
) -> Disconnect
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut input = ReadBuffer::default();
    let mut pings = interval_at(tokio::time::Instant::now() + PING_EVERY, PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            read = input.read(kubelet) => match read {
                Ok(1..) => writer.send(input.bytes.split().freeze()),
                Ok(0) | Err(_) => return Disconnect::Closed(Some(NORMAL)),
            },
            question = pongs.next() => writer.pong(question),
            _ = pings.tick() => writer.ping(),
        }
        if writer.flush().await.is_err() {
            return Disconnect::Lost;
        }
    }
}
