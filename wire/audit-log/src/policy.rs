//! Audit policy of `audit.k8s.io/v1`: the first rule that matches a request determines its level.

mod check;
mod parse;

use std::path::Path;

/// The level of detail of a request's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// No events.
    None,
    /// User, verb, resource, times and status.
    Metadata,
    /// Metadata and the request body.
    Request,
    /// Metadata, the request body and the response body.
    RequestResponse,
}

impl Level {
    /// All levels, from the least to the most detailed.
    pub const ALL: [Self; 4] = [Self::None, Self::Metadata, Self::Request, Self::RequestResponse];

    /// The name in policies and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Metadata => "Metadata",
            Self::Request => "Request",
            Self::RequestResponse => "RequestResponse",
        }
    }
}

/// A stage of a request at which an event is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The request was received.
    RequestReceived,
    /// The response headers were sent, and the body follows over time; only for watches and the
    /// like.
    ResponseStarted,
    /// The last byte of the response was sent.
    ResponseComplete,
    /// The server panicked.
    Panic,
}

impl Stage {
    /// All stages in their order.
    pub const ALL: [Self; 4] =
        [Self::RequestReceived, Self::ResponseStarted, Self::ResponseComplete, Self::Panic];

    /// The name in policies and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::RequestReceived => "RequestReceived",
            Self::ResponseStarted => "ResponseStarted",
            Self::ResponseComplete => "ResponseComplete",
            Self::Panic => "Panic",
        }
    }
}

/// A set of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stages(u8);

impl Stages {
    /// Whether the set contains a stage.
    pub fn contains(self, stage: Stage) -> bool {
        self.0 & (1 << stage as u8) != 0
    }

    /// The union of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<Stage> for Stages {
    fn from_iter<I: IntoIterator<Item = Stage>>(stages: I) -> Self {
        Self(stages.into_iter().fold(0, |set, stage| set | 1 << stage as u8))
    }
}

/// The result of the policy for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// The level of detail.
    pub level: Level,
    /// The stages without an event.
    pub omit_stages: Stages,
    /// Whether `metadata.managedFields` is omitted from bodies.
    pub omit_managed_fields: bool,
}

/// The request attributes that rules match.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attributes<'a> {
    /// The name of the user; `None` when it is unknown.
    pub user: Option<&'a str>,
    /// The groups of the user.
    pub groups: &'a [String],
    /// `get`, `list`, `create`, …
    pub verb: &'a str,
    /// Whether the request is for a resource, and not for a path such as `/healthz`.
    pub is_resource_request: bool,
    /// The group of the resource; empty for the core group.
    pub api_group: &'a str,
    /// The version of the group.
    pub api_version: &'a str,
    /// The plural name of the resource.
    pub resource: &'a str,
    /// The subresource, or empty.
    pub subresource: &'a str,
    /// The namespace; empty if the resource is cluster-scoped.
    pub namespace: &'a str,
    /// The name of the object, or empty.
    pub name: &'a str,
    /// The path of the URL.
    pub path: &'a str,
}

/// A validated audit policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    rules: Vec<Rule>,
    omit_stages: Stages,
    omit_managed_fields: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    level: Level,
    users: Vec<String>,
    user_groups: Vec<String>,
    verbs: Vec<String>,
    resources: Vec<GroupResources>,
    namespaces: Vec<String>,
    non_resource_urls: Vec<String>,
    omit_stages: Stages,
    omit_managed_fields: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupResources {
    group: String,
    resources: Vec<String>,
    resource_names: Vec<String>,
}

impl Policy {
    /// Parses a policy from YAML or JSON.
    ///
    /// # Errors
    ///
    /// The error message of the API server.
    pub fn parse(text: &str) -> Result<Self, String> {
        parse::policy(text).map_err(|why| format!("loading audit policy file: {why}"))
    }

    /// Loads a policy from a file.
    ///
    /// # Errors
    ///
    /// As [`Policy::parse`], with the name of the file.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            format!("loading audit policy file: failed to read file path {path:?}: {error}")
        })?;
        Self::parse(&text).map_err(|why| format!("{why}: from file {}", path.display()))
    }

    /// The level of a request: that of the first matching rule, or none.
    pub fn level(&self, request: &Attributes<'_>) -> Detail {
        let rule = self.rules.iter().find(|rule| rule.matches(request));
        let level = rule.map_or(Level::None, |rule| rule.level);
        let omit_stages = rule.map_or(Stages::default(), |rule| rule.omit_stages);
        let own = rule.and_then(|rule| rule.omit_managed_fields);
        Detail {
            level,
            omit_stages: self.omit_stages.and(omit_stages),
            omit_managed_fields: own.unwrap_or(self.omit_managed_fields),
        }
    }
}

impl Rule {
    fn matches(&self, request: &Attributes<'_>) -> bool {
        if !self.users.is_empty() && !request.user.is_some_and(|user| contains(&self.users, user)) {
            return false;
        }
        let in_group = || request.groups.iter().any(|group| self.user_groups.contains(group));
        if !self.user_groups.is_empty() && (request.user.is_none() || !in_group()) {
            return false;
        }
        if !self.verbs.is_empty() && !contains(&self.verbs, request.verb) {
            return false;
        }
        if !self.namespaces.is_empty() || !self.resources.is_empty() {
            return request.is_resource_request && self.matches_resource(request);
        }
        self.non_resource_urls.is_empty()
            || (!request.is_resource_request
                && self.non_resource_urls.iter().any(|url| matches_path(url, request.path)))
    }

    fn matches_resource(&self, request: &Attributes<'_>) -> bool {
        if !self.namespaces.is_empty() && !contains(&self.namespaces, request.namespace) {
            return false;
        }
        self.resources.is_empty()
            || self.resources.iter().any(|resources| resources.matches(request))
    }
}

impl GroupResources {
    fn matches(&self, request: &Attributes<'_>) -> bool {
        if self.group != "*" && self.group != request.api_group {
            return false;
        }
        if self.resources.is_empty() {
            return true;
        }
        if !self.resource_names.is_empty() && !contains(&self.resource_names, request.name) {
            return false;
        }
        self.resources.iter().any(|pattern| matches_name(pattern, request))
    }
}

/// Matches `pods`, `pods/log`, `pods/*`, `*/scale` or `*`.
fn matches_name(pattern: &str, request: &Attributes<'_>) -> bool {
    let Attributes { resource, subresource, .. } = *request;
    if pattern == "*" {
        return true;
    }
    if pattern.strip_suffix("/*") == Some(resource) {
        return true;
    }
    if subresource.is_empty() {
        return pattern == resource;
    }
    pattern.strip_prefix("*/") == Some(subresource)
        || pattern.split_once('/') == Some((resource, subresource))
}

fn matches_path(pattern: &str, path: &str) -> bool {
    pattern == path || (pattern.ends_with('*') && path.starts_with(pattern.trim_end_matches('*')))
}

fn contains(list: &[String], value: &str) -> bool {
    list.iter().any(|item| item == value)
}

#[cfg(test)]
mod tests;
