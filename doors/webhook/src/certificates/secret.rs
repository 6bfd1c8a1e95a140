//! The Secret that holds the certificates: its fields to a `CertificateSet`, and back.

use super::plan::CertificateSet;
use ratchet_http::certificates::{PemPair, split_bundle};
use ratchet_object::{Node, decode_base64, encode_base64};

/// The set in a Secret; why there is none.
pub(crate) fn read(secret: &Node<'_>) -> Result<CertificateSet, String> {
    let text = |name: &str| {
        let value = secret.find(&["data", name]).and_then(Node::text).unwrap_or_default();
        let bytes =
            decode_base64(value).map_err(|at| format!("{name}: bad base64 at byte {at}"))?;
        String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8"))
    };
    let required = |name: &str| match text(name)? {
        value if value.is_empty() => Err(format!("{name} is empty")),
        value => Ok(value),
    };
    let next = PemPair { certificate: text("ca-next.crt")?, key: text("ca-next.key")? };
    let next = (!next.certificate.is_empty()).then_some(next);
    let is_next =
        |pem: &String| next.as_ref().is_some_and(|next| next.certificate.trim() == pem.trim());
    let mut bundle = split_bundle(&required("ca.crt")?).into_iter();
    let certificate = bundle.next().ok_or("ca.crt holds no certificate")?;
    let set = CertificateSet {
        authority: PemPair { certificate, key: required("ca.key")? },
        previous: bundle.filter(|pem| !is_next(pem)).collect(),
        next,
        serving: PemPair { certificate: required("tls.crt")?, key: required("tls.key")? },
    };
    set.check()?;
    Ok(set)
}

/// A Secret with a set; `old` is the one that it replaces.
pub(crate) fn write(
    set: &CertificateSet,
    old: Option<Node<'static>>,
    (namespace, name): (&str, &str),
) -> Node<'static> {
    let mut secret = old.unwrap_or_else(|| {
        let metadata = [("name", name), ("namespace", namespace)];
        Node::map([
            ("apiVersion", Node::string("v1")),
            ("kind", Node::string("Secret")),
            (
                "metadata",
                Node::map(metadata.map(|(key, text)| (key, Node::string(text.to_owned())))),
            ),
            ("type", Node::string("Opaque")),
        ])
    });
    let mut fields = vec![
        ("ca.crt", set.bundle()),
        ("ca.key", set.authority.key.clone()),
        ("tls.crt", set.serving.certificate.clone()),
        ("tls.key", set.serving.key.clone()),
    ];
    if let Some(next) = &set.next {
        fields.push(("ca-next.crt", next.certificate.clone()));
        fields.push(("ca-next.key", next.key.clone()));
    }
    let data =
        fields.into_iter().map(|(key, text)| (key, Node::string(encode_base64(text.as_bytes()))));
    secret.set("data", Node::map(data));
    secret
}

#[cfg(test)]
mod tests {
    use super::super::plan::{Step, Terms, apply};
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_set_is_read_as_it_was_written() {
        let (hour, now) = (Duration::from_secs(3600), SystemTime::now());
        let terms = Terms { names: vec!["a".into()], ca_validity: hour, cert_validity: hour };
        let mut set = None;
        for step in [Step::Found, Step::AddNext, Step::Promote, Step::AddNext] {
            set = apply(step, set, &terms, now).unwrap();
            let secret = write(set.as_ref().unwrap(), None, ("shop", "certs"));
            assert_eq!(secret.text_at(&["metadata", "namespace"]), "shop");
            let found = read(&secret).unwrap();
            let [wanted, found] = [set.as_ref().unwrap(), &found].map(CertificateSet::bundle);
            assert_eq!(found, wanted);
        }
        let mut secret = write(&set.unwrap(), None, ("shop", "certs"));
        secret.map_mut("data").set("tls.key", Node::string("!"));
        assert_eq!(read(&secret).unwrap_err(), "tls.key: bad base64 at byte 0");
        secret.map_mut("data").remove("tls.key");
        assert_eq!(read(&secret).unwrap_err(), "tls.key is empty");
    }
}
