//! LIST: objects by label and field selectors, whole or in pages of one snapshot.

use crate::app::compute::SMALL;
use crate::app::resource_request::{Content, HandlerResult, List, Reply, ResourceRequest};
use crate::request::{Form, go_syntax};
use crate::status::StatusError;
use crate::storage::cache::{Item, Scope, Snapshot, Unreadable};
use crate::verbs::selection::Selection;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ratchet_object::{Limits, Node, decode_json};
use ratchet_store::{Query, Revision, StoreError};
use std::sync::Arc;

/// Parses a `resourceVersion`.
pub(crate) fn parse_version(text: &str) -> Result<u64, StatusError> {
    text.parse().map_err(|_| {
        let quoted = ratchet_net::Quoted(text);
        StatusError::bad_request(format!(
            "invalid resource version: resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: invalid syntax"
        ))
    })
}

/// Parses an integer parameter; absent means zero.
pub(crate) fn parse_number(request: &ResourceRequest<'_>, name: &str) -> Result<i64, StatusError> {
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
        let quoted = ratchet_net::Quoted(text);
        StatusError::bad_request(format!("strconv.ParseInt: parsing {quoted}: {why}"))
    })
}

/// The consistency that a list asks for.
enum Consistency {
    /// The most recent state.
    MostRecent,
    /// Whatever the cache holds.
    Any,
    /// At least this revision.
    NotOlderThan(u64),
    /// Exactly this revision.
    Exact(u64),
}

/// Lists a collection.
pub(crate) async fn list(request: &ResourceRequest<'_>) -> HandlerResult {
    let selection = Selection::parse(request)?;
    check_options(request)?;
    parse_number(request, "timeoutSeconds")?;
    let limit = usize::try_from(parse_number(request, "limit")?).unwrap_or(0);
    let token = request.params.text("continue");
    if !token.is_empty() {
        return continue_list(request, &selection, token, limit).await;
    }
    let consistency = consistency(request, limit)?;
    let line = request.line();
    let list = match consistency {
        Consistency::Exact(revision) if revision > 0 => {
            line.wait_for(revision).await?;
            exact(request, &selection, revision, None, limit).await?
        }
        Consistency::MostRecent | Consistency::Exact(_) => {
            let revision = line.fresh().await?;
            current(request, &selection, revision, limit).await?
        }
        Consistency::Any => current(request, &selection, line.reached(), 0).await?,
        Consistency::NotOlderThan(revision) => {
            line.wait_for(revision).await?;
            current(request, &selection, line.reached(), limit).await?
        }
    };
    reply(request, list).await
}

/// The reply of a list, whose items are shown in the version of the request.
async fn reply(request: &ResourceRequest<'_>, list: List) -> HandlerResult {
    // Metadata does not depend on versions and schemas.
    let items = match request.output.form {
        Form::Metadata | Form::MetadataList => list.items,
        Form::Whole | Form::Table => request.resource.serve(list.items).await?,
    };
    Ok(Reply { code: 200, content: Content::List(List { items, ..list }) })
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
            let quoted = ratchet_net::Quoted(other);
            let text = format!(
                r#"Unsupported value: {quoted}: supported values: "Exact", "NotOlderThan", """#
            );
            invalid(field, "FieldValueNotSupported", &text)
        }
    }
}

fn consistency(request: &ResourceRequest<'_>, limit: usize) -> Result<Consistency, StatusError> {
    let matching = request.params.text("resourceVersionMatch");
    Ok(match request.params.text("resourceVersion") {
        "" => Consistency::MostRecent,
        "0" => Consistency::Any,
        text => {
            let revision = parse_version(text)?;
            match matching {
                "Exact" => Consistency::Exact(revision),
                "NotOlderThan" => Consistency::NotOlderThan(revision),
                _ if limit > 0 => Consistency::Exact(revision),
                _ => Consistency::NotOlderThan(revision),
            }
        }
    })
}

/// Why a page could not be read from the store.
enum PageError {
    /// The store failed.
    Store(StoreError),
    /// A stored value cannot be decoded.
    Unreadable(Unreadable),
    /// A stored object cannot be converted.
    Conversion(StatusError),
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Unreadable> for PageError {
    fn from(found: Unreadable) -> Self {
        Self::Unreadable(found)
    }
}

impl From<PageError> for StatusError {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Store(error) => error.into(),
            PageError::Unreadable(found) => found.into(),
            PageError::Conversion(error) => error,
        }
    }
}

/// The number of object bytes that are filtered in one compute step.
const STEP_BYTES: usize = 256 * 1024;

/// The number of object bytes that are taken over in one compute step where nothing is filtered: some ten thousand
/// objects, none of which is read.
const WALK_BYTES: usize = 32 << 20;

/// A page of at most this many objects is filtered without a compute step: it takes less than a millisecond.
const SMALL_PAGE: usize = 32;

/// The number of objects that a webhook converts with one call before they are selected.
const CONVERTED_AT_ONCE: usize = 64;

/// Lists the state that the watch cache has, which is of this revision or a later one.
async fn current(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    revision: u64,
    limit: usize,
) -> Result<List, PageError> {
    let snapshot = request.resource.cache.now();
    from_snapshot(request, selection, &snapshot, revision, None, limit).await
}

/// Lists the state at a revision: from the watch cache if that still has it, or else from the store.
async fn exact(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    revision: u64,
    after: Option<&str>,
    limit: usize,
) -> Result<List, PageError> {
    let line = request.line();
    // What is compacted is told as such, whoever still has it.
    line.check_revision(revision).await?;
    // Another server on the same store may be ahead of this one.
    let is_reached = line.reached() >= revision;
    match is_reached.then(|| request.resource.cache.at(revision)).flatten() {
        Some(found) => from_snapshot(request, selection, &found, revision, after, limit).await,
        None => from_store(request, selection, revision, after, limit).await,
    }
}

/// Lists a snapshot of the watch cache, which is the state at `revision` if it has no later one itself. Costs what is
/// looked at: objects that a page, a name or an index leaves out are not even counted one by one.
async fn from_snapshot(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    snapshot: &Arc<Snapshot>,
    revision: u64,
    after: Option<&str>,
    limit: usize,
) -> Result<List, PageError> {
    let prefix = cache_prefix(request);
    if let Some(found) = snapshot.unreadable_within(&prefix) {
        return Err(found.as_ref().clone().into());
    }
    let scope = selection.scope(request.resource, request.path);
    if selection.reads_converted(request.resource) {
        let candidates = snapshot.candidates(&scope, after);
        let items = select_converted(request, selection, candidates, limit).await;
        let items = items.map_err(PageError::Conversion)?;
        let last = items.last().filter(|_| limit > 0 && items.len() == limit);
        let remaining = last.map_or(0, |last| snapshot.count_after(&prefix, &last.key));
        return Ok(page_of(request, selection, snapshot, items, remaining, revision));
    }
    let mut items: Vec<Arc<Item>> = Vec::new();
    let mut candidates = snapshot.candidates(&scope, after);
    // Filters about `limit_bytes` bytes of objects; returns whether there are more to look at.
    let mut select = |limit_bytes: usize| {
        let mut read = 0;
        while read < limit_bytes {
            if limit > 0 && items.len() == limit {
                return false;
            }
            let Some(item) = candidates.next() else { return false };
            read += item.size();
            if selection.is_everything() || selection.matches(request.resource, item) {
                items.push(item.clone());
            }
        }
        true
    };
    // A selector may have to decode every object.
    let (at_once, step) = match selection.is_everything() {
        true => (WALK_BYTES, WALK_BYTES),
        false => (SMALL, STEP_BYTES),
    };
    if select(at_once) {
        while request.app.compute.run(|| select(step)).await {}
    }
    let last = items.last().filter(|_| limit > 0 && items.len() == limit);
    let remaining = match (last, &scope) {
        (None, _) => 0,
        // There is no second object of a name. A list that continues is one of the whole collection.
        (Some(_), Scope::Object { .. }) if after.is_none() => 0,
        (Some(_), Scope::Index { .. }) => usize::from(candidates.next().is_some()),
        (Some(last), Scope::Prefix { prefix }) => snapshot.count_after(prefix, &last.key),
        (Some(last), _) => snapshot.count_after(&prefix, &last.key),
    };
    Ok(page_of(request, selection, snapshot, items, remaining, revision))
}

/// A page of a snapshot, which is kept for the next one.
fn page_of(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    snapshot: &Arc<Snapshot>,
    items: Vec<Arc<Item>>,
    remaining: usize,
    revision: u64,
) -> List {
    // The cache may be ahead of the requested revision.
    let revision = revision.max(snapshot.revision);
    if remaining > 0 {
        request.resource.cache.keep(revision, snapshot);
    }
    page(request, selection, items, remaining, revision)
}

/// The objects that match once they are converted, at most as many as a page has.
async fn select_converted<'i>(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    mut candidates: impl Iterator<Item = &'i Arc<Item>>,
    limit: usize,
) -> Result<Vec<Arc<Item>>, StatusError> {
    let mut items = Vec::new();
    while limit == 0 || items.len() < limit {
        let batch: Vec<_> = candidates.by_ref().take(CONVERTED_AT_ONCE).cloned().collect();
        if batch.is_empty() {
            return Ok(items);
        }
        items.extend(selection.select_converted(request.resource, batch).await?);
    }
    items.truncate(limit);
    Ok(items)
}

fn cache_prefix(request: &ResourceRequest<'_>) -> String {
    match request.path.namespace.as_str() {
        namespace if request.resource.row().namespaced && !namespace.is_empty() => {
            format!("{namespace}/")
        }
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
        Some(last) if remaining > 0 => encode_continue(request, revision, &last),
        _ => String::new(),
    };
    let counted = remaining > 0 && selection.is_everything();
    List { items, revision, next, remaining: counted.then_some(remaining) }
}

/// About how many objects follow a key, if there are any: as many as there are now, because those of an older revision
/// would have to be counted one by one.
fn estimate(request: &ResourceRequest<'_>, key: &str) -> usize {
    request.resource.cache.now().count_after(&cache_prefix(request), key).max(1)
}

/// Lists an older revision from the store.
async fn from_store(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    at: u64,
    after: Option<&str>,
    limit: usize,
) -> Result<List, PageError> {
    let prefix = request.resource.prefix(&request.path.namespace);
    let root = request.resource.prefix("");
    let mut after = after.map(|key| format!("{root}{key}"));
    let at = Some(Revision(at));
    let mut items = Vec::new();
    loop {
        let wanted = if limit == 0 { 0 } else { limit - items.len() };
        let query = Query { prefix: prefix.clone(), after: after.take(), limit: wanted, at };
        let found = request.app.cache.store().list(query).await?;
        let last = found.records.last().map(|record| record.key.to_string());
        let converts = selection.reads_converted(request.resource);
        let select = || -> Result<Vec<Arc<Item>>, Unreadable> {
            let mut selected = Vec::new();
            for record in &found.records {
                let key = record.key.strip_prefix(&root).unwrap_or(&record.key);
                let item = Item::stored(key.into(), record.modified.0, &record.value);
                let unreadable = |why| Unreadable { key: record.key.to_string(), why };
                let item = Arc::new(item.map_err(unreadable)?);
                if converts || selection.matches(request.resource, &item) {
                    selected.push(item);
                }
            }
            Ok(selected)
        };
        let mut selected = match found.records.len() <= SMALL_PAGE {
            true => select(),
            false => request.app.compute.run(select).await,
        }?;
        if converts {
            let converted = selection.select_converted(request.resource, selected).await;
            selected = converted.map_err(PageError::Conversion)?;
        }
        items.extend(selected);
        if !found.has_more || items.len() == limit || last.is_none() {
            let remaining = match (&last, found.has_more) {
                (Some(last), true) => estimate(request, last.strip_prefix(&root).unwrap_or(last)),
                _ => 0,
            };
            return Ok(page(request, selection, items, remaining, found.revision.0));
        }
        after = last;
    }
}

/// The next page, by its continue token.
async fn continue_list(
    request: &ResourceRequest<'_>,
    selection: &Selection,
    token: &str,
    limit: usize,
) -> HandlerResult {
    if !matches!(request.params.text("resourceVersion"), "" | "0") {
        let text = "specifying resource version is not allowed when using continue";
        return Err(StatusError::bad_request(text));
    }
    let (revision, after) = decode_continue(request, token)?;
    let list = match revision {
        // A token without a revision continues with the current state.
        0 => {
            let revision = request.line().fresh().await?;
            let snapshot = request.resource.cache.now();
            from_snapshot(request, selection, &snapshot, revision, Some(&after), limit).await
        }
        revision => exact(request, selection, revision, Some(&after), limit).await,
    };
    match list {
        Ok(list) => reply(request, list).await,
        Err(PageError::Store(StoreError::Compacted { .. })) => {
            let text = "The provided continue parameter is too old to display a consistent list result. \
                        You can start a new list without the continue parameter, or use the continue token \
                        in this response to retrieve the remainder of the results. Continuing with the \
                        provided token results in an inconsistent list - objects that were created, modified, \
                        or deleted between the time the first chunk was returned and now may show up in the \
                        list.";
            let mut error = StatusError::expired(text);
            error.continue_token = encode_continue(request, 0, &after);
            Err(error)
        }
        Err(error) => Err(error.into()),
    }
}

fn encode_continue(request: &ResourceRequest<'_>, revision: u64, last: &str) -> String {
    let prefix = cache_prefix(request);
    let rest = last.strip_prefix(&prefix).unwrap_or(last);
    let revision = i64::try_from(revision).unwrap_or(-1);
    let node = Node::map([
        ("v", Node::string("meta.k8s.io/v1")),
        ("rv", Node::int(if revision == 0 { -1 } else { revision })),
        ("start", Node::string(format!("/{rest}\0"))),
    ]);
    URL_SAFE_NO_PAD.encode(node.to_json())
}

fn decode_continue(
    request: &ResourceRequest<'_>,
    token: &str,
) -> Result<(u64, String), StatusError> {
    let bad = |why: String| {
        StatusError::bad_request(format!("invalid continue token: continue key is not valid{why}"))
    };
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|why| {
        use base64::DecodeError::{InvalidByte, InvalidLastSymbol};
        let at = match why {
            InvalidByte(at, _) | InvalidLastSymbol(at, _) => at,
            // What is left over begins before the end.
            _ => token.len().saturating_sub(1),
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
    // A key with `..` would leave the listed collection.
    let rest = start.strip_prefix('/').unwrap_or(start);
    if rest.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(bad(format!(": {start}")));
    }
    // A NUL byte after a name makes the first key after it.
    let after = rest.strip_suffix('\0').unwrap_or(rest);
    Ok((u64::try_from(revision).unwrap_or(0), format!("{}{after}", cache_prefix(request))))
}
