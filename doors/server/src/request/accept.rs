//! What form of answer a client asks for.

use crate::status::StatusError;
use http::HeaderMap;
use http::header::{ACCEPT, USER_AGENT};

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// Compact JSON, or indented for people.
    Json {
        /// Indented by two spaces.
        pretty: bool,
    },
    /// YAML.
    Yaml,
    /// Kubernetes' protobuf envelope; only for clients that take nothing else.
    Protobuf,
}

/// What an answer shows of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The objects.
    Whole,
    /// A table with columns for people.
    Table,
    /// The metadata only.
    Metadata,
}

/// The answer that a client asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// How it is written.
    pub media: Media,
    /// What it shows.
    pub form: Form,
    /// The version of `meta.k8s.io` that a table or metadata was asked in.
    pub meta_version: &'static str,
}

impl Output {
    /// Compact JSON of whole objects.
    pub(crate) const PLAIN: Self =
        Self { media: Media::Json { pretty: false }, form: Form::Whole, meta_version: "v1" };

    /// Chooses the first form in the client's list that this server has.
    pub(crate) fn choose(headers: &HeaderMap, pretty: Option<&str>) -> Result<Self, StatusError> {
        let pretty = match pretty {
            Some(value) => matches!(value, "" | "1" | "t" | "T" | "true" | "TRUE" | "True"),
            None => is_for_people(headers),
        };
        let mut asked = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let list: Vec<&str> =
            asked.by_ref().flat_map(|value| value.split(',')).map(str::trim).collect();
        let clauses = list.iter().filter(|clause| !clause.is_empty());
        let mut protobuf = None;
        let mut any = false;
        for clause in clauses {
            any = true;
            match Self::parse(clause, pretty) {
                // Stored bytes are JSON: protobuf is written only for those who insist on it.
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
        let mut words = clause.split(';').map(str::trim);
        let media = match words.next()? {
            "application/json" | "application/*" | "*/*" => Media::Json { pretty },
            "application/yaml" => Media::Yaml,
            "application/vnd.kubernetes.protobuf" => Media::Protobuf,
            _ => return None,
        };
        let (mut shown, mut group, mut version) = ("", "", "");
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            match name {
                "as" => shown = value,
                "g" => group = value,
                "v" => version = value,
                _ => {}
            }
        }
        let form = match shown {
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

    /// The content type of such an answer.
    pub(crate) fn content_type(&self) -> &'static str {
        match self.media {
            Media::Json { .. } => "application/json",
            Media::Yaml => "application/yaml",
            Media::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

impl Output {
    /// The content type of a watch.
    pub(crate) fn stream_type(&self) -> &'static str {
        match self.media {
            Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
            Media::Json { .. } | Media::Yaml => "application/json",
        }
    }
}

/// Whether a person reads the answer: terminals and browsers get indented JSON.
fn is_for_people(headers: &HeaderMap) -> bool {
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
