//! The same address and the same port, asked for at all servers at once: one of them gives it.

use crate::server::Server;
use crate::{ROUNDS, SERVICES, read};
use serde_json::{Value, json};
use std::sync::Barrier;

/// Asks all servers at once for a Service with this specification; each for one of another name.
fn ask_all(servers: &[Server; 3], name: &str, spec: &Value) -> Vec<(u16, String)> {
    let all = Barrier::new(servers.len());
    std::thread::scope(|scope| {
        let tasks: Vec<_> = servers
            .iter()
            .enumerate()
            .map(|(index, server)| {
                let metadata = json!({"name": format!("{name}-{index}")});
                let body = json!({
                    "apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec,
                });
                let all = &all;
                scope.spawn(move || {
                    all.wait();
                    server.request("POST", SERVICES, &body.to_string())
                })
            })
            .collect();
        tasks.into_iter().map(|task| task.join().unwrap()).collect()
    })
}

/// Asserts that one server gives what all were asked for, and the others say that it is given.
fn one_gives(servers: &[Server; 3], name: &str, spec: &Value, refusal: &str) {
    let answers = ask_all(servers, name, spec);
    let given = answers.iter().filter(|(code, _)| *code == 201).count();
    assert_eq!(given, 1, "{name}: {answers:?}");
    for (code, text) in answers.iter().filter(|(code, _)| *code != 201) {
        assert!(*code == 422 && text.contains(refusal), "{name}: {code} {text}");
    }
    for server in servers {
        let list = read(server, SERVICES);
        let items = list["items"].as_array().unwrap().iter();
        let of_round = format!("{name}-");
        let names = items.filter_map(|item| item["metadata"]["name"].as_str());
        assert_eq!(names.filter(|name| name.starts_with(&of_round)).count(), 1, "{name}");
    }
}

/// Asserts it for addresses and for ports, from the parts of their ranges that are not given at random.
pub(crate) fn addresses_and_ports_are_given_once(servers: &[Server; 3]) {
    for round in 0..ROUNDS {
        let port = json!([{"port": 80}]);
        let spec = json!({"clusterIP": format!("10.0.0.{}", 2 + round), "ports": port});
        let refusal = "provided IP is already allocated";
        one_gives(servers, &format!("address{round}"), &spec, refusal);
        let port = json!([{"port": 80, "nodePort": 30001 + round}]);
        let spec = json!({"type": "NodePort", "ports": port});
        let refusal = "provided port is already allocated";
        one_gives(servers, &format!("port{round}"), &spec, refusal);
    }
}
