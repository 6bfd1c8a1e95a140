//! Validation of container ports: numbers, names and host ports.

use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::{self, NameFormat};
use crate::views::protocol;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use ratchet_object::At;

pub(crate) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

pub(super) fn check(ports: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for port in ports.items() {
        let name = port.field("name");
        let text = name.text_or_empty();
        if !text.is_empty() && !name_format::is_valid(NameFormat::PortName, text) {
            errs.form(&name, NameFormat::PortName);
        } else if !text.is_empty() && !names.insert(text) {
            errs.duplicate(&name, quoted(text));
        }
        let number = port.field("containerPort");
        match number.int().unwrap_or_default() {
            0 => errs.required(&number, ""),
            _ => errs.port_number(&number),
        }
        let host_port = port.field("hostPort");
        if host_port.int().unwrap_or_default() != 0 {
            errs.port_number(&host_port);
        }
        errs.one_of(&port.field("protocol"), &PROTOCOLS);
    }
}

/// Checks that no host port is used twice.
pub(super) fn check_host_ports(
    containers: &[At<'_>],
    list: &At<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let mut used_ports: BTreeSet<String> = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        for (port_index, port) in container.field("ports").items().enumerate() {
            let at = port.field("hostPort");
            let number = at.int().unwrap_or_default();
            if number == 0 {
                continue;
            }
            let host = port.field("hostIP").text_or_empty();
            let port = format!("{}/{host}/{number}", protocol(&port));
            if used_ports.contains(&port) {
                // The index of each init container is zero, as each is checked alone.
                let path =
                    list.path().index(index).field("ports").index(port_index).field("hostPort");
                errs.duplicate(&at.with_path(path), quoted(&port));
            } else {
                used_ports.insert(port);
            }
        }
    }
}

/// Checks that on the host network `hostPort` equals `containerPort`, which is its default there.
pub(super) fn check_host_network(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !spec.field("hostNetwork").is_true() {
        return;
    }
    for port in spec.field("containers").items().flat_map(|at| at.field("ports").items()) {
        let host_port = port.field("hostPort");
        let number = host_port.int().unwrap_or_default();
        if number != 0 && number != port.field("containerPort").int().unwrap_or_default() {
            errs.invalid(&host_port, "must match `containerPort` when `hostNetwork` is true");
        }
    }
}
