//! `Subject`: who wants to write which object, for logs, traces, events and reports.

use crate::excerpt::excerpt;
use crate::request::AdmissionRequest;

/// The longest text of a subject: names have 253 letters, and whoever calls may send megabytes.
const MAX_TEXT: usize = 512;

/// The object of a request, and its user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The id of the request.
    pub(crate) uid: String,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub(crate) operation: &'static str,
    /// `apiVersion` of the object.
    pub(crate) api_version: String,
    /// Its kind.
    pub(crate) kind: String,
    /// Its namespace; empty for cluster-scoped objects.
    pub(crate) namespace: String,
    /// Its name, or what the server makes one from.
    pub(crate) name: String,
    /// Its own id, once it is stored.
    pub(crate) object_uid: String,
    /// The user who asks.
    pub(crate) user: String,
    /// Whether nothing will be stored.
    pub(crate) dry_run: bool,
}

impl Subject {
    pub(crate) fn of(request: &AdmissionRequest<'_>) -> Self {
        let short = |text: &str| excerpt(text, MAX_TEXT).into_owned();
        let objects = || request.object.iter().chain(&request.old);
        let metadata = |field: &str| {
            let texts = objects().map(|object| object.text_at(&["metadata", field]));
            short(texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default())
        };
        let kind = request.kind();
        let name = match request.name.as_str() {
            "" => Some(metadata("name")).filter(|name| !name.is_empty()),
            name => Some(short(name)),
        };
        Self {
            uid: short(&request.uid),
            operation: request.operation.as_str(),
            api_version: match kind.group {
                "" => short(kind.version),
                group => short(&format!("{group}/{}", kind.version)),
            },
            kind: short(kind.kind),
            // That of a Namespace is its own name in the request, but it is in none.
            namespace: match (kind.group, kind.kind) {
                ("", "Namespace") => String::new(),
                _ => short(&request.namespace),
            },
            name: name.unwrap_or_else(|| metadata("generateName")),
            object_uid: metadata("uid"),
            user: short(&request.user.name),
            dry_run: request.dry_run,
        }
    }
}
