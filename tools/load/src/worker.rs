//! A client's requests: which one is next, and what its answer is needed for.

use crate::connection::ApiRequest;
use crate::resource::Template;
use hyper::Method;
use memchr::memmem;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// A list's metadata stand within so many bytes of its beginning or its end.
const METADATA: usize = 4096;

static CONTINUE: LazyLock<TextMember> = LazyLock::new(|| TextMember::new("continue"));

/// What all clients of one run share.
pub(crate) struct Collection {
    pub(crate) path: String,
    pub(crate) template: Template,
    /// How many objects were there before.
    pub(crate) seeded: usize,
    /// Objects on a page of a list.
    pub(crate) page: usize,
    /// The next object that nobody has taken.
    pub(crate) next: AtomicUsize,
}

/// One client.
pub(crate) struct Worker {
    pub(crate) collection: Arc<Collection>,
    pub(crate) number: usize,
    /// The object that this client alone updates.
    pub(crate) own: Option<Template>,
    sent: usize,
    continue_token: String,
}

/// A sort of request: its name, the next one of a client (none when there is nothing left to do), and what is kept of the
/// answer.
pub(crate) struct RequestKind {
    pub(crate) name: &'static str,
    pub(crate) next: fn(&mut Worker) -> Option<ApiRequest>,
    pub(crate) absorb: fn(&mut Worker, &[u8]),
}

pub(crate) static CREATE: RequestKind =
    RequestKind { name: "create", next: Worker::create, absorb: |_, _| {} };
pub(crate) static GET: RequestKind =
    RequestKind { name: "get", next: Worker::get, absorb: |_, _| {} };
pub(crate) static LIST: RequestKind =
    RequestKind { name: "list", next: Worker::list, absorb: Worker::absorb_page };
pub(crate) static UPDATE: RequestKind =
    RequestKind { name: "update", next: Worker::update, absorb: |_, _| {} };
pub(crate) static DELETE: RequestKind =
    RequestKind { name: "delete", next: Worker::delete, absorb: |_, _| {} };

/// The name of an object that was there before.
pub(crate) fn seeded_name(number: usize) -> String {
    format!("load-{number:06}")
}

impl Worker {
    pub(crate) fn new(collection: Arc<Collection>, number: usize, own: Option<Template>) -> Self {
        Self { collection, number, own, sent: 0, continue_token: String::new() }
    }

    /// The number of this client's next request.
    fn take_number(&mut self) -> usize {
        self.sent += 1;
        self.sent
    }

    fn named(&self, number: usize) -> String {
        format!("{}/{}", self.collection.path, seeded_name(number))
    }

    fn create(&mut self) -> Option<ApiRequest> {
        let number = self.take_number();
        let name = format!("new-{:04}-{number:06}", self.number);
        let body = self.collection.template.fill(&name, number);
        Some(ApiRequest::json(Method::POST, self.collection.path.clone(), body))
    }

    /// Reads the objects in an order that is no order, and another one for each client.
    fn get(&mut self) -> Option<ApiRequest> {
        let number = self.take_number().wrapping_mul(7919) + self.number.wrapping_mul(104_729);
        let number = number.checked_rem(self.collection.seeded)?;
        Some(ApiRequest::plain(Method::GET, self.named(number)))
    }

    fn list(&mut self) -> Option<ApiRequest> {
        let mut path = format!("{}?limit={}", self.collection.path, self.collection.page);
        if !self.continue_token.is_empty() {
            path.push_str("&continue=");
            push_escaped(&mut path, &self.continue_token);
        }
        Some(ApiRequest::plain(Method::GET, path))
    }

    /// Goes on with the next page, or from the first one after the last.
    fn absorb_page(&mut self, body: &[u8]) {
        self.continue_token = continue_token(body).unwrap_or_default();
    }

    fn update(&mut self) -> Option<ApiRequest> {
        let number = self.take_number();
        let body = self.own.as_ref()?.fill("", number);
        Some(ApiRequest::json(Method::PUT, self.named(self.number), body))
    }

    fn delete(&mut self) -> Option<ApiRequest> {
        let number = self.collection.next.fetch_add(1, Ordering::Relaxed);
        let is_there = number < self.collection.seeded;
        is_there.then(|| ApiRequest::plain(Method::DELETE, self.named(number)))
    }
}

/// The token of the page that follows, as the list's metadata have it.
fn continue_token(body: &[u8]) -> Option<String> {
    let head = body.get(..METADATA).unwrap_or(body);
    let tail = body.len().checked_sub(METADATA).and_then(|at| body.get(at..));
    [Some(head), tail].into_iter().flatten().find_map(|part| CONTINUE.find(part)).map(str::to_owned)
}

/// Finds a member of JSON by its name alone, whose value is a text without escapes.
pub(crate) struct TextMember(memmem::Finder<'static>);

impl TextMember {
    pub(crate) fn new(name: &str) -> Self {
        Self(memmem::Finder::new(&format!("\"{name}\":")).into_owned())
    }

    /// The value.
    pub(crate) fn find<'a>(&self, json: &'a [u8]) -> Option<&'a str> {
        let at = self.0.find(json)? + self.0.needle().len();
        let value = json.get(at..)?.trim_ascii_start().strip_prefix(b"\"")?;
        let end = memchr::memchr(b'"', value)?;
        std::str::from_utf8(value.get(..end)?).ok()
    }
}

fn push_escaped(path: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                path.push(char::from(byte));
            }
            // A write into a text does not fail.
            _ => {
                let _ = write!(path, "%{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::Resource;
    use std::collections::HashSet;

    fn worker(number: usize, seeded: usize) -> Worker {
        let resource = Resource::named("configmaps").unwrap();
        let collection = Collection {
            path: resource.collection("a"),
            template: resource.template(),
            seeded,
            page: 500,
            next: AtomicUsize::new(0),
        };
        Worker::new(Arc::new(collection), number, None)
    }

    #[test]
    fn new_names_are_never_the_same() {
        let (mut one, mut two) = (worker(1, 0), worker(11, 0));
        let bodies: HashSet<_> = (0..100)
            .flat_map(|_| [one.create().unwrap().body, two.create().unwrap().body])
            .collect();
        assert_eq!(bodies.len(), 200);
    }

    #[test]
    fn reads_come_by_every_object() {
        let mut one = worker(3, 10);
        let paths: HashSet<_> = (0..10).map(|_| one.get().unwrap().path).collect();
        assert_eq!(paths.len(), 10);
        assert!(worker(3, 0).get().is_none());
    }

    #[test]
    fn deletions_end_with_the_objects() {
        let mut one = worker(0, 2);
        let paths: Vec<_> = std::iter::from_fn(|| Some(one.delete()?.path)).collect();
        assert_eq!(
            paths,
            [
                "/api/v1/namespaces/a/configmaps/load-000000",
                "/api/v1/namespaces/a/configmaps/load-000001"
            ]
        );
    }

    #[test]
    fn pages_follow_each_other_and_begin_again() {
        let mut one = worker(0, 0);
        one.absorb_page(br#"{"metadata":{"continue":"a+b","remainingItemCount":3},"items":[]}"#);
        let path = one.list().unwrap().path;
        assert_eq!(path, "/api/v1/namespaces/a/configmaps?limit=500&continue=a%2Bb");
        one.absorb_page(br#"{"metadata":{"resourceVersion":"1"},"items":[]}"#);
        assert_eq!(one.list().unwrap().path, "/api/v1/namespaces/a/configmaps?limit=500");
    }

    #[test]
    fn a_token_is_found_before_and_after_the_items() {
        let items = "x".repeat(3 * METADATA);
        let before = format!(r#"{{"metadata":{{"continue": "t1"}},"items":"{items}"}}"#);
        let after = format!(r#"{{"items":"{items}","metadata":{{"continue":"t2"}}}}"#);
        assert_eq!(continue_token(before.as_bytes()).as_deref(), Some("t1"));
        assert_eq!(continue_token(after.as_bytes()).as_deref(), Some("t2"));
        assert_eq!(continue_token(b"{}"), None);
        assert_eq!(TextMember::new("a").find(br#"{"a":1}"#), None);
    }
}
