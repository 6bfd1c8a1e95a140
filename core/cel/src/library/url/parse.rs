//! URL parsing as in Go's net/url.

use super::escape::{Part, escape, is_well_escaped, unescape};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::IpAddr;
use ratchet_net::{Quoted, strict_addr};

/// A parsed URL. Unescaped parts can be any bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct ParsedUrl {
    pub(super) scheme: String,
    opaque: String,
    pub(super) user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    pub(super) host: Vec<u8>,
    omits_host: bool,
    pub(super) path: Vec<u8>,
    raw_path: String,
    pub(super) query: String,
    has_empty_query: bool,
    pub(super) fragment: Vec<u8>,
    raw_fragment: String,
}

/// Whether a text can be the target of a request: an absolute URL or an absolute path.
pub(super) fn check(text: &str) -> Result<(), String> {
    parse(text, true).map(drop).map_err(|error| parse_error(text, &error))
}

/// Parses a URL that [`check`] accepted, with its fragment.
pub(super) fn parse_with_fragment(text: &str) -> Result<ParsedUrl, String> {
    check(text)?;
    parse_any(text)
}

/// Parses a URL, absolute or not, with its fragment.
pub(super) fn parse_any(text: &str) -> Result<ParsedUrl, String> {
    let (url, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url_parts = parse(url, false).map_err(|error| parse_error(url, &error))?;
    if !fragment.is_empty() {
        url_parts.fragment =
            unescape(fragment, Part::Fragment).map_err(|error| parse_error(text, &error))?;
        url_parts.raw_fragment = raw(fragment, &url_parts.fragment, Part::Fragment);
    }
    Ok(url_parts)
}

/// Parses any URL, relative ones included, as Go's `url.Parse` does.
pub(super) fn parse_reference(text: &str) -> Result<ParsedUrl, String> {
    let (url, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url_parts = parse(url, false).map_err(|error| parse_error(url, &error))?;
    url_parts.fragment =
        unescape(fragment, Part::Fragment).map_err(|error| parse_error(text, &error))?;
    Ok(url_parts)
}

fn parse_error(text: &str, error: &str) -> String {
    alloc::format!("parse {}: {error}", Quoted(text))
}

/// The escaped text, if it differs from the default encoding.
fn raw(spelling: &str, bytes: &[u8], part: Part) -> String {
    if escape(bytes, part) == spelling { String::new() } else { spelling.to_owned() }
}

fn parse(text: &str, for_request: bool) -> Result<ParsedUrl, String> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return Err("net/url: invalid control character in URL".into());
    }
    if text.is_empty() && for_request {
        return Err("empty url".into());
    }
    if text == "*" {
        return Ok(ParsedUrl { path: b"*".to_vec(), ..ParsedUrl::default() });
    }
    let (scheme, rest) = scheme(text)?;
    let mut url = ParsedUrl { scheme: scheme.to_ascii_lowercase(), ..ParsedUrl::default() };
    let mut rest = match rest.split_once('?') {
        Some((before, "")) => {
            url.has_empty_query = true;
            before
        }
        Some((before, query)) => {
            url.query = query.to_owned();
            before
        }
        None => rest,
    };
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
        }
        if for_request {
            return Err("invalid URI for request".into());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    let may_have_host = !scheme.is_empty() || (!for_request && !rest.starts_with("///"));
    if let Some(after) = rest.strip_prefix("//").filter(|_| may_have_host) {
        let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
        rest = path;
        parse_authority(&mut url, authority)?;
    } else if !scheme.is_empty() {
        url.omits_host = true;
    }
    url.path = unescape(rest, Part::Path)?;
    url.raw_path = raw(rest, &url.path, Part::Path);
    Ok(url)
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let length = text.bytes().take_while(is_part).count();
    match text.split_at_checked(length) {
        Some(("", rest)) if rest.starts_with(':') => Err("missing protocol scheme".into()),
        Some((scheme, rest)) if scheme.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            Ok(rest.strip_prefix(':').map_or(("", text), |rest| (scheme, rest)))
        }
        _ => Ok(("", text)),
    }
}

fn parse_authority(url: &mut ParsedUrl, authority: &str) -> Result<(), String> {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    url.host = parse_host(&url.scheme, host)?;
    let Some(user) = user else { return Ok(()) };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(is_part) {
        return Err("net/url: invalid userinfo".into());
    }
    url.user = Some(match user.split_once(':') {
        None => (unescape(user, Part::User)?, None),
        Some((name, password)) => {
            (unescape(name, Part::User)?, Some(unescape(password, Part::User)?))
        }
    });
    Ok(())
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return parse_ip_literal(host),
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    // Other schemes may list several hosts with ports.
    let is_strict = matches!(scheme, "http" | "https");
    let colon = if is_strict { host.find(':') } else { host.rfind(':') };
    if let Some(port) = colon.and_then(|colon| host.get(colon..)) {
        check_port(port)?;
    }
    unescape(host, Part::Host)
}

/// Parses `[address]:port`.
fn parse_ip_literal(host: &str) -> Result<Vec<u8>, String> {
    let Some((inside, port)) = host.strip_prefix('[').and_then(|rest| rest.rsplit_once(']')) else {
        return Err("missing ']' in host".into());
    };
    check_port(port)?;
    let port = unescape(port, Part::Host)?;
    let name = match inside.find("%25").and_then(|zone| inside.split_at_checked(zone)) {
        Some((address, zone)) => {
            let mut name = unescape(address, Part::Host)?;
            name.extend(unescape(zone, Part::Zone)?);
            name
        }
        None => unescape(inside, Part::Host)?,
    };
    let literal = String::from_utf8_lossy(&name);
    match strict_addr(&literal) {
        Err(error) => return Err(alloc::format!("invalid host: {error}")),
        Ok(address) if matches!(address.addr, IpAddr::V4(_)) => {
            return Err("invalid IP-literal".into());
        }
        Ok(_) => {}
    }
    Ok([b"[".as_slice(), &name, b"]", &port].concat())
}

fn check_port(port: &str) -> Result<(), String> {
    if is_port(port) {
        Ok(())
    } else {
        Err(alloc::format!("invalid port {} after host", Quoted(port)))
    }
}

/// Whether a text is empty, or a colon and digits, of which there may be none.
fn is_port(port: &str) -> bool {
    port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

impl ParsedUrl {
    pub(super) fn host_and_port(&self) -> (String, String) {
        let host = String::from_utf8_lossy(&self.host);
        let (name, port) = match host.rfind(':').and_then(|colon| host.split_at_checked(colon)) {
            Some((name, port)) if is_port(port) => (name, port.get(1..).unwrap_or_default()),
            _ => (&*host, ""),
        };
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        (bare.to_owned(), port.to_owned())
    }

    pub(super) fn escaped_path(&self) -> String {
        if !self.raw_path.is_empty() && is_well_escaped(&self.raw_path, Part::Path) {
            return self.raw_path.clone();
        }
        if self.path == b"*" { "*".into() } else { escape(&self.path, Part::Path) }
    }

    fn escaped_fragment(&self) -> String {
        if !self.raw_fragment.is_empty() && is_well_escaped(&self.raw_fragment, Part::Fragment) {
            return self.raw_fragment.clone();
        }
        escape(&self.fragment, Part::Fragment)
    }

    /// The query parameters: names in the order of their first values. Malformed ones are skipped.
    pub(super) fn parameters(&self) -> Vec<(String, Vec<String>)> {
        let mut all: Vec<(String, Vec<String>)> = Vec::new();
        if self.query.bytes().filter(|byte| *byte == b'&').count() >= MAX_PARAMETERS {
            return all;
        }
        for pair in self.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let text = |part| {
                unescape(part, Part::Query).ok().map(|bytes| String::from_utf8_lossy(&bytes).into())
            };
            let (Some(name), Some(value)): (Option<String>, Option<String>) =
                (text(name), text(value))
            else {
                continue;
            };
            match all.iter_mut().find(|parameter| parameter.0 == name) {
                Some(parameter) => parameter.1.push(value),
                None => all.push((name, [value].into())),
            }
        }
        all
    }

    /// The URL as text.
    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            out = alloc::format!("{}:", self.scheme);
        }
        if self.opaque.is_empty() {
            self.write_hierarchy(&mut out);
        } else {
            out.push_str(&self.opaque);
        }
        if self.has_empty_query || !self.query.is_empty() {
            out.push('?');
            out.push_str(&self.query);
        }
        if !self.fragment.is_empty() {
            out.push('#');
            out.push_str(&self.escaped_fragment());
        }
        out
    }

    fn write_hierarchy(&self, out: &mut String) {
        let has_authority = !self.host.is_empty() || self.user.is_some();
        if has_authority || (!self.scheme.is_empty() && !self.omits_host) {
            if has_authority || !self.path.is_empty() {
                out.push_str("//");
            }
            if let Some((name, password)) = &self.user {
                out.push_str(&escape(name, Part::User));
                if let Some(password) = password {
                    out.push(':');
                    out.push_str(&escape(password, Part::User));
                }
                out.push('@');
            }
            out.push_str(&escape(&self.host, Part::Host));
        }
        let path = self.escaped_path();
        if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
            out.push('/');
        }
        if out.is_empty() && path.split('/').next().is_some_and(|first| first.contains(':')) {
            out.push_str("./");
        }
        out.push_str(&path);
    }
}

/// Queries with more parameters are not parsed.
const MAX_PARAMETERS: usize = 10_000;

impl ParsedUrl {
    pub(super) fn host_text(&self) -> String {
        String::from_utf8_lossy(&self.host).to_string()
    }

    pub(super) fn user_text(&self) -> Option<String> {
        let (name, password) = self.user.as_ref()?;
        let mut text = escape(name, Part::User);
        if let Some(password) = password {
            text.push(':');
            text.push_str(&escape(password, Part::User));
        }
        Some(text)
    }

    pub(super) fn fragment_text(&self) -> String {
        String::from_utf8_lossy(&self.fragment).to_string()
    }
}
