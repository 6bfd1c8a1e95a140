//! Authorities that an authority has issued: whoever holds the key of one can give itself the name of any node.

use ratchet_certificate::Facts;

/// Whether somebody else made an authority of it that can sign certificates of servers.
pub(crate) fn can_mint(facts: &Facts) -> bool {
    facts.is_ca && !facts.is_self_issued && facts.may_serve()
}

/// What there is to say about those of a chain that are not believed already.
pub(crate) fn presented(chain: &[Vec<u8>], is_believed: impl Fn(&[u8]) -> bool) -> Vec<String> {
    let read = chain.iter().filter(|one| !is_believed(one)).filter_map(|one| Facts::read(one).ok());
    let told = read.filter(can_mint).map(|facts| {
        format!(
            "it presents the authority {:?}, which {:?} has issued",
            facts.subject, facts.issuer
        )
    });
    told.collect()
}

/// The authorities of a file that another one of the same file has issued.
pub(crate) fn believed_twice(file: &[impl AsRef<[u8]>]) -> Vec<String> {
    let all: Vec<Facts> = file.iter().filter_map(|one| Facts::read(one.as_ref()).ok()).collect();
    let is_there = |name: &str| all.iter().any(|one| one.is_ca && one.subject == name);
    let told = all.iter().filter(|one| can_mint(one) && is_there(&one.issuer)).map(|one| {
        format!(
            "RTC-CERT-020: --kubelet-certificate-authority believes {:?}, which has issued the authority {:?}: whoever has been issued one can sign for any node, so name only the authority that signs kubelets",
            one.issuer, one.subject
        )
    });
    told.collect()
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
        let made = |params: CertificateParams| {
            params.signed_by(&KeyPair::generate().unwrap(), &issuer).unwrap().der().to_vec()
        };
        let below = made(authority("below"));
        let mut mail = authority("mail");
        mail.extended_key_usages = vec![ExtendedKeyUsagePurpose::EmailProtection];
        let mail = made(mail);
        let mut leaf = authority("leaf");
        leaf.is_ca = IsCa::ExplicitNoCa;
        let leaf = made(leaf);
        let all = [leaf, below.clone(), mail, root.clone(), b"noise".to_vec()];
        let told = "it presents the authority \"CN=below\", which \"CN=root\" has issued";
        assert_eq!(presented(&all, |_| false), [told]);
        assert!(presented(&all, |one| one == below).is_empty());
        // An authority alone is what a file is for; with the one that issued it, others could come.
        assert!(believed_twice(std::slice::from_ref(&below)).is_empty());
        let [told] = &believed_twice(&[root, below])[..] else { panic!("nothing was told") };
        assert!(told.contains("believes \"CN=root\", which has issued the authority \"CN=below\""));
    }
}
