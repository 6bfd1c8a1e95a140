//! Certificate signing requests (PKCS#10): requested names, and proof of possession of the key.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;

use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::cri_attributes::ParsedCriAttribute;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::pem::parse_x509_pem;
use x509_parser::prelude::FromDer;

use crate::der::{BIT_STRING, OBJECT_IDENTIFIER, SEQUENCE, SET, next, next_of, only};
use crate::{subject, text};

const LABEL: &str = "CERTIFICATE REQUEST";

/// A parsed request. Nothing in it is verified: a signer checks [`Self::proof`] first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateRequest {
    /// All common names of the subject, in order.
    pub common_names: Vec<String>,
    /// All organizations of the subject, in order.
    pub organizations: Vec<String>,
    /// The requested DNS names.
    pub dns_names: Vec<String>,
    /// The requested IP addresses.
    pub addresses: Vec<IpAddr>,
    /// The requested mail addresses.
    pub emails: Vec<String>,
    /// The requested URIs.
    pub uris: Vec<String>,
    /// The attributes of the subject that certificates take over: type (the content of an OID) and
    /// text.
    pub(crate) attributes: Vec<(Vec<u8>, String)>,
    /// The public key, as SubjectPublicKeyInfo.
    pub(crate) key: Vec<u8>,
    proof: Proof,
}

/// Proof of possession of the key: a signature with it over the rest of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The algorithm of the key (the content of an AlgorithmIdentifier).
    pub key_algorithm: Vec<u8>,
    /// The key itself.
    pub key: Vec<u8>,
    /// The algorithm of the signature (the content of an AlgorithmIdentifier).
    pub algorithm: Vec<u8>,
    /// The signed bytes.
    pub message: Vec<u8>,
    /// The signature over `message`.
    pub signature: Vec<u8>,
}

/// Why bytes are not a certificate signing request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseRequestError(String);

impl fmt::Display for ParseRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for ParseRequestError {}

fn unreadable(why: &str) -> ParseRequestError {
    ParseRequestError(why.to_owned())
}

impl CertificateRequest {
    /// Parses the first block of a PEM text.
    pub fn from_pem(pem: &[u8]) -> Result<Self, ParseRequestError> {
        match parse_x509_pem(pem) {
            Ok((_, block)) if block.label == LABEL => Self::from_der(&block.contents),
            _ => Err(unreadable("PEM block type must be CERTIFICATE REQUEST")),
        }
    }

    /// Parses a request (DER).
    pub fn from_der(der: &[u8]) -> Result<Self, ParseRequestError> {
        let (rest, parsed) = X509CertificationRequest::from_der(der).map_err(|error| {
            ParseRequestError(format!("asn1: {}", text::one_line(&error.to_string())))
        })?;
        if !rest.is_empty() {
            return Err(unreadable("asn1: trailing data"));
        }
        let info = &parsed.certification_request_info;
        let broken = || unreadable("asn1: structure error");
        let attributes = attributes(info.subject.as_raw())?;
        let texts_of = |kind: &[u8]| -> Vec<String> {
            let matching = attributes.iter().filter(|(id, _)| id == kind);
            matching.map(|(_, text)| text.clone()).collect()
        };
        let mut request = Self {
            common_names: texts_of(COMMON_NAME),
            organizations: texts_of(ORGANIZATION),
            attributes,
            dns_names: Vec::new(),
            addresses: Vec::new(),
            emails: Vec::new(),
            uris: Vec::new(),
            key: info.subject_pki.raw.to_vec(),
            proof: proof(der).ok_or_else(broken)?,
        };
        request.add_names(&parsed)?;
        Ok(request)
    }

    /// The proof of possession of the key.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    fn add_names(
        &mut self,
        parsed: &X509CertificationRequest<'_>,
    ) -> Result<(), ParseRequestError> {
        let mut lists = 0;
        for attribute in parsed.certification_request_info.iter_attributes() {
            let ParsedCriAttribute::ExtensionRequest(requested) = attribute.parsed_attribute()
            else {
                continue;
            };
            for extension in &requested.extensions {
                let names = match extension.parsed_extension() {
                    ParsedExtension::SubjectAlternativeName(names) => names,
                    ParsedExtension::ParseError { .. } => {
                        return Err(unreadable("x509: a requested extension cannot be read"));
                    }
                    _ => continue,
                };
                lists += 1;
                names.general_names.iter().try_for_each(|name| self.add_name(name))?;
            }
        }
        match lists {
            // The meaning of a request with two lists would depend on its reader.
            2.. => {
                Err(unreadable("x509: certificate request contains duplicate requested extensions"))
            }
            _ => Ok(()),
        }
    }

    fn add_name(&mut self, name: &GeneralName<'_>) -> Result<(), ParseRequestError> {
        match name {
            GeneralName::DNSName(name) => self.dns_names.push((*name).to_owned()),
            GeneralName::RFC822Name(name) => self.emails.push((*name).to_owned()),
            GeneralName::URI(name) => self.uris.push((*name).to_owned()),
            GeneralName::IPAddress(bytes) => {
                let v4 = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
                let address = v4.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from));
                let invalid =
                    |_| format!("x509: cannot parse IP address of length {}", bytes.len());
                self.addresses.push(address.map_err(invalid).map_err(ParseRequestError)?);
            }
            GeneralName::Invalid(..) => {
                return Err(unreadable("x509: a subject alternative name cannot be read"));
            }
            // No signer supports these.
            _ => {}
        }
        Ok(())
    }
}

/// 2.5.4.3
pub(crate) const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// 2.5.4.10
pub(crate) const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

/// The attributes of a subject that certificates take over, in the order in which they are written
/// there: country, organization, unit, locality, province, street, postal code, common name, serial
/// number.
const COPIED_ATTRIBUTES: &[&[u8]] = &[
    &[0x55, 0x04, 0x06],
    ORGANIZATION,
    &[0x55, 0x04, 0x0b],
    &[0x55, 0x04, 0x07],
    &[0x55, 0x04, 0x08],
    &[0x55, 0x04, 0x09],
    &[0x55, 0x04, 0x11],
    COMMON_NAME,
    &[0x55, 0x04, 0x05],
];

fn attributes(name: &[u8]) -> Result<Vec<(Vec<u8>, String)>, ParseRequestError> {
    let broken = || unreadable("asn1: the subject cannot be read");
    let mut attributes_found = Vec::new();
    let mut sets = only(name, SEQUENCE).ok_or_else(broken)?;
    while !sets.is_empty() {
        let mut set = next_of(&mut sets, SET).ok_or_else(broken)?;
        while !set.is_empty() {
            let mut attribute = next_of(&mut set, SEQUENCE).ok_or_else(broken)?;
            let kind = next_of(&mut attribute, OBJECT_IDENTIFIER).ok_or_else(broken)?;
            let (tag, value) = next(&mut attribute).ok_or_else(broken)?;
            if !attribute.is_empty() {
                return Err(broken());
            }
            let Some(index) = COPIED_ATTRIBUTES.iter().position(|copied| *copied == kind) else {
                continue;
            };
            let text = subject::text(tag, value).map_err(|_| broken())?;
            attributes_found.push((index, kind.to_vec(), text));
        }
    }
    attributes_found.sort_by_key(|(index, ..)| *index);
    Ok(attributes_found.into_iter().map(|(_, kind, text)| (kind, text)).collect())
}

/// The signed parts of a request, byte for byte.
fn proof(der: &[u8]) -> Option<Proof> {
    let mut parts = only(der, SEQUENCE)?;
    let before = parts;
    next_of(&mut parts, SEQUENCE)?;
    let message = before.get(..before.len() - parts.len())?;
    let algorithm = next_of(&mut parts, SEQUENCE)?;
    let signature = bits(next_of(&mut parts, BIT_STRING)?)?;
    let mut info = only(message, SEQUENCE)?;
    // The version and the subject come before the key.
    next(&mut info)?;
    next_of(&mut info, SEQUENCE)?;
    let mut key = next_of(&mut info, SEQUENCE)?;
    let key_algorithm = next_of(&mut key, SEQUENCE)?;
    let key = bits(next_of(&mut key, BIT_STRING)?)?;
    parts.is_empty().then(|| Proof {
        key_algorithm: key_algorithm.to_vec(),
        key: key.to_vec(),
        algorithm: algorithm.to_vec(),
        message: message.to_vec(),
        signature: signature.to_vec(),
    })
}

/// The bytes of a bit string without unused bits.
fn bits(content: &[u8]) -> Option<&[u8]> {
    content.split_first().filter(|(unused, _)| **unused == 0).map(|(_, bytes)| bytes)
}

#[cfg(test)]
mod tests;
