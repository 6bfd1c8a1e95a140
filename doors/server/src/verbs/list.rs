//! LIST: everything or what selectors ask for, at once or page by page from one snapshot.

use crate::cache::{Item, Unreadable};
use crate::resource_request::{Answered, Content, List, Reply, ResourceRequest};
use crate::compute::SMALL;
use crate::go_syntax;
use crate::registry::ServedResource;
use crate::status::StatusError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ratchet_object::selector::{FieldSelector, LabelSelector};
use ratchet_object::{Limits, Node, decode_json};
use ratchet_store::{Query, Revision, StoreError};
use std::sync::Arc;

/// What a reader asks of a collection.
pub(crate) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Reads the selectors of a query.
    pub(crate) fn read(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        let labels = LabelSelector::parse(request.params.text("labelSelector"));
        let labels = labels.map_err(|why| StatusError::bad_request(why.to_string()))?;
        let fields = FieldSelector::parse(request.params.text("fieldSelector"));
        let fields = fields.map_err(|why| StatusError::bad_request(why.to_string()))?;
        let row = request.resource.row;
        let checked = fields.check(row.group, row.version, row.kind);
        checked.map_err(|why| StatusError::bad_request(why.to_string()))?;
        Ok(Self { labels, fields })
    }

    /// Whether everything is asked for.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// Whether an object is asked for.
    pub(crate) fn wants(&self, resource: &ServedResource, item: &Item) -> bool {
        let row = resource.stored;
        (self.labels.is_everything() || item.has_labels(&self.labels))
            && (self.fields.is_everything() || item.has_fields(&self.fields, row.group, row.kind))
    }
}

/// A resource version that a client wrote.
pub(crate) fn read_version(text: &str) -> Result<u64, StatusError> {
    text.parse().map_err(|_| {
        let shown = ratchet_net::Quoted(text);
        StatusError::bad_request(format!(
            "invalid resource version: resourceVersion: Invalid value: {shown}: strconv.ParseUint: parsing {shown}: invalid syntax"
        ))
    })
}

/// A whole number of the query; nothing is nought.
pub(crate) fn read_number(request: &ResourceRequest<'_>, name: &str) -> Result<i64, StatusError> {
    let text = request.params.text(name);
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|why: std::num::ParseIntError| {
        use std::num::IntErrorKind::{NegOverflow, PosOverflow};
        let why = match why.kind() {
            NegOverflow | PosOverflow => "value out of range",
            _ => "invalid syntax",
        };
        let shown = ratchet_net::Quoted(text);
        StatusError::bad_request(format!("strconv.ParseInt: parsing {shown}: {why}"))
    })
}

/// From when a list is to be.
enum When {
    /// As fresh as can be.
    Now,
    /// Whatever is at hand.
    Any,
    /// Not older than this.
    NotOlder(u64),
    /// Exactly this.
    Exactly(u64),
}

/// Answers with a list.
pub(crate) async fn list(request: &ResourceRequest<'_>) -> Answered {
    let selection = Selection::read(request)?;
    check_options(request)?;
    read_number(request, "timeoutSeconds")?;
    let limit = usize::try_from(read_number(request, "limit")?).unwrap_or(0);
    let token = request.params.text("continue");
    if !token.is_empty() {
        return go_on(request, &selection, token, limit).await;
    }
    let when = when(request, limit)?;
    let list = match when {
        When::Exactly(revision) if revision > 0 => {
            request.app.cache.wait_for(revision).await?;
            from_store(request, &selection, Some(revision), None, limit).await?
        }
        When::Now | When::Exactly(_) => {
            let revision = request.app.cache.fresh().await?;
            from_shelf(request, &selection, limit, revision).await?
        }
        When::Any => from_shelf(request, &selection, 0, request.app.cache.reached()).await?,
        When::NotOlder(revision) => {
            request.app.cache.wait_for(revision).await?;
            from_shelf(request, &selection, limit, request.app.cache.reached()).await?
        }
    };
    Ok(Reply { code: 200, content: Content::List(list) })
}

fn check_options(request: &ResourceRequest<'_>) -> Result<(), StatusError> {
    let (version, matching) =
        (request.params.text("resourceVersion"), request.params.text("resourceVersionMatch"));
    let invalid = |field: &str, reason, text: &str| {
        Err(StatusError::invalid("ListOptions", "meta.k8s.io", field, reason, text))
    };
    if request.params.get("sendInitialEvents").is_some() {
        let text = "Forbidden: sendInitialEvents is forbidden for list";
        return invalid("sendInitialEvents", "FieldValueForbidden", text);
    }
    let field = "resourceVersionMatch";
    match matching {
        "" => Ok(()),
        _ if version.is_empty() => {
            let text =
                "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
            invalid(field, "FieldValueForbidden", text)
        }
        _ if !request.params.text("continue").is_empty() => {
            let text = "Forbidden: resourceVersionMatch is forbidden when continue is provided";
            invalid(field, "FieldValueForbidden", text)
        }
        "NotOlderThan" => Ok(()),
        "Exact" if version == "0" => {
            let text =
                r#"Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0""#;
            invalid(field, "FieldValueForbidden", text)
        }
        "Exact" => Ok(()),
        other => {
            let shown = ratchet_net::Quoted(other);
            let text = format!(
                r#"Unsupported value: {shown}: supported values: "Exact", "NotOlderThan", """#
            );
            invalid(field, "FieldValueNotSupported", &text)
        }
    }
}

fn when(request: &ResourceRequest<'_>, limit: usize) -> Result<When, StatusError> {
    let matching = request.params.text("resourceVersionMatch");
    Ok(match request.params.text("resourceVersion") {
        "" => When::Now,
        "0" => When::Any,
        text => {
            let revision = read_version(text)?;
            match matching {
                "Exact" => When::Exactly(revision),
                "NotOlderThan" => When::NotOlder(revision),
                _ if limit > 0 => When::Exactly(revision),
                _ => When::NotOlder(revision),
            }
        }
    })
}

/// Why a page could not be read from the store.
enum Failed {
    /// The store could not answer.
    Store(StoreError),
    /// It holds something that nobody can read.
    Unreadable(Unreadable),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Unreadable> for Failed {
    fn from(found: Unreadable) -> Self {
        Self::Unreadable(found)
    }
}

impl From<Failed> for StatusError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Store(error) => error.into(),
            Failed::Unreadable(found) => found.into(),
        }
    }
}

/// How many bytes of objects are read in one turn.
const TURN: usize = 256 * 1024;

/// So many objects are read in less than a millisecond.
const FEW: usize = 32;

/// From the newest state in memory.
async fn from_shelf(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    limit: usize,
    revision: u64,
) -> Result<List, StatusError> {
    let snapshot = request.resource.shelf.now();
    let prefix = shelf_prefix(request);
    if let Some(found) = snapshot.unreadable_within(&prefix) {
        return Err(found.into());
    }
    let mut items: Vec<Arc<Item>> = Vec::new();
    let mut remaining = 0;
    let mut all = snapshot.within(&prefix);
    // Looks at about so many bytes; whether there is more.
    let mut select = |most: usize| {
        let mut read = 0;
        while read < most {
            let Some(item) = all.next() else { return false };
            read += item.body.len();
            if limit > 0 && items.len() == limit {
                remaining += 1;
            } else if selection.is_everything() || selection.wants(request.resource, item) {
                items.push(item.clone());
            }
        }
        true
    };
    // A selector may have to read every object.
    let at_once = if selection.is_everything() { usize::MAX } else { SMALL };
    if select(at_once) {
        while request.app.compute.run(|| select(TURN)).await {}
    }
    // The shelf may be ahead of what was asked for; the list is then as new as the shelf.
    let revision = revision.max(snapshot.revision);
    Ok(page(request, selection, items, remaining, revision))
}

fn shelf_prefix(request: &ResourceRequest<'_>) -> String {
    match request.path.namespace.as_str() {
        namespace if request.resource.row.namespaced && !namespace.is_empty() => format!("{namespace}/"),
        _ => String::new(),
    }
}

fn page(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    items: Vec<Arc<Item>>,
    remaining: usize,
    revision: u64,
) -> List {
    let last = items.last().map(|item| item.key.clone());
    let next = match last {
        Some(last) if remaining > 0 => write_token(request, revision, &last),
        _ => String::new(),
    };
    let counted = remaining > 0 && selection.is_everything();
    List { items, revision, next, remaining: counted.then_some(remaining) }
}

/// From what the store remembers of an older state.
async fn from_store(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    at: Option<u64>,
    after: Option<&str>,
    limit: usize,
) -> Result<List, Failed> {
    let prefix = request.resource.prefix(&request.path.namespace);
    let root = request.resource.prefix("");
    let mut after = after.map(|key| format!("{root}{key}"));
    let mut at = at.map(Revision);
    let mut items = Vec::new();
    loop {
        let wanted = if limit == 0 { 0 } else { limit - items.len() };
        let query = Query { prefix: prefix.clone(), after: after.take(), limit: wanted, at };
        let found = request.app.cache.store().list(query).await?;
        at = Some(found.revision);
        let last = found.records.last().map(|record| record.key.to_string());
        let mut select = || -> Result<(), Unreadable> {
            for record in &found.records {
                let key = record.key.strip_prefix(&root).unwrap_or(&record.key);
                let item = Item::stored(key.into(), record.modified.0, &record.value);
                let unreadable = |why| Unreadable { key: record.key.to_string(), why };
                let item = Arc::new(item.map_err(unreadable)?);
                if selection.is_everything() || selection.wants(request.resource, &item) {
                    items.push(item);
                }
            }
            Ok(())
        };
        match found.records.len() <= FEW {
            true => select(),
            false => request.app.compute.run(select).await,
        }?;
        if found.more == 0 || items.len() == limit || last.is_none() {
            return Ok(page(request, selection, items, found.more, found.revision.0));
        }
        after = last;
    }
}

/// The next page of a list that was begun.
async fn go_on(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    token: &str,
    limit: usize,
) -> Answered {
    if !matches!(request.params.text("resourceVersion"), "" | "0") {
        let text = "specifying resource version is not allowed when using continue";
        return Err(StatusError::bad_request(text));
    }
    let (revision, after) = read_token(request, token)?;
    // A token without a revision goes on with whatever is there now.
    let at = (revision > 0).then_some(revision);
    match from_store(request, selection, at, Some(&after), limit).await {
        Ok(list) => Ok(Reply { code: 200, content: Content::List(list) }),
        Err(Failed::Store(StoreError::Compacted { .. })) => {
            let text = "The provided continue parameter is too old to display a consistent list result. \
                        You can start a new list without the continue parameter, or use the continue token \
                        in this response to retrieve the remainder of the results. Continuing with the \
                        provided token results in an inconsistent list - objects that were created, modified, \
                        or deleted between the time the first chunk was returned and now may show up in the \
                        list.";
            let mut refusal = StatusError::expired(text);
            refusal.continue_token = write_token(request, 0, &after);
            Err(refusal)
        }
        Err(error) => Err(error.into()),
    }
}

fn write_token(request: &ResourceRequest<'_>, revision: u64, last: &str) -> String {
    let prefix = shelf_prefix(request);
    let rest = last.strip_prefix(&prefix).unwrap_or(last);
    let revision = i64::try_from(revision).unwrap_or(-1);
    let node = Node::map([
        ("v", Node::string("meta.k8s.io/v1")),
        ("rv", Node::int(if revision == 0 { -1 } else { revision })),
        ("start", Node::string(format!("/{rest}\0"))),
    ]);
    URL_SAFE_NO_PAD.encode(node.to_json())
}

fn read_token(request: &ResourceRequest<'_>, token: &str) -> Result<(u64, String), StatusError> {
    let bad = |why: String| {
        StatusError::bad_request(format!("invalid continue token: continue key is not valid{why}"))
    };
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|why| {
        use base64::DecodeError::{InvalidByte, InvalidLastSymbol};
        let at = match why {
            InvalidByte(at, _) | InvalidLastSymbol(at, _) => at,
            _ => token.len(),
        };
        bad(format!(": illegal base64 data at input byte {at}"))
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let decoded = decode_json(&text, Limits::DEFAULT)
        .map_err(|why| bad(format!(": {}", go_syntax::explain_or(&text, &why.message))))?;
    let empty = || bad(": unexpected end of JSON input".to_owned());
    let node = decoded.documents.first().ok_or_else(empty)?;
    let version = node.text_at(&["v"]);
    if version != "meta.k8s.io/v1" {
        return Err(bad(format!(": server does not recognize this encoded version {version}")));
    }
    let revision = node.get("rv").and_then(Node::as_int).unwrap_or(0);
    if revision == 0 {
        let why = ": incorrect encoded start resourceVersion (version meta.k8s.io/v1)";
        return Err(bad(why.to_owned()));
    }
    let start = node.text_at(&["start"]);
    if start.is_empty() {
        return Err(bad(": encoded start key empty (version meta.k8s.io/v1)".to_owned()));
    }
    // A key that climbs would lead out of what the list is of.
    let rest = start.strip_prefix('/').unwrap_or(start);
    if rest.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(bad(format!(": {start}")));
    }
    // The nought behind a name stands for the first key after it.
    let after = rest.strip_suffix('\0').unwrap_or(rest);
    Ok((u64::try_from(revision).unwrap_or(0), format!("{}{after}", shelf_prefix(request))))
}
