//! SARIF 2.1.0: the lines around the results, rules, locations as URIs.

use ratchet_engine::{Origin, Rule};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes what precedes the first result.
pub fn begin(out: &mut dyn Write, rules: &[Value]) -> io::Result<()> {
    let driver = json!({
        "name": "ratchet",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    write!(
        out,
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"columnKind\":\"unicodeCodePoints\",\"results\":["
    )
}

/// Writes what follows the last result.
pub fn end(out: &mut dyn Write, is_complete: bool) -> io::Result<()> {
    let invocation = json!([{"executionSuccessful": is_complete}]);
    writeln!(out, "\n],\"invocations\":{invocation}}}]}}")
}

/// A rule as SARIF describes it.
pub fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.title,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.demands},
        "help": {"text": format!("{}\n\n{}\n\n{}", rule.why, rule.fix, rule.versions)},
        "properties": {"tags": ["kubernetes", rule.origin.to_string()], "security-severity": severity(rule)},
    })
}

/// GitHub sorts alerts by this number.
fn severity(rule: &Rule) -> &'static str {
    match rule.origin {
        Origin::Kep(_) | Origin::PodSecurity => "7.0",
        Origin::Api => "3.0",
    }
}

/// A relative URI reference; characters that a URI may not contain are percent-encoded.
pub fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'\\' => out.push('/'),
            byte if byte.is_ascii_alphanumeric() || b"/.-_~+@".contains(&byte) => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
