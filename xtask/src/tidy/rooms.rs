//! Methods that only some rooms may call, because others have a better question to ask.

use crate::tokens::Token;
use crate::violation::Violation;

/// A method and the rooms that may call it.
struct RoomRule {
    /// The method, which takes no arguments.
    method: &'static str,
    /// Prefixes of the paths where the rule holds.
    within: &'static [&'static str],
    /// Prefixes of the paths that may call it.
    allowed: &'static [&'static str],
    /// What the others do.
    instead: &'static str,
}

const RULES: &[RoomRule] = &[
    RoomRule {
        method: "defined",
        within: &["doors/server/src/"],
        allowed: &[
            "doors/server/src/registry/",
            "doors/server/src/app/definitions/",
            "doors/server/src/app/documents/",
        ],
        instead: "ask `ServedResource` or its `ObjectType` what you want to know; give the question a name that built-in and custom resources answer alike",
    },
    RoomRule {
        method: "custom",
        within: &["core/pipeline/src/", "doors/check/src/", "doors/server/src/"],
        allowed: &[],
        instead: "give `ObjectType` a method for what you want to know",
    },
];

/// Reports every call of a method in a room that may not call it.
pub(super) fn check(path: &str, tokens: &[Token<'_>]) -> Vec<Violation> {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
    let mut found = Vec::new();
    for rule in RULES.iter().filter(|rule| begins(rule.within) && !begins(rule.allowed)) {
        let RoomRule { method, instead, .. } = rule;
        for call in tokens.windows(4).filter(|window| is_call(window, method)) {
            let line = call.first().map_or(1, |token| token.line);
            let what = format!("`.{method}()` is no question for this room: {instead}");
            found.push(Violation::new(path, line, what));
        }
    }
    found
}

fn is_call(window: &[Token<'_>], method: &str) -> bool {
    window.iter().zip([".", method, "(", ")"]).all(|(token, text)| token.is(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    fn found(path: &str, text: &str) -> usize {
        check(path, &tokens::of(text)).len()
    }

    #[test]
    fn every_rule_holds_in_its_rooms_only() {
        for RoomRule { method, within, allowed, .. } in RULES {
            let text = format!("let x = resource\n    .{method}()\n    .is_some();");
            for room in *within {
                assert_eq!(found(&format!("{room}any/a.rs"), &text), 1, "{room}: {method}");
            }
            for room in *allowed {
                assert_eq!(found(&format!("{room}a.rs"), &text), 0, "{room}: {method}");
            }
            assert_eq!(found("store/api/src/lib.rs", &text), 0, "{method}");
        }
    }

    #[test]
    fn definitions_fields_and_texts_are_no_calls() {
        for text in [
            "fn defined(&self) {}",
            "self.defined.is_some()",
            "// x.defined()",
            "let x = \".defined()\";",
            "x.defined(y)",
            "ServedResource::custom(row)",
        ] {
            assert_eq!(found("doors/server/src/verbs/a.rs", text), 0, "{text}");
        }
    }
}
