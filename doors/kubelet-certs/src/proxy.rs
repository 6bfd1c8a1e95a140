//! A probe through the API server's node proxy, for kubelets that cannot be dialled directly.

use ratchet_cluster::{Answer, Cluster};

/// The result of a request through the node proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProxyResult {
    /// The kubelet answered: the API server accepts its certificate or does not verify it.
    Reached,
    /// The API server rejects the certificate.
    Refused(String),
    /// No conclusion is possible, and why.
    Failed(String),
}

/// Requests a kubelet's `/healthz` through the API server.
pub(crate) async fn probe_healthz(cluster: &Cluster, node: &str) -> ProxyResult {
    match cluster.ask(&format!("/api/v1/nodes/{node}/proxy/healthz")).await {
        Ok(answer) => classify(&answer),
        Err(error) => ProxyResult::Failed(error.to_string()),
    }
}

/// Interprets an answer: a Status is the API server's, anything else the kubelet's.
fn classify(answer: &Answer) -> ProxyResult {
    let Some(message) = answer.status_message() else {
        let is_kubelet = matches!(answer.code, 200..=499) && answer.code != 404;
        let other = || ProxyResult::Failed(format!("the node proxy answers {}", answer.code));
        return if is_kubelet { ProxyResult::Reached } else { other() };
    };
    if message.contains("x509:") || message.contains("failed to verify certificate") {
        return ProxyResult::Refused(message);
    }
    match answer.code {
        403 => ProxyResult::Failed(format!(
            "the node proxy is not allowed (it needs `get` on nodes/proxy, which also lets one run commands in pods): {message}"
        )),
        404 => ProxyResult::Failed(format!("this API server has no node proxy: {message}")),
        code => ProxyResult::Failed(format!(
            "the API server does not reach it either ({code}): {message}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify_body(code: u16, body: &str) -> ProxyResult {
        classify(&Answer { code, body: body.to_owned(), retry_after: None })
    }

    fn status(message: &str) -> String {
        format!("{{\"kind\":\"Status\",\"message\":\"{message}\"}}")
    }

    #[test]
    fn the_kubelet_is_told_from_the_server() {
        assert_eq!(classify_body(200, "ok"), ProxyResult::Reached);
        assert_eq!(classify_body(401, "Unauthorized"), ProxyResult::Reached);
        assert_eq!(
            classify_body(403, "Forbidden (user=x, verb=get, resource=nodes)"),
            ProxyResult::Reached
        );
        assert!(matches!(classify_body(502, "<html>"), ProxyResult::Failed(_)));
        assert!(matches!(classify_body(404, "404 page not found"), ProxyResult::Failed(_)));
    }

    #[test]
    fn what_the_server_does_not_accept_is_evidence() {
        let unknown = "error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority";
        assert_eq!(classify_body(503, &status(unknown)), ProxyResult::Refused(unknown.to_owned()));
        for (code, message, expected) in [
            (503, "error trying to reach service: dial tcp 10.0.0.1:10250: i/o timeout", "either"),
            (403, "nodes is forbidden", "nodes/proxy"),
            (404, "the server could not find the requested resource", "no node proxy"),
            (400, "address not allowed", "either"),
        ] {
            let ProxyResult::Failed(why) = classify_body(code, &status(message)) else {
                panic!("{message}")
            };
            assert!(why.contains(expected) && why.contains(message), "{why}");
        }
    }
}
