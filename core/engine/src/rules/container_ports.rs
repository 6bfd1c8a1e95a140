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

/// Earlier ports with one number and protocol, indexed by host port and address: comparing all pairs costs too much where
/// there are many.
#[derive(Default)]
struct SeenPorts<'a> {
    all: Vec<SeenPort<'a>>,
    by_host: BTreeMap<(i64, &'a str), Vec<usize>>,
}

impl<'a> SeenPorts<'a> {
    fn add(&mut self, port: SeenPort<'a>) {
        let host = (port.host_port, port.host_ip);
        self.by_host.entry(host).or_default().push(self.all.len());
        self.all.push(port);
    }

    /// The ports that may clash with one, in order.
    fn near(&self, host_port: i64, host_ip: &'a str) -> Vec<&SeenPort<'a>> {
        let with = |host_port: i64| {
            let after = self.by_host.range((host_port, "")..);
            after.take_while(move |((port, _), _)| *port == host_port)
        };
        if host_port == 0 {
            return self.all.iter().collect();
        }
        let mut found: Vec<usize> = with(0).flat_map(|(_, ports)| ports).copied().collect();
        match host_ip {
            "" => found.extend(with(host_port).flat_map(|(_, ports)| ports)),
            // Those with another address are apart from it.
            _ => {
                let hosts = [(host_port, ""), (host_port, host_ip)];
                found.extend(hosts.iter().filter_map(|host| self.by_host.get(host)).flatten());
            }
        }
        found.sort_unstable();
        found.into_iter().filter_map(|index| self.all.get(index)).collect()
    }
}

/// Warns about ports by number, then about ports by name. `takes_host_ports`: on the host's network, `hostPort`
/// defaults to `containerPort`.
pub(crate) fn warn(spec: &At<'_>, takes_host_ports: bool, verdict: &mut Verdict) {
    let takes_host_ports = takes_host_ports && spec.field("hostNetwork").is_true();
    let mut seen: BTreeMap<(i64, &str), SeenPorts<'_>> = BTreeMap::new();
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
        for other in others.near(host_port, host_ip) {
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
        others.add(SeenPort { host_port, host_ip, at });
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
