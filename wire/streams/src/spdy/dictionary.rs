//! The dictionary that every SPDY/3 header block begins from, made of its words.

use std::sync::LazyLock;

/// Its Adler-32 checksum, by which a compressed stream names it.
pub(crate) const CHECKSUM: u32 = 0xe3c6_a7c2;

/// The dictionary as both ends of a connection have it.
pub(crate) static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = Vec::with_capacity(1423);
    for word in WORDS {
        bytes.extend_from_slice(&u32::try_from(word.len()).unwrap_or_default().to_be_bytes());
        bytes.extend_from_slice(word.as_bytes());
    }
    bytes.extend(TEXT.iter().flat_map(|piece| piece.bytes()));
    bytes
});

/// Names and values, each of which follows its length.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "options", "head", "post", "put", "delete", "trace", "accept", "accept-charset", "accept-encoding",
    "accept-language", "accept-ranges", "age", "allow", "authorization", "cache-control", "connection",
    "content-base", "content-encoding", "content-language", "content-length", "content-location", "content-md5",
    "content-range", "content-type", "date", "etag", "expect", "expires", "from", "host", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "location",
    "max-forwards", "pragma", "proxy-authenticate", "proxy-authorization", "range", "referer", "retry-after",
    "server", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "vary", "via", "warning",
    "www-authenticate", "method", "get", "status", "200 OK", "version", "HTTP/1.1", "url", "public",
    "set-cookie", "keep-alive", "origin",
];

/// What follows without lengths.
const TEXT: &[&str] = &[
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505",
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request",
    "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented",
    "503 Service Unavailable",
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT",
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,",
    "text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch",
    "charset=utf-8charset=iso-8859-1,utf-,*,enq=0.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_dictionary_that_peers_have() {
        let (a, b) = BYTES.iter().fold((1u32, 0u32), |(a, b), byte| {
            let a = (a + u32::from(*byte)) % 65_521;
            (a, (b + a) % 65_521)
        });
        assert_eq!((BYTES.len(), b << 16 | a), (1423, CHECKSUM));
    }
}
