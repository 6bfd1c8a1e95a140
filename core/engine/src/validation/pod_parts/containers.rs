//! Validation of containers, init containers and ephemeral containers.

use super::{PodValidationOptions, environment, ports, probes, resources, security, volumes};
use crate::field_errors::{FieldErrors, has, quoted};
use crate::format_value;
use crate::name_format::NameFormat;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use ratchet_object::{At, CONTAINER_LISTS};

const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
const SIDECAR_ONLY: &str = "may not be set for init containers without restartPolicy=Always";
const PADDED: &str = "must not have leading or trailing whitespace";
const MOST_RULES: usize = 20;
const MOST_CODES: usize = 255;
const RESTARTS: [&str; 3] = ["Always", "Never", "OnFailure"];

/// Fields that an ephemeral container may set.
const EPHEMERAL: [&str; 17] = [
    "name",
    "image",
    "command",
    "args",
    "workingDir",
    "env",
    "envFrom",
    "volumeMounts",
    "volumeDevices",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "imagePullPolicy",
    "securityContext",
    "stdin",
    "stdinOnce",
    "tty",
    "targetContainerName",
];

/// What containers can refer to by name: the valid volumes of their pod, and its claims.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) volumes: &'a BTreeMap<&'a str, bool>,
    pub(super) claims: &'a [&'a str],
}

pub(super) fn check(
    spec: &At<'_>,
    options: PodValidationOptions<'_>,
    known: &Known<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let [init, main, ephemeral] = CONTAINER_LISTS.map(|name| spec.field(name));
    if main.is_empty() {
        errs.required(&main, "");
    }
    check_main(spec, &main, known, errs);
    check_init(spec, &main, &init, known, errs);
    check_ephemeral(spec, [&main, &init, &ephemeral], known, errs);
    for list in [&main, &init] {
        for image in list.items().map(|at| at.field("image")).filter(|_| options.is_pod) {
            check_padding(&image, errs);
        }
    }
}

fn check_padding(image: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = image.text_or_empty();
    if text.trim() != text {
        errs.invalid(image, PADDED);
    }
}

fn check_main(spec: &At<'_>, main: &At<'_>, known: &Known<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for container in main.items() {
        check_shared(spec, &container, known, errs);
        let name = container.field("name");
        if !names.insert(name.text_or_empty()) {
            errs.duplicate(&name, quoted(name.text_or_empty()));
        }
        check_behaviour(spec, &container, errs);
        check_restart(&container, errs);
    }
    ports::check_host_ports(&main.items().collect::<Vec<_>>(), main, errs);
}

fn check_init(
    spec: &At<'_>,
    main: &At<'_>,
    init: &At<'_>,
    known: &Known<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let mut names = names_of(main);
    for container in init.items() {
        check_shared(spec, &container, known, errs);
        check_restart(&container, errs);
        let name = container.field("name");
        if names.contains(name.text_or_empty()) {
            errs.duplicate(&name, quoted(name.text_or_empty()));
        } else if !name.text_or_empty().is_empty() {
            names.insert(name.text_or_empty());
        }
        ports::check_host_ports(&[container], init, errs);
        if container.field("restartPolicy").text_or_empty() == "Always" {
            check_behaviour(spec, &container, errs);
            continue;
        }
        for name in ["lifecycle"].into_iter().chain(PROBES) {
            let at = container.field(name);
            if at.is_set() {
                errs.forbidden(&at, SIDECAR_ONLY);
            }
        }
    }
}

fn check_ephemeral(
    spec: &At<'_>,
    lists: [&At<'_>; 3],
    known: &Known<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let [main, init, ephemeral] = lists;
    let mut others = names_of(main);
    others.extend(names_of(init));
    let mut names = others.clone();
    for container in ephemeral.items() {
        check_shared(spec, &container, known, errs);
        check_padding(&container.field("image"), errs);
        let name = container.field("name");
        if !names.insert(name.text_or_empty()) {
            errs.duplicate(&name, quoted(name.text_or_empty()));
        }
        let target = container.field("targetContainerName");
        if !target.text_or_empty().is_empty() && !others.contains(target.text_or_empty()) {
            errs.not_found(&target, target.text_or_empty());
        }
        for (name, at) in container.entries() {
            let is_set = !at.is_zero();
            if is_set && !EPHEMERAL.contains(&name) {
                errs.forbidden(&container.field(name), "cannot be set for an Ephemeral Container");
            }
        }
        for mount in container.field("volumeMounts").items() {
            for name in ["subPath", "subPathExpr"] {
                if !mount.field(name).text_or_empty().is_empty() {
                    let detail = "cannot be set for an Ephemeral Container";
                    errs.forbidden(&mount.field(name), detail);
                }
            }
        }
    }
}

/// Checks the fields that all containers share.
fn check_shared(
    spec: &At<'_>,
    container: &At<'_>,
    known: &Known<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    errs.needs_form(&container.field("name"), NameFormat::Label);
    errs.needs_text(&container.field("image"));
    let policy = container.field("terminationMessagePolicy");
    errs.one_of(&policy, &["File", "FallbackToLogsOnError"]);
    if has(container, "ports") {
        ports::check(&container.field("ports"), errs);
    }
    environment::check(container, errs);
    volumes::check_mounts(container, known.volumes, errs);
    errs.one_of(&container.field("imagePullPolicy"), &["Always", "IfNotPresent", "Never"]);
    if has(container, "resources") {
        resources::check(&container.field("resources"), known.claims, errs);
    }
    if has(container, "resizePolicy") {
        check_resize(spec, &container.field("resizePolicy"), errs);
    }
    security::check_container(spec, &container.field("securityContext"), errs);
}

fn check_behaviour(spec: &At<'_>, container: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if has(container, "lifecycle") {
        let lifecycle = container.field("lifecycle");
        for name in ["postStart", "preStop"] {
            let at = lifecycle.field(name);
            if at.is_set() {
                probes::check_handler(&at, grace(spec), errs);
            }
        }
    }
    for name in PROBES.into_iter().filter(|name| has(container, name)) {
        probes::check(&container.field(name), name, grace(spec), errs);
    }
}

fn check_restart(container: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !has(container, "restartPolicy") && !has(container, "restartPolicyRules") {
        return;
    }
    let (policy, rules) = (container.field("restartPolicy"), container.field("restartPolicyRules"));
    if !policy.is_set() && !rules.is_empty() {
        errs.required(&policy, "must specify restartPolicy when restart rules are used");
    }
    errs.one_of(&policy, &RESTARTS);
    if rules.len() > MOST_RULES {
        errs.too_many(&rules, rules.len(), MOST_RULES);
    }
    for rule in rules.items() {
        check_restart_rule(&rule, errs);
    }
}

fn check_restart_rule(rule: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let actions: &[&str] = match errs.ctx.config.release.since(36) {
        true => &["Restart", "RestartAllContainers"],
        false => &["Restart"],
    };
    let (action, codes) = (rule.field("action"), rule.field("exitCodes"));
    check_given(&action, actions, errs);
    if !codes.is_set() {
        return errs.required(&codes, "must be specified");
    }
    check_given(&codes.field("operator"), &["In", "NotIn"], errs);
    let values = codes.field("values");
    if values.len() > MOST_CODES {
        errs.too_many(&values, values.len(), MOST_CODES);
    }
}

/// Checks that a field is one of `known`; an unset one is empty.
fn check_given(at: &At<'_>, known: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    if !known.contains(&text) {
        errs.unsupported(at, format_value::typed_string(text, errs.ctx.config.release), known);
    }
}

const RESIZED: [&str; 2] = ["cpu", "memory"];
const RESIZE_POLICIES: [&str; 2] = ["NotRequired", "RestartContainer"];

/// Checks what happens when resources change; the API reports all but duplicates at the list.
fn check_resize(spec: &At<'_>, list: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let is_never = spec.field("restartPolicy").text_or_empty() == "Never";
    let release = errs.ctx.config.release;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for item in list.items() {
        let name = item.field("resourceName").text_or_empty();
        let policy = item.field("restartPolicy").text_or_empty();
        if !seen.insert(name) {
            errs.duplicate(&item, format_value::typed_string(name, release));
        }
        for (text, supported) in [(name, RESIZED), (policy, RESIZE_POLICIES)] {
            if text.is_empty() {
                errs.required(list, "");
            } else if !supported.contains(&text) {
                errs.unsupported(list, format_value::typed_string(text, release), &supported);
            }
        }
        if is_never && policy != "NotRequired" {
            let detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            errs.invalid_as(list, format_value::typed_string(policy, release), detail);
        }
    }
}

/// The `name` of every item of a list.
fn names_of<'a>(list: &At<'a>) -> BTreeSet<&'a str> {
    list.items().map(|at| at.field("name").text_or_empty()).collect()
}

/// `terminationGracePeriodSeconds`, with its default.
fn grace(spec: &At<'_>) -> i64 {
    spec.field("terminationGracePeriodSeconds").int().unwrap_or(30)
}
