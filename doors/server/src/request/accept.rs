//! Content negotiation: the response format that a client accepts.

use super::accept_header::{Clause, types};
use crate::status::StatusError;
use http::HeaderMap;
use http::header::{ACCEPT, USER_AGENT};

/// The media type of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// Compact or indented JSON.
    Json {
        /// Whether it is indented by two spaces.
        pretty: bool,
    },
    /// `application/yaml`.
    Yaml,
    /// The Kubernetes protobuf envelope.
    Protobuf,
}

impl Media {
    const JSON: Self = Self::Json { pretty: false };

    /// All media types, the preferred first.
    const ALL: [Self; 3] = [Self::JSON, Self::Yaml, Self::Protobuf];

    /// The media type's name.
    fn name(self) -> &'static str {
        match self {
            Self::Json { .. } => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// The transformation of objects in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Whole objects.
    Whole,
    /// A `Table` with one row per object, for `kubectl get`.
    Table,
    /// `PartialObjectMetadata`, which no list can become.
    Metadata,
    /// `PartialObjectMetadataList`, which only a list can become.
    MetadataList,
}

/// The negotiated response format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// The media type.
    pub media: Media,
    /// The transformation of objects.
    pub form: Form,
    /// The requested version of `meta.k8s.io` for tables and metadata.
    pub meta_version: &'static str,
    /// Whether metadata that are asked for alone have their `managedFields`.
    pub has_owners: bool,
}

/// What an endpoint can answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    /// How its media types are looked up before its handler looks at them.
    pub routing: Routing,
    /// Whether its objects can be rows of a table.
    pub has_tables: bool,
    /// Whether whole objects have a protobuf form.
    pub has_protobuf: bool,
}

/// The list of media types by which the reference routes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routing {
    /// There is none: custom resources are not routed by media type.
    Unrouted,
    /// Those of objects.
    Objects,
    /// Those of objects and of watches.
    Lists,
    /// Those of objects, and plain text.
    Log,
}

impl Routing {
    /// What the route of a request produces.
    fn types(self) -> &'static [&'static str] {
        const TYPES: &[&str] = &[
            "text/plain",
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/json;stream=watch",
            "application/vnd.kubernetes.protobuf;stream=watch",
        ];
        let range = match self {
            Self::Unrouted => 0..0,
            Self::Objects => 1..4,
            Self::Lists => 1..6,
            Self::Log => 0..4,
        };
        TYPES.get(range).unwrap_or_default()
    }

    /// Routes compare names: weights and ranges other than `*/*` mean nothing to them.
    fn check(self, header: &str) -> Result<(), StatusError> {
        let produced = self.types();
        let is_produced = |name: &str| name == "*/*" || produced.contains(&name);
        match self == Self::Unrouted || header.is_empty() || types(header).any(is_produced) {
            true => Ok(()),
            false => Err(StatusError::not_routable(produced)),
        }
    }
}

impl Output {
    /// Compact JSON of whole objects.
    pub(crate) const PLAIN: Self =
        Self { media: Media::JSON, form: Form::Whole, meta_version: "v1", has_owners: true };

    /// Indented JSON of whole objects.
    pub(crate) const INDENTED: Self = Self { media: Media::Json { pretty: true }, ..Self::PLAIN };

    /// Negotiates the format of an endpoint's responses.
    pub(crate) fn choose(
        headers: &HeaderMap,
        pretty: Option<&str>,
        endpoint: Endpoint,
    ) -> Result<Self, StatusError> {
        if let Some(output) = simple(headers, pretty) {
            return Ok(output);
        }
        endpoint.routing.check(accept(headers))?;
        let allows = |media: Media, target: Target<'_>| match target.form()? {
            (Form::Whole, _) if media == Media::Protobuf && !endpoint.has_protobuf => None,
            (Form::Table, _) if media == Media::Protobuf || !endpoint.has_tables => None,
            form if target.server_version.is_none_or(|version| version == "v1") => Some(form),
            _ => None,
        };
        negotiate(headers, pretty, allows).ok_or_else(StatusError::not_accepted)
    }

    /// Negotiates the format of an error, which is never transformed: indented JSON if nothing else is accepted.
    pub(crate) fn of_errors(headers: &HeaderMap, pretty: Option<&str>) -> Self {
        let allows = |_: Media, target: Target<'_>| match target.form()? {
            (Form::Whole, version) if target.server_version.is_none() => {
                Some((Form::Whole, version))
            }
            _ => None,
        };
        let simple = simple(headers, pretty);
        simple.or_else(|| negotiate(headers, pretty, allows)).unwrap_or(Self::INDENTED)
    }

    /// The content type of the response.
    pub(crate) fn content_type(&self) -> &'static str {
        self.media.name()
    }

    /// The content type of a watch stream.
    pub(crate) fn stream_type(&self) -> &'static str {
        match self.media {
            Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
            Media::Json { .. } | Media::Yaml => "application/json",
        }
    }
}

/// The parameters of a clause that choose among forms.
#[derive(Clone, Copy)]
struct Target<'h> {
    kind: Option<&'h str>,
    group: Option<&'h str>,
    version: Option<&'h str>,
    /// `sv`, the version of the machinery that the answer is made of.
    server_version: Option<&'h str>,
}

impl<'h> Target<'h> {
    fn of(clause: &Clause<'h>) -> Self {
        let parameter = |name| clause.parameter(name);
        let server_version = parameter("sv").filter(|version| !version.is_empty());
        let (kind, group, version) = (parameter("as"), parameter("g"), parameter("v"));
        Self { kind, group, version, server_version }
    }

    /// The form with the version of `meta.k8s.io`; none if there is no such form.
    fn form(&self) -> Option<(Form, &'static str)> {
        if (self.kind, self.group, self.version) == (None, None, None) {
            return Some((Form::Whole, "v1"));
        }
        let form = match self.kind? {
            "Table" => Form::Table,
            "PartialObjectMetadata" => Form::Metadata,
            "PartialObjectMetadataList" => Form::MetadataList,
            _ => return None,
        };
        let version = match self.version? {
            "v1" => "v1",
            "v1beta1" => "v1beta1",
            _ => return None,
        };
        (self.group? == "meta.k8s.io").then_some((form, version))
    }
}

/// The first `Accept` header; the reference looks at no other.
fn accept(headers: &HeaderMap) -> &str {
    headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The headers of most clients, all of which every endpoint answers with the JSON of whole objects.
const SIMPLE: [&str; 4] = ["", "application/json", "application/json, */*", "*/*"];

/// The format of a header that needs no negotiation.
fn simple(headers: &HeaderMap, pretty: Option<&str>) -> Option<Output> {
    let media = Media::Json { pretty: is_pretty(headers, pretty) };
    SIMPLE.contains(&accept(headers)).then_some(Output { media, ..Output::PLAIN })
}

/// The first format of the sorted clauses that is allowed.
fn negotiate(
    headers: &HeaderMap,
    pretty: Option<&str>,
    allows: impl Fn(Media, Target<'_>) -> Option<(Form, &'static str)>,
) -> Option<Output> {
    let is_pretty = is_pretty(headers, pretty);
    let mut protobuf = None;
    for clause in Clause::parse_all(accept(headers)) {
        for media in Media::ALL {
            let Some(output) = offer(&clause, media, is_pretty, &allows) else { continue };
            match (output.form, output.media) {
                // What is stored is JSON, so whole objects are protobuf only if JSON is not accepted at all.
                (Form::Whole, Media::Protobuf) => protobuf = protobuf.or(Some(output)),
                (Form::Whole, Media::Json { .. }) if protobuf.is_some() && clause.weight > 0.0 => {
                    return Some(output);
                }
                _ if protobuf.is_some() => {}
                _ => return Some(output),
            }
        }
    }
    protobuf
}

/// The format that a clause asks for in a media type, if it asks for it and it is allowed.
fn offer(
    clause: &Clause<'_>,
    media: Media,
    is_pretty: bool,
    allows: impl Fn(Media, Target<'_>) -> Option<(Form, &'static str)>,
) -> Option<Output> {
    let (media_type, subtype) = media.name().split_once('/')?;
    if !clause.matches(media_type, subtype) {
        return None;
    }
    let stream = clause.parameter("stream").unwrap_or_default();
    if !stream.is_empty() && (stream != "watch" || media == Media::Yaml) {
        return None;
    }
    let (form, meta_version) = allows(media, Target::of(clause))?;
    let is_pretty = is_pretty || clause.parameter("pretty") == Some("1");
    let media = if media == Media::JSON { Media::Json { pretty: is_pretty } } else { media };
    Some(Output { media, form, meta_version, ..Output::PLAIN })
}

/// Whether JSON is indented: as the parameter `pretty` says, or else for terminals and browsers.
fn is_pretty(headers: &HeaderMap, pretty: Option<&str>) -> bool {
    if let Some(value) = pretty.filter(|value| !value.is_empty()) {
        return matches!(value, "1" | "t" | "T" | "true" | "TRUE" | "True");
    }
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    ["curl", "Wget", "Mozilla/5.0"].iter().any(|name| agent.starts_with(name))
}

#[cfg(test)]
mod tests;
