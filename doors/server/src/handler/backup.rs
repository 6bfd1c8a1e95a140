//! GET `/ratchet/backup`: an archive of the store at one revision, sent while it is read.

use crate::app::App;
use crate::request::Output;
use crate::response::respond::error_response;
use crate::status::StatusError;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use ratchet_http::{Body, Sender, channel};
use ratchet_store::archive::Backup;
use std::time::Duration;

/// The time within which a client must read a piece; the history since its revision is held as long as it reads.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// The size of a chunk of the response.
const CHUNK: usize = 256 << 10;

/// Starts a backup of the latest revision.
pub(crate) async fn answer(app: &App) -> Response<Body> {
    // Taken first: the revision of the backup is this one or a later one.
    let lines = || app.cache.lines();
    let holds: Vec<_> =
        lines().map(|(number, line)| app.held_revisions.hold(number, line.reached())).collect();
    let stores = lines().map(|(_, line)| line.store().clone()).collect();
    let backup = match Backup::begin_all(stores).await {
        Ok(backup) => backup,
        Err(error) => return error_response(&StatusError::from(error), Output::PLAIN),
    };
    let (sender, body) = channel(2);
    tokio::spawn(async move {
        let _holds = holds;
        send(backup, sender).await;
    });
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn send(mut backup: Backup, sender: Sender) {
    loop {
        let mut piece = match backup.next_piece().await {
            Ok(Some(piece)) => piece,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, revision = backup.revision().0, "a backup broke off");
                return sender.fail("the store could not be read to the end").await;
            }
        };
        while !piece.is_empty() {
            let chunk = piece.split_to(piece.len().min(CHUNK));
            match tokio::time::timeout(SEND_TIMEOUT, sender.send(chunk)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return, // the client has gone
                Err(_) => return sender.fail("nobody reads the backup").await,
            }
        }
    }
}
