//! Formatting of values as the API server's internal Go types, which some error messages contain.
//!
//! Every field has its Go name, whether it is set or not. `internal.txt` lists the types, one per line
//! after a head in `#`; `tools/schemagen` writes it.

use crate::format_value;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;
use ratchet_object::{At, Quantity};

static TYPES: &str = include_str!("internal.txt");

/// Fields of a pod's spec that the internal type has in its security context.
const MOVED: [&str; 5] =
    ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/// Metadata fields of an embedded type, each formatted only if set.
const METADATA: [&str; 8] = [
    "name",
    "generateName",
    "namespace",
    "uid",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
];

/// The value at a field as the internal type `name`.
pub(crate) fn format_as(name: &str, at: &At<'_>) -> String {
    let mut out = String::new();
    write(name, at, None, &mut out);
    out
}

/// The list at a field, whose items are of the internal type `name`.
pub(crate) fn format_list_as(name: &str, at: &At<'_>) -> String {
    let mut out = String::new();
    write_list(name, at, &mut out);
    out
}

fn fields_of(name: &str) -> Option<&'static str> {
    TYPES.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

fn write(name: &str, at: &At<'_>, parent: Option<&At<'_>>, out: &mut String) {
    let Some(fields) = fields_of(name) else {
        return out.push_str(&format_value::tree(at.node()));
    };
    out.push('{');
    let mut is_first = true;
    let mut comma = |out: &mut String| {
        if !core::mem::replace(&mut is_first, false) {
            out.push(',');
        }
    };
    for field in fields.split(' ') {
        let Some((own, (json, shape))) =
            field.split_once('=').and_then(|(own, rest)| Some((own, rest.split_once(':')?)))
        else {
            let metadata = at.field("metadata");
            for name in METADATA {
                let at = metadata.field(name);
                if !at.is_zero() {
                    comma(out);
                    let _ = write!(out, "\"{name}\":{}", format_value::tree(at.node()));
                }
            }
            continue;
        };
        comma(out);
        let _ = write!(out, "\"{own}\":");
        let holder = parent.filter(|_| MOVED.contains(&json)).unwrap_or(at);
        write_shape(shape, &holder.field(json), at, out);
    }
    out.push('}');
}

fn write_shape(shape: &str, at: &At<'_>, parent: &At<'_>, out: &mut String) {
    if let Some(pointed) = shape.strip_prefix('*') {
        return match at.is_set() {
            true => write_shape(pointed, at, parent, out),
            false => out.push_str("null"),
        };
    }
    if let Some(item) = shape.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return write_list(item, at, out);
    }
    match shape {
        "s" => out.push_str(&format_value::json(at.text_or_empty())),
        "b" => out.push_str(if at.is_true() { "true" } else { "false" }),
        "i" | "p" if !at.is_set() => out.push('0'),
        "i" | "p" => out.push_str(&format_value::tree(at.node())),
        "q" => out.push_str(&quantity(at)),
        "Q" => write_quantities(at, out),
        "sel" => out.push_str(&format_value::selector(at)),
        "map" | "x" => out.push_str(&format_value::tree(at.node())),
        name => write(name, at, Some(parent), out),
    }
}

fn write_list(item: &str, at: &At<'_>, out: &mut String) {
    if !at.is_set() {
        return out.push_str("null");
    }
    out.push('[');
    for (index, each) in at.items().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_shape(item, &each, at, out);
    }
    out.push(']');
}

fn quantity(at: &At<'_>) -> String {
    format_value::json(&Quantity::at(at).unwrap_or(Quantity::whole(0)).to_string())
}

fn write_quantities(at: &At<'_>, out: &mut String) {
    if !at.is_set() {
        return out.push_str("null");
    }
    let mut sorted: Vec<(&str, At<'_>)> = at.entries().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    out.push('{');
    for (index, (name, at)) in sorted.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let _ = write!(out, "{}:{}", format_value::json(name), quantity(at));
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, Object, decode};

    fn object(text: &str) -> Object<'_> {
        Object::new(decode(text, Limits::DEFAULT).unwrap().documents.remove(0))
    }

    #[test]
    fn every_type_that_is_named_is_listed() {
        let is_plain =
            |name: &str| matches!(name, "s" | "b" | "i" | "p" | "q" | "Q" | "sel" | "map" | "x");
        for line in TYPES.lines().filter(|line| !line.starts_with('#')) {
            for field in line.split(' ').skip(1).filter(|field| !field.starts_with('@')) {
                let shape = field.rsplit(':').next().unwrap();
                let name = shape.trim_start_matches(['*', '[']).trim_end_matches(']');
                assert!(name.is_empty() || is_plain(name) || fields_of(name).is_some(), "{field}");
            }
        }
    }

    #[test]
    fn a_port_is_shown_with_all_its_fields() {
        let port = object("{name: a, port: 80, targetPort: web}");
        assert_eq!(
            format_as("ServicePort", &port.root()),
            r#"{"Name":"a","Protocol":"","AppProtocol":null,"Port":80,"TargetPort":"web","NodePort":0}"#
        );
    }

    #[test]
    fn what_the_spec_says_of_the_host_is_shown_in_the_security_context() {
        let template = object(
            "{metadata: {labels: {b: x, a: z}}, spec: {hostNetwork: true, securityContext: {}, containers: [{name: c, resources: {limits: {cpu: 1000m}}}]}}",
        );
        let text = format_as("PodTemplateSpec", &template.root());
        assert!(
            text.starts_with(r#"{"labels":{"a":"z","b":"x"},"Spec":{"Volumes":null,"#),
            "{text}"
        );
        assert!(
            text.contains(r#""SecurityContext":{"HostNetwork":true,"HostPID":false,"#),
            "{text}"
        );
        assert!(text.contains(r#""Limits":{"cpu":"1"},"Requests":null"#), "{text}");
    }
}
