//! Certificates for tests: valid ones, and the malformed ones that a kubelet may present.

mod der;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, Error,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose, SanType, SigningKey,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::Identity;

/// A certificate authority.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// One value of a subject with its DER tag.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Text {
    /// The DER tag: 12 for UTF-8, 19 for printable strings, any other for invalid values.
    pub tag: u8,
    /// The raw bytes.
    pub bytes: Vec<u8>,
}

/// A subject alternative name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum San {
    /// An address.
    Ip(IpAddr),
    /// A DNS name.
    Dns(String),
    /// A URI, as SPIFFE identities are.
    Uri(String),
}

/// The contents of a certificate.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The common names of the subject, in order; none, one, or several.
    pub common_names: Vec<Text>,
    /// The organizations of the subject.
    pub organizations: Vec<String>,
    /// The subject's alternative names.
    pub sans: Vec<San>,
    /// The start of its validity.
    pub not_before: SystemTime,
    /// The end of its validity.
    pub not_after: SystemTime,
    /// Whether it has the extended key usage for servers.
    pub server: bool,
    /// Whether it has the extended key usage for clients.
    pub client: bool,
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { tag: 0x0c, bytes: text.into() }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(&*text)
    }
}

impl Text {
    /// A PrintableString, as OpenSSL and Go write plain names.
    pub fn printable(text: &str) -> Self {
        Self { tag: 0x13, bytes: text.into() }
    }

    /// A TeletexString, as old authorities write names.
    pub fn teletex(text: &str) -> Self {
        Self { tag: 0x14, bytes: text.into() }
    }

    /// A BMPString: two bytes a character.
    pub fn bmp(text: &str) -> Self {
        Self { tag: 0x1e, bytes: text.encode_utf16().flat_map(u16::to_be_bytes).collect() }
    }

    /// Any bytes under any tag, such as text that is not UTF-8, or a number.
    pub fn raw(tag: u8, bytes: impl Into<Vec<u8>>) -> Self {
        Self { tag, bytes: bytes.into() }
    }
}

impl Default for Leaf {
    /// A server on this machine, valid today, without a name.
    fn default() -> Self {
        let now = SystemTime::now();
        Self {
            common_names: Vec::new(),
            organizations: Vec::new(),
            sans: vec![
                San::Ip(Ipv4Addr::LOCALHOST.into()),
                San::Ip(Ipv6Addr::LOCALHOST.into()),
                San::Dns("localhost".into()),
            ],
            not_before: now - Duration::from_secs(3600),
            not_after: now + Duration::from_secs(24 * 3600),
            server: true,
            client: false,
        }
    }
}

impl Leaf {
    /// The serving certificate that a kubelet asks the cluster for: `system:node:<node>`.
    pub fn kubelet(node: &str) -> Self {
        Self {
            organizations: vec!["system:nodes".into()],
            ..Self::named(format!("system:node:{node}"))
        }
    }

    /// A server on this machine with this common name.
    pub fn named(name: impl Into<Text>) -> Self {
        Self { common_names: vec![name.into()], ..Self::default() }
    }

    /// A client: the user, and the groups it is in.
    pub fn client(user: &str, groups: &[&str]) -> Self {
        Self {
            organizations: groups.iter().map(ToString::to_string).collect(),
            sans: Vec::new(),
            server: false,
            client: true,
            ..Self::named(user)
        }
    }

    /// The same with other subject alternative names.
    pub fn at(self, sans: impl IntoIterator<Item = San>) -> Self {
        Self { sans: sans.into_iter().collect(), ..self }
    }

    /// The same, expired an hour ago.
    pub fn expired(self) -> Self {
        let now = SystemTime::now();
        let hours = |count: u64| Duration::from_secs(3600 * count);
        Self { not_before: now - hours(48), not_after: now - hours(1), ..self }
    }

    fn params(&self) -> Result<CertificateParams, Error> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.subject_alt_names = self.sans.iter().map(San::to_rcgen).collect::<Result<_, _>>()?;
        params.not_before = self.not_before.into();
        params.not_after = self.not_after.into();
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let usages = [
            (self.server, ExtendedKeyUsagePurpose::ServerAuth),
            (self.client, ExtendedKeyUsagePurpose::ClientAuth),
        ];
        params.extended_key_usages =
            usages.into_iter().filter_map(|(wanted, usage)| wanted.then_some(usage)).collect();
        Ok(params)
    }

    fn subject(&self) -> Vec<u8> {
        const COMMON_NAME: &[u8] = &[6, 3, 0x55, 4, 3];
        const ORGANIZATION: &[u8] = &[6, 3, 0x55, 4, 10];
        let organizations =
            self.organizations.iter().map(|name| (ORGANIZATION, Text::from(name.as_str())));
        let names = self.common_names.iter().map(|name| (COMMON_NAME, name.clone()));
        let attributes = organizations.chain(names).map(|(kind, text)| {
            let pair = [kind.to_vec(), der::wrap(text.tag, &text.bytes)].concat();
            der::wrap(0x31, &der::wrap(0x30, &pair))
        });
        der::wrap(0x30, &attributes.collect::<Vec<_>>().concat())
    }
}

impl San {
    fn to_rcgen(&self) -> Result<SanType, Error> {
        Ok(match self {
            Self::Ip(address) => SanType::IpAddress(*address),
            Self::Dns(name) => SanType::DnsName(name.as_str().try_into()?),
            Self::Uri(uri) => SanType::URI(uri.as_str().try_into()?),
        })
    }
}

impl Authority {
    /// An authority that signs with a new key.
    #[allow(clippy::expect_used, reason = "a test whose authority cannot be made must stop")]
    pub fn new(name: &str) -> Self {
        Self::create(name).expect("an authority with a new key")
    }

    fn create(name: &str) -> Result<Self, Error> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let leaf = Leaf::default();
        params.not_before = leaf.not_before.into();
        params.not_after = leaf.not_after.into();
        Ok(Self(CertifiedIssuer::self_signed(params, KeyPair::generate()?)?))
    }

    /// The authority's own certificate, as `--kubelet-certificate-authority` reads it.
    pub fn ca_pem(&self) -> String {
        self.0.pem()
    }

    /// The authority's own certificate.
    pub fn ca_der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }

    /// A certificate with a new key.
    #[allow(clippy::expect_used, reason = "a test whose certificate cannot be made must stop")]
    pub fn issue(&self, leaf: &Leaf) -> Identity {
        self.sign(leaf).expect("a certificate with a new key")
    }

    /// The serving certificate of the kubelet of `node`, as the cluster's signer issues it.
    pub fn kubelet(&self, node: &str) -> Identity {
        self.issue(&Leaf::kubelet(node))
    }

    fn sign(&self, leaf: &Leaf) -> Result<Identity, Error> {
        let key = KeyPair::generate()?;
        let certificate = leaf.params()?.signed_by(&key, &self.0)?;
        let subject = leaf.subject();
        let with_subject = self.with_subject(certificate.der(), &subject)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        Ok(Identity { chain: vec![with_subject], key })
    }

    /// The certificate with another subject, signed again: rcgen writes neither two common names nor invalid ones.
    fn with_subject(
        &self,
        certificate: &CertificateDer<'_>,
        subject: &[u8],
    ) -> Result<CertificateDer<'static>, Error> {
        const SUBJECT: usize = 5;
        let invalid = || Error::CouldNotParseCertificate;
        let (whole, _) = der::open(certificate).ok_or_else(invalid)?;
        let [tbs, algorithm, _] = *der::parts(whole).ok_or_else(invalid)? else {
            return Err(invalid());
        };
        let (tbs, _) = der::open(tbs).ok_or_else(invalid)?;
        let mut fields = der::parts(tbs).ok_or_else(invalid)?;
        *fields.get_mut(SUBJECT).ok_or_else(invalid)? = subject;
        let tbs = der::wrap(0x30, &fields.concat());
        let mut signature = vec![0]; // no unused bits
        signature.extend(self.0.key().sign(&tbs)?);
        let parts = [tbs, algorithm.to_vec(), der::wrap(3, &signature)].concat();
        Ok(der::wrap(0x30, &parts).into())
    }
}

/// The certificate that a kubelet without one creates for itself: `<host>@<unix time>`, followed in the chain by the
/// authority of this one certificate.
pub fn self_signed(host: &str, unix: u64) -> Identity {
    let authority = Authority::new(&format!("{host}-ca@{unix}"));
    let mut identity = authority.issue(&Leaf::named(format!("{host}@{unix}")));
    identity.chain.push(authority.ca_der());
    identity
}

#[cfg(test)]
mod tests {
    use super::*;
    use x509_parser::prelude::{FromDer, X509Certificate};

    fn names(identity: &Identity) -> Vec<(u32, Vec<u8>)> {
        let (_, certificate) = X509Certificate::from_der(&identity.chain[0]).unwrap();
        let names = certificate.subject().iter_common_name();
        names.map(|name| (name.attr_value().tag().0, name.attr_value().data.to_vec())).collect()
    }

    #[test]
    fn a_kubelet_is_a_node_of_the_group_of_nodes() {
        let authority = Authority::new("ca");
        let identity = authority.kubelet("node-a");
        assert_eq!(names(&identity), [(12, b"system:node:node-a".to_vec())]);
        let (_, ca) = X509Certificate::from_der(authority.0.der()).unwrap();
        let (_, certificate) = X509Certificate::from_der(&identity.chain[0]).unwrap();
        assert_eq!(certificate.subject().to_string(), "O=system:nodes, CN=system:node:node-a");
        assert_eq!(certificate.issuer(), ca.subject());
        assert!(certificate.validity().is_valid());
    }

    #[test]
    fn every_odd_subject_is_written_as_it_was_asked_for() {
        let authority = Authority::new("ca");
        let odd = [
            vec![],
            vec!["a".into(), "b".into(), "c".into()],
            vec![Text::bmp("n")],
            vec![Text::printable("n"), Text::teletex("m")],
            vec!["a\0b".into()],
            vec![Text::raw(12, [0xff, 0xfe])],
            vec![Text::raw(2, [5])],
        ];
        for common_names in odd {
            let expected =
                common_names.iter().map(|t| (t.tag.into(), t.bytes.clone())).collect::<Vec<_>>();
            let identity = authority.issue(&Leaf { common_names, ..Leaf::default() });
            assert_eq!(names(&identity), expected);
        }
    }

    #[test]
    fn a_kubelet_alone_brings_its_own_authority() {
        let identity = self_signed("host", 1_700_000_000);
        assert_eq!(names(&identity), [(12, b"host@1700000000".to_vec())]);
        assert_eq!(identity.chain.len(), 2);
    }
}
