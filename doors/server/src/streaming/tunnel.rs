//! Port-forward over WebSocket: messages that carry the bytes of a SPDY connection to the kubelet, unseen.

use super::socket::{Gone, Input, Listener, PING_EVERY, Pongs, Speaker, part};
use ratchet_websocket::{NORMAL, Piece, UNSUPPORTED};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{MissedTickBehavior, interval_at, timeout};

/// How long a kubelet may take to hear that it is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// Carries bytes both ways until either end is done. `client` has been answered that it speaks WebSocket now, and
/// `kubelet` has answered that it speaks SPDY.
pub(crate) async fn tunnel<C, K>(client: C, kubelet: K)
where
    C: AsyncRead + AsyncWrite + Unpin,
    K: AsyncRead + AsyncWrite + Unpin,
{
    let (client_in, client_out) = split(client);
    let (mut kubelet_in, mut kubelet_out) = split(kubelet);
    let mut listener = Listener::new(client_in);
    let mut speaker = Speaker::new(client_out);
    let pongs = Pongs::default();
    let gone = tokio::select! {
        gone = up(&mut listener, &mut kubelet_out, &pongs) => gone,
        gone = down(&mut kubelet_in, &mut speaker, &pongs) => gone,
    };
    let _ = timeout(FAREWELL, kubelet_out.shutdown()).await;
    drop((kubelet_in, kubelet_out));
    part(listener, speaker, gone.answer()).await;
}

/// From the client to the kubelet.
async fn up<R, W>(listener: &mut Listener<R>, kubelet: &mut W, pongs: &Pongs) -> Gone
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    loop {
        match listener.next().await {
            Ok(Piece::Data { text: true, .. }) => return Gone::Broken(UNSUPPORTED),
            Ok(Piece::Data { bytes, .. }) => {
                let sent = async {
                    kubelet.write_all(&bytes).await?;
                    kubelet.flush().await
                };
                if sent.await.is_err() {
                    return Gone::Closed(Some(NORMAL));
                }
            }
            Ok(Piece::Ping(question)) => pongs.owe(question),
            Ok(Piece::Pong | Piece::Close(_)) => {}
            Err(gone) => return gone,
        }
    }
}

/// From the kubelet to the client.
async fn down<R, W>(kubelet: &mut R, speaker: &mut Speaker<W>, pongs: &Pongs) -> Gone
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut input = Input::default();
    let mut pings = interval_at(tokio::time::Instant::now() + PING_EVERY, PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            read = input.read(kubelet) => match read {
                Ok(1..) => speaker.say(input.bytes.split().freeze()),
                Ok(0) | Err(_) => return Gone::Closed(Some(NORMAL)),
            },
            question = pongs.owed() => speaker.pong(question),
            _ = pings.tick() => speaker.ping(),
        }
        if speaker.flush().await.is_err() {
            return Gone::Lost;
        }
    }
}
