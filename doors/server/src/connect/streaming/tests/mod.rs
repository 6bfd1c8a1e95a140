//! Stream routes over connections in memory: `tokio-tungstenite` is the client, `ratchet-streams` the kubelet.

mod negotiating;
mod translating;
mod tunnelling;

use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// A client, and the server's end of its connection.
async fn client() -> (Client, DuplexStream) {
    let (ours, theirs) = tokio::io::duplex(16 << 10);
    (Client(WebSocketStream::from_raw_socket(ours, Role::Client, None).await), theirs)
}

/// Nothing here takes long unless it hangs.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.unwrap()
}

struct Client(WebSocketStream<DuplexStream>);

impl Client {
    async fn say(&mut self, bytes: impl Into<Bytes>) {
        soon(self.0.send(Message::Binary(bytes.into()))).await.unwrap();
    }

    async fn hear(&mut self) -> Message {
        soon(self.0.next()).await.unwrap().unwrap()
    }

    /// The next message that carries bytes.
    async fn hear_bytes(&mut self) -> Bytes {
        match self.hear().await {
            Message::Binary(bytes) => bytes,
            other => panic!("{other:?}"),
        }
    }

    /// The code of the last message, after which nothing comes.
    async fn hear_end(&mut self) -> u16 {
        let Message::Close(Some(CloseFrame { code, .. })) = self.hear().await else { panic!() };
        assert!(soon(self.0.next()).await.is_none_or(|more| more.is_err()));
        code.into()
    }
}
