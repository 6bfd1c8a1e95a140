//! Commands, attached terminals and forwarded ports: a client's connection is joined with its pod's kubelet.

use super::upgrade::{self, Answer};
use super::{Client, Connect, container, escape, forwarded, node};
use crate::refusal::Refusal;
use crate::request::Params;
use http::Response;
use ratchet_http::Body;
use ratchet_kubelet::Endpoint;

/// The streams of a process that a client may ask for, under the names of the API and of kubelets.
const STREAMS: [(&str, &str); 4] =
    [("stdin", "input"), ("stdout", "output"), ("stderr", "error"), ("tty", "tty")];

/// Answers by joining the two connections.
pub(super) async fn answer(
    connect: &Connect<'_>,
    what: &'static str,
    client: Client,
) -> Result<Response<Body>, Refusal> {
    let Connect { app, served, place, request, .. } = connect;
    let query = query(what, &request.params)?;
    connect.check_create()?;
    let key = served.shelf_key(&place.namespace, &place.name);
    let pod = served.shelf.get(&key).ok_or_else(|| Refusal::not_found(connect.about()))?.node();
    let pod_path = format!("{}/{}", place.namespace, place.name);
    let path = match what {
        "portforward" => format!("/portForward/{pod_path}"),
        _ => format!(
            "/{what}/{pod_path}/{}",
            container::choose(&pod, request.params.text("container"))?
        ),
    };
    let node_name = pod.text_at(&["spec", "nodeName"]);
    if node_name.is_empty() {
        return Err(Refusal::bad_request(format!(
            "pod {} does not have a host assigned",
            place.name
        )));
    }
    let kubelet = node::find(app, node_name, connect.about())?;
    let path = if query.is_empty() { path } else { format!("{path}?{query}") };
    app.metrics.connections.streaming(what, kubelet.speaks_websockets);
    pass(connect, client, &kubelet.endpoint, &path).await
}

/// The same protocol on both sides: only bytes are carried.
async fn pass(
    connect: &Connect<'_>,
    client: Client,
    kubelet: &Endpoint,
    path: &str,
) -> Result<Response<Body>, Refusal> {
    let parts = connect.request.parts;
    let required = || Refusal::bad_request("Upgrade request required");
    if !forwarded::wants_upgrade(&parts.headers) {
        return Err(required());
    }
    let on_upgrade = client.upgrade.ok_or_else(required)?;
    let headers = forwarded::headers(connect.app, parts, client.address);
    let connection = connect.app.backends.kubelets.dial(kubelet).await;
    let connection = connection
        .map_err(|error| Refusal::unclassified(format!("error dialing backend: {error}")))?;
    let answer = upgrade::ask(connection, (parts.method.clone(), path), headers).await;
    match answer.map_err(Refusal::unclassified)? {
        Answer::Stayed(response) => upgrade::stayed(response),
        Answer::Switched(head, backend) => {
            connect.join(on_upgrade, backend);
            Ok(upgrade::switched(head))
        }
    }
}

/// What the kubelet is asked.
fn query(what: &str, params: &Params) -> Result<String, Refusal> {
    if what == "portforward" {
        let ports = ports(params)?;
        return Ok(match ports.is_empty() {
            true => String::new(),
            false => escape::query(&[("port", &ports.join(","))]),
        });
    }
    let wanted = STREAMS.iter().filter(|(name, _)| params.flag(name)).map(|(_, name)| (*name, "1"));
    let commands = params.all("command").filter(|_| what == "exec").map(|word| ("command", word));
    Ok(escape::query(&commands.chain(wanted).collect::<Vec<_>>()))
}

/// The ports that are named in the URL; most clients name them later.
fn ports(params: &Params) -> Result<Vec<String>, Refusal> {
    let all = params.all("ports").flat_map(|value| value.split(','));
    all.map(|text| match text.parse::<i32>() {
        Ok(number) => Ok(number.to_string()),
        Err(_) => {
            let text = ratchet_net::Quoted(text);
            Err(Refusal::bad_request(format!("strconv.ParseInt: parsing {text}: invalid syntax")))
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(what: &str, text: &str) -> Result<String, String> {
        query(what, &Params::read(Some(text))).map_err(|refusal| refusal.message)
    }

    #[test]
    fn kubelets_have_their_own_names_for_streams() {
        let text = "command=ls&command=-l&container=c&stderr=true&stdout=1&stdin=false&tty=0";
        assert_eq!(asked("exec", text), Ok("command=ls&command=-l&error=1&output=1".into()));
        assert_eq!(asked("attach", text), Ok("error=1&output=1".into()));
        assert_eq!(asked("attach", "stdin=true&tty=true"), Ok("input=1&tty=1".into()));
    }

    #[test]
    fn ports_are_numbers() {
        assert_eq!(
            asked("portforward", "ports=80&ports=443,8080"),
            Ok("port=80%2C443%2C8080".into())
        );
        assert_eq!(asked("portforward", ""), Ok(String::new()));
        assert_eq!(
            asked("portforward", "ports=http"),
            Err(r#"strconv.ParseInt: parsing "http": invalid syntax"#.into())
        );
    }
}
