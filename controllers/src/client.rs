//! Typed requests to the API, with objects as trees of nodes.

use crate::{Api, ApiRequest, ApiResponse, Failure, Lines, Representation};
use bytes::Bytes;
use ratchet_object::{CompactJson, Limits, Node, Value, decode_json, percent_encode};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Objects per page of a list. Their text is freed by another thread than the one that wrote it, and an idle thread does
/// not give it back: so it is small.
const PAGE: u32 = 100;

/// The timeout of a request, so that a lost response does not stop a controller for ever.
const LONGEST: Duration = Duration::from_secs(60);

/// The body of a plain DELETE: dependents are left to the garbage collector.
const DELETE_OPTIONS: &str =
    r#"{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}"#;

/// The format of a PATCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patch {
    /// JSON merge patch (RFC 7386): members replace members, and null removes.
    Merge,
    /// Strategic merge patch: like a merge patch, but lists are merged by their keys.
    Strategic,
    /// JSON patch (RFC 6902): a list of operations.
    Steps,
}

/// The propagation policy of a deletion: what happens to dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// They are deleted afterwards.
    Background,
    /// They are deleted first.
    Foreground,
    /// They stay.
    Orphan,
}

/// The options of a deletion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deletion {
    /// What happens to dependents; `None` leaves that to the API.
    pub policy: Option<Policy>,
    /// Precondition: only the object with this uid.
    pub uid: Option<String>,
    /// Precondition: only this resource version.
    pub version: Option<String>,
}

/// A client of the API for one controller.
#[derive(Clone)]
pub struct Client {
    api: Arc<dyn Api>,
    controller: &'static str,
    representation: Representation,
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
                options.map_mut("preconditions").set(name, Node::string(text.clone()));
            }
        }
        options
    }
}

impl Client {
    /// A client that sends requests in the name of `controller`.
    pub fn new(api: Arc<dyn Api>, controller: &'static str) -> Self {
        Self { api, controller, representation: Representation::Whole }
    }

    /// The same client, but objects come as `PartialObjectMetadata`.
    pub fn metadata_only(&self) -> Self {
        Self { representation: Representation::Metadata, ..self.clone() }
    }

    /// The same client, but discovery comes in one document.
    pub(crate) fn aggregated_discovery(&self) -> Self {
        Self { representation: Representation::Discovery, ..self.clone() }
    }

    /// Gets one object or document.
    pub async fn get(&self, path: &str) -> Result<Node<'static>, Failure> {
        self.tree("GET", path, Bytes::new()).await
    }

    /// Replaces an object or the subresource that the path names.
    pub async fn put(&self, path: &str, node: &Node<'_>) -> Result<Node<'static>, Failure> {
        self.tree("PUT", path, node.to_json().into()).await
    }

    /// Creates an object.
    pub async fn post(&self, path: &str, node: &Node<'_>) -> Result<Node<'static>, Failure> {
        self.tree("POST", path, node.to_json().into()).await
    }

    /// Patches an object.
    pub async fn patch(
        &self,
        path: &str,
        patch: Patch,
        node: &Node<'_>,
    ) -> Result<Node<'static>, Failure> {
        let body = node.to_json().into();
        parse_json(&self.send_as("PATCH", path, patch.content_type(), body).await?)
            .map(Node::into_owned)
    }

    /// Deletes an object with these options.
    pub async fn delete_with(&self, path: &str, deletion: &Deletion) -> Result<(), Failure> {
        self.send("DELETE", path, deletion.to_node().to_json().into()).await.map(drop)
    }

    /// Deletes an object or, if the path names none, the whole collection.
    pub async fn delete(&self, path: &str) -> Result<(), Failure> {
        self.send("DELETE", path, Bytes::from_static(DELETE_OPTIONS.as_bytes())).await.map(drop)
    }

    /// Lists a collection page by page, calls `visit` for every object, and returns the resource
    /// version of the list.
    pub async fn list(
        &self,
        path: &str,
        mut visit: impl FnMut(Node<'_>) + Send,
    ) -> Result<String, Failure> {
        // A list has a form of its own.
        let lister = match self.representation {
            Representation::Metadata => {
                Self { representation: Representation::MetadataList, ..self.clone() }
            }
            Representation::Whole | Representation::MetadataList | Representation::Discovery => {
                self.clone()
            }
        };
        let mut continue_token = String::new();
        loop {
            let page_path = match continue_token.as_str() {
                "" => with_query(path, &format!("limit={PAGE}")),
                token => {
                    with_query(path, &format!("limit={PAGE}&continue={}", percent_encode(token)))
                }
            };
            let body = lister.send("GET", &page_path, Bytes::new()).await?;
            let list = visit_items(&body, &mut visit)?;
            continue_token = list.text_at(&["metadata", "continue"]).to_owned();
            if continue_token.is_empty() {
                return Ok(list.metadata().resource_version().to_owned());
            }
        }
    }

    /// Starts a watch.
    pub async fn watch(&self, path: &str) -> Result<Box<dyn Lines>, Failure> {
        let lines =
            timeout(LONGEST, self.api.watch(path, self.representation)).await.unwrap_or(Err(0));
        lines.map_err(|status| Failure::of(&ApiResponse { status, body: Bytes::new() }))
    }

    async fn tree(
        &self,
        method: &'static str,
        path: &str,
        body: Bytes,
    ) -> Result<Node<'static>, Failure> {
        parse_json(&self.send(method, path, body).await?).map(Node::into_owned)
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
        let (controller, path) = (self.controller, path.to_owned());
        let representation = match method {
            // What is answered depends on what was deleted, and nobody reads it.
            "DELETE" => Representation::Whole,
            _ => self.representation,
        };
        let request = ApiRequest { controller, method, path, representation, content_type, body };
        let no_response = ApiResponse { status: 0, body: Bytes::new() };
        let response = timeout(LONGEST, self.api.send(request)).await.unwrap_or(no_response);
        if (200..300).contains(&response.status) {
            Ok(response.body)
        } else {
            Err(Failure::of(&response))
        }
    }
}

/// Passes the objects of a list to `visit`, and returns the rest of it. Each is read by itself, if the list is written
/// without spaces: what is retained of them would be scattered among all that is not, and hold its memory.
fn visit_items<'b>(body: &'b [u8], visit: &mut impl FnMut(Node<'_>)) -> Result<Node<'b>, Failure> {
    let compact = std::str::from_utf8(body).ok().and_then(CompactJson::object);
    let Some(compact) = compact else {
        let mut list = parse_json(body)?;
        if let Some(Node { value: Value::List(items), .. }) = list.remove("items") {
            items.into_iter().for_each(visit);
        }
        return Ok(list);
    };
    let mut read = Ok(());
    if let Some(items) = compact.member("items") {
        items.each_item(|item| match parse_json(item.as_str().as_bytes()) {
            Ok(node) => visit(node),
            Err(failure) => read = Err(failure),
        });
    }
    read?;
    let metadata =
        compact.member("metadata").map(|metadata| parse_json(metadata.as_str().as_bytes()));
    Ok(Node::map(metadata.transpose()?.map(|metadata| ("metadata", metadata))))
}

/// Decodes one JSON value.
pub(crate) fn parse_json(body: &[u8]) -> Result<Node<'_>, Failure> {
    let unreadable =
        |why: &dyn std::fmt::Display| Failure::new(format!("unreadable answer: {why}"));
    let text = std::str::from_utf8(body).map_err(|why| unreadable(&why))?;
    let decoded = decode_json(text, Limits::STORED).map_err(|why| unreadable(&why))?;
    decoded.documents.into_iter().next().ok_or_else(|| unreadable(&"it is empty"))
}

/// The path with `query` added to its query string.
pub(crate) fn with_query(path: &str, query: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoxFuture;

    /// An API that never responds.
    struct Unresponsive;

    impl Api for Unresponsive {
        fn send(&self, _: ApiRequest) -> BoxFuture<'_, ApiResponse> {
            Box::pin(std::future::pending())
        }

        fn watch(&self, _: &str, _: Representation) -> BoxFuture<'_, Result<Box<dyn Lines>, u16>> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_answer_is_a_failure_after_a_while() {
        let client = Client::new(Arc::new(Unresponsive), "test");
        let expected = Failure { code: 0, message: "the API did not answer".to_owned() };
        assert_eq!(client.get("/api").await, Err(expected.clone()));
        assert_eq!(client.watch("/api").await.err(), Some(expected));
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
    fn a_list_is_read_item_by_item_with_spaces_or_without() {
        let compact = r#"{"kind":"List","metadata":{"resourceVersion":"7","continue":"x"},"items":[{"a":1},{"b":[2]}]}"#;
        let spaced = compact.replace(',', ", ");
        for text in [compact, &spaced] {
            let mut items = Vec::new();
            let list =
                visit_items(text.as_bytes(), &mut |node| items.push(node.to_json())).unwrap();
            assert_eq!(items, [r#"{"a":1}"#, r#"{"b":[2]}"#]);
            assert_eq!(list.metadata().resource_version(), "7");
            assert_eq!(list.text_at(&["metadata", "continue"]), "x");
        }
        for text in [r#"{"items":null}"#, r#"{"items":[]}"#, "{}"] {
            assert!(visit_items(text.as_bytes(), &mut |_| panic!("there is none")).is_ok());
        }
        assert!(visit_items(b"{", &mut |_| ()).is_err());
    }

    #[test]
    fn what_is_no_json_is_a_failure() {
        for body in [&b""[..], b"{", b"\xff"] {
            assert!(parse_json(body).is_err(), "{body:?}");
        }
        assert!(parse_json(b"{}").is_ok());
    }
}
