//! `AdmissionRequest`: the request of an AdmissionReview, decoded from the bytes that an API server sends.

use crate::error::ReviewError;
use ratchet_access::User;
use ratchet_object::{
    GroupVersionKind, GroupVersionResource, Limits, Node, Operation, decode_json,
};

pub(crate) const API_VERSION: &str = "admission.k8s.io/v1";
pub(crate) const KIND: &str = "AdmissionReview";

/// The largest review that is read: two objects of the largest size that the API takes, and what is around them.
pub const MAX_REVIEW_BYTES: usize = 2 * Limits::DEFAULT.bytes + (1 << 20);

/// A review has its objects two levels deep, and twice as many values as one of them.
const LIMITS: Limits = Limits {
    bytes: MAX_REVIEW_BYTES,
    depth: Limits::DEFAULT.depth + 2,
    nodes: 2 * Limits::DEFAULT.nodes,
};

const OPERATIONS: [Operation; 4] =
    [Operation::Create, Operation::Update, Operation::Delete, Operation::Connect];

/// The request of an AdmissionReview.
#[derive(Clone, Debug)]
pub struct AdmissionRequest<'t> {
    /// The id that the response must repeat.
    pub uid: String,
    /// The operation.
    pub operation: Operation,
    /// The name of the object; empty for a new object that gets its name from the server.
    pub name: String,
    /// The namespace of the object; that of a Namespace is its own name.
    pub namespace: String,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: String,
    /// The user who asks.
    pub user: User,
    /// The object as it would be stored, or the options of a connection.
    pub object: Option<Node<'t>>,
    /// The stored object, on updates and deletions.
    pub old: Option<Node<'t>>,
    /// Whether nothing will be stored.
    pub dry_run: bool,
    kind: [String; 3],
    resource: [String; 3],
}

impl<'t> AdmissionRequest<'t> {
    /// Decodes the body of a call.
    pub fn decode(body: &'t [u8]) -> Result<Self, ReviewError> {
        if body.len() > MAX_REVIEW_BYTES {
            return Err(ReviewError::TooLarge);
        }
        let text = core::str::from_utf8(body).map_err(|_| ReviewError::NotUtf8)?;
        let decoded = decode_json(text, LIMITS);
        let mut documents =
            decoded.map_err(|error| ReviewError::Syntax(error.message))?.documents.into_iter();
        let (Some(review), None) = (documents.next(), documents.next()) else {
            return Err(ReviewError::Syntax("expected one object".into()));
        };
        Self::from_review(review)
    }

    fn from_review(mut review: Node<'t>) -> Result<Self, ReviewError> {
        expect_object(&review, "the review")?;
        let kind = text(&review, "kind", "kind")?;
        if kind != KIND {
            return Err(ReviewError::OtherKind(kind));
        }
        let version = text(&review, "apiVersion", "apiVersion")?;
        if version != API_VERSION {
            return Err(ReviewError::UnsupportedVersion(version));
        }
        let request = review.remove("request").filter(|request| !request.is_null());
        let mut request = request.ok_or(ReviewError::Missing("request"))?;
        expect_object(&request, "request")?;
        let object = object(&mut request, "object", "request.object")?;
        let old = self::object(&mut request, "oldObject", "request.oldObject")?;
        let admission_request = Self {
            uid: text(&request, "uid", "request.uid")?,
            operation: operation(&request)?,
            name: text(&request, "name", "request.name")?,
            namespace: text(&request, "namespace", "request.namespace")?,
            subresource: text(&request, "subResource", "request.subResource")?,
            user: user(&request)?,
            dry_run: truth(&request, "dryRun", "request.dryRun")?,
            kind: identity(&request, ("kind", "request.kind"), "kind")?,
            resource: identity(&request, ("resource", "request.resource"), "resource")?,
            object,
            old,
        };
        admission_request.check_required()?;
        Ok(admission_request)
    }

    fn check_required(&self) -> Result<(), ReviewError> {
        let is_write = matches!(self.operation, Operation::Create | Operation::Update);
        let is_update = self.operation == Operation::Update;
        let required = [
            ("request.uid", !self.uid.is_empty()),
            ("request.kind", !self.kind().kind.is_empty()),
            ("request.resource", !self.resource().resource.is_empty()),
            ("request.object", self.object.is_some() || !is_write),
            ("request.oldObject", self.old.is_some() || !is_update),
        ];
        match required.iter().find(|(_, is_there)| !is_there) {
            Some((field, _)) => Err(ReviewError::Missing(field)),
            None => Ok(()),
        }
    }

    /// The kind of the objects.
    pub fn kind(&self) -> GroupVersionKind<'_> {
        let [group, version, kind] = &self.kind;
        GroupVersionKind { group, version, kind }
    }

    /// The resource that was asked for.
    pub fn resource(&self) -> GroupVersionResource<'_> {
        let [group, version, resource] = &self.resource;
        GroupVersionResource { group, version, resource }
    }
}

fn expect_object(node: &Node<'_>, field: &'static str) -> Result<(), ReviewError> {
    match node.type_name() {
        "object" => Ok(()),
        found => Err(ReviewError::WrongType { field, expected: "object", found }),
    }
}

/// A member that is an object; `null` is absent.
fn object<'t>(
    request: &mut Node<'t>,
    name: &str,
    field: &'static str,
) -> Result<Option<Node<'t>>, ReviewError> {
    let node = request.remove(name).filter(|node| !node.is_null());
    node.map(|node| expect_object(&node, field).map(|()| node)).transpose()
}

/// A member that is a text; `null` and an absent one are empty.
fn text(parent: &Node<'_>, name: &str, field: &'static str) -> Result<String, ReviewError> {
    parent.get(name).map_or(Ok(String::new()), |node| text_of(node, field))
}

fn text_of(node: &Node<'_>, field: &'static str) -> Result<String, ReviewError> {
    match node.text() {
        Some(text) => Ok(text.to_owned()),
        None if node.is_null() => Ok(String::new()),
        None => Err(ReviewError::WrongType { field, expected: "string", found: node.type_name() }),
    }
}

fn truth(parent: &Node<'_>, name: &str, field: &'static str) -> Result<bool, ReviewError> {
    let Some(node) = parent.get(name).filter(|node| !node.is_null()) else { return Ok(false) };
    let found = node.type_name();
    node.as_bool().ok_or(ReviewError::WrongType { field, expected: "bool", found })
}

fn texts(node: &Node<'_>, field: &'static str) -> Result<Vec<String>, ReviewError> {
    match node.type_name() {
        "array" | "null" => node.items().iter().map(|item| text_of(item, field)).collect(),
        found => Err(ReviewError::WrongType { field, expected: "array", found }),
    }
}

fn operation(request: &Node<'_>) -> Result<Operation, ReviewError> {
    let name = text(request, "operation", "request.operation")?;
    let known = OPERATIONS.into_iter().find(|operation| operation.as_str() == name);
    known.ok_or(ReviewError::UnknownOperation(name))
}

/// Group, version, and kind or resource.
fn identity(
    request: &Node<'_>,
    (name, field): (&str, &'static str),
    last: &str,
) -> Result<[String; 3], ReviewError> {
    let Some(node) = request.get(name) else { return Err(ReviewError::Missing(field)) };
    expect_object(node, field)?;
    Ok([text(node, "group", field)?, text(node, "version", field)?, text(node, last, field)?])
}

fn user(request: &Node<'_>) -> Result<User, ReviewError> {
    const FIELD: &str = "request.userInfo";
    let Some(info) = request.get("userInfo").filter(|info| !info.is_null()) else {
        return Ok(User::default());
    };
    expect_object(info, FIELD)?;
    let groups = info.get("groups").map(|node| texts(node, "request.userInfo.groups"));
    let extra = info.get("extra").map(Node::entries).unwrap_or_default();
    let extra = extra
        .iter()
        .map(|entry| Ok((entry.key.to_string(), texts(&entry.node, "request.userInfo.extra")?)));
    Ok(User {
        name: text(info, "username", FIELD)?,
        uid: text(info, "uid", FIELD)?,
        groups: groups.transpose()?.unwrap_or_default(),
        extra: extra.collect::<Result<_, ReviewError>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(request: &str) -> String {
        format!(r#"{{"apiVersion":"{API_VERSION}","kind":"{KIND}","request":{request}}}"#)
    }

    fn request(members: &str) -> String {
        review(&format!(
            r#"{{"uid":"u","operation":"CREATE","kind":{{"version":"v1","kind":"Pod"}},
                "resource":{{"version":"v1","resource":"pods"}},"object":{{}}{members}}}"#
        ))
    }

    fn error(text: &str) -> String {
        AdmissionRequest::decode(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_review_has_who_asks_for_what() {
        let text = request(
            r#","name":"a","namespace":"n","subResource":"status","dryRun":true,"userInfo":
                {"username":"ann","uid":"7","groups":["dev"],"extra":{"k":["v","w"]}},"oldObject":null"#,
        );
        let request = AdmissionRequest::decode(text.as_bytes()).unwrap();
        assert_eq!((request.uid.as_str(), request.operation), ("u", Operation::Create));
        assert_eq!((request.name.as_str(), request.namespace.as_str()), ("a", "n"));
        assert_eq!((request.subresource.as_str(), request.dry_run), ("status", true));
        assert_eq!(request.kind().to_string(), "/v1, Kind=Pod");
        assert_eq!(request.resource().to_string(), "/v1, Resource=pods");
        assert_eq!((request.user.name.as_str(), request.user.uid.as_str()), ("ann", "7"));
        assert!(request.user.is_in("dev"));
        assert_eq!(request.user.extra, [("k".to_owned(), vec!["v".to_owned(), "w".to_owned()])]);
        assert!(request.object.is_some() && request.old.is_none());
    }

    #[test]
    fn what_is_no_review_is_named() {
        for (text, wanted) in [
            ("", "the review is not JSON: expected one object"),
            ("{} {}", "the review is not JSON: expected one object"),
            ("[]", "the review: expected object, found array"),
            ("{}", "expected kind AdmissionReview, found \"\""),
            (r#"{"kind":"Pod"}"#, "expected kind AdmissionReview, found \"Pod\""),
            (r#"{"kind":7}"#, "kind: expected string, found number"),
            (
                r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}"#,
                "unsupported version \"admission.k8s.io/v1beta1\" of AdmissionReview: admission.k8s.io/v1 is supported, so admissionReviewVersions must have v1",
            ),
            (&review("null"), "request: required value"),
            (&review("[]"), "request: expected object, found array"),
        ] {
            assert_eq!(error(text), wanted, "{text}");
        }
        assert!(error("{").starts_with("the review is not JSON: "));
        assert_eq!(AdmissionRequest::decode(b"\xff").unwrap_err(), ReviewError::NotUtf8);
        let large = AdmissionRequest::decode(&vec![b' '; MAX_REVIEW_BYTES + 1]).unwrap_err();
        assert_eq!((large.code(), large), (413, ReviewError::TooLarge));
    }

    #[test]
    fn what_a_request_lacks_is_named() {
        for (members, wanted) in [
            (r#","uid":"""#, "request.uid: required value"),
            (r#","operation":"UPDATE""#, "request.oldObject: required value"),
            (r#","operation":"DANCE""#, "request.operation: unknown operation \"DANCE\""),
            (r#","kind":null"#, "request.kind: expected object, found null"),
            (r#","kind":{"version":"v1"}"#, "request.kind: required value"),
            (r#","resource":{"resource":5}"#, "request.resource: expected string, found number"),
            (r#","object":null"#, "request.object: required value"),
            (r#","object":[]"#, "request.object: expected object, found array"),
            (r#","dryRun":"yes""#, "request.dryRun: expected bool, found string"),
            (r#","userInfo":5"#, "request.userInfo: expected object, found number"),
            (
                r#","userInfo":{"groups":"dev"}"#,
                "request.userInfo.groups: expected array, found string",
            ),
        ] {
            assert_eq!(error(&request(members)), wanted, "{members}");
        }
    }

    #[test]
    fn deep_trees_are_refused_as_the_api_refuses_them() {
        let nested = |depth: usize| {
            let (open, close) = (r#"{"a":"#.repeat(depth), "}".repeat(depth));
            request(&format!(r#","object":{open}1{close}"#))
        };
        assert!(AdmissionRequest::decode(nested(100).as_bytes()).is_ok());
        assert!(error(&nested(1000)).starts_with("the review is not JSON: "));
        assert!(error(&nested(100_000)).starts_with("the review is not JSON: "));
    }
}
