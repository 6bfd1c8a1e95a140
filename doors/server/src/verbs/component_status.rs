//! ComponentStatuses: whether the controller manager, the scheduler and the store are well, found out when asked.

use crate::app::App;
use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::status::{About, StatusError};
use http::{Request, StatusCode};
use ratchet_http::{empty, read_body};
use ratchet_kubelet::Scheme;
use ratchet_object::Node;
use ratchet_object::selector::{FieldSelector, LabelSelector};
use ratchet_store::State;
use std::borrow::Cow;
use std::time::Duration;

/// A component whose health is asked for.
enum Component {
    /// A server on this machine, at its usual port.
    Local(u16),
    /// This server itself, which has the store that etcd is elsewhere.
    Store,
}

/// The components by name.
static COMPONENTS: [(&str, Component); 3] = [
    ("controller-manager", Component::Local(10257)),
    ("scheduler", Component::Local(10259)),
    ("etcd-0", Component::Store),
];

/// The time within which a component must answer.
const LIMIT: Duration = Duration::from_secs(20);
/// The most bytes of an answer that are told.
const LARGEST_ANSWER: usize = 10 << 10;

/// The list of all components, or of those that are selected.
pub(crate) async fn list(request: &ResourceRequest<'_>) -> HandlerResult {
    let labels = LabelSelector::parse(request.params.text("labelSelector"));
    let labels = labels.map_err(|why| StatusError::bad_request(why.to_string()))?;
    let fields = FieldSelector::parse(request.params.text("fieldSelector"));
    let fields = fields.map_err(|why| StatusError::bad_request(why.to_string()))?;
    let row = request.resource.row();
    let checked = fields.check(row.group, row.version, row.kind);
    checked.map_err(|why| StatusError::bad_request(why.to_string()))?;
    let is_selected = |name: &'static str| {
        let field = |field: &str| Cow::Borrowed(if field == "metadata.name" { name } else { "" });
        labels.matches(|_| None) && fields.matches_by(field)
    };
    let ask = async |(name, component): &'static (&'static str, Component)| match is_selected(name)
    {
        true => Some(status(request.app, name, component).await.to_json()),
        false => None,
    };
    // All at once: who waits for one component does not wait longer for two.
    let [first, second, third] = &COMPONENTS;
    let (first, second, third) = tokio::join!(ask(first), ask(second), ask(third));
    let items: Vec<String> = [first, second, third].into_iter().flatten().collect();
    Ok(Reply::json(
        200,
        format!(
            r#"{{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{{}},"items":[{}]}}"#,
            items.join(",")
        ),
    ))
}

/// One component.
pub(crate) async fn get(request: &ResourceRequest<'_>) -> HandlerResult {
    let wanted = request.path.name.as_str();
    let Some((name, component)) = COMPONENTS.iter().find(|(name, _)| *name == wanted) else {
        let about = About { group: "", resource: "componentstatus", name: wanted };
        return Err(StatusError::not_found(about));
    };
    let status = status(request.app, name, component).await.to_json();
    let rest = status.strip_prefix('{').unwrap_or_default();
    Ok(Reply::json(200, format!(r#"{{"kind":"ComponentStatus","apiVersion":"v1",{rest}"#)))
}

async fn status(app: &App, name: &'static str, component: &Component) -> Node<'static> {
    let (is_healthy, message, error) = match component {
        Component::Local(port) => {
            let (is_healthy, message) = probe(app, *port).await;
            (is_healthy, message, "")
        }
        Component::Store => match app.cache.store().health().state {
            State::Sound => (true, "ok".to_owned(), ""),
            State::Full(_) => (false, String::new(), "the store has no room"),
            State::Broken(_) => (false, String::new(), "the store cannot be written to"),
        },
    };
    let mut condition = Node::map([("type", Node::string("Healthy"))]);
    condition.set("status", Node::string(if is_healthy { "True" } else { "False" }));
    for (name, text) in [("message", message), ("error", error.to_owned())] {
        if !text.is_empty() {
            condition.set(name, Node::string(text));
        }
    }
    let metadata = Node::map([("name", Node::string(name))]);
    Node::map([("metadata", metadata), ("conditions", Node::list(vec![condition]))])
}

/// Whether a server on this machine answers that it is well, and its answer or what is wrong.
async fn probe(app: &App, port: u16) -> (bool, String) {
    let exchange = async {
        let request = Request::get("/healthz").body(empty()).map_err(|why| why.to_string())?;
        let sent = app.backends.others.send(Scheme::Https, "127.0.0.1", port, request).await;
        let (head, body) = sent.map_err(|why| why.to_string())?.into_parts();
        let text = read_body(Box::pin(body), LARGEST_ANSWER, LIMIT).await;
        let text = text.map_err(|why| why.to_string())?;
        Ok::<_, String>((head.status, String::from_utf8_lossy(&text).into_owned()))
    };
    let url = format!("https://127.0.0.1:{port}/healthz");
    match tokio::time::timeout(LIMIT, exchange).await {
        Ok(Ok((code, text))) => judge(code, text),
        Ok(Err(why)) => (false, format!("Get \"{url}\": {why}")),
        Err(_) => (false, format!("Get \"{url}\": context deadline exceeded")),
    }
}

/// What an answer says of a component's health.
fn judge(code: StatusCode, text: String) -> (bool, String) {
    match code.is_success() {
        true => (true, text),
        false => (false, format!("HTTP probe failed with statuscode: {}", code.as_u16())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_success_is_health() {
        assert_eq!(judge(StatusCode::OK, "ok".into()), (true, "ok".into()));
        let (is_healthy, message) = judge(StatusCode::INTERNAL_SERVER_ERROR, "secret".into());
        assert!(!is_healthy);
        assert_eq!(message, "HTTP probe failed with statuscode: 500");
    }
}
