//! Content negotiation: the response format that a client accepts.

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
    /// The Kubernetes protobuf envelope; only for clients that accept nothing else.
    Protobuf,
}

/// The transformation of objects in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Whole objects.
    Whole,
    /// A `Table` with one row per object, for `kubectl get`.
    Table,
    /// `PartialObjectMetadata`.
    Metadata,
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
}

impl Output {
    /// Compact JSON of whole objects.
    pub(crate) const PLAIN: Self =
        Self { media: Media::Json { pretty: false }, form: Form::Whole, meta_version: "v1" };

    /// Chooses the first supported clause of `Accept`.
    pub(crate) fn choose(headers: &HeaderMap, pretty: Option<&str>) -> Result<Self, StatusError> {
        let pretty = match pretty {
            Some(value) => matches!(value, "" | "1" | "t" | "T" | "true" | "TRUE" | "True"),
            None => is_human_client(headers),
        };
        let mut values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let list: Vec<&str> =
            values.by_ref().flat_map(|value| value.split(',')).map(str::trim).collect();
        let clauses = list.iter().filter(|clause| !clause.is_empty());
        let mut protobuf = None;
        let mut any = false;
        for clause in clauses {
            any = true;
            match Self::parse(clause, pretty) {
                // Stored bytes are JSON, so protobuf is used only if nothing else is accepted.
                Some(Self { media: Media::Protobuf, form: Form::Whole, .. }) => {
                    protobuf = protobuf.or(Self::parse(clause, pretty));
                }
                Some(output) if output.media != Media::Protobuf => return Ok(output),
                _ => {}
            }
        }
        match protobuf {
            Some(output) => Ok(output),
            None if !any => Ok(Self { media: Media::Json { pretty }, ..Self::PLAIN }),
            None => Err(StatusError::not_acceptable()),
        }
    }

    fn parse(clause: &str, pretty: bool) -> Option<Self> {
        let mut parts = clause.split(';').map(str::trim);
        let media = match parts.next()? {
            "application/json" | "application/*" | "*/*" => Media::Json { pretty },
            "application/yaml" => Media::Yaml,
            "application/vnd.kubernetes.protobuf" => Media::Protobuf,
            _ => return None,
        };
        let (mut transform, mut group, mut version) = ("", "", "");
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match name {
                "as" => transform = value,
                "g" => group = value,
                "v" => version = value,
                _ => {}
            }
        }
        let form = match transform {
            "" => return Some(Self { media, ..Self::PLAIN }),
            "Table" => Form::Table,
            "PartialObjectMetadata" | "PartialObjectMetadataList" => Form::Metadata,
            _ => return None,
        };
        let meta_version = match version {
            "v1" => "v1",
            "v1beta1" => "v1beta1",
            _ => return None,
        };
        (group == "meta.k8s.io").then_some(Self { media, form, meta_version })
    }

    /// The content type of the response.
    pub(crate) fn content_type(&self) -> &'static str {
        match self.media {
            Media::Json { .. } => "application/json",
            Media::Yaml => "application/yaml",
            Media::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

impl Output {
    /// The content type of a watch stream.
    pub(crate) fn stream_type(&self) -> &'static str {
        match self.media {
            Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
            Media::Json { .. } | Media::Yaml => "application/json",
        }
    }
}

/// Whether the client is a terminal or browser, which get indented JSON.
fn is_human_client(headers: &HeaderMap) -> bool {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    ["curl", "Wget", "Mozilla/5.0"].iter().any(|name| agent.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn choose(accept: &'static str) -> Option<Output> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        Output::choose(&headers, None).ok()
    }

    #[test]
    fn the_first_known_form_wins() {
        let table = choose("application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
        assert_eq!(table.map(|output| output.form), Some(Form::Table));
        let plain = choose("application/json;as=Nonsense;v=v1;g=meta.k8s.io,application/json");
        assert_eq!(plain, Some(Output::PLAIN));
        assert_eq!(choose("text/html"), None);
        assert_eq!(choose("application/json;as=Table;v=v9;g=meta.k8s.io"), None);
        assert_eq!(choose("*/*"), Some(Output::PLAIN));
    }

    #[test]
    fn protobuf_is_for_those_who_take_nothing_else() {
        let both = choose("application/vnd.kubernetes.protobuf,application/json");
        assert_eq!(both, Some(Output::PLAIN));
        let star = choose("application/vnd.kubernetes.protobuf, */*");
        assert_eq!(star, Some(Output::PLAIN));
        let only = choose("application/vnd.kubernetes.protobuf");
        assert_eq!(only.map(|output| output.media), Some(Media::Protobuf));
    }
}
