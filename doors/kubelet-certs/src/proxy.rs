//! What the API server's node proxy tells about a kubelet that cannot be dialled: little, and this says how little.

use ratchet_cluster::{Answer, Cluster};

/// What came back through the node proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proxied {
    /// The kubelet answered, whatever it said: the API server accepts its certificate, or does not look at it.
    Reached,
    /// The API server does not accept the certificate.
    Refused(String),
    /// Nothing is known, and why.
    Nothing(String),
}

/// Asks for the health of a kubelet through the API server.
pub(crate) async fn ask(cluster: &Cluster, node: &str) -> Proxied {
    match cluster.ask(&format!("/api/v1/nodes/{node}/proxy/healthz")).await {
        Ok(answer) => read(&answer),
        Err(error) => Proxied::Nothing(error.to_string()),
    }
}

/// A Status is of the API server; anything else came from the kubelet.
fn read(answer: &Answer) -> Proxied {
    let Some(message) = answer.status_message() else {
        let is_kubelet = matches!(answer.code, 200..=499) && answer.code != 404;
        let other = || Proxied::Nothing(format!("the node proxy answers {}", answer.code));
        return if is_kubelet { Proxied::Reached } else { other() };
    };
    if message.contains("x509:") || message.contains("failed to verify certificate") {
        return Proxied::Refused(message);
    }
    match answer.code {
        403 => Proxied::Nothing(format!(
            "the node proxy is not allowed (it needs `get` on nodes/proxy, which also lets one run commands in pods): {message}"
        )),
        404 => Proxied::Nothing(format!("this API server has no node proxy: {message}")),
        code => {
            Proxied::Nothing(format!("the API server does not reach it either ({code}): {message}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: u16, body: &str) -> Proxied {
        read(&Answer { code, body: body.to_owned() })
    }

    fn status(message: &str) -> String {
        format!("{{\"kind\":\"Status\",\"message\":\"{message}\"}}")
    }

    #[test]
    fn the_kubelet_is_told_from_the_server() {
        assert_eq!(told(200, "ok"), Proxied::Reached);
        assert_eq!(told(401, "Unauthorized"), Proxied::Reached);
        assert_eq!(told(403, "Forbidden (user=x, verb=get, resource=nodes)"), Proxied::Reached);
        assert!(matches!(told(502, "<html>"), Proxied::Nothing(_)));
        assert!(matches!(told(404, "404 page not found"), Proxied::Nothing(_)));
    }

    #[test]
    fn what_the_server_does_not_accept_is_evidence() {
        let unknown = "error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority";
        assert_eq!(told(503, &status(unknown)), Proxied::Refused(unknown.to_owned()));
        for (code, message, word) in [
            (503, "error trying to reach service: dial tcp 10.0.0.1:10250: i/o timeout", "either"),
            (403, "nodes is forbidden", "nodes/proxy"),
            (404, "the server could not find the requested resource", "no node proxy"),
            (400, "address not allowed", "either"),
        ] {
            let Proxied::Nothing(why) = told(code, &status(message)) else { panic!("{message}") };
            assert!(why.contains(word) && why.contains(message), "{why}");
        }
    }
}
