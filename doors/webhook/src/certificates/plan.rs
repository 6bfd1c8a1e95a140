//! `plan`: what is to be done about the certificates now, from what the Secret holds.

use ratchet_http::certificates::{PemPair, expiry};
use std::time::{Duration, SystemTime};

/// Certificates and authorities, as the Secret holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CertificateSet {
    /// The authority that issues.
    pub(crate) authority: PemPair,
    /// The authority that will issue next; it is trusted already.
    pub(crate) next: Option<PemPair>,
    /// Certificates of authorities that issued before and are still trusted.
    pub(crate) previous: Vec<String>,
    /// The pair to serve with.
    pub(crate) serving: PemPair,
}

impl CertificateSet {
    /// All authorities that are trusted, in PEM.
    pub(crate) fn bundle(&self) -> String {
        let next = self.next.iter().map(|pair| &pair.certificate);
        let all = std::iter::once(&self.authority.certificate).chain(next).chain(&self.previous);
        all.map(|pem| format!("{}\n", pem.trim())).collect()
    }

    /// Why the set cannot be used, if it cannot.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.authority.check().map_err(|why| format!("ca.crt and ca.key: {why}"))?;
        self.serving.check().map_err(|why| format!("tls.crt and tls.key: {why}"))?;
        let authorities = std::iter::once(&self.authority.certificate).chain(&self.previous);
        match authorities.into_iter().any(|authority| self.serving.is_issued_by(authority)) {
            true => Ok(()),
            false => Err("no authority in ca.crt issued tls.crt".to_owned()),
        }
    }
}

/// How long certificates are valid, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) names: Vec<String>,
    pub(crate) ca_validity: Duration,
    pub(crate) cert_validity: Duration,
}

impl Terms {
    /// How long a new authority must be published before a certificate of it is served: the time that API servers may
    /// need to see a changed configuration, and more.
    pub(crate) fn overlap(&self) -> Duration {
        (self.ca_validity / 10).min(Duration::from_secs(60))
    }
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A first authority and a certificate of it.
    Found,
    /// A second authority, to be trusted from now on.
    AddNext,
    /// The second authority issues from now on, and a certificate of it is served.
    Promote,
    /// Another certificate of the same authority.
    Renew,
    /// Expired authorities are no longer trusted.
    Prune,
    /// Nothing.
    Rest,
}

/// The next step; `published` is the time for which the bundle of this set has been in every configuration.
pub(crate) fn plan(
    set: Option<&CertificateSet>,
    terms: &Terms,
    now: SystemTime,
    published: Option<Duration>,
) -> Step {
    let Some(set) = set else { return Step::Found };
    let left = |pem: &str| {
        let end = expiry(pem).unwrap_or(SystemTime::UNIX_EPOCH);
        end.duration_since(now).unwrap_or_default()
    };
    let authority_left = left(&set.authority.certificate);
    if authority_left.is_zero() && set.next.is_none() {
        return Step::Found;
    }
    if set.next.is_some() {
        // An authority that has expired is trusted by nobody, so that there is nothing to wait for.
        let is_published = published.is_some_and(|time| time >= terms.overlap());
        if is_published || authority_left.is_zero() {
            return Step::Promote;
        }
    } else if authority_left < terms.ca_validity / 3 {
        return Step::AddNext;
    }
    // Close to the end of its authority a certificate cannot be renewed for longer.
    let due = (terms.cert_validity / 3).min(authority_left / 2);
    if left(&set.serving.certificate) < due
        || !set.serving.is_for(&terms.names)
        || !set.serving.is_issued_by(&set.authority.certificate)
    {
        return Step::Renew;
    }
    if set.previous.iter().any(|pem| left(pem).is_zero()) {
        return Step::Prune;
    }
    Step::Rest
}

/// The set after a step; `None` if there is nothing to write.
pub(crate) fn apply(
    step: Step,
    set: Option<CertificateSet>,
    terms: &Terms,
    now: SystemTime,
) -> Result<Option<CertificateSet>, String> {
    let failed = |error: ratchet_http::certificates::CertificateError| error.to_string();
    let new_authority = || {
        let seconds = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let name = format!("ratchet-webhook-ca-{seconds}");
        ratchet_http::certificates::new_authority(&name, terms.ca_validity).map_err(failed)
    };
    let issue = |authority: &PemPair| {
        authority.issue_serving(&terms.names, terms.cert_validity).map_err(failed)
    };
    let is_valid = |pem: &String| expiry(pem).is_ok_and(|end| end > now);
    let set = match (step, set) {
        (Step::Rest, _) => return Ok(None),
        (Step::Found, old) => {
            let authority = new_authority()?;
            let serving = issue(&authority)?;
            let old = old.map(|old| old.authority.certificate).into_iter();
            CertificateSet {
                authority,
                next: None,
                previous: old.filter(is_valid).collect(),
                serving,
            }
        }
        (_, None) => return Ok(None),
        (Step::AddNext, Some(set)) => CertificateSet { next: Some(new_authority()?), ..set },
        (Step::Promote, Some(mut set)) => {
            let Some(authority) = set.next.take() else { return Ok(None) };
            let serving = issue(&authority)?;
            set.previous.insert(0, set.authority.certificate);
            set.previous.retain(is_valid);
            set.previous.truncate(1);
            CertificateSet { authority, next: None, previous: set.previous, serving }
        }
        (Step::Renew, Some(set)) => CertificateSet { serving: issue(&set.authority)?, ..set },
        (Step::Prune, Some(mut set)) => {
            set.previous.retain(is_valid);
            set
        }
    };
    Ok(Some(set))
}

#[cfg(test)]
mod tests;
