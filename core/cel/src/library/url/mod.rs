//! The URL library: `url()` and the functions of `kubernetes.URL`; and URLs as Go parses them, for others.

mod escape;
mod parse;
mod parts;
#[cfg(test)]
mod tests;

pub use parts::UrlParts;

use super::arguments::{opaque, text};
use super::{Context, Cost, Library, Overload};
use crate::{EvalError, Opaque, Value};
use alloc::string::{String, ToString};
use core::any::Any;

/// A URL value.
#[derive(Clone, Debug)]
pub struct Url(parse::ParsedUrl);

impl Opaque for Url {
    fn type_name(&self) -> &'static str {
        "kubernetes.URL"
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        let other: Option<&Self> = other.as_any().downcast_ref();
        other.is_some_and(|other| self.0.to_text() == other.0.to_text())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Whether a text is a URL as Go's `ParseRequestURI` accepts it; the error is Go's.
pub fn check(text: &str) -> Result<(), String> {
    parse::check(text)
}

/// Parses a URL, absolute or not, as Go's `Parse` does; the error is Go's.
pub fn parse(text: &str) -> Result<Url, String> {
    parse::parse_any(text).map(Url)
}

impl Url {
    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        &self.0.scheme
    }

    /// The host with its port.
    pub fn host(&self) -> String {
        self.0.host_text()
    }

    /// The user information as it is written; `None` if there is none.
    pub fn user(&self) -> Option<String> {
        self.0.user_text()
    }

    /// The query as it is written.
    pub fn query(&self) -> &str {
        &self.0.query
    }

    /// The fragment, without escapes.
    pub fn fragment(&self) -> String {
        self.0.fragment_text()
    }
}

fn url<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let parsed = parse::parse_with_fragment(text(arguments, 0)?);
    parsed.map(|url| Value::opaque(Url(url))).map_err(|error| {
        EvalError::new(alloc::format!("URL parse error during conversion from string: {error}"))
    })
}

fn is_url<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(check(text(arguments, 0)?).is_ok().into())
}

fn url_part<'t>(
    arguments: &[Value<'t>],
    part: fn(&parse::ParsedUrl) -> String,
) -> Result<Value<'t>, EvalError> {
    let Url(url) = opaque(arguments, 0)?;
    Ok(part(url).into())
}

fn query<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let Url(url) = opaque(arguments, 0)?;
    let entries = url.parameters().into_iter().map(|(name, values)| {
        (name.into(), Value::list(values.into_iter().map(Value::from).collect()))
    });
    Ok(Value::map(entries.collect()))
}

/// Kubernetes' URL library.
pub(super) static URL: Library = Library {
    name: "kubernetes.urls",
    since: (1, 0),
    overloads: &[
        Overload {
            id: "string_to_url",
            signature: "url(string): kubernetes.URL",
            call: url,
            cost: Cost::SCAN,
        },
        Overload {
            id: "is_url_string",
            signature: "isURL(string): bool",
            call: is_url,
            cost: Cost::ONE,
        },
        Overload {
            id: "url_get_scheme",
            signature: "kubernetes.URL.getScheme(): string",
            call: |_, arguments| url_part(arguments, |url| url.scheme.to_string()),
            cost: Cost::ONE,
        },
        Overload {
            id: "url_get_host",
            signature: "kubernetes.URL.getHost(): string",
            call: |_, arguments| url_part(arguments, parse::ParsedUrl::host_text),
            cost: Cost::ONE,
        },
        Overload {
            id: "url_get_hostname",
            signature: "kubernetes.URL.getHostname(): string",
            call: |_, arguments| url_part(arguments, |url| url.host_and_port().0),
            cost: Cost::ONE,
        },
        Overload {
            id: "url_get_port",
            signature: "kubernetes.URL.getPort(): string",
            call: |_, arguments| url_part(arguments, |url| url.host_and_port().1),
            cost: Cost::ONE,
        },
        Overload {
            id: "url_get_escaped_path",
            signature: "kubernetes.URL.getEscapedPath(): string",
            call: |_, arguments| url_part(arguments, parse::ParsedUrl::escaped_path),
            cost: Cost::ONE,
        },
        Overload {
            id: "url_get_query",
            signature: "kubernetes.URL.getQuery(): map(string, list(string))",
            call: query,
            cost: Cost::ONE,
        },
    ],
    constants: &[],
    types: &[],
};
