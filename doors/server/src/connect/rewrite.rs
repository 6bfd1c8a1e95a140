//! Rewriting of redirects and links in proxied responses, so that they lead through the proxy.

use super::page::Page;
use crate::app::compute::Compute;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, LOCATION};
use http::{HeaderMap, HeaderValue, Response};
use ratchet_http::Body;
use std::sync::Arc;

/// The URL prefix of the proxy before the backend's own paths.
#[derive(Clone, Debug)]
pub(super) struct Prefix {
    path: String,
    backend: String,
    requested_host: String,
}

impl Prefix {
    /// The prefix of a request for `whole`, of which the backend sees `inner`.
    pub(super) fn of(whole: &str, inner: &str, backend: &str, headers: &HeaderMap) -> Self {
        let path = whole.strip_suffix(inner).unwrap_or(whole).to_owned();
        let requested_host =
            headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        Self { path, backend: backend.to_owned(), requested_host: requested_host.to_owned() }
    }

    /// Rewrites the `Location` header, or the links of an HTML page.
    pub(super) fn rewrite(
        self,
        mut response: Response<Body>,
        compute: &Arc<Compute>,
    ) -> Response<Body> {
        let is_empty = http_body::Body::is_end_stream(response.body());
        let headers = response.headers_mut();
        if let Some(to) = headers.get(LOCATION).and_then(|value| value.to_str().ok()) {
            if let Ok(to) = HeaderValue::from_str(&self.link(to)) {
                headers.insert(LOCATION, to);
            }
            return response;
        }
        let text = |name| headers.get(&name).and_then(|value| value.to_str().ok()).unwrap_or("");
        let content_type = text(CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
        if content_type != "text/html" || is_empty {
            return response;
        }
        let Some(page) = Page::new(text(CONTENT_ENCODING), self) else { return response };
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
        response.map(|body| page.rewritten(body, compute.clone()))
    }

    /// Rewrites a link: links to the backend itself get the prefix.
    pub(super) fn link(&self, to: &str) -> String {
        let (host, rest) = split_host(to);
        let is_elsewhere =
            host.is_some_and(|host| host != self.backend && host != self.requested_host);
        if is_elsewhere || !rest.starts_with('/') {
            return to.to_owned();
        }
        let start = match host {
            Some(host) if host == self.requested_host => to.strip_suffix(rest).unwrap_or_default(),
            _ => "",
        };
        match rest.starts_with(&self.path) {
            true => format!("{start}{rest}"),
            false => format!("{start}{}{rest}", self.path),
        }
    }
}

/// The host of an absolute URL and the rest.
fn split_host(url: &str) -> (Option<&str>, &str) {
    let after = url.split_once("://").map(|(_, rest)| rest).or_else(|| url.strip_prefix("//"));
    let Some(rest) = after else { return (None, url) };
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(at);
    (Some(host), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http_body_util::BodyExt;
    use ratchet_http::{chunks, full};
    use std::io::Write;

    const PROXY: &str = "/api/v1/namespaces/a/services/b/proxy";

    fn prefix() -> Prefix {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("api.example:6443"));
        Prefix::of(&format!("{PROXY}/index.html"), "/index.html", "10.0.0.1:80", &headers)
    }

    #[test]
    fn links_to_the_backend_go_through_the_proxy_and_others_do_not() {
        for (link, followed) in [
            ("/x/y?z#w", format!("{PROXY}/x/y?z#w")),
            ("/", format!("{PROXY}/")),
            ("http://10.0.0.1:80/x", format!("{PROXY}/x")),
            ("https://api.example:6443/x", format!("https://api.example:6443{PROXY}/x")),
            ("//10.0.0.1:80/x", format!("{PROXY}/x")),
            ("http://elsewhere/x", "http://elsewhere/x".into()),
            ("x/y", "x/y".into()),
            ("#top", "#top".into()),
            ("?q=/x", "?q=/x".into()),
        ] {
            assert_eq!(prefix().link(link), followed, "{link}");
        }
        let already = format!("{PROXY}/x");
        assert_eq!(prefix().link(&already), already);
    }

    async fn rewritten(content_type: &'static str, encoding: &'static str, body: Body) -> Bytes {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("7"));
        let response = prefix().rewrite(response, &Arc::default());
        if encoding == "gzip" && content_type.starts_with("text/html") {
            assert!(!response.headers().contains_key(CONTENT_ENCODING));
            assert!(!response.headers().contains_key(CONTENT_LENGTH));
        }
        response.into_body().collect().await.unwrap().to_bytes()
    }

    const PAGE: &str =
        r#"<a href="/x?a&amp;b">é</a><script>"<a href='/no'>"</script><img alt="/no" src=/y>"#;

    #[tokio::test]
    async fn links_in_pages_are_rewritten_and_nothing_else() {
        let wanted = format!(
            r#"<a href="{PROXY}/x?a&amp;b">é</a><script>"<a href='/no'>"</script><img alt="/no" src="{PROXY}/y">"#
        );
        // One byte at a time, so that every tag is split.
        let bytes = PAGE.bytes().map(|byte| Bytes::from(vec![byte])).collect();
        assert_eq!(rewritten("text/html; charset=utf-8", "", chunks(bytes)).await, wanted);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(PAGE.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(rewritten("text/html", "gzip", full(packed.clone())).await, wanted);
        assert_eq!(rewritten("text/plain", "", full(PAGE)).await, PAGE);
        assert_eq!(rewritten("text/html", "br", full(PAGE)).await, PAGE);
        assert_eq!(rewritten("application/gzip", "gzip", full(packed.clone())).await, packed);
    }

    /// A body that counts polls.
    struct CountedBody(Arc<std::sync::atomic::AtomicUsize>, Bytes);

    impl http_body::Body for CountedBody {
        type Data = Bytes;
        type Error = ratchet_http::BodyError;

        fn poll_frame(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            std::task::Poll::Ready(Some(Ok(http_body::Frame::data(self.1.clone()))))
        }
    }

    #[tokio::test]
    async fn a_packed_page_is_unpacked_as_it_is_read() {
        const WHOLE: usize = 32 << 20;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(b"<a href=/x>").unwrap();
        packed.write_all(&vec![b'x'; WHOLE]).unwrap();
        let packed = Bytes::from(packed.finish().unwrap());
        assert!(packed.len() < WHOLE / 500, "{}", packed.len());
        let polls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let mut response = Response::new(Body::new(CountedBody(polls.clone(), packed)));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        let mut body = prefix().rewrite(response, &Arc::default()).into_body();
        let (mut whole, mut largest) = (0, 0);
        while let Some(frame) = body.frame().await {
            let piece = frame.unwrap().into_data().unwrap();
            whole += piece.len();
            largest = largest.max(piece.len());
        }
        assert_eq!(whole, WHOLE + format!("<a href=\"{PROXY}/x\">").len());
        assert!(largest <= 16 * 1024, "{largest} bytes at once");
        assert_eq!(polls.load(std::sync::atomic::Ordering::Relaxed), 1, "pieces are not gathered");
    }

    #[test]
    fn redirects_stay_within_the_proxy() {
        let mut response = Response::new(full(""));
        response.headers_mut().insert(LOCATION, HeaderValue::from_static("/login"));
        let response = prefix().rewrite(response, &Arc::default());
        assert_eq!(response.headers()[LOCATION], format!("{PROXY}/login"));
    }
}
