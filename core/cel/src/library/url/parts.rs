//! `UrlParts`: a URL taken apart as Go's `url.Parse` does, for those who check or build URLs in its words.

use super::escape::{Part, escape};
use super::parse;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A URL as the getters of the library read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlParts {
    /// The scheme, in lower case.
    pub scheme: String,
    /// The host with its port, if it has one.
    pub host: String,
    /// The user, with the password behind a colon; both escaped.
    pub user: Option<String>,
    /// The path without escapes, which can be any bytes.
    pub path: Vec<u8>,
    /// The query, as it is written.
    pub query: String,
    /// The fragment without escapes.
    pub fragment: String,
}

impl UrlParts {
    /// Parses a URL; the error is Go's.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = parse::parse_reference(text)?;
        let user = url.user.as_ref().map(|(name, password)| {
            let name = escape(name, Part::User);
            match password {
                None => name,
                Some(password) => format!("{name}:{}", escape(password, Part::User)),
            }
        });
        Ok(Self {
            host: url.host_text(),
            user,
            fragment: String::from_utf8_lossy(&url.fragment).into_owned(),
            scheme: url.scheme,
            path: url.path,
            query: url.query,
        })
    }

    /// The path of a URL, with the escapes that Go writes.
    pub fn escape_path(path: &[u8]) -> String {
        escape(path, Part::Path)
    }

    /// The host without brackets and the port; the port is empty if there is none.
    pub fn host_and_port(&self) -> (&str, &str) {
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let (name, port) = match self.host.rsplit_once(':') {
            Some((name, port)) if is_port(port) => (name, port),
            _ => (self.host.as_str(), ""),
        };
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        (bare.unwrap_or(name), port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn parts_are_those_of_go() {
        let url = UrlParts::parse("HTTPS://us%40er:p%2Fw@[::1]:8443/a%20b/?x=y#z%21").unwrap();
        assert_eq!((url.scheme.as_str(), url.host.as_str()), ("https", "[::1]:8443"));
        assert_eq!(url.user.as_deref(), Some("us%40er:p%2Fw"));
        assert_eq!((url.query.as_str(), url.fragment.as_str()), ("x=y", "z!"));
        assert_eq!(UrlParts::escape_path(&url.path), "/a%20b/");
        assert_eq!(url.host_and_port(), ("::1", "8443"));
        let url = UrlParts::parse("").unwrap();
        assert_eq!((url.scheme, url.host, url.user), (String::new(), String::new(), None));
        assert_eq!(
            UrlParts::parse("https://a b/").unwrap_err(),
            "parse \"https://a b/\": invalid character \" \" in host name"
        );
        let error = UrlParts::parse("https://h:x/").unwrap_err();
        assert_eq!(error, "parse \"https://h:x/\": invalid port \":x\" after host");
        assert_eq!(UrlParts::parse("https://h/").unwrap().host_and_port().1.to_string(), "");
    }
}
