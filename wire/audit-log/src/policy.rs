//! The policy of `audit.k8s.io/v1`: the first rule that fits a request says how much of it is told.

mod check;
mod read;

use std::path::Path;

/// How much of a request is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing.
    None,
    /// Who, what, when, and how it ended.
    Metadata,
    /// And the body that was sent.
    Request,
    /// And the body that was answered.
    RequestResponse,
}

impl Level {
    /// From the least to the most.
    pub const ALL: [Self; 4] = [Self::None, Self::Metadata, Self::Request, Self::RequestResponse];

    /// Its name in policies and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Metadata => "Metadata",
            Self::Request => "Request",
            Self::RequestResponse => "RequestResponse",
        }
    }
}

/// A moment in the life of a request at which it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// It has come.
    RequestReceived,
    /// The head of the answer is sent and the body will take a while; only for watches and their like.
    ResponseStarted,
    /// The last byte of the answer is sent.
    ResponseComplete,
    /// We failed.
    Panic,
}

impl Stage {
    /// In the order of a request's life.
    pub const ALL: [Self; 4] =
        [Self::RequestReceived, Self::ResponseStarted, Self::ResponseComplete, Self::Panic];

    /// Its name in policies and events.
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
    /// Whether a stage is in it.
    pub fn contains(self, stage: Stage) -> bool {
        self.0 & (1 << stage as u8) != 0
    }

    /// Both together.
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

/// What the policy says about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// How much is told.
    pub level: Level,
    /// At which stages nothing is told.
    pub omit_stages: Stages,
    /// Whether bodies are told without `metadata.managedFields`.
    pub omit_managed_fields: bool,
}

/// What rules look at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attributes<'a> {
    /// The name of who asks; `None` when nobody could be told.
    pub user: Option<&'a str>,
    /// The groups of who asks.
    pub groups: &'a [String],
    /// `get`, `list`, `create`, …
    pub verb: &'a str,
    /// Whether a resource is asked for, and not a path such as `/healthz`.
    pub is_resource_request: bool,
    /// The group of the resource; empty for the core group.
    pub api_group: &'a str,
    /// The version of the group.
    pub api_version: &'a str,
    /// The resource in its plural.
    pub resource: &'a str,
    /// What of the resource, or empty.
    pub subresource: &'a str,
    /// The namespace; empty for what has none.
    pub namespace: &'a str,
    /// The name of the object, or empty.
    pub name: &'a str,
    /// The path of the URL.
    pub path: &'a str,
}

/// An audit policy, checked.
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
    /// Reads a policy from YAML or JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in the words of the API server.
    pub fn read(text: &str) -> Result<Self, String> {
        read::policy(text).map_err(|why| format!("loading audit policy file: {why}"))
    }

    /// Reads a policy from a file.
    ///
    /// # Errors
    ///
    /// As [`Policy::read`], with the name of the file.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            format!("loading audit policy file: failed to read file path {path:?}: {error}")
        })?;
        Self::read(&text).map_err(|why| format!("{why}: from file {}", path.display()))
    }

    /// How much of a request is told: what its first rule says, or nothing.
    pub fn level(&self, request: &Attributes<'_>) -> Detail {
        let rule = self.rules.iter().find(|rule| rule.fits(request));
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
    fn fits(&self, request: &Attributes<'_>) -> bool {
        if !self.users.is_empty() && !request.user.is_some_and(|user| holds(&self.users, user)) {
            return false;
        }
        let in_group = || request.groups.iter().any(|group| self.user_groups.contains(group));
        if !self.user_groups.is_empty() && (request.user.is_none() || !in_group()) {
            return false;
        }
        if !self.verbs.is_empty() && !holds(&self.verbs, request.verb) {
            return false;
        }
        if !self.namespaces.is_empty() || !self.resources.is_empty() {
            return request.is_resource_request && self.fits_resource(request);
        }
        self.non_resource_urls.is_empty()
            || (!request.is_resource_request
                && self.non_resource_urls.iter().any(|url| fits_path(url, request.path)))
    }

    fn fits_resource(&self, request: &Attributes<'_>) -> bool {
        if !self.namespaces.is_empty() && !holds(&self.namespaces, request.namespace) {
            return false;
        }
        self.resources.is_empty() || self.resources.iter().any(|resources| resources.fit(request))
    }
}

impl GroupResources {
    fn fit(&self, request: &Attributes<'_>) -> bool {
        if self.group != "*" && self.group != request.api_group {
            return false;
        }
        if self.resources.is_empty() {
            return true;
        }
        if !self.resource_names.is_empty() && !holds(&self.resource_names, request.name) {
            return false;
        }
        self.resources.iter().any(|wanted| fits_name(wanted, request))
    }
}

/// `pods`, `pods/log`, `pods/*`, `*/scale` or `*`.
fn fits_name(wanted: &str, request: &Attributes<'_>) -> bool {
    let Attributes { resource, subresource, .. } = *request;
    if wanted == "*" {
        return true;
    }
    if wanted.strip_suffix("/*") == Some(resource) {
        return true;
    }
    if subresource.is_empty() {
        return wanted == resource;
    }
    wanted.strip_prefix("*/") == Some(subresource)
        || wanted.split_once('/') == Some((resource, subresource))
}

fn fits_path(wanted: &str, path: &str) -> bool {
    wanted == path || (wanted.ends_with('*') && path.starts_with(wanted.trim_end_matches('*')))
}

fn holds(list: &[String], value: &str) -> bool {
    list.iter().any(|item| item == value)
}

#[cfg(test)]
mod tests;
