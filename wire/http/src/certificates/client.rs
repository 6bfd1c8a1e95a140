//! Client certificates of users in many groups.
//!
//! rcgen supports one organization in a subject, but a user has one for each group; so the
//! certificate gets a subject encoded here, and is signed again.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{KeyPair, SigningKey};
use x509_parser::prelude::{FromDer, X509Certificate};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const BIT_STRING: u8 = 0x03;
/// 2.5.4.3
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// 2.5.4.10
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
/// 1.2.840.10045.4.3.2, the only algorithm that our authority signs with.
const ECDSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

/// The certificate (PEM) with another subject, signed again.
pub(super) fn with_subject(
    certificate: &[u8],
    common_name: &str,
    organizations: &[&str],
    authority: &KeyPair,
) -> Result<String, rcgen::Error> {
    let broken = || rcgen::Error::CouldNotParseCertificate;
    let (_, parsed) = X509Certificate::from_der(certificate).map_err(|_| broken())?;
    let body = parsed.tbs_certificate.as_ref();
    let old = parsed.tbs_certificate.subject.as_raw();
    // Both are slices of the same bytes.
    let offset = (old.as_ptr() as usize).checked_sub(body.as_ptr() as usize).ok_or_else(broken)?;
    let fields = body.get(header_length(body)..offset).ok_or_else(broken)?;
    let rest = body.get(offset + old.len()..).ok_or_else(broken)?;

    let body = element(SEQUENCE, &[fields, &subject(common_name, organizations), rest].concat());
    let algorithm = element(SEQUENCE, &element(OBJECT_IDENTIFIER, ECDSA_WITH_SHA256));
    let signature = [&[0][..], &authority.sign(&body)?].concat();
    let signature = element(BIT_STRING, &signature);
    Ok(pem(&element(SEQUENCE, &[body, algorithm, signature].concat())))
}

fn subject(common_name: &str, organizations: &[&str]) -> Vec<u8> {
    let groups = organizations.iter().map(|name| attribute(ORGANIZATION, name));
    let parts: Vec<u8> = groups.chain([attribute(COMMON_NAME, common_name)]).flatten().collect();
    element(SEQUENCE, &parts)
}

fn attribute(kind: &[u8], value: &str) -> Vec<u8> {
    let kind = element(OBJECT_IDENTIFIER, kind);
    let value = element(UTF8_STRING, value.as_bytes());
    element(SET, &element(SEQUENCE, &[kind, value].concat()))
}

/// One DER element: tag, length and content.
fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let length: Vec<u8> = length.into_iter().skip_while(|&byte| byte == 0).collect();
    let mut out = vec![tag];
    if content.len() < 0x80 {
        out.push(content.len() as u8);
    } else {
        out.push(0x80 | length.len() as u8);
        out.extend(length);
    }
    out.extend_from_slice(content);
    out
}

/// The length of an element's header.
fn header_length(element: &[u8]) -> usize {
    match element.get(1) {
        Some(&long) if long & 0x80 != 0 => 2 + usize::from(long & 0x7f),
        _ => 2,
    }
}

/// A certificate in PEM.
pub(super) fn pem(der: &[u8]) -> String {
    let mut out = String::from("-----BEGIN CERTIFICATE-----\n");
    for (place, letter) in BASE64_STANDARD.encode(der).chars().enumerate() {
        if place > 0 && place % 64 == 0 {
            out.push('\n');
        }
        out.push(letter);
    }
    out.push_str("\n-----END CERTIFICATE-----\n");
    out
}
