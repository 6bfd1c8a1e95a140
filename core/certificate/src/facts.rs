//! Contents of a certificate, parsed without any verification.

use crate::text;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;
use x509_parser::extensions::{ExtendedKeyUsage, GeneralName, ParsedExtension};
use x509_parser::oid_registry::{
    OID_EC_P256, OID_KEY_TYPE_EC_PUBLIC_KEY, OID_NIST_EC_P384, OID_NIST_EC_P521,
    OID_PKCS1_RSAENCRYPTION, OID_SIG_ED25519,
};
use x509_parser::pem::parse_x509_pem;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::public_key::PublicKey;
use x509_parser::x509::{SubjectPublicKeyInfo, X509Name};

/// The contents of a certificate. Nothing is verified, and every text is whatever its issuer wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// All common names of the subject, in order.
    pub common_names: Vec<String>,
    /// All organizations of the subject, in order.
    pub organizations: Vec<String>,
    /// The subject as `O=system:nodes,CN=system:node:a`, in the order of the certificate.
    pub subject: String,
    /// The issuer, in the same form.
    pub issuer: String,
    /// All common names of the issuer, in order.
    pub issuer_common_names: Vec<String>,
    /// The DNS subject alternative names.
    pub dns_names: Vec<String>,
    /// The IP subject alternative names.
    pub addresses: Vec<IpAddr>,
    /// The number of other subject alternative names: mail, URIs, and invalid ones.
    pub other_names: usize,
    /// The start of the validity, as Unix time in seconds.
    pub not_before: i64,
    /// The end of the validity, as Unix time in seconds.
    pub not_after: i64,
    /// Whether issuer and subject are identical. The signature is not checked.
    pub is_self_issued: bool,
    /// Whether it may sign other certificates.
    pub is_ca: bool,
    /// The serial number in hexadecimal, as openssl writes it.
    pub serial: String,
    /// The type of the public key.
    pub key: Key,
    /// The extended key usages; empty if there are none, which allows all.
    pub usages: Vec<Usage>,
}

/// The type of a public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// RSA, with this many bits.
    Rsa(usize),
    /// An elliptic curve, by its usual name or its OID.
    Ec(String),
    /// Ed25519.
    Ed25519,
    /// Anything else, by its OID.
    Other(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rsa(bits) => write!(f, "RSA {bits}"),
            Self::Ec(curve) => write!(f, "EC {curve}"),
            Self::Ed25519 => f.write_str("Ed25519"),
            Self::Other(id) => f.write_str(id),
        }
    }
}

/// An extended key usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Any usage.
    Any,
    /// TLS server.
    ServerAuth,
    /// TLS client.
    ClientAuth,
    /// Anything else, by its name or OID.
    Other(String),
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::ServerAuth => f.write_str("server auth"),
            Self::ClientAuth => f.write_str("client auth"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// Why bytes are not a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseCertificateError {
    /// The reason of the parser, in one line.
    pub why: String,
}

impl fmt::Display for ParseCertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a certificate: {}", self.why)
    }
}

impl core::error::Error for ParseCertificateError {}

impl Facts {
    /// Parses the first block of a PEM text.
    pub fn from_pem(pem: &[u8]) -> Result<Self, ParseCertificateError> {
        match parse_x509_pem(pem) {
            Ok((_, block)) if block.label == "CERTIFICATE" => Self::from_der(&block.contents),
            _ => Err(ParseCertificateError {
                why: "there is no certificate in it (PEM is expected)".to_owned(),
            }),
        }
    }

    /// Parses one certificate (DER).
    pub fn from_der(der: &[u8]) -> Result<Self, ParseCertificateError> {
        let (rest, parsed) = X509Certificate::from_der(der)
            .map_err(|error| ParseCertificateError { why: text::one_line(&error.to_string()) })?;
        if !rest.is_empty() {
            let why = format!("{} bytes stand behind it", rest.len());
            return Err(ParseCertificateError { why });
        }
        let mut facts = Self {
            common_names: text::values(parsed.subject().iter_common_name()),
            organizations: text::values(parsed.subject().iter_organization()),
            subject: text::distinguished(parsed.subject()),
            issuer: text::distinguished(parsed.issuer()),
            issuer_common_names: text::values(parsed.issuer().iter_common_name()),
            dns_names: Vec::new(),
            addresses: Vec::new(),
            other_names: 0,
            not_before: parsed.validity().not_before.timestamp(),
            not_after: parsed.validity().not_after.timestamp(),
            is_self_issued: is_same_name(parsed.issuer(), parsed.subject()),
            is_ca: false,
            serial: text::hexadecimal(parsed.raw_serial()),
            key: key(parsed.public_key()),
            usages: Vec::new(),
        };
        for extension in parsed.extensions() {
            match extension.parsed_extension() {
                ParsedExtension::SubjectAlternativeName(names) => {
                    names.general_names.iter().for_each(|name| facts.add_name(name));
                }
                ParsedExtension::BasicConstraints(basic) => facts.is_ca |= basic.ca,
                ParsedExtension::ExtendedKeyUsage(usage) => facts.usages.extend(usages(usage)),
                _ => {}
            }
        }
        Ok(facts)
    }

    /// Whether the subject alternative names match this host, as the API server's TLS matches them:
    /// an address must be an IP SAN, a name may be matched by a `*` in place of its first label.
    pub fn speaks_for(&self, host: &str) -> bool {
        match host.parse::<IpAddr>() {
            Ok(address) => {
                self.addresses.iter().any(|san| san.to_canonical() == address.to_canonical())
            }
            Err(_) => self.dns_names.iter().any(|name| matches_host(name, host)),
        }
    }

    /// Whether it may be used by a TLS server.
    pub fn may_serve(&self) -> bool {
        self.usages.is_empty()
            || self.usages.iter().any(|usage| matches!(usage, Usage::Any | Usage::ServerAuth))
    }

    /// The elapsed part of its validity at this time, in percent: below 0 before it begins, above
    /// 100 when it has expired.
    pub fn age(&self, now: i64) -> i64 {
        let life = i128::from(self.not_after) - i128::from(self.not_before);
        let past = i128::from(now) - i128::from(self.not_before);
        let percent = if life <= 0 { 101 } else { past * 100 / life };
        i64::try_from(percent).unwrap_or(if percent < 0 { i64::MIN } else { i64::MAX })
    }

    fn add_name(&mut self, name: &GeneralName<'_>) {
        match name {
            GeneralName::DNSName(name) => self.dns_names.push((*name).to_owned()),
            GeneralName::IPAddress(bytes) => match address(bytes) {
                Some(address) => self.addresses.push(address),
                None => self.other_names += 1,
            },
            _ => self.other_names += 1,
        }
    }
}

fn is_same_name(one: &X509Name<'_>, other: &X509Name<'_>) -> bool {
    one.as_raw() == other.as_raw()
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
        _ => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
    }
}

/// Whether a DNS name of a certificate matches a host.
fn matches_host(pattern: &str, host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.is_empty() || pattern.is_empty() {
        return false;
    }
    match (pattern.strip_prefix("*."), host.split_once('.')) {
        (Some(parent), Some((first, rest))) => {
            !first.is_empty() && parent.eq_ignore_ascii_case(rest)
        }
        (Some(_), None) => false,
        (None, _) => pattern.eq_ignore_ascii_case(host),
    }
}

fn key(info: &SubjectPublicKeyInfo<'_>) -> Key {
    let algorithm = &info.algorithm.algorithm;
    if *algorithm == OID_PKCS1_RSAENCRYPTION {
        let bits = match info.parsed() {
            Ok(PublicKey::RSA(key)) => key.key_size(),
            _ => 0,
        };
        return Key::Rsa(bits);
    }
    if *algorithm == OID_SIG_ED25519 {
        return Key::Ed25519;
    }
    if *algorithm != OID_KEY_TYPE_EC_PUBLIC_KEY {
        return Key::Other(algorithm.to_id_string());
    }
    let curve = info.algorithm.parameters.as_ref().and_then(|any| any.as_oid().ok());
    let Some(curve) = curve else { return Key::Ec("unnamed".to_owned()) };
    let names = [(OID_EC_P256, "P-256"), (OID_NIST_EC_P384, "P-384"), (OID_NIST_EC_P521, "P-521")];
    let known = names.iter().find(|(id, _)| *id == curve).map(|(_, name)| (*name).to_owned());
    Key::Ec(known.unwrap_or_else(|| curve.to_id_string()))
}

fn usages(extension: &ExtendedKeyUsage<'_>) -> Vec<Usage> {
    let other = |name: &str| Usage::Other(name.to_owned());
    let rows = [
        (extension.any, Usage::Any),
        (extension.server_auth, Usage::ServerAuth),
        (extension.client_auth, Usage::ClientAuth),
        (extension.code_signing, other("code signing")),
        (extension.email_protection, other("email protection")),
        (extension.time_stamping, other("time stamping")),
        (extension.ocsp_signing, other("OCSP signing")),
    ];
    let known = rows.into_iter().filter_map(|(is_set, usage)| is_set.then_some(usage));
    known.chain(extension.other.iter().map(|id| Usage::Other(id.to_id_string()))).collect()
}

#[cfg(test)]
mod tests;
