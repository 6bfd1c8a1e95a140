//! Validation of the keys, proofs and issued certificates of PodCertificateRequests, and of the right to sign.

use super::csr;
use super::public_key::{PublicKey, Unfit};
use crate::app::resource_request::ResourceRequest;
use jiff::Timestamp;
use ratchet_access::{Attributes, Resource, Target};
use ratchet_certificate::first_pem_block;
use ratchet_engine::field_validation::{FieldErrors, ValidationContext, error_at_path};
use ratchet_engine::{Cause, Change, Part, Verdict};
use ratchet_net::Quoted;
use ratchet_object::{At, decode_base64};
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::SubjectPublicKeyInfo;

const GROUP: &str = "certificates.k8s.io";
const LONGEST_KEY: usize = 10 * 1024;
const LONGEST_CHAIN: usize = 100 * 1024;
const HOUR: i64 = 60 * 60;
/// How far the beginning of a certificate may be from now.
const SKEW: i64 = 5 * 60;
/// How far a refresh is from the beginning and the end of a certificate.
const MARGIN: i64 = 10 * 60;
const NO_REQUEST: &str = "must be a valid PKCS#10 CSR";
const NO_KEY: &str = "must be a valid PKIX-serialized public key";
const UNKNOWN_KEY: &str = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
const NOT_PROVEN: &str = "could not verify proof-of-possession signature";
const OTHER_KEY: &str = "leaf certificate was not issued to the requested public key";
const CONSISTENT: &str = "must be present and consistent with the issued certificate";

/// Adds field errors to the verdict on a request that is otherwise valid.
pub(super) fn check(request: &ResourceRequest<'_>, change: &Change<'_>, verdict: &mut Verdict) {
    if (change.kind.group, change.kind.name) != (GROUP, "PodCertificateRequest") {
        return;
    }
    let ctx = ValidationContext { change, config: &request.app.api_config };
    let (root, old) = (change.new_root(), change.old_root());
    match (change.part, old) {
        (Part::Main, None) => check_key(&root.field("spec"), &mut FieldErrors::new(&ctx, verdict)),
        (Part::Sub("status"), Some(old)) if verdict.errors.is_empty() => {
            let (status, before) = (root.field("status"), old.field("status"));
            let mut errs = FieldErrors::new(&ctx, verdict);
            if is_issued(&status) && !is_issued(&before) {
                let now = Timestamp::now().as_second();
                check_issued(&status, &old.field("spec"), now, &mut errs);
            }
            if verdict.errors.is_empty() && !status.equals(&before) {
                check_signer(request, &old.descend(&["spec", "signerName"]), &ctx, verdict);
            }
        }
        _ => {}
    }
}

/// Refuses a status from a user who may not sign for the signer, nor for all signers of its domain.
fn check_signer(
    request: &ResourceRequest<'_>,
    signer: &At<'_>,
    ctx: &ValidationContext<'_>,
    verdict: &mut Verdict,
) {
    let name = signer.text_or_empty();
    let all = format!("{}/*", name.split('/').next().unwrap_or_default());
    let may = |name: &str| {
        let target = Resource {
            group: GROUP,
            version: "*",
            resource: "signers",
            name,
            ..Resource::default()
        };
        let attributes =
            Attributes { user: request.user, verb: "sign", target: Target::Resource(target) };
        request.app.authorizer.decide(&attributes).is_allowed()
    };
    if !may(name) && !may(&all) {
        let (user, name) = (Quoted(&request.user.name), Quoted(name));
        let detail = format!("User {user} is not permitted to \"sign\" for signer {name}");
        FieldErrors::new(ctx, verdict).forbidden(signer, detail);
    }
}

/// The bytes of a field in base64.
fn bytes(at: &At<'_>) -> Vec<u8> {
    decode_base64(at.text_or_empty()).unwrap_or_default()
}

/// Adds an `Invalid value` error that does not show the value.
fn hidden(at: &At<'_>, detail: &'static str, errs: &mut FieldErrors<'_, '_>) {
    let path = at.path().to_string();
    errs.verdict.add_error(error_at_path(Cause::Invalid, path, at.span(), detail));
}

/// Checks the key that a certificate is asked for, and the proof that the kubelet has it. What is not one key, or too long,
/// the engine refuses.
fn check_key(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let [stub, pkix, proof] =
        ["stubPKCS10Request", "pkixPublicKey", "proofOfPossession"].map(|name| spec.field(name));
    let [request, key, signature] = [&stub, &pkix, &proof].map(bytes);
    let are_short = [&request, &key, &signature].iter().all(|bytes| bytes.len() <= LONGEST_KEY);
    if spec.field("maxExpirationSeconds").int().is_none() || !are_short {
        return;
    }
    match [&request, &key, &signature].map(|bytes| !bytes.is_empty()) {
        [true, false, false] => check_request(&stub, &request, errs),
        [false, true, true] => {
            let uid = spec.field("podUID").text_or_empty();
            check_proof((&pkix, &key), (&proof, &signature), uid, errs);
        }
        _ => {}
    }
}

fn check_request(at: &At<'_>, der: &[u8], errs: &mut FieldErrors<'_, '_>) {
    let Ok(request) = csr::parse(der) else { return hidden(at, NO_REQUEST, errs) };
    match PublicKey::of(&request.certification_request_info.subject_pki) {
        Err(Unfit::Unreadable) => hidden(at, NO_REQUEST, errs),
        Err(Unfit::Unknown) => hidden(at, UNKNOWN_KEY, errs),
        Ok(key) => match key.weakness("P256, P384, or P521") {
            Some((formatted, detail)) => {
                errs.invalid_as(at, Quoted(&formatted).to_string(), detail);
            }
            None if csr::verify_signature(der).is_err() => hidden(at, "invalid signature", errs),
            None => {}
        },
    }
}

fn check_proof(
    (at, der): (&At<'_>, &[u8]),
    (proof, signature): (&At<'_>, &[u8]),
    uid: &str,
    errs: &mut FieldErrors<'_, '_>,
) {
    let Ok(([], info)) = SubjectPublicKeyInfo::from_der(der) else {
        return errs.invalid(at, NO_KEY);
    };
    match PublicKey::of(&info) {
        Err(Unfit::Unreadable) => errs.invalid(at, NO_KEY),
        Err(Unfit::Unknown) => errs.invalid(at, UNKNOWN_KEY),
        Ok(key) => match key.weakness("P256 or P384") {
            Some((formatted, detail)) => {
                errs.invalid_as(at, Quoted(&formatted).to_string(), detail);
            }
            None if !key.has_signed(&info, uid.as_bytes(), signature) => {
                hidden(proof, NOT_PROVEN, errs);
            }
            None => {}
        },
    }
}

fn is_issued(status: &At<'_>) -> bool {
    let mut conditions = status.field("conditions").items();
    conditions.any(|condition| {
        condition.field("type").text_or_empty() == "Issued"
            && condition.field("status").text_or_empty() == "True"
    })
}

/// Checks an issued chain of certificates against the request and the times that are stated beside it.
fn check_issued(status: &At<'_>, spec: &At<'_>, now: i64, errs: &mut FieldErrors<'_, '_>) {
    let chain = status.field("certificateChain");
    let text = chain.text_or_empty();
    let mut refuse =
        |detail: &'static str| errs.invalid_as(&chain, Quoted(text).to_string(), detail);
    if text.len() > LONGEST_CHAIN {
        return errs.too_long(&chain, LONGEST_CHAIN);
    }
    let Some((block, mut rest)) = first_pem_block(text.as_bytes()) else {
        return refuse("issued certificate chain must contain at least one certificate");
    };
    if block.label != "CERTIFICATE" {
        return refuse("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
    }
    let Ok(([], leaf)) = X509Certificate::from_der(&block.contents) else {
        return refuse("leaf certificate does not parse as valid X.509");
    };
    check_names(&chain, &leaf, errs);
    let wanted = match bytes(&spec.field("stubPKCS10Request")) {
        stub if stub.is_empty() => bytes(&spec.field("pkixPublicKey")),
        stub => csr::parse(&stub)
            .map(|request| request.certification_request_info.subject_pki.raw.to_vec())
            .unwrap_or_default(),
    };
    if leaf.public_key().raw != wanted {
        return errs.invalid_as(&chain, Quoted(text).to_string(), OTHER_KEY);
    }
    if !check_times(status, spec, &leaf, now, errs) {
        return;
    }
    while let Some((block, after)) = first_pem_block(rest) {
        rest = after;
        let fault = if block.label != "CERTIFICATE" {
            "issued certificate chain must consist entirely of CERTFICATE PEM blocks"
        } else if X509Certificate::from_der(&block.contents).is_err() {
            "intermediate certificate does not parse as valid X.509"
        } else {
            continue;
        };
        return errs.invalid_as(&chain, Quoted(text).to_string(), fault);
    }
}

/// Checks the names in a certificate, which parsers of other languages read in other ways.
fn check_names(chain: &At<'_>, leaf: &X509Certificate<'_>, errs: &mut FieldErrors<'_, '_>) {
    let names = leaf.subject_alternative_name().ok().flatten();
    let names = names.map(|names| names.value.general_names.as_slice()).unwrap_or_default();
    let mut refuse = |name: &str, detail| errs.invalid_as(chain, Quoted(name).to_string(), detail);
    for name in names {
        let GeneralName::DNSName(name) = name else { continue };
        if name.is_empty() {
            refuse(name, "leaf certificate should not contain empty DNSName");
        }
        if name.contains("..") {
            refuse(name, "leaf certificate's DNSName should not contain '..'");
        }
        if name.starts_with('.') || name.ends_with('.') {
            refuse(name, "leaf certificate's DNSName should not start or end with '.'");
        }
    }
    for name in names {
        if let GeneralName::RFC822Name(name) = name
            && !is_mail_address(name)
        {
            refuse(name, "leaf certificate should not contain invalid EmailAddress");
        }
    }
}

/// Whether a text is a mail address: words with dots between them on both sides of an `@`.
fn is_mail_address(text: &str) -> bool {
    let are_words = |text: &str| {
        text.split('.').all(|word| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
            !word.is_empty() && word.chars().all(|c| is_part(c) || !c.is_ascii())
        })
    };
    text.split_once('@').is_some_and(|(local, domain)| are_words(local) && are_words(domain))
}

/// Checks the times of a status; returns whether they are right. The first error ends the check, as in the reference.
fn check_times(
    status: &At<'_>,
    spec: &At<'_>,
    leaf: &X509Certificate<'_>,
    now: i64,
    errs: &mut FieldErrors<'_, '_>,
) -> bool {
    let [begins, ends, refresh] =
        ["notBefore", "notAfter", "beginRefreshAt"].map(|name| status.field(name));
    let count = errs.verdict.errors.len();
    let refresh_range = "must be present and in the range [notbefore+10min, notafter-10min]";
    for (at, detail) in [(&begins, CONSISTENT), (&ends, CONSISTENT), (&refresh, refresh_range)] {
        if !at.is_set() {
            errs.required(at, detail);
        }
    }
    if errs.verdict.errors.len() > count || count > 0 {
        return false;
    }
    let seconds = |at: &At<'_>| {
        at.text_or_empty().parse::<Timestamp>().map(Timestamp::as_second).unwrap_or_default()
    };
    let validity = leaf.validity();
    let (from, to) = (validity.not_before.timestamp(), validity.not_after.timestamp());
    let life = to.saturating_sub(from);
    let longest = spec.field("maxExpirationSeconds").int().unwrap_or_default();
    let chain = status.field("certificateChain");
    let formatted_life = || life.saturating_mul(1_000_000_000).to_string();
    if seconds(&begins) != from {
        errs.invalid(&begins, "must be set to the NotBefore time encoded in the leaf certificate");
    } else if now.abs_diff(from) >= SKEW.unsigned_abs() {
        let detail = "must be set to within 5 minutes of kube-apiserver's current time";
        errs.invalid(&begins, detail);
    } else if seconds(&ends) != to {
        errs.invalid(&ends, "must be set to the NotAfter time encoded in the leaf certificate");
    } else if life < HOUR {
        errs.invalid_as(&chain, formatted_life(), "leaf certificate lifetime must be >= 1 hour");
    } else if life > longest {
        let detail =
            format!("leaf certificate lifetime must be <= spec.maxExpirationSeconds ({longest})");
        errs.invalid_as(&chain, formatted_life(), detail);
    } else if seconds(&refresh) < from + MARGIN {
        errs.invalid(&refresh, "must be at least 10 minutes after status.notBefore");
    } else if seconds(&refresh) > to - MARGIN {
        errs.invalid(&refresh, "must be at least 10 minutes before status.notAfter");
    }
    errs.verdict.errors.len() == count
}
