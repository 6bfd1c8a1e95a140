//! `Download`: the body of a response, piece by piece, however large it is.

use crate::ClusterError;
use crate::error::chain;
use bytes::Bytes;
use http_body_util::BodyExt;
use kube_client::client::Body;

/// A response that is being received.
#[derive(Debug)]
pub struct Download {
    pub(crate) server: String,
    pub(crate) body: Body,
}

impl Download {
    /// The next bytes; `None` after the last.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>, ClusterError> {
        while let Some(frame) = self.body.frame().await {
            let broken =
                |why: String| ClusterError::Unreachable { server: self.server.clone(), why };
            let frame = frame.map_err(|error| broken(chain(&error)))?;
            if let Ok(piece) = frame.into_data() {
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }
}
