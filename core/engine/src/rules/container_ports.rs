//! Warnings about container ports that repeat a number or a name, or that set `hostIP` without `hostPort`.

use super::ineffective_setting::warn_at;
use crate::Verdict;
use crate::views::protocol;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{At, Path};

/// An earlier port with the same number and protocol.
struct SeenPort<'a> {
    host_port: i64,
    host_ip: &'a str,
    at: At<'a>,
}

/// Warns about ports by number, then about ports by name. `takes_host_ports`: on the host's network, `hostPort`
/// defaults to `containerPort`.
pub(crate) fn warn(spec: &At<'_>, takes_host_ports: bool, verdict: &mut Verdict) {
    let takes_host_ports = takes_host_ports && spec.field("hostNetwork").is_true();
    let mut seen: BTreeMap<(i64, &str), Vec<SeenPort<'_>>> = BTreeMap::new();
    for at in ports(spec) {
        // Each pair is a warning, so that a few thousand ports give millions; stop once the verdict is full.
        if verdict.unlisted > 0 {
            return;
        }
        let protocol = protocol(&at);
        let number = at.field("containerPort").int().unwrap_or(0);
        let host_port = match at.field("hostPort").int().unwrap_or(0) {
            0 if takes_host_ports => number,
            port => port,
        };
        let host_ip = at.field("hostIP").text_or_empty();
        if !host_ip.is_empty() && host_port == 0 {
            let name = at.field("name").text_or_empty();
            let text = format!(
                "hostIP set without hostPort: {{Name:{name} HostPort:{host_port} ContainerPort:{number} Protocol:{protocol} HostIP:{host_ip}}}"
            );
            warn_at(verdict, &at, &text);
        }
        let others = seen.entry((number, protocol)).or_default();
        for other in &*others {
            let clash = if host_port == other.host_port && host_ip == other.host_ip {
                "duplicate"
            } else if host_port == 0 || other.host_port == 0 {
                "overlapping"
            } else if host_port == other.host_port && host_ip.is_empty() != other.host_ip.is_empty()
            {
                "dangerously ambiguous"
            } else {
                continue;
            };
            warn_at(verdict, &at, &format!("{clash} port definition with {}", other.at.path()));
        }
        others.push(SeenPort { host_port, host_ip, at });
    }
    warn_names(spec, verdict);
}

fn warn_names(spec: &At<'_>, verdict: &mut Verdict) {
    let mut seen: BTreeMap<&str, Path<'_>> = BTreeMap::new();
    for at in ports(spec) {
        let name = at.field("name").text_or_empty();
        match seen.get(name) {
            _ if name.is_empty() => {}
            None => {
                seen.insert(name, *at.path());
            }
            Some(other) => {
                let text = format!(
                    "duplicate port name {} with {other}, services and probes that select ports by name will use {other}",
                    Quoted(name)
                );
                warn_at(verdict, &at, &text);
            }
        }
    }
}

fn ports<'a>(spec: &At<'a>) -> impl Iterator<Item = At<'a>> {
    spec.containers().flat_map(|container| container.field("ports").items())
}
