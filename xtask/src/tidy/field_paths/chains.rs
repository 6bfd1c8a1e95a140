//! Field paths in source code: calls of accessors with literal names, one after another, and texts.

use super::schema::is_kind;
use super::step::{FieldPath, Step, is_root, steps_of};
use crate::tokens::{Kind, Token, group_end};
use std::collections::BTreeMap;

/// Accessors of one member: `.field("spec")`.
const MEMBERS: &[&str] = &["field", "get", "get_mut", "map_mut", "remove", "set"];

/// Accessors and functions of a path: `.find(&["spec", "ports"])`, `items(pod, &["spec", "volumes"])`.
const PATHS: &[&str] = &[
    "amount_at",
    "at",
    "capacity",
    "cell",
    "cell_or",
    "changes",
    "containers",
    "count",
    "descend",
    "equal_at",
    "find",
    "find_mut",
    "flag",
    "int",
    "items",
    "list",
    "modes",
    "number",
    "percent",
    "since",
    "text",
    "text_at",
    "time",
];

/// Those of them after which the chain goes on from the value.
const CONTINUES: &[&str] =
    &["at", "descend", "field", "find", "find_mut", "get", "get_mut", "items", "map_mut"];

/// The paths that a file names, in order.
pub(super) fn of<'t>(tokens: &[Token<'t>]) -> Vec<FieldPath<'t>> {
    let mut reader =
        Reader { tokens, bound: BTreeMap::new(), calls: Vec::new(), found: Vec::new() };
    let mut at = 0;
    while at < tokens.len() {
        at = reader.read(at).max(at + 1);
    }
    reader.found
}

struct Reader<'a, 't> {
    tokens: &'a [Token<'t>],
    /// Variables of the current function that hold the value of a path.
    bound: BTreeMap<&'t str, Vec<Step<'t>>>,
    /// The names of the functions in whose arguments the reader is.
    calls: Vec<Option<&'t str>>,
    found: Vec<FieldPath<'t>>,
}

impl<'t> Reader<'_, 't> {
    /// Reads what begins at a token; returns where to go on.
    fn read(&mut self, at: usize) -> usize {
        let Some(token) = self.tokens.get(at).copied() else { return at };
        if token.is("(") {
            self.calls.push(at.checked_sub(1).and_then(|before| self.identifier(before)));
        } else if token.is(")") {
            self.calls.pop();
        } else if token.is("fn") {
            self.bound.clear();
        } else if token.is("let") || token.is("for") || token.is("|") {
            self.unbind(at + 1);
        } else if token.is(".") {
            return self.chain(at);
        } else if token.is("&") && self.is(at + 1, "[") {
            self.array(at + 1);
        } else if token.kind == Kind::Literal {
            self.text(at);
        }
        at
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn identifier(&self, at: usize) -> Option<&'t str> {
        self.tokens.get(at).and_then(Token::identifier)
    }

    fn string(&self, at: usize) -> Option<&'t str> {
        self.tokens.get(at).and_then(Token::string)
    }

    /// Forgets the variables that a pattern shadows.
    fn unbind(&mut self, from: usize) {
        for token in self.tokens.get(from..).unwrap_or_default() {
            if ["=", "in", "|", ";", "{"].iter().any(|end| token.is(end)) {
                return;
            }
            if let Some(name) = token.identifier() {
                self.bound.remove(name);
            }
        }
    }

    /// Reads `.field("a").items()` and the like, from the first dot; returns where the chain ends.
    fn chain(&mut self, dot: usize) -> usize {
        let head = dot.checked_sub(1).filter(|head| {
            let is_part = head
                .checked_sub(1)
                .is_some_and(|before| self.is(before, ".") || self.is(before, "::"));
            !is_part && self.identifier(*head).is_some()
        });
        let base = head.and_then(|head| self.bound.get(self.identifier(head)?));
        let mut steps = base.cloned().unwrap_or_default();
        let (mut end, mut names) = (dot, 0);
        while let Some((more, next, goes_on)) = self.call(end) {
            names += more.iter().filter(|step| matches!(step, Step::Name(_))).count();
            steps.extend(more);
            end = next;
            while self.is(end, "?") {
                end += 1;
            }
            if !goes_on {
                break;
            }
        }
        if names > 0 {
            let line = self.tokens.get(dot).map_or(1, |token| token.line);
            self.found.push(FieldPath { steps: steps.clone(), line, is_text: false, kind: None });
        }
        if let Some(head) = head.filter(|_| end > dot) {
            self.bind(head, end, steps);
        }
        end
    }

    /// Reads one accessor call from its dot: its steps, where it ends, and whether the chain goes on from its value.
    fn call(&self, dot: usize) -> Option<(Vec<Step<'t>>, usize, bool)> {
        let name =
            self.identifier(dot + 1).filter(|_| self.is(dot, ".") && self.is(dot + 2, "("))?;
        let (first, end) = (dot + 3, group_end(self.tokens, dot + 2));
        let goes_on = CONTINUES.contains(&name);
        if MEMBERS.contains(&name) {
            let is_alone = self.is(first + 1, ")");
            return match self.string(first) {
                // The other arguments are read on their own.
                Some(member) if name == "set" && self.is(first + 1, ",") => {
                    Some((vec![Step::Name(member)], first + 1, false))
                }
                Some(member) if is_alone => Some((vec![Step::Name(member)], end, goes_on)),
                None if is_alone && goes_on && self.identifier(first).is_some() => {
                    Some((vec![Step::Any], end, true))
                }
                _ => None,
            };
        }
        if name == "items" && self.is(first, ")") {
            return Some((vec![Step::Item], end, true));
        }
        if name == "key" && !self.is(first, ")") {
            return Some((vec![Step::Any], end, true));
        }
        let is_path = PATHS.contains(&name) && self.is(first, "&") && self.is(first + 1, "[");
        let mut steps = is_path.then(|| self.elements(first + 1)).flatten()?;
        if name == "items" {
            steps.push(Step::Item);
        }
        Some((steps, end, goes_on))
    }

    /// The elements of an array of names, of which one at least is literal.
    fn elements(&self, open: usize) -> Option<Vec<Step<'t>>> {
        let close = group_end(self.tokens, open).checked_sub(1)?;
        let elements = self.tokens.get(open + 1..close)?.split(|token| token.is(","));
        let steps: Vec<Step<'t>> = elements
            .filter(|element| !element.is_empty())
            .map(|element| match element {
                [only] => only.string().map_or(Step::Any, Step::Name),
                _ => Step::Any,
            })
            .collect();
        steps.iter().any(|step| matches!(step, Step::Name(_))).then_some(steps)
    }

    /// Reads an array that is an argument of a function of paths, or that begins as the path of a whole object.
    fn array(&mut self, open: usize) {
        let is_argument =
            self.calls.last().copied().flatten().is_some_and(|name| PATHS.contains(&name));
        let Some(steps) = self.elements(open) else { return };
        let is_whole =
            steps.len() > 1 && matches!(steps.first(), Some(Step::Name(name)) if is_root(name));
        if is_argument || is_whole {
            let line = self.tokens.get(open).map_or(1, |token| token.line);
            self.found.push(FieldPath { steps, line, is_text: false, kind: None });
        }
    }

    /// Reads a text such as `"spec.ports[*].port"`; the kind may be named right before it.
    fn text(&mut self, at: usize) {
        let Some(steps) = self.string(at).and_then(steps_of) else { return };
        let kind =
            at.checked_sub(1).and_then(|before| self.string(before)).filter(|text| is_kind(text));
        let line = self.tokens.get(at).map_or(1, |token| token.line);
        self.found.push(FieldPath { steps, line, is_text: true, kind });
    }

    /// Remembers the variable to which a chain is bound: `let x = chain;`, `if let Some(x) = chain {`,
    /// `for x in chain.items() {`.
    fn bind(&mut self, head: usize, end: usize, steps: Vec<Step<'t>>) {
        let before = |distance: usize| head.checked_sub(distance);
        let mut skipped = 1;
        while before(skipped).is_some_and(|at| self.is(at, "&") || self.is(at, "*")) {
            skipped += 1;
        }
        let is = |distance: usize, text: &str| {
            before(skipped + distance).is_some_and(|at| self.is(at, text))
        };
        let name = |distance: usize| before(skipped + distance).and_then(|at| self.identifier(at));
        let ends = |texts: &[&str]| texts.iter().any(|text| self.is(end, text));
        let bound = if is(0, "=") && (is(2, "let") || is(2, "mut")) && ends(&[";"]) {
            name(1)
        } else if is(0, "=") && is(1, ")") && is(4, "Some") && ends(&["{", "else", "&"]) {
            name(2)
        } else if is(0, "in") && is(2, "for") && ends(&["{"]) && steps.last() == Some(&Step::Item) {
            name(1)
        } else {
            None
        };
        if let Some(name) = bound {
            self.bound.insert(name, steps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    fn paths(text: &str) -> Vec<String> {
        of(&tokens::of(text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn calls_one_after_another_are_one_path() {
        assert_eq!(paths(r#"root.field("spec").field(name).items()"#), ["spec.*[]"]);
        assert_eq!(
            paths(r#"node.find(&["spec", "a"])?.get("b").text_at(&["c", d])"#),
            ["spec.a.b.c.*"]
        );
        assert_eq!(paths(r#"self.node().get("a").is_some_and(|x| x.get("b"))"#), ["a", "b"]);
        assert_eq!(paths(r#"new.map_mut("status").set("x", old.get("y"))"#), ["status.x", "y"]);
    }

    #[test]
    fn functions_and_texts_name_paths_too() {
        assert_eq!(paths(r#"items(pod, &["spec", "volumes"])"#), ["spec.volumes"]);
        assert_eq!(paths(r#"other(pod, &["spec", "volumes"])"#), ["spec.volumes"]);
        assert_eq!(paths(r#"one_of(at, &["Always", "Never"])"#), Vec::<String>::new());
        assert_eq!(paths(r#"invalid("spec.ports[0].port")"#), ["spec.ports.*.port"]);
        let row = of(&tokens::of(r#""Service" "spec.clusterIP""#)).pop();
        assert_eq!(row.and_then(|path| path.kind), Some("Service"));
    }

    #[test]
    fn a_variable_carries_its_path_on() {
        let text = r#"
            fn f(root: At) {
                let spec = root.field("spec");
                for port in spec.field("ports").items() { port.field("name"); }
                if let Some(x) = spec.get("x") { x.get("y"); }
                list.map(|spec| spec.field("z"));
            }
            fn g(spec: At) { spec.field("w"); }
        "#;
        assert_eq!(
            paths(text),
            ["spec", "spec.ports[]", "spec.ports[].name", "spec.x", "spec.x.y", "z", "w"]
        );
    }

    #[test]
    fn what_is_no_access_to_a_member_is_left_alone() {
        for text in [
            r#"f.debug_struct("A").field("b", &c)"#,
            r#"list.get(0)"#,
            r#"map.get(&key)"#,
            r#"text.find("x")"#,
            r#"// node.get("x")"#,
        ] {
            assert_eq!(paths(text), Vec::<String>::new(), "{text}");
        }
    }
}
