//! Requests and answers as trees.

use crate::{Api, ApiAnswer, ApiRequest, Failure, Lines, Shown};
use bytes::Bytes;
use ratchet_object::{Limits, Node, Value, decode_json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// So many objects are asked for at once.
const PAGE: u32 = 500;

/// No answer takes longer, so that a lost one does not stop a controller for ever.
const LONGEST: Duration = Duration::from_secs(60);

/// What a DELETE says: dependents are not our business, the collector of garbage sees to them.
const DELETE_OPTIONS: &str =
    r#"{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}"#;

/// A PATCH, by how it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patch {
    /// Members replace members, and null removes (RFC 7386).
    Merge,
    /// The same, but lists are merged by their keys.
    Strategic,
    /// A list of steps (RFC 6902).
    Steps,
}

/// What becomes of the dependents of what is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// They go afterwards.
    Background,
    /// They go first.
    Foreground,
    /// They stay.
    Orphan,
}

/// How an object is deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deletion {
    /// What becomes of the dependents; none if that is left to the API.
    pub policy: Option<Policy>,
    /// Only the object with this uid.
    pub uid: Option<String>,
    /// Only if nothing changed since this version.
    pub version: Option<String>,
}

/// The API, as one controller sees it.
#[derive(Clone)]
pub struct Client {
    api: Arc<dyn Api>,
    controller: &'static str,
    shown: Shown,
}

impl Patch {
    fn content_type(self) -> &'static str {
        match self {
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Steps => "application/json-patch+json",
        }
    }
}

impl Policy {
    fn name(self) -> &'static str {
        match self {
            Self::Background => "Background",
            Self::Foreground => "Foreground",
            Self::Orphan => "Orphan",
        }
    }
}

impl Deletion {
    fn to_node(&self) -> Node<'static> {
        let mut options = Node::map([
            ("kind", Node::string("DeleteOptions")),
            ("apiVersion", Node::string("v1")),
        ]);
        if let Some(policy) = self.policy {
            options.set("propagationPolicy", Node::string(policy.name()));
        }
        let conditions = [("uid", &self.uid), ("resourceVersion", &self.version)];
        for (name, text) in conditions {
            if let Some(text) = text {
                options.below("preconditions").set(name, Node::string(text.clone()));
            }
        }
        options
    }
}

impl Client {
    /// The API as `controller` sees it.
    pub fn new(api: Arc<dyn Api>, controller: &'static str) -> Self {
        Self { api, controller, shown: Shown::Whole }
    }

    /// The same, but objects are shown without what is beside their metadata.
    pub fn metadata_only(&self) -> Self {
        Self { shown: Shown::Metadata, ..self.clone() }
    }

    /// Reads one object or document.
    pub async fn get(&self, path: &str) -> Result<Node<'static>, Failure> {
        self.tree("GET", path, Bytes::new()).await
    }

    /// Replaces an object, or the part of it that the path names.
    pub async fn put(&self, path: &str, node: &Node<'_>) -> Result<Node<'static>, Failure> {
        self.tree("PUT", path, node.to_json().into()).await
    }

    /// Makes an object.
    pub async fn post(&self, path: &str, node: &Node<'_>) -> Result<Node<'static>, Failure> {
        self.tree("POST", path, node.to_json().into()).await
    }

    /// Changes a part of an object.
    pub async fn patch(
        &self,
        path: &str,
        patch: Patch,
        node: &Node<'_>,
    ) -> Result<Node<'static>, Failure> {
        let body = node.to_json().into();
        read(&self.send_as("PATCH", path, patch.content_type(), body).await?).map(Node::into_owned)
    }

    /// Deletes an object in a certain way.
    pub async fn delete_with(&self, path: &str, deletion: &Deletion) -> Result<(), Failure> {
        self.send("DELETE", path, deletion.to_node().to_json().into()).await.map(drop)
    }

    /// Deletes an object or, if the path names none, all of a collection.
    pub async fn delete(&self, path: &str) -> Result<(), Failure> {
        self.send("DELETE", path, Bytes::from_static(DELETE_OPTIONS.as_bytes())).await.map(drop)
    }

    /// Shows every object of a collection to `see`, page by page, and says at which resource
    /// version they were there.
    pub async fn list(
        &self,
        path: &str,
        mut see: impl FnMut(Node<'_>) + Send,
    ) -> Result<String, Failure> {
        let mut more = String::new();
        loop {
            let page = match more.as_str() {
                "" => asking(path, &format!("limit={PAGE}")),
                token => asking(path, &format!("limit={PAGE}&continue={}", escaped(token))),
            };
            let body = self.send("GET", &page, Bytes::new()).await?;
            let mut list = read(&body)?;
            more = list.text_at(&["metadata", "continue"]).to_owned();
            if let Some(Node { value: Value::List(items), .. }) = list.remove("items") {
                items.into_iter().for_each(&mut see);
            }
            if more.is_empty() {
                return Ok(list.text_at(&["metadata", "resourceVersion"]).to_owned());
            }
        }
    }

    /// Begins a watch.
    pub async fn watch(&self, path: &str) -> Result<Box<dyn Lines>, Failure> {
        let begun = timeout(LONGEST, self.api.watch(path, self.shown)).await.unwrap_or(Err(0));
        begun.map_err(|status| Failure::of(&ApiAnswer { status, body: Bytes::new() }))
    }

    async fn tree(
        &self,
        method: &'static str,
        path: &str,
        body: Bytes,
    ) -> Result<Node<'static>, Failure> {
        read(&self.send(method, path, body).await?).map(Node::into_owned)
    }

    async fn send(&self, method: &'static str, path: &str, body: Bytes) -> Result<Bytes, Failure> {
        let content_type = if body.is_empty() { "" } else { "application/json" };
        self.send_as(method, path, content_type, body).await
    }

    async fn send_as(
        &self,
        method: &'static str,
        path: &str,
        content_type: &'static str,
        body: Bytes,
    ) -> Result<Bytes, Failure> {
        let (controller, path, shown) = (self.controller, path.to_owned(), self.shown);
        let request = ApiRequest { controller, method, path, shown, content_type, body };
        let silence = ApiAnswer { status: 0, body: Bytes::new() };
        let answer = timeout(LONGEST, self.api.send(request)).await.unwrap_or(silence);
        if (200..300).contains(&answer.status) {
            Ok(answer.body)
        } else {
            Err(Failure::of(&answer))
        }
    }
}

/// Reads one value.
pub(crate) fn read(body: &[u8]) -> Result<Node<'_>, Failure> {
    let unreadable =
        |why: &dyn std::fmt::Display| Failure::new(format!("unreadable answer: {why}"));
    let text = std::str::from_utf8(body).map_err(|why| unreadable(&why))?;
    let decoded = decode_json(text, Limits::STORED).map_err(|why| unreadable(&why))?;
    decoded.documents.into_iter().next().ok_or_else(|| unreadable(&"it is empty"))
}

/// A path with more in its query.
pub(crate) fn asking(path: &str, query: &str) -> String {
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}{query}")
}

/// A text as a part of a path or a value of a query holds it.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Waiting;

    /// Never answers.
    struct Deaf;

    impl Api for Deaf {
        fn send(&self, _: ApiRequest) -> Waiting<'_, ApiAnswer> {
            Box::pin(std::future::pending())
        }

        fn watch(&self, _: &str, _: Shown) -> Waiting<'_, Result<Box<dyn Lines>, u16>> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_answer_is_a_failure_after_a_while() {
        let client = Client::new(Arc::new(Deaf), "test");
        let expected = Failure { code: 0, message: "the API did not answer".to_owned() };
        assert_eq!(client.get("/api").await, Err(expected.clone()));
        assert_eq!(client.watch("/api").await.err(), Some(expected));
    }

    #[test]
    fn tokens_are_escaped() {
        assert_eq!(escaped("aZ09-._~"), "aZ09-._~");
        assert_eq!(escaped("a+b/c=\u{e9}"), "a%2Bb%2Fc%3D%C3%A9");
    }

    #[test]
    fn a_deletion_says_no_more_than_it_means() {
        let nothing = r#"{"kind":"DeleteOptions","apiVersion":"v1"}"#;
        assert_eq!(Deletion::default().to_node().to_json(), nothing);
        let all = Deletion {
            policy: Some(Policy::Orphan),
            uid: Some("u".to_owned()),
            version: Some("7".to_owned()),
        };
        assert_eq!(
            all.to_node().to_json(),
            r#"{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan","preconditions":{"uid":"u","resourceVersion":"7"}}"#
        );
    }

    #[test]
    fn what_is_no_json_is_a_failure() {
        for body in [&b""[..], b"{", b"\xff"] {
            assert!(read(body).is_err(), "{body:?}");
        }
        assert!(read(b"{}").is_ok());
    }
}
