//! Validation of a policy, with the error messages of the API server.

use ratchet_net::dns::{self, NameFault};
use ratchet_object::Node;

use super::parse::{ParsedPolicy, ParsedResources, ParsedRule};
use super::{Level, Stage};

const NAME_PATTERN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used \
for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// All errors as one message.
pub(super) fn policy(policy: &ParsedPolicy) -> Result<(), String> {
    let mut errors = Vec::new();
    stages(&policy.omit_stages, "omitStages", &mut errors);
    for (index, rule) in policy.rules.iter().enumerate() {
        check_rule(rule, &format!("rules[{index}]"), &mut errors);
    }
    let mut unique: Vec<String> = Vec::new();
    for error in errors {
        if !unique.contains(&error) {
            unique.push(error);
        }
    }
    match unique.as_slice() {
        [] => Ok(()),
        [error] => Err(error.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

fn check_rule(rule: &ParsedRule, path: &str, errors: &mut Vec<String>) {
    level(&rule.level, &format!("{path}.level"), errors);
    let urls_path = format!("{path}.nonResourceURLs");
    urls(&rule.non_resource_urls, &urls_path, errors);
    for resources in &rule.resources {
        // The API server does not report the index of the group.
        check_resources(resources, &format!("{path}.resources"), errors);
    }
    stages(&rule.omit_stages, &format!("{path}.omitStages"), errors);
    let names_resources = !rule.resources.is_empty() || !rule.namespaces.is_empty();
    if !rule.non_resource_urls.is_empty() && names_resources {
        let value = json(&rule.non_resource_urls);
        let why = "rules cannot apply to both regular resources and non-resource URLs";
        errors.push(format!("{urls_path}: Invalid value: {value}: {why}"));
    }
}

fn level(level: &str, path: &str, errors: &mut Vec<String>) {
    if level.is_empty() {
        errors.push(format!("{path}: Required value"));
    } else if !Level::ALL.iter().any(|allowed| allowed.name() == level) {
        let allowed = Level::ALL.map(|level| format!("{:?}", level.name())).join(", ");
        errors.push(format!("{path}: Unsupported value: {level:?}: supported values: {allowed}"));
    }
}

fn urls(urls: &[String], path: &str, errors: &mut Vec<String>) {
    for (index, url) in urls.iter().enumerate().filter(|(_, url)| *url != "*") {
        let mut error =
            |why: &str| errors.push(format!("{path}[{index}]: Invalid value: {url:?}: {why}"));
        if !url.starts_with('/') {
            error("non-resource URL rules must begin with a '/' character");
        }
        // A star is one byte, so cutting the last byte cuts the last letter where it matters.
        if url.strip_suffix('*').unwrap_or(url).contains('*') {
            error("non-resource URL wildcards '*' must be the final character of the rule");
        }
    }
}

fn check_resources(resources: &ParsedResources, path: &str, errors: &mut Vec<String>) {
    let group = &resources.group;
    if !group.is_empty() && group != "*" {
        let messages = dns::subdomain(group).iter().map(|fault| match fault {
            NameFault::TooLong => "must be no more than 253 characters",
            NameFault::Pattern => NAME_PATTERN,
        });
        let messages = messages.collect::<Vec<_>>().join(",");
        if !messages.is_empty() {
            errors.push(format!("{path}.group: Invalid value: {group:?}: {messages}"));
        }
    }
    if !resources.resource_names.is_empty() && resources.resources.is_empty() {
        let value = json(&resources.resource_names);
        let why = "using resourceNames requires at least one resource";
        errors.push(format!("{path}.resourceNames: Invalid value: {value}: {why}"));
    }
}

fn stages(names: &[String], path: &str, errors: &mut Vec<String>) {
    for (index, name) in names.iter().enumerate() {
        if !Stage::ALL.iter().any(|stage| stage.name() == name) {
            let allowed = Stage::ALL.map(Stage::name).join(",");
            errors.push(format!(
                "{path}[{index}]: Invalid value: {name:?}: allowed stages are {allowed}"
            ));
        }
    }
}

fn json(texts: &[String]) -> String {
    Node::list(texts.iter().map(|text| Node::string(text.as_str())).collect()).to_json()
}
