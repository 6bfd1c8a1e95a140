//! Tests of the plan: a whole life of authorities and certificates, on a clock of its own.

use super::*;
use ratchet_http::certificates::split_bundle;

const HOUR: Duration = Duration::from_secs(3600);

fn terms() -> Terms {
    Terms { names: vec!["web.shop.svc".into()], ca_validity: 30 * HOUR, cert_validity: 9 * HOUR }
}

fn founded() -> CertificateSet {
    apply(Step::Found, None, &terms(), SystemTime::now()).unwrap().unwrap()
}

fn next(set: &CertificateSet, after: Duration, published: Option<Duration>) -> Step {
    plan(Some(set), &terms(), SystemTime::now() + after, published)
}

#[test]
fn a_new_set_is_complete_and_rests() {
    assert_eq!(plan(None, &terms(), SystemTime::now(), None), Step::Found);
    let set = founded();
    set.check().unwrap();
    assert_eq!(split_bundle(&set.bundle()).len(), 1);
    assert_eq!(next(&set, Duration::ZERO, None), Step::Rest);
    assert_eq!(apply(Step::Rest, Some(set.clone()), &terms(), SystemTime::now()), Ok(None));
    let broken = CertificateSet { serving: founded().serving, ..set.clone() };
    assert_eq!(broken.check().unwrap_err(), "no authority in ca.crt issued tls.crt");
    let mixed = PemPair { key: founded().serving.key, ..set.serving.clone() };
    assert!(CertificateSet { serving: mixed, ..set }.check().unwrap_err().starts_with("tls.crt"));
}

#[test]
fn a_certificate_is_renewed_in_its_last_third_and_for_other_names() {
    let set = founded();
    assert_eq!(next(&set, 5 * HOUR, None), Step::Rest);
    assert_eq!(next(&set, 7 * HOUR, None), Step::Renew);
    let renewed = apply(Step::Renew, Some(set.clone()), &terms(), SystemTime::now());
    let renewed = renewed.unwrap().unwrap();
    assert_ne!(renewed.serving, set.serving);
    assert_eq!(renewed.authority, set.authority);
    let others = Terms { names: vec!["other.shop.svc".into()], ..terms() };
    assert_eq!(plan(Some(&set), &others, SystemTime::now(), None), Step::Renew);
}

#[test]
fn the_next_authority_is_published_before_it_issues() {
    let set = founded();
    assert_eq!(next(&set, 21 * HOUR, Some(HOUR)), Step::AddNext);
    let now = SystemTime::now();
    let set = apply(Step::AddNext, Some(set), &terms(), now).unwrap().unwrap();
    assert_eq!(split_bundle(&set.bundle()).len(), 2, "both are trusted");
    assert!(set.serving.is_issued_by(&set.authority.certificate), "the old one still issues");
    assert_ne!(next(&set, HOUR, None), Step::Promote, "nobody trusts it yet");
    assert_ne!(next(&set, HOUR, Some(Duration::from_secs(59))), Step::Promote);
    assert_eq!(next(&set, HOUR, Some(Duration::from_secs(60))), Step::Promote);

    let old = set.authority.certificate.clone();
    let set = apply(Step::Promote, Some(set), &terms(), now).unwrap().unwrap();
    set.check().unwrap();
    assert!(set.serving.is_issued_by(&set.authority.certificate) && set.next.is_none());
    assert_eq!(set.previous, [old], "what replicas still serve is trusted");
    assert_eq!(next(&set, Duration::ZERO, None), Step::Rest);
    // The test has no certificates of the past: the one that is not renewed here expires with its authority.
    let late = SystemTime::now() + 31 * HOUR;
    let pruned = apply(Step::Prune, Some(set), &terms(), late).unwrap().unwrap();
    assert!(pruned.previous.is_empty());
}

#[test]
fn what_has_expired_is_replaced_at_once() {
    let set = founded();
    assert_eq!(next(&set, 31 * HOUR, None), Step::Found);
    let now = SystemTime::now();
    let set = apply(Step::AddNext, Some(set), &terms(), now).unwrap().unwrap();
    assert_eq!(next(&set, 31 * HOUR, None), Step::Promote, "nobody trusts the old one");
    let founded = apply(Step::Found, Some(set.clone()), &terms(), now).unwrap().unwrap();
    assert_eq!(founded.previous, [set.authority.certificate], "it is served until then");
}
