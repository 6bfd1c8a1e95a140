//! Messages for refused certificates as Go's crypto/x509 formats them, checked in its order: time,
//! host, chain.

use jiff::Timestamp;
use rustls::CertificateError;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

use std::net::IpAddr;

const UNKNOWN: &str = "x509: certificate signed by unknown authority";
/// The number of names from which on they are only counted.
const MAX_LISTED: usize = 100;

/// Go's message for this certificate, which these authorities refused for `error`.
pub(crate) fn verification_error<'a>(
    error: &rustls::Error,
    leaf: &CertificateDer<'_>,
    host: &ServerName<'_>,
    now: UnixTime,
    authorities: impl Iterator<Item = &'a CertificateDer<'static>>,
) -> String {
    let Ok((_, certificate)) = X509Certificate::from_der(leaf) else {
        return "x509: malformed certificate".to_owned();
    };
    validity_error(&certificate, now)
        .or_else(|| host_error(&certificate, leaf, host))
        .unwrap_or_else(|| {
            let message = chain_error(error, &certificate);
            if message == UNKNOWN {
                message + &hint(&certificate, now, authorities)
            } else {
                message
            }
        })
}

/// Names an authority with the subject of the issuer, and why it is not the issuer: CAs of other
/// clusters often have the same name.
fn hint<'a>(
    certificate: &X509Certificate<'_>,
    now: UnixTime,
    authorities: impl Iterator<Item = &'a CertificateDer<'static>>,
) -> String {
    let authorities_parsed =
        authorities.filter_map(|der| Some(X509Certificate::from_der(der).ok()?.1));
    let mut namesakes = authorities_parsed
        .filter(|authority| authority.subject().as_raw() == certificate.issuer().as_raw());
    let Some(candidate) = namesakes.next() else { return String::new() };
    let why = validity_error(&candidate, now).unwrap_or_else(|| signature_error(certificate));
    let name = candidate.subject().iter_common_name().next().and_then(|name| name.as_str().ok());
    let name = name.map_or_else(|| format!("serial:{}", candidate.serial), ToOwned::to_owned);
    format!(
        " (possibly because of {why:?} while trying to verify candidate authority certificate {name:?})"
    )
}

fn signature_error(certificate: &X509Certificate<'_>) -> String {
    let algorithm = certificate.signature_algorithm.algorithm.to_id_string();
    let row = SIGNATURES.iter().find(|(start, _)| algorithm.starts_with(start));
    row.map_or("x509: cannot verify signature: algorithm unimplemented", |(_, message)| message)
        .to_owned()
}

/// Go's messages for a wrong signature, by the prefix of the algorithm's OID.
static SIGNATURES: [(&str, &str); 3] = [
    ("1.2.840.10045.4.", "x509: ECDSA verification failure"),
    ("1.2.840.113549.1.1.", "crypto/rsa: verification error"),
    ("1.3.101.112", "x509: Ed25519 verification failure"),
];

/// The message for a certificate that is not valid now.
pub(crate) fn validity_error(certificate: &X509Certificate<'_>, now: UnixTime) -> Option<String> {
    let validity = certificate.validity();
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let (from, until) = (validity.not_before.timestamp(), validity.not_after.timestamp());
    let side = if now < from {
        format!("before {}", format_time(from))
    } else if now > until {
        format!("after {}", format_time(until))
    } else {
        return None;
    };
    let now = format_time(now);
    Some(format!("x509: certificate has expired or is not yet valid: current time {now} is {side}"))
}

fn format_time(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |at| at.to_string())
}

fn host_error(
    certificate: &X509Certificate<'_>,
    leaf: &CertificateDer<'_>,
    host: &ServerName<'_>,
) -> Option<String> {
    let parsed = rustls::server::ParsedCertificate::try_from(leaf).ok()?;
    rustls::client::verify_server_name(&parsed, host).err()?;
    Some(host_message(certificate, host))
}

fn host_message(certificate: &X509Certificate<'_>, host: &ServerName<'_>) -> String {
    let names = Names::of(certificate);
    let host = host.to_str();
    let mut common = certificate.subject().iter_common_name().filter_map(|name| name.as_str().ok());
    if names.is_absent && common.any(|name| name.eq_ignore_ascii_case(&host)) {
        return "x509: certificate relies on legacy Common Name field, use SANs instead".to_owned();
    }
    let (valid, kind) = if host.parse::<IpAddr>().is_ok() {
        if names.addresses.is_empty() {
            return format!(
                "x509: cannot validate certificate for {host} because it doesn't contain any IP SANs"
            );
        }
        (names.addresses, "IP SANs")
    } else {
        (names.dns, "names")
    };
    match valid.len() {
        0 => format!("x509: certificate is not valid for any names, but wanted to match {host}"),
        1..MAX_LISTED => format!("x509: certificate is valid for {}, not {host}", valid.join(", ")),
        many => format!("x509: certificate is valid for {many} {kind}, but none matched {host}"),
    }
}

/// The subject alternative names of a certificate.
struct Names {
    is_absent: bool,
    dns: Vec<String>,
    addresses: Vec<String>,
}

impl Names {
    fn of(certificate: &X509Certificate<'_>) -> Self {
        let mut names = Self { is_absent: true, dns: Vec::new(), addresses: Vec::new() };
        let Ok(Some(extension)) = certificate.subject_alternative_name() else { return names };
        names.is_absent = false;
        for name in &extension.value.general_names {
            match name {
                // The names are chosen by the issuer: escaped, so that they cannot break a line.
                GeneralName::DNSName(name) => names.dns.push(name.escape_default().to_string()),
                GeneralName::IPAddress(bytes) => names.addresses.extend(address(bytes)),
                _ => {}
            }
        }
        names
    }
}

fn address(bytes: &[u8]) -> Option<String> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    let address = four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()?;
    Some(address.to_string())
}

fn chain_error(error: &rustls::Error, certificate: &X509Certificate<'_>) -> String {
    use CertificateError as Fault;
    match error {
        rustls::Error::InvalidCertificate(fault) => match fault {
            Fault::UnknownIssuer | Fault::BadSignature => UNKNOWN.to_owned(),
            // Not the leaf, whose time was valid: an intermediate or the authority.
            Fault::ExpiredContext { .. } | Fault::NotValidYetContext { .. } => UNKNOWN.to_owned(),
            Fault::Other(_) if certificate.is_ca() => {
                if certificate.issuer().as_raw() == certificate.subject().as_raw() {
                    UNKNOWN.to_owned()
                } else {
                    "x509: certificate is that of an authority, which may not serve".to_owned()
                }
            }
            Fault::InvalidPurpose | Fault::InvalidPurposeContext { .. } => {
                "x509: certificate specifies an incompatible key usage".to_owned()
            }
            Fault::UnhandledCriticalExtension => "x509: unhandled critical extension".to_owned(),
            other => format!("x509: {other}"),
        },
        other => format!("x509: {other}"),
    }
}
