//! `HashedDocument`: a document that is served with its hash as `ETag`.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use ratchet_catalog::discovery;
use ratchet_http::{Body, chunks, empty};

/// A document and its hash.
#[derive(Debug)]
pub(crate) struct HashedDocument {
    /// Pieces, which documents may share.
    pieces: Vec<Bytes>,
    pub(crate) hash: String,
}

impl HashedDocument {
    /// A document in one piece.
    pub(crate) fn of(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let hash = discovery::hash(&bytes);
        Self { pieces: vec![bytes], hash }
    }

    /// A document in pieces, whose hash is made from those of its pieces.
    pub(crate) fn of_pieces(pieces: Vec<(Bytes, String)>) -> Self {
        let hashes: Vec<&str> = pieces.iter().map(|(_, hash)| hash.as_str()).collect();
        let hash = discovery::hash(hashes.concat().as_bytes());
        Self { pieces: pieces.into_iter().map(|(piece, _)| piece).collect(), hash }
    }

    /// The document, or 304 if `If-None-Match` names its hash.
    pub(crate) fn answer(&self, content_type: &'static str, headers: &HeaderMap) -> Response<Body> {
        not_modified(&self.hash, content_type, headers).unwrap_or_else(|| {
            let mut response = Response::new(chunks(self.pieces.clone()));
            describe(&mut response, &self.hash, content_type);
            response
        })
    }

    /// The number of bytes.
    pub(crate) fn size(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum()
    }
}

/// 304 if `If-None-Match` names the hash of a document.
pub(crate) fn not_modified(
    hash: &str,
    content_type: &'static str,
    headers: &HeaderMap,
) -> Option<Response<Body>> {
    matches_tag(headers, &format!("\"{hash}\"")).then(|| {
        let mut response = Response::new(empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        describe(&mut response, hash, content_type);
        response
    })
}

fn describe(response: &mut Response<Body>, hash: &str, content_type: &'static str) {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{hash}\"")) {
        headers.insert(ETAG, tag);
    }
    headers.insert(VARY, HeaderValue::from_static("Accept"));
}

/// Whether `If-None-Match` contains the tag.
fn matches_tag(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_already_is_not_sent_again() {
        let document = HashedDocument::of("{}");
        let first = document.answer("application/json", &HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        let tag = first.headers().get(ETAG).unwrap().to_str().unwrap().to_owned();
        for (known, code) in [
            (tag.clone(), 304),
            (format!("\"x\", {tag}"), 304),
            (format!("W/{tag}"), 304),
            ("*".to_owned(), 304),
            ("\"x\"".to_owned(), 200),
            (tag.replace('"', ""), 200),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_str(&known).unwrap());
            let again = document.answer("application/json", &headers);
            assert_eq!(again.status().as_u16(), code, "{known}");
            assert_eq!(again.headers().get(ETAG).unwrap().to_str().unwrap(), tag);
        }
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(&tag).unwrap());
        let pieces = ["{", "}"].map(|text| (Bytes::from(text), discovery::hash(text.as_bytes())));
        assert_ne!(HashedDocument::of_pieces(pieces.into()).hash, document.hash);
        assert_eq!(
            HashedDocument::of("[]").answer("application/json", &headers).status(),
            StatusCode::OK
        );
    }
}
