//! Claims of a token, parsed strictly: a claim of the wrong type invalidates the whole token.

use serde_json::{Number, Value};

// A claim that is treated as absent restricts nothing: a token whose `exp` is a string would never
// expire, one whose `pod` is a string would outlive its pod.

/// The registered claims of our tokens.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// `sub`: the user.
    pub(crate) subject: String,
    /// `jti`: the id of the token.
    pub(crate) id: String,
    /// `aud`: the audiences; none means this server.
    pub(crate) audiences: Vec<String>,
    /// `exp`: the expiry, in seconds.
    pub(crate) expires: Option<i64>,
    /// `nbf`: not valid before.
    pub(crate) not_before: Option<i64>,
    /// `iat`: the time of issue.
    pub(crate) issued_at: Option<i64>,
}

/// The name and uid of an object.
pub(crate) type ObjectIdentity = (String, String);

/// The claims below `kubernetes.io`: the account, and the objects that the token is bound to.
#[derive(Debug)]
pub(crate) struct BoundClaims {
    pub(crate) namespace: String,
    pub(crate) account: ObjectIdentity,
    pub(crate) secret: Option<ObjectIdentity>,
    pub(crate) pod: Option<ObjectIdentity>,
    pub(crate) node: Option<ObjectIdentity>,
    /// The time after which the use of the token is reported, in seconds.
    pub(crate) warn_after: Option<i64>,
}

impl Claims {
    /// Parses the claims of a payload.
    pub(crate) fn parse(payload: &Value) -> Result<Self, String> {
        Ok(Self {
            subject: text(payload, "sub")?,
            id: text(payload, "jti")?,
            audiences: audiences(payload.get("aud"))?,
            expires: date(payload, "exp")?,
            not_before: date(payload, "nbf")?,
            issued_at: date(payload, "iat")?,
        })
    }
}

impl BoundClaims {
    /// Parses the claims of a payload.
    pub(crate) fn parse(payload: &Value) -> Result<Self, String> {
        let claims =
            object(payload, "kubernetes.io")?.ok_or("token has no kubernetes.io claims")?;
        let account = reference(claims, "serviceaccount")?;
        Ok(Self {
            namespace: text(claims, "namespace")?,
            account: account.ok_or("token names no service account")?,
            secret: reference(claims, "secret")?,
            pod: reference(claims, "pod")?,
            node: reference(claims, "node")?,
            warn_after: date(claims, "warnafter")?,
        })
    }
}

fn type_error(name: &str) -> String {
    format!("the claim {name} has the wrong type")
}

/// A string; empty if it is absent.
pub(crate) fn text(claims: &Value, name: &str) -> Result<String, String> {
    match claims.get(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(type_error(name)),
    }
}

fn object<'v>(claims: &'v Value, name: &str) -> Result<Option<&'v Value>, String> {
    match claims.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) if value.is_object() => Ok(Some(value)),
        Some(_) => Err(type_error(name)),
    }
}

fn reference(claims: &Value, name: &str) -> Result<Option<ObjectIdentity>, String> {
    let value = object(claims, name)?;
    value.map(|value| Ok((text(value, "name")?, text(value, "uid")?))).transpose()
}

fn audiences(claim: Option<&Value>) -> Result<Vec<String>, String> {
    const WRONG: &str =
        "go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience";
    match claim {
        None => Ok(Vec::new()),
        Some(Value::String(audience)) => Ok(vec![audience.clone()]),
        Some(Value::Array(several)) => {
            let texts = several.iter().map(|audience| audience.as_str().map(str::to_owned));
            texts.collect::<Option<_>>().ok_or_else(|| WRONG.into())
        }
        Some(_) => Err(WRONG.into()),
    }
}

/// A time in seconds; fractions are truncated.
fn date(claims: &Value, name: &str) -> Result<Option<i64>, String> {
    let seconds = match claims.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => seconds(number),
        Some(_) => None,
    };
    let type_error = "go-jose/go-jose/jwt: expected number value to unmarshal NumericDate";
    seconds.map(Some).ok_or_else(|| type_error.into())
}

/// The whole seconds of a number; `None` if it is out of range.
fn seconds(number: &Number) -> Option<i64> {
    /// Seconds from the year 1 to 1970: a time this close to the limit of 64 bits would overflow.
    const EPOCH: i64 = 62_135_596_800;
    // Whole numbers up to here have an exact double, so that the conversion below truncates a
    // fraction and nothing else.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let seconds_value = match number.as_i64() {
        Some(seconds_value) => Some(seconds_value),
        None => {
            let real = number.as_f64().filter(|real| real.abs() <= EXACT)?;
            #[allow(clippy::cast_possible_truncation, reason = "bounded above")]
            Some(real as i64)
        }
    };
    seconds_value.filter(|seconds| (-(i64::MAX - EPOCH)..=i64::MAX - EPOCH).contains(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// Any value in place of a claim of some type.
    fn anything() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|real| json!(real)),
            (-4e18_f64..4e30).prop_map(|real| json!(real)),
            "[0-9]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 8, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("(name|uid)", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn times_are_numbers() {
        let parse = |value: Value| date(&json!({ "exp": value }), "exp");
        assert_eq!(parse(json!(1_800_000_000)), Ok(Some(1_800_000_000)));
        assert_eq!(parse(json!(1_800_000_000.9)), Ok(Some(1_800_000_000)));
        assert_eq!(parse(json!(1.8e9)), Ok(Some(1_800_000_000)));
        assert_eq!(parse(json!(-1.5)), Ok(Some(-1)));
        assert_eq!(parse(Value::Null), Ok(None));
        for bad in [
            json!("1800000000"),
            json!(""),
            json!(true),
            json!([]),
            json!({}),
            json!(1e30),
            json!(-1e30),
            json!(f64::MAX),
            json!(u64::MAX),
            json!(i64::MAX),
            json!(i64::MIN),
        ] {
            let result = parse(bad.clone());
            assert!(result.is_err_and(|why| why.ends_with("NumericDate")), "{bad}");
        }
    }

    #[test]
    fn claims_of_the_wrong_type_are_not_overlooked() {
        for (name, bad) in [
            ("sub", json!(1)),
            ("jti", json!(["a"])),
            ("aud", Value::Null),
            ("aud", json!(["a", 1])),
            ("aud", json!({})),
        ] {
            assert!(Claims::parse(&json!({ (name): bad })).is_err(), "{name}");
        }
        let account = json!({ "name": "bot", "uid": "u1" });
        for (name, bad) in [
            ("namespace", json!(7)),
            ("serviceaccount", json!("bot")),
            ("pod", json!("p")),
            ("pod", json!({ "name": "p", "uid": 1 })),
            ("node", json!([])),
            ("secret", json!(true)),
            ("warnafter", json!("1")),
        ] {
            let mut claims = json!({ "namespace": "ns", "serviceaccount": account });
            claims[name] = bad;
            assert!(BoundClaims::parse(&json!({ "kubernetes.io": claims })).is_err(), "{name}");
        }
    }

    proptest! {
        /// Whatever is present and not `null` is either parsed or refused, never treated as absent.
        #[test]
        fn no_claim_is_taken_for_absent(value in anything()) {
            let is_present = !value.is_null();
            let payload = json!({ "exp": value, "nbf": value, "iat": value, "sub": value, "aud": value });
            for name in ["exp", "nbf", "iat"] {
                prop_assert!(!is_present || !matches!(date(&payload, name), Ok(None)));
                prop_assert!(date(&payload, name).is_err() == (is_present && !value.is_number())
                    || value.is_number());
            }
            if let Ok(subject) = text(&payload, "sub") {
                prop_assert!(!is_present || value.as_str() == Some(subject.as_str()));
            }
            let bound = json!({ "pod": value, "secret": value, "node": value });
            for name in ["pod", "secret", "node"] {
                prop_assert!(!is_present || !matches!(reference(&bound, name), Ok(None)));
            }
        }
    }
}
