//! Programs on ports, as pods have them.

use std::net::SocketAddr;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

/// A program that sends everything back, and says goodbye when its client has said all.
pub(crate) async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reader, mut writer) = socket.split();
                if tokio::io::copy(&mut reader, &mut writer).await.is_ok() {
                    let _ = writer.write_all(b"bye").await; // the client may be gone
                }
            });
        }
    });
    address
}
