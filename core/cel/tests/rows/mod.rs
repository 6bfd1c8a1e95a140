//! Tables of expressions: each row is compiled, evaluated and compared with its expected result.
//!
//! `expression => value @cost`, `expression => ! error @cost` or `expression => ? checker
//! message`. Values are formatted so that their types differ: `"text"`, `1`, `1u`,
//! `double:1.5`, `net.IP:192.0.2.1`.

use ratchet_cel::library::authz::{AuthorizationCheck, Authorize, Authorizer, Decision};
use ratchet_cel::library::{Cidr, Ip};
use ratchet_cel::{Activation, Budget, Environment, EvalErrorKind, PER_CALL_LIMIT, Type, Value};
use ratchet_object::{Limits, Node, decode};
use std::sync::Arc;

/// The object of the tables' expressions.
const OBJECT: &str = r#"{
    "data": {"ip": "192.0.2.7", "cidr": "198.51.100.0/24", "six": "2001:DB8::7", "bad": "10.0.0.08"},
    "list": ["10.1.0.1", "fd00::5", "not an ip"]
}"#;

/// Evaluates every row of a table.
pub(crate) fn check(name: &str, table: &str) {
    let environment = Environment::kubernetes((1, 36))
        .with("object", Type::Dyn)
        .with("authorizer", Type::Opaque(Authorizer::TYPE));
    let decoded = decode(OBJECT, Limits::default()).expect("the object decodes");
    let object = decoded.documents.first().expect("one object");
    let mut rows = 0;
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (expression, expected) = line.rsplit_once(" => ").expect("a row has an arrow");
        let actual = evaluate(&environment, expression, object);
        rows += 1;
        if actual != expected {
            wrong.push(format!("{expression}\n  wanted {expected}\n  got    {actual}"));
        }
    }
    assert!(rows > 5, "{name} has rows");
    assert!(wrong.is_empty(), "{name}: {} of {rows} rows\n{}", wrong.len(), wrong.join("\n"));
}

struct TableWorld<'t>(&'t Node<'t>);

impl<'t> Activation<'t> for TableWorld<'t> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        match name {
            "object" => Some(Value::of(self.0)),
            "authorizer" => Some(Value::opaque(Authorizer::new(Arc::new(DenyAll)))),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct DenyAll;

impl Authorize for DenyAll {
    fn decide(&self, _: &AuthorizationCheck) -> Decision {
        Decision::default()
    }
}

fn evaluate<'t>(environment: &Environment, expression: &str, object: &'t Node<'t>) -> String {
    let program = match environment.compile(expression) {
        Ok(program) => program,
        Err(issues) => {
            let messages: Vec<_> =
                issues.issues.iter().map(|issue| issue.message.replace('\n', "\\n")).collect();
            return format!("? {}", messages.join(" ; "));
        }
    };
    let mut budget = Budget::new(PER_CALL_LIMIT);
    let formatted = match program.evaluate(&TableWorld(object), &mut budget) {
        Ok(value) => format_value(&value),
        // Beyond the budget, the exact cost does not matter.
        Err(error) if error.kind == EvalErrorKind::OverBudget => return format!("! {error}"),
        Err(error) => format!("! {error}"),
    };
    format!("{} @{}", formatted.replace('\n', "\\n"), budget.spent())
}

fn format_value(value: &Value<'_>) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "null".into(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => format!("{number}u"),
        Value::Double(number) => format!("double:{}", double(*number)),
        Value::Text(text) => ratchet_net::Quoted(text).to_string(),
        Value::Bytes(bytes) => {
            format!("b{}", ratchet_net::Quoted(&String::from_utf8_lossy(bytes)))
        }
        Value::Duration(nanos) => format!("duration:{nanos}"),
        Value::Timestamp(time) => format!("timestamp:{}.{:09}", time.seconds, time.nanos),
        Value::List(list) => {
            format!("[{}]", joined(list.iter().map(|item| format_value(&item)).collect()))
        }
        Value::Map(map) => {
            let pair = |(key, value): (Value<'_>, Value<'_>)| {
                format!("{}: {}", format_value(&key), format_value(&value))
            };
            let mut pairs: Vec<_> = map.iter().map(pair).collect();
            pairs.sort();
            format!("{{{}}}", joined(pairs))
        }
        Value::Optional(None) => "optional.none".into(),
        Value::Optional(Some(value)) => format!("optional({})", format_value(value)),
        Value::Type(ty) => format!("type:{ty}"),
        Value::Object(object) => object.type_name().into(),
        Value::Invalid(message) => format!("invalid:{message}"),
        Value::Opaque(opaque) => {
            let text = value.as_opaque::<Ip>().map(|ip| ip.0.to_string());
            let text = text.or_else(|| value.as_opaque::<Cidr>().map(|cidr| cidr.0.to_string()));
            text.map_or_else(
                || opaque.type_name().into(),
                |text| format!("{}:{text}", opaque.type_name()),
            )
        }
    }
}

/// The shortest digits, with an exponent below 0.0001 and from a million on.
fn double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-Inf" } else { "+Inf" }.into();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    if number == 0.0 || (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
