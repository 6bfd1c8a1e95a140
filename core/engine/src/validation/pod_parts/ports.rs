//! Ports of containers: their numbers, their names, and the host's ports they take.

use crate::field_errors::{FieldErrors, quoted};
use crate::forms::{self, NameFormat};
use crate::views::protocol;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

pub(crate) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

pub(super) fn check(ports: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut names: Vec<&str> = Vec::new();
    for port in ports.items() {
        let name = port.field("name");
        let text = name.text_or_empty();
        if !text.is_empty() && !forms::fits(NameFormat::PortName, text) {
            errs.form(&name, NameFormat::PortName);
        } else if names.contains(&text) {
            errs.duplicate(&name, quoted(text));
        } else if !text.is_empty() {
            names.push(text);
        }
        let number = port.field("containerPort");
        match number.int().unwrap_or_default() {
            0 => errs.required(&number, ""),
            _ => errs.port_number(&number),
        }
        let taken = port.field("hostPort");
        if taken.int().unwrap_or_default() != 0 {
            errs.port_number(&taken);
        }
        errs.one_of(&port.field("protocol"), &PROTOCOLS);
    }
}

/// No port of the host is taken twice.
pub(super) fn check_host_ports(
    containers: &[At<'_>],
    list: &At<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let mut taken: Vec<String> = Vec::new();
    for (index, container) in containers.iter().enumerate() {
        for (place, port) in container.field("ports").items().enumerate() {
            let at = port.field("hostPort");
            let number = at.int().unwrap_or_default();
            if number == 0 {
                continue;
            }
            let host = port.field("hostIP").text_or_empty();
            let port = format!("{}/{host}/{number}", protocol(&port));
            if taken.contains(&port) {
                // Each init container is counted from nought, as if it stood alone.
                let path = list.path().index(index).field("ports").index(place).field("hostPort");
                errs.duplicate(&at.named(path), quoted(&port));
            } else {
                taken.push(port);
            }
        }
    }
}

/// In the host's network a container's port is the host's; left out, defaulting makes it so.
pub(super) fn check_host_network(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !spec.field("hostNetwork").is_true() {
        return;
    }
    for port in spec.field("containers").items().flat_map(|at| at.field("ports").items()) {
        let taken = port.field("hostPort");
        let number = taken.int().unwrap_or_default();
        if number != 0 && number != port.field("containerPort").int().unwrap_or_default() {
            errs.invalid(&taken, "must match `containerPort` when `hostNetwork` is true");
        }
    }
}
