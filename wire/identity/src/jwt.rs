//! JSON web tokens: header, claims, and signature.

use crate::keys::{KeyError, PublicKey, SigningKey};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};

// Implemented on aws-lc-rs: so few lines need no crate with its own list of algorithms, and here a
// key can only ever be used with its own algorithm.

/// A parsed token that is not verified yet.
#[derive(Debug)]
pub(crate) struct Token<'t> {
    algorithm: String,
    /// The id of its key; empty if it has none.
    key: String,
    pub(crate) claims: Value,
    /// The signed part.
    signed: &'t str,
    signature: Vec<u8>,
}

impl<'t> Token<'t> {
    /// Parses a token; `None` if the text is not one.
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let part = |part: &str| -> Option<Value> {
            serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(part).ok()?).ok()
        };
        let (header, claims) = (part(header)?, part(claims)?);
        // Critical header parameters (RFC 7515, 4.1.11) are not supported here.
        let is_unsupported = header.get("crit").is_some();
        let text = |name: &str| header.get(name).and_then(Value::as_str).unwrap_or_default();
        (claims.is_object() && !is_unsupported).then_some(())?;
        Some(Self {
            algorithm: text("alg").into(),
            key: text("kid").into(),
            claims,
            signed,
            signature: BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?,
        })
    }

    /// Verifies the signature with the key that the token names, or with any if it names none.
    pub(crate) fn check(&self, keys: &[PublicKey]) -> Result<(), String> {
        let named = |key: &&PublicKey| self.key.is_empty() || key.id == self.key;
        let mut keys = keys.iter().filter(named).peekable();
        if keys.peek().is_none() {
            return Err("invalid signature, no keys found".into());
        }
        let proves = |key: &PublicKey| {
            key.algorithm.name() == self.algorithm
                && key.proves(self.signed.as_bytes(), &self.signature)
        };
        if keys.any(proves) { Ok(()) } else { Err("invalid signature".into()) }
    }
}

/// A signed token with these claims.
pub(crate) fn sign(key: &SigningKey, claims: &Value) -> Result<String, KeyError> {
    let public = key.public();
    let header = json!({ "alg": public.algorithm.name(), "kid": public.id });
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&header), part(claims));
    let signature = key.sign(signed.as_bytes())?;
    Ok(format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_was_signed_is_believed() {
        let (key, _) = SigningKey::generate().expect("a key");
        let (other, _) = SigningKey::generate().expect("a key");
        let text = sign(&key, &json!({ "iss": "x" })).expect("signed");
        let keys = [other.public().clone(), key.public().clone()];
        let token = Token::parse(&text).expect("a token");
        assert_eq!(token.check(&keys), Ok(()));
        assert_eq!(token.check(&keys[..1]), Err("invalid signature, no keys found".into()));
        let mut parts: Vec<&str> = text.split('.').collect();
        let claims = BASE64_URL_SAFE_NO_PAD.encode(r#"{"iss":"y"}"#);
        parts[1] = &claims;
        let forged = parts.join(".");
        assert!(Token::parse(&forged).expect("a token").check(&keys).is_err());
        let header = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
        for signature in ["", "AAAA"] {
            let none = format!("{header}.{claims}.{signature}");
            assert!(Token::parse(&none).expect("a token").check(&keys).is_err());
        }
    }

    /// The token of RFC 7515, A.3: foreign signatures are verified too.
    #[test]
    fn the_example_of_the_standard_is_believed() {
        let mut spki = vec![0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02];
        spki.extend([0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03]);
        spki.extend([0x42, 0x00, 0x04]);
        for coordinate in [
            "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ] {
            spki.extend(BASE64_URL_SAFE_NO_PAD.decode(coordinate).expect("a number"));
        }
        let body = base64::prelude::BASE64_STANDARD.encode(spki);
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n");
        let keys = PublicKey::all_from_pem(pem.as_bytes()).expect("a key");
        let token = "eyJhbGciOiJFUzI1NiJ9.\
            eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
            DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
        let token = Token::parse(token).expect("a token");
        assert_eq!(token.claims["iss"], "joe");
        assert_eq!(token.check(&keys), Ok(()));
    }

    #[test]
    fn other_texts_are_no_tokens() {
        for text in ["", "a", "a.b", "a.b.c", "a.b.c.d", "e30.W10.", "{}"] {
            assert!(Token::parse(text).is_none(), "{text}");
        }
        let header = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"ES256","crit":["x"]}"#);
        assert!(Token::parse(&format!("{header}.e30.")).is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "[A-Za-z0-9._-]{0,80}") {
            let _ = Token::parse(&text);
        }
    }
}
