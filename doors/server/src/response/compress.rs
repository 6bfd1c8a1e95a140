//! gzip: headers of compressed responses, and decompression of request bodies within the size limit.

use crate::request::body;
use crate::status::StatusError;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use http::{HeaderMap, HeaderValue};
use std::io::Read;

/// Responses up to this size are not compressed.
pub(crate) const THRESHOLD: usize = 128 * 1024;

/// Sets the headers of a compressed response.
pub(crate) fn set_gzip_headers(headers: &mut HeaderMap) {
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
}

/// Whether the client accepts gzip.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    lists.any(|list| {
        list.split(',').any(|encoding| encoding.split(';').next().map(str::trim) == Some("gzip"))
    })
}

/// Decompresses a request body; stops with an error as soon as it exceeds the limit.
pub(crate) fn decompress(bytes: Bytes, headers: &HeaderMap) -> Result<Bytes, StatusError> {
    let encoding =
        headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match encoding {
        "" | "identity" => Ok(bytes),
        "gzip" => {
            let mut out = Vec::new();
            let limit = u64::try_from(body::LIMIT).unwrap_or(u64::MAX);
            let read = GzDecoder::new(bytes.as_ref()).take(limit + 1).read_to_end(&mut out);
            read.map_err(|why| StatusError::bad_request(format!("the body is not gzip: {why}")))?;
            if out.len() > body::LIMIT {
                Err(StatusError::too_large(body::LIMIT))
            } else {
                Ok(out.into())
            }
        }
        other => {
            Err(StatusError::unsupported_media(format!("unsupported content encoding {other:?}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn a_bomb_is_refused_early() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(9));
        encoder.write_all(&vec![b'x'; 20 << 20]).unwrap();
        let bytes: Bytes = encoder.finish().unwrap().into();
        let mut headers = HeaderMap::new();
        assert_eq!(decompress(bytes.clone(), &headers).unwrap(), bytes);
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert_eq!(decompress(bytes, &headers).unwrap_err().code, 413);
        assert_eq!(decompress(Bytes::from_static(b"no"), &headers).unwrap_err().code, 400);
    }
}
