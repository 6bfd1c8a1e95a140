//! Certificates for requests: what is taken from the request, and what the issuer decides.
//!
//! Names and the key come from the request; usages, validity and basic constraints come from the
//! issuer. No extension of a request is ever copied.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::net::IpAddr;

use ratchet_object::calendar::{DAY, Date};
use x509_parser::extensions::ParsedExtension;
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::CertificateRequest;
use crate::der::{
    BIT_STRING, BOOLEAN, GENERALIZED_TIME, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, SET,
    UTC_TIME, UTF8_STRING, element, elements,
};

/// The parts of an issuer's certificate that go into issued ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerCertificate {
    name: Vec<u8>,
    key_identifier: Option<Vec<u8>>,
    /// The end of its validity, as Unix time in seconds.
    pub not_after: i64,
}

impl IssuerCertificate {
    /// Parses the certificate (DER) of an issuer.
    pub fn from_der(der: &[u8]) -> Result<Self, String> {
        let (_, parsed) = X509Certificate::from_der(der)
            .map_err(|error| crate::text::one_line(&format!("not a certificate: {error}")))?;
        let mut key_identifier = None;
        let mut is_authority = false;
        for extension in parsed.extensions() {
            match extension.parsed_extension() {
                ParsedExtension::SubjectKeyIdentifier(id) => key_identifier = Some(id.0.to_vec()),
                ParsedExtension::BasicConstraints(basic) => is_authority |= basic.ca,
                _ => {}
            }
        }
        if !is_authority {
            return Err("it is no certificate of an authority (CA:TRUE)".to_owned());
        }
        let not_after = parsed.validity().not_after.timestamp();
        Ok(Self { name: parsed.subject().as_raw().to_vec(), key_identifier, not_after })
    }
}

/// The decisions of the issuer about a certificate.
#[derive(Clone, Debug)]
pub struct Issuance<'a> {
    /// The authority whose name and key identifier go into the certificate.
    pub issuer: &'a IssuerCertificate,
    /// The signature algorithm (the content of an AlgorithmIdentifier).
    pub algorithm: &'a [u8],
    /// The unique serial number.
    pub serial: [u8; 16],
    /// The start of the validity, as Unix time in seconds.
    pub not_before: i64,
    /// The end of the validity, as Unix time in seconds.
    pub not_after: i64,
    /// The usages, as certificate signing requests name them.
    pub usages: &'a [&'a str],
}

impl Issuance<'_> {
    /// The TBSCertificate (DER).
    pub fn to_be_signed(&self, request: &CertificateRequest) -> Result<Vec<u8>, String> {
        let validity = [time(self.not_before)?, time(self.not_after)?];
        Ok(elements(
            SEQUENCE,
            &[
                // Version 3, which has extensions.
                element(0xa0, &element(INTEGER, &[2])),
                serial(&self.serial),
                element(SEQUENCE, self.algorithm),
                self.issuer.name.clone(),
                elements(SEQUENCE, &validity),
                name(request),
                request.key.clone(),
                element(0xa3, &elements(SEQUENCE, &self.extensions(request)?)),
            ],
        ))
    }

    fn extensions(&self, request: &CertificateRequest) -> Result<Vec<Vec<u8>>, String> {
        let (bits, purposes) = usages(self.usages)?;
        let mut all = Vec::new();
        if bits != 0 {
            all.push(extension(KEY_USAGE, true, &bit_string(bits)));
        }
        if !purposes.is_empty() {
            let purposes: Vec<_> =
                purposes.iter().map(|id| element(OBJECT_IDENTIFIER, id)).collect();
            all.push(extension(EXTENDED_KEY_USAGE, false, &elements(SEQUENCE, &purposes)));
        }
        // Empty, which means that it is no CA.
        all.push(extension(BASIC_CONSTRAINTS, true, &element(SEQUENCE, &[])));
        if let Some(id) = &self.issuer.key_identifier {
            let id = element(SEQUENCE, &element(0x80, id));
            all.push(extension(AUTHORITY_KEY_IDENTIFIER, false, &id));
        }
        let names = alternative_names(request);
        if !names.is_empty() {
            let is_critical = request.attributes.is_empty();
            all.push(extension(SUBJECT_ALT_NAME, is_critical, &elements(SEQUENCE, &names)));
        }
        Ok(all)
    }
}

/// A complete certificate (DER): TBSCertificate, algorithm, and signature.
pub fn signed(body: Vec<u8>, algorithm: &[u8], signature: &[u8]) -> Vec<u8> {
    let signature = element(BIT_STRING, &[&[0], signature].concat());
    elements(SEQUENCE, &[body, element(SEQUENCE, algorithm), signature])
}

/// Certificates are backdated, for clients whose clock is slow.
const BACKDATE: i64 = 5 * 60;

/// A certificate with a shorter lifetime loses nothing of it to [`BACKDATE`].
const SHORT_LIFETIME: i64 = 8 * 60 * 60;

/// The validity of a certificate issued now with this lifetime in seconds; never beyond its
/// issuer's.
pub fn validity(now: i64, lifetime: i64, issuer_not_after: i64) -> Result<(i64, i64), String> {
    if now >= issuer_not_after {
        return Err("the signer has expired".to_owned());
    }
    let lost = if lifetime < SHORT_LIFETIME { 0 } else { BACKDATE };
    let end = now.saturating_add(lifetime).saturating_sub(lost);
    Ok((now - BACKDATE, end.min(issuer_not_after)))
}

const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const AUTHORITY_KEY_IDENTIFIER: &[u8] = &[0x55, 0x1d, 0x23];
const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];

fn extension(id: &[u8], is_critical: bool, value: &[u8]) -> Vec<u8> {
    let mut parts = vec![element(OBJECT_IDENTIFIER, id)];
    if is_critical {
        parts.push(element(BOOLEAN, &[0xff]));
    }
    parts.push(element(OCTET_STRING, value));
    elements(SEQUENCE, &parts)
}

fn name(request: &CertificateRequest) -> Vec<u8> {
    let sets = request.attributes.iter().map(|(kind, text)| {
        let parts = [element(OBJECT_IDENTIFIER, kind), element(UTF8_STRING, text.as_bytes())];
        element(SET, &elements(SEQUENCE, &parts))
    });
    elements(SEQUENCE, &sets.collect::<Vec<_>>())
}

fn alternative_names(request: &CertificateRequest) -> Vec<Vec<u8>> {
    let texts = [(0x82, &request.dns_names), (0x81, &request.emails), (0x86, &request.uris)];
    let texts = texts
        .into_iter()
        .flat_map(|(tag, names)| names.iter().map(move |name| element(tag, name.as_bytes())));
    let addresses = request.addresses.iter().map(|address| match address {
        IpAddr::V4(address) => element(0x87, &address.octets()),
        IpAddr::V6(address) => element(0x87, &address.octets()),
    });
    texts.chain(addresses).collect()
}

/// A number that is never negative and never zero.
fn serial(bytes: &[u8; 16]) -> Vec<u8> {
    let mut bytes = *bytes;
    if let Some(first) = bytes.first_mut() {
        *first = (*first & 0x7f) | 0x40;
    }
    element(INTEGER, &bytes)
}

/// Key usages: the bit of RFC 5280, counted from the left of two bytes.
static KEY_USAGES: &[(&str, u16)] = &[
    ("signing", 1 << 15),
    ("digital signature", 1 << 15),
    ("content commitment", 1 << 14),
    ("key encipherment", 1 << 13),
    ("data encipherment", 1 << 12),
    ("key agreement", 1 << 11),
];

/// Extended key usages.
static PURPOSES: &[(&str, &[u8])] = &[
    ("server auth", &[0x2b, 6, 1, 5, 5, 7, 3, 1]),
    ("client auth", &[0x2b, 6, 1, 5, 5, 7, 3, 2]),
    ("code signing", &[0x2b, 6, 1, 5, 5, 7, 3, 3]),
    ("email protection", &[0x2b, 6, 1, 5, 5, 7, 3, 4]),
    ("s/mime", &[0x2b, 6, 1, 5, 5, 7, 3, 4]),
    ("timestamping", &[0x2b, 6, 1, 5, 5, 7, 3, 8]),
];

type Purposes = Vec<&'static [u8]>;

/// Bits and OIDs of the names of usages. Usages that allow signing certificates are not supported.
fn usages(names: &[&str]) -> Result<(u16, Purposes), String> {
    let (mut bits, mut purposes, mut unknown) = (0, Vec::new(), Vec::new());
    for &name in names {
        if let Some((_, bit)) = KEY_USAGES.iter().find(|row| row.0 == name) {
            bits |= bit;
        } else if let Some((_, id)) = PURPOSES.iter().find(|row| row.0 == name) {
            purposes.push(*id);
        } else {
            unknown.push(format!("{name:?}"));
        }
    }
    purposes.sort_unstable();
    purposes.dedup();
    match unknown.is_empty() {
        true => Ok((bits, purposes)),
        false => Err(format!("unrecognized usage values: [{}]", unknown.join(" "))),
    }
}

/// A bit string without trailing zero bits.
fn bit_string(bits: u16) -> Vec<u8> {
    let [first, second] = bits.to_be_bytes();
    let unused = |byte: u8| u8::try_from(byte.trailing_zeros()).unwrap_or(0);
    match second {
        0 => element(BIT_STRING, &[unused(first), first]),
        _ => element(BIT_STRING, &[unused(second), first, second]),
    }
}

/// A time as certificates encode it: two digits of a year until 2049, four afterwards.
fn time(seconds: i64) -> Result<Vec<u8>, String> {
    let Date { year, month, day } = Date::of_second(seconds);
    let rest = seconds.rem_euclid(DAY);
    let clock = format!("{:02}{:02}{:02}Z", rest / 3600, rest / 60 % 60, rest % 60);
    match year {
        1950..=2049 => {
            let text = format!("{:02}{month:02}{day:02}{clock}", year % 100);
            Ok(element(UTC_TIME, text.as_bytes()))
        }
        2050..=9999 => {
            let text = format!("{year:04}{month:02}{day:02}{clock}");
            Ok(element(GENERALIZED_TIME, text.as_bytes()))
        }
        _ => Err(format!("the year {year} cannot be written in a certificate")),
    }
}

#[cfg(test)]
mod tests;
