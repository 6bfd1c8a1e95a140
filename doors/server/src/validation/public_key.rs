//! `PublicKey`, the sorts of keys that certificates of pods are issued for, and what a signature with one proves.

use aws_lc_rs::signature::{self, UnparsedPublicKey, VerificationAlgorithm};
use x509_parser::public_key;
use x509_parser::x509::SubjectPublicKeyInfo;

/// A public key of a supported sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PublicKey {
    Ed25519,
    /// On the curve of this name.
    Ecdsa(&'static str),
    /// With a modulus of so many bits, rounded up to bytes.
    Rsa(usize),
}

/// Why a key is of no supported sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    Unreadable,
    Unknown,
}

const ED25519: &str = "1.3.101.112";
const ECDSA: &str = "1.2.840.10045.2.1";
const RSA: &str = "1.2.840.113549.1.1.1";

/// Curves by their OID.
const CURVES: [(&str, &str); 4] = [
    ("1.3.132.0.33", "P-224"),
    ("1.2.840.10045.3.1.7", "P-256"),
    ("1.3.132.0.34", "P-384"),
    ("1.3.132.0.35", "P-521"),
];

impl PublicKey {
    /// The sort of a key.
    pub(super) fn of(info: &SubjectPublicKeyInfo<'_>) -> Result<Self, Unfit> {
        match info.algorithm.algorithm.to_id_string().as_str() {
            ED25519 if info.subject_public_key.data.len() == 32 => Ok(Self::Ed25519),
            ED25519 => Err(Unfit::Unreadable),
            ECDSA => {
                let curve = info.algorithm.parameters.as_ref();
                let curve = curve.and_then(|any| any.as_oid().ok()).map(|oid| oid.to_id_string());
                let known = CURVES.iter().find(|(oid, _)| curve.as_deref() == Some(oid));
                known.map(|(_, name)| Self::Ecdsa(name)).ok_or(Unfit::Unreadable)
            }
            RSA => match info.parsed() {
                Ok(public_key::PublicKey::RSA(key)) => {
                    Ok(Self::Rsa(key.key_size().next_multiple_of(8)))
                }
                _ => Err(Unfit::Unreadable),
            },
            _ => Err(Unfit::Unknown),
        }
    }

    /// Why the key is too weak, if it is: what is shown, and the detail, which names the curves.
    pub(super) fn weakness(self, curves: &str) -> Option<(String, String)> {
        match self {
            Self::Ecdsa("P-224") => {
                let detail = format!("elliptic public keys must use curve {curves}");
                Some(("curve P-224".to_owned(), detail))
            }
            Self::Rsa(3072 | 4096) | Self::Ed25519 | Self::Ecdsa(_) => None,
            Self::Rsa(bits) => {
                let detail = "RSA keys must have modulus size 3072 or 4096".to_owned();
                Some((format!("{bits}-bit modulus"), detail))
            }
        }
    }

    /// Whether the signature over a message is one with this key, made as kubelets make proofs.
    pub(super) fn has_signed(
        self,
        info: &SubjectPublicKeyInfo<'_>,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        let algorithm: &'static dyn VerificationAlgorithm = match self {
            Self::Ed25519 => &signature::ED25519,
            Self::Ecdsa("P-256") => &signature::ECDSA_P256_SHA256_ASN1,
            Self::Ecdsa("P-384") => &signature::ECDSA_P384_SHA256_ASN1,
            Self::Ecdsa(_) => &signature::ECDSA_P521_SHA256_ASN1,
            Self::Rsa(_) => &signature::RSA_PSS_2048_8192_SHA256,
        };
        let key = UnparsedPublicKey::new(algorithm, &info.subject_public_key.data);
        key.verify(message, signature).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use x509_parser::prelude::FromDer;

    /// Keys and signatures with them over `pod-uid`: the sort, the key, the signature.
    const KEYS: &str = include_str!("public_key/keys.txt");

    #[test]
    fn keys_are_told_apart_and_prove_what_they_signed() {
        for line in KEYS.lines() {
            let [sort, key, signature] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            let [key, signature] =
                [key, signature].map(|text| BASE64_STANDARD.decode(text).unwrap());
            let (_, info) = SubjectPublicKeyInfo::from_der(&key).unwrap();
            let key = PublicKey::of(&info).unwrap();
            assert_eq!(format!("{key:?}").replace('"', ""), sort);
            let is_weak = ["Ecdsa(P-224)", "Rsa(2048)"].contains(&sort);
            assert_eq!(key.weakness("P256").is_some(), is_weak, "{sort}");
            if !is_weak {
                assert!(key.has_signed(&info, b"pod-uid", &signature), "{sort}");
                assert!(!key.has_signed(&info, b"pod-uid2", &signature), "{sort}");
            }
        }
    }
}
