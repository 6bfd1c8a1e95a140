//! Flags of TLS: further certificates, the lowest version, cipher suites.

use super::args::ServingArgs;
use ratchet_http::{KeyFiles, TlsLimits};
use ratchet_net::Quoted;
use std::path::PathBuf;

/// A certificate with its key, and the server names for which it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedPair {
    certificate: PathBuf,
    key: PathBuf,
    names: Vec<String>,
}

/// The lowest version of TLS that is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MinVersion {
    /// 1.2, also where an older one is asked for.
    Tls12,
    Tls13,
}

/// Parses `cert,key[:names]`.
pub(crate) fn named_pair(text: &str) -> Result<NamedPair, String> {
    let (files, names) = match text.split_once(':') {
        Some((_, "")) | None => (text.trim_end_matches(':'), Vec::new()),
        Some((files, names)) => {
            (files, names.split(',').map(|name| name.trim().to_owned()).collect())
        }
    };
    match *files.split(',').map(str::trim).collect::<Vec<_>>() {
        [certificate, key] if !certificate.is_empty() && !key.is_empty() => {
            Ok(NamedPair { certificate: certificate.into(), key: key.into(), names })
        }
        _ => Err("expected comma separated certificate and key file paths".to_owned()),
    }
}

/// Parses the name of a version as Go spells it.
pub(crate) fn version(text: &str) -> Result<MinVersion, String> {
    match text {
        "VersionTLS10" | "VersionTLS11" | "VersionTLS12" => Ok(MinVersion::Tls12),
        "VersionTLS13" => Ok(MinVersion::Tls13),
        _ => Err(format!("unknown tls version {}", Quoted(text))),
    }
}

/// Checks that a name is spelled like one of a cipher suite.
pub(crate) fn cipher_suite(text: &str) -> Result<String, String> {
    let is_name = text.strip_prefix("TLS_").is_some_and(|rest| {
        rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    });
    match is_name {
        true => Ok(text.to_owned()),
        false => Err(format!("Cipher suite {text} not supported or doesn't exist")),
    }
}

/// What handshakes do not offer.
pub(crate) fn limits(args: &ServingArgs) -> TlsLimits {
    let suites = &args.tls_cipher_suites;
    TlsLimits {
        only_tls13: args.tls_min_version == MinVersion::Tls13,
        only_http1: args.disable_http2_serving,
        cipher_suites: (!suites.is_empty()).then(|| suites.clone()),
    }
}

/// The further certificates.
pub(crate) fn named_pairs(args: &ServingArgs) -> Vec<(KeyFiles, Vec<String>)> {
    let pairs = args.tls_sni_cert_key.iter().cloned();
    pairs
        .map(|NamedPair { certificate, key, names }| (KeyFiles { certificate, key }, names))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_two_files_and_may_have_names() {
        let pair = |names: &[&str]| NamedPair {
            certificate: "a.crt".into(),
            key: "a.key".into(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(named_pair("a.crt,a.key"), Ok(pair(&[])));
        assert_eq!(
            named_pair("a.crt, a.key:*.a.example,a.example"),
            Ok(pair(&["*.a.example", "a.example"]))
        );
        for bad in ["", "a.crt", "a.crt,", "a,b,c", ":name"] {
            assert!(named_pair(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn versions_and_suites_have_the_names_of_go() {
        assert_eq!(version("VersionTLS11"), Ok(MinVersion::Tls12));
        assert_eq!(version("VersionTLS13"), Ok(MinVersion::Tls13));
        assert!(version("TLS13").is_err());
        assert!(cipher_suite("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256").is_ok());
        assert!(cipher_suite("AES128").is_err());
    }
}
