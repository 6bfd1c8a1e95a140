//! Intermediate authorities, whose holders can issue themselves a certificate with any node's name.

use ratchet_certificate::Facts;

/// Whether the certificate is an intermediate authority that can sign server certificates.
pub(crate) fn can_sign_servers(facts: &Facts) -> bool {
    facts.is_ca && !facts.is_self_issued && facts.may_serve()
}

/// Messages about the intermediate authorities of a chain that are not trusted themselves.
pub(crate) fn issued_authorities(
    chain: &[Vec<u8>],
    is_trusted: impl Fn(&[u8]) -> bool,
) -> Vec<String> {
    let foreign = chain.iter().filter(|one| !is_trusted(one));
    let facts = foreign.filter_map(|one| Facts::from_der(one).ok());
    let messages = facts.filter(can_sign_servers).map(|facts| {
        format!(
            "it presents the authority {:?}, which {:?} has issued",
            facts.subject, facts.issuer
        )
    });
    messages.collect()
}

/// Messages about authorities of a file whose issuer is in the same file.
pub(crate) fn issuer_also_trusted(file: &[impl AsRef<[u8]>]) -> Vec<String> {
    let all: Vec<Facts> =
        file.iter().filter_map(|one| Facts::from_der(one.as_ref()).ok()).collect();
    let is_there = |name: &str| all.iter().any(|one| one.is_ca && one.subject == name);
    let messages = all.iter().filter(|one| can_sign_servers(one) && is_there(&one.issuer)).map(|one| {
        format!(
            "RTC-CERT-020: --kubelet-certificate-authority believes {:?}, which has issued the authority {:?}: whoever has been issued one can sign for any node, so name only the authority that signs kubelets",
            one.issuer, one.subject
        )
    });
    messages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{
        BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    };

    fn authority(name: &str) -> CertificateParams {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
    }

    #[test]
    fn authorities_that_others_issued_are_told() {
        let key = KeyPair::generate().unwrap();
        let root = authority("root").self_signed(&key).unwrap().der().to_vec();
        let issuer = Issuer::new(authority("root"), &key);
        let issue = |params: CertificateParams| {
            params.signed_by(&KeyPair::generate().unwrap(), &issuer).unwrap().der().to_vec()
        };
        let below = issue(authority("below"));
        let mut mail = authority("mail");
        mail.extended_key_usages = vec![ExtendedKeyUsagePurpose::EmailProtection];
        let mail = issue(mail);
        let mut leaf = authority("leaf");
        leaf.is_ca = IsCa::ExplicitNoCa;
        let leaf = issue(leaf);
        let all = [leaf, below.clone(), mail, root.clone(), b"noise".to_vec()];
        let message = "it presents the authority \"CN=below\", which \"CN=root\" has issued";
        assert_eq!(issued_authorities(&all, |_| false), [message]);
        assert!(issued_authorities(&all, |one| one == below).is_empty());
        // An intermediate alone is fine; with its issuer, other intermediates would be trusted too.
        assert!(issuer_also_trusted(std::slice::from_ref(&below)).is_empty());
        let [message] = &issuer_also_trusted(&[root, below])[..] else {
            panic!("nothing was told")
        };
        assert!(
            message.contains("believes \"CN=root\", which has issued the authority \"CN=below\"")
        );
    }
}
