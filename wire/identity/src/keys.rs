//! Keys that sign and verify service account tokens.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{self, EcdsaKeyPair, KeyPair, RsaKeyPair, UnparsedPublicKey};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use rustls::pki_types::pem::{PemObject, SectionKind};
use serde_json::{Map, Value};
use std::fmt;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::public_key::PublicKey as Parts;
use x509_parser::x509::SubjectPublicKeyInfo;

/// Why a key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No PEM block contains a key.
    #[error("data does not contain any valid RSA or ECDSA keys")]
    None,
    /// The PEM text is invalid.
    #[error("no PEM text: {0}")]
    Pem(String),
    /// A key of a type or size that tokens do not use.
    #[error(
        "unknown key type: it must be RSA of 2048 to 8192 bits, or ECDSA with P-256, P-384 or P-521"
    )]
    Unknown,
    /// The crypto library failed.
    #[error("the system refused to work with the key")]
    System,
}

/// The signature algorithm of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with SHA-256.
    Rs256,
    /// ECDSA on P-256.
    Es256,
    /// ECDSA on P-384.
    Es384,
    /// ECDSA on P-521.
    Es512,
}

/// The properties of an algorithm.
struct Row {
    algorithm: Algorithm,
    name: &'static str,
    curve: &'static str,
    /// The length of an encoded point of the curve.
    point: usize,
    verify: &'static dyn signature::VerificationAlgorithm,
}

const ROWS: [Row; 4] = [
    Row {
        algorithm: Algorithm::Rs256,
        name: "RS256",
        curve: "",
        point: 0,
        verify: &signature::RSA_PKCS1_2048_8192_SHA256,
    },
    Row {
        algorithm: Algorithm::Es256,
        name: "ES256",
        curve: "P-256",
        point: 65,
        verify: &signature::ECDSA_P256_SHA256_FIXED,
    },
    Row {
        algorithm: Algorithm::Es384,
        name: "ES384",
        curve: "P-384",
        point: 97,
        verify: &signature::ECDSA_P384_SHA384_FIXED,
    },
    Row {
        algorithm: Algorithm::Es512,
        name: "ES512",
        curve: "P-521",
        point: 133,
        verify: &signature::ECDSA_P521_SHA512_FIXED,
    },
];

/// The curves that a private key is tried with.
static CURVES: [&signature::EcdsaSigningAlgorithm; 3] = [
    &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
    &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
    &signature::ECDSA_P521_SHA512_FIXED_SIGNING,
];

impl Algorithm {
    /// The name in the header of tokens.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    fn row(self) -> &'static Row {
        let [rs256, es256, es384, es512] = &ROWS;
        match self {
            Self::Rs256 => rs256,
            Self::Es256 => es256,
            Self::Es384 => es384,
            Self::Es512 => es512,
        }
    }
}

/// A key that verifies tokens.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// The hash of the key, which tokens use as its id.
    pub id: String,
    /// The algorithm of the key.
    pub algorithm: Algorithm,
    /// The key as SubjectPublicKeyInfo.
    spki: Vec<u8>,
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({} {})", self.algorithm.name(), self.id)
    }
}

impl PublicKey {
    /// All keys of a PEM text: public keys, certificates, and the public halves of private keys.
    pub fn all_from_pem(pem: &[u8]) -> Result<Vec<Self>, KeyError> {
        let mut keys = Vec::new();
        for (kind, der) in sections(pem)? {
            match kind {
                SectionKind::PublicKey => keys.push(Self::from_spki(&der)?),
                SectionKind::Certificate => {
                    let (_, certificate) =
                        X509Certificate::from_der(&der).map_err(|_| KeyError::Unknown)?;
                    keys.push(Self::from_spki(certificate.public_key().raw)?);
                }
                SectionKind::PrivateKey
                | SectionKind::RsaPrivateKey
                | SectionKind::EcPrivateKey => {
                    keys.push(SigningKey::from_der(&der)?.public);
                }
                _ => {}
            }
        }
        if keys.is_empty() { Err(KeyError::None) } else { Ok(keys) }
    }

    fn from_spki(spki: &[u8]) -> Result<Self, KeyError> {
        let (_, info) = SubjectPublicKeyInfo::from_der(spki).map_err(|_| KeyError::Unknown)?;
        let algorithm = match info.parsed().map_err(|_| KeyError::Unknown)? {
            Parts::RSA(_) => Algorithm::Rs256,
            Parts::EC(point) => {
                let fits = |row: &&Row| row.point == point.data().len();
                ROWS.iter().find(fits).ok_or(KeyError::Unknown)?.algorithm
            }
            _ => return Err(KeyError::Unknown),
        };
        let id = BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, spki));
        Ok(Self { id, algorithm, spki: spki.to_vec() })
    }

    /// Whether the signature of the message is valid.
    pub fn proves(&self, message: &[u8], signature: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(self.algorithm.row().verify, &self.spki);
        key.verify(message, signature).is_ok()
    }

    /// The key as a JSON web key.
    pub(crate) fn to_jwk(&self) -> Value {
        let row = self.algorithm.row();
        let parts = self.parts();
        let is_rsa = row.curve.is_empty();
        let mut jwk = Map::new();
        let mut put = |name: &str, text: &str| jwk.insert(name.into(), text.into());
        put("use", "sig");
        put("kty", if is_rsa { "RSA" } else { "EC" });
        put("kid", &self.id);
        if !is_rsa {
            put("crv", row.curve);
        }
        put("alg", row.name);
        let names = if is_rsa { ["n", "e"] } else { ["x", "y"] };
        for (name, part) in names.into_iter().zip(parts) {
            put(name, &BASE64_URL_SAFE_NO_PAD.encode(part));
        }
        Value::Object(jwk)
    }

    /// The two numbers of the key: modulus and exponent, or the coordinates of the point.
    fn parts(&self) -> [Vec<u8>; 2] {
        let info = SubjectPublicKeyInfo::from_der(&self.spki);
        let parts = info.ok().and_then(|(_, info)| match info.parsed().ok()? {
            Parts::RSA(key) => Some([number(key.modulus), number(key.exponent)]),
            Parts::EC(point) => {
                let (_, coordinates) = point.data().split_first()?;
                let (x, y) = coordinates.split_at_checked(coordinates.len() / 2)?;
                Some([x.to_vec(), y.to_vec()])
            }
            _ => None,
        });
        parts.unwrap_or_default()
    }
}

/// The bytes of a number without leading zeros.
fn number(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().skip_while(|byte| *byte == 0).collect()
}

/// A key that signs tokens.
pub struct SigningKey {
    pair: Pair,
    public: PublicKey,
}

enum Pair {
    Rsa(Box<RsaKeyPair>),
    Ec(Box<EcdsaKeyPair>),
}

/// The private half is not printed.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.public).finish()
    }
}

impl SigningKey {
    /// The first private key of a PEM text.
    pub fn from_pem(pem: &[u8]) -> Result<Self, KeyError> {
        let private = |kind: &SectionKind| {
            use SectionKind::{EcPrivateKey, PrivateKey, RsaPrivateKey};
            matches!(kind, PrivateKey | RsaPrivateKey | EcPrivateKey)
        };
        let key = sections(pem)?.into_iter().find(|(kind, _)| private(kind));
        Self::from_der(&key.ok_or(KeyError::None)?.1)
    }

    /// A new P-256 key, which makes small tokens and is generated quickly, and its PEM text.
    pub fn generate() -> Result<(Self, String), KeyError> {
        let key = EcdsaKeyPair::generate(&signature::ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = key.and_then(|key| key.to_pkcs8v1()).map_err(|_| KeyError::System)?;
        let body = BASE64_STANDARD.encode(document.as_ref());
        let mut pem = String::from("-----BEGIN PRIVATE KEY-----\n");
        for (at, letter) in body.chars().enumerate() {
            if at > 0 && at % 64 == 0 {
                pem.push('\n');
            }
            pem.push(letter);
        }
        pem.push_str("\n-----END PRIVATE KEY-----\n");
        Ok((Self::from_der(document.as_ref())?, pem))
    }

    fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        if let Ok(pair) = RsaKeyPair::from_pkcs8(der).or_else(|_| RsaKeyPair::from_der(der)) {
            let spki = pair.public_key().as_der().map_err(|_| KeyError::System)?;
            let public = PublicKey::from_spki(spki.as_ref())?;
            return Ok(Self { pair: Pair::Rsa(Box::new(pair)), public });
        }
        let mut pairs =
            CURVES.iter().filter_map(|curve| EcdsaKeyPair::from_private_key_der(curve, der).ok());
        let pair = pairs.next().ok_or(KeyError::Unknown)?;
        let spki = pair.public_key().as_der().map_err(|_| KeyError::System)?;
        let public = PublicKey::from_spki(spki.as_ref())?;
        Ok(Self { pair: Pair::Ec(Box::new(pair)), public })
    }

    /// The public half.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The signature of the message.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Ec(pair) => {
                let signature = pair.sign(&random, message).map_err(|_| KeyError::System)?;
                Ok(signature.as_ref().to_vec())
            }
            Pair::Rsa(pair) => {
                let mut out = vec![0; pair.public_modulus_len()];
                pair.sign(&signature::RSA_PKCS1_SHA256, &random, message, &mut out)
                    .map_err(|_| KeyError::System)?;
                Ok(out)
            }
        }
    }
}

fn sections(pem: &[u8]) -> Result<Vec<(SectionKind, Vec<u8>)>, KeyError> {
    let sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(pem);
    sections.collect::<Result<_, _>>().map_err(|error| KeyError::Pem(format!("{error:?}")))
}

#[cfg(test)]
mod tests;
