//! What a policy may say, and the API server's words for what it may not.

use ratchet_net::dns::{self, NameFault};
use ratchet_object::Node;

use super::read::{Written, WrittenResources, WrittenRule};
use super::{Level, Stage};

const NAME_PATTERN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used \
for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// All that is wrong, as one text.
pub(super) fn policy(policy: &Written) -> Result<(), String> {
    let mut problems = Vec::new();
    stages(&policy.omit_stages, "omitStages", &mut problems);
    for (index, rule) in policy.rules.iter().enumerate() {
        check_rule(rule, &format!("rules[{index}]"), &mut problems);
    }
    let mut told: Vec<String> = Vec::new();
    for problem in problems {
        if !told.contains(&problem) {
            told.push(problem);
        }
    }
    match told.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

fn check_rule(rule: &WrittenRule, path: &str, problems: &mut Vec<String>) {
    level(&rule.level, &format!("{path}.level"), problems);
    let urls_path = format!("{path}.nonResourceURLs");
    urls(&rule.non_resource_urls, &urls_path, problems);
    for resources in &rule.resources {
        // The API server does not say which of them.
        check_resources(resources, &format!("{path}.resources"), problems);
    }
    stages(&rule.omit_stages, &format!("{path}.omitStages"), problems);
    let names_resources = !rule.resources.is_empty() || !rule.namespaces.is_empty();
    if !rule.non_resource_urls.is_empty() && names_resources {
        let value = json(&rule.non_resource_urls);
        let why = "rules cannot apply to both regular resources and non-resource URLs";
        problems.push(format!("{urls_path}: Invalid value: {value}: {why}"));
    }
}

fn level(level: &str, path: &str, problems: &mut Vec<String>) {
    if level.is_empty() {
        problems.push(format!("{path}: Required value"));
    } else if !Level::ALL.iter().any(|known| known.name() == level) {
        let known = Level::ALL.map(|level| format!("{:?}", level.name())).join(", ");
        problems.push(format!("{path}: Unsupported value: {level:?}: supported values: {known}"));
    }
}

fn urls(urls: &[String], path: &str, problems: &mut Vec<String>) {
    for (index, url) in urls.iter().enumerate().filter(|(_, url)| *url != "*") {
        let mut problem =
            |why: &str| problems.push(format!("{path}[{index}]: Invalid value: {url:?}: {why}"));
        if !url.starts_with('/') {
            problem("non-resource URL rules must begin with a '/' character");
        }
        // A star is one byte, so all but the last byte is all but the last letter where it matters.
        if url.strip_suffix('*').unwrap_or(url).contains('*') {
            problem("non-resource URL wildcards '*' must be the final character of the rule");
        }
    }
}

fn check_resources(resources: &WrittenResources, path: &str, problems: &mut Vec<String>) {
    let group = &resources.group;
    if !group.is_empty() && group != "*" {
        let words = dns::subdomain(group).iter().map(|fault| match fault {
            NameFault::TooLong => "must be no more than 253 characters",
            NameFault::Pattern => NAME_PATTERN,
        });
        let words = words.collect::<Vec<_>>().join(",");
        if !words.is_empty() {
            problems.push(format!("{path}.group: Invalid value: {group:?}: {words}"));
        }
    }
    if !resources.resource_names.is_empty() && resources.resources.is_empty() {
        let value = json(&resources.resource_names);
        let why = "using resourceNames requires at least one resource";
        problems.push(format!("{path}.resourceNames: Invalid value: {value}: {why}"));
    }
}

fn stages(names: &[String], path: &str, problems: &mut Vec<String>) {
    for (index, name) in names.iter().enumerate() {
        if !Stage::ALL.iter().any(|stage| stage.name() == name) {
            let known = Stage::ALL.map(Stage::name).join(",");
            problems.push(format!(
                "{path}[{index}]: Invalid value: {name:?}: allowed stages are {known}"
            ));
        }
    }
}

fn json(texts: &[String]) -> String {
    Node::list(texts.iter().map(|text| Node::string(text.as_str())).collect()).to_json()
}
