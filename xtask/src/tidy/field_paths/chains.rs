//! Field paths in source code: calls of accessors with literal names, one after another, and texts.

use super::schema::is_kind;
use super::step::{FieldPath, Step, is_root, steps_of};
use crate::tokens::{Kind, Token, group_end};
use std::collections::BTreeMap;

/// Accessors of one member: `.field("spec")`.
const MEMBERS: &[&str] = &["field", "get", "get_mut", "map_mut", "remove", "set"];

/// Accessors, functions and variants of a path: `.find(&["spec", "ports"])`, `items(pod, &["spec", "volumes"])`.
const PATHS: &[&str] = &[
    "Either",
    "Flag",
    "Number",
    "OrFirstItem",
    "Text",
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
    let mut parser =
        ChainParser { tokens, bound: BTreeMap::new(), calls: Vec::new(), found: Vec::new() };
    let mut at = 0;
    while at < tokens.len() {
        at = parser.parse(at).max(at + 1);
    }
    parser.found
}

struct ChainParser<'a, 't> {
    tokens: &'a [Token<'t>],
    /// Variables of the current function that hold the value of a path.
    bound: BTreeMap<&'t str, Vec<Step<'t>>>,
    /// The names of the functions in whose arguments the parser is.
    calls: Vec<Option<&'t str>>,
    found: Vec<FieldPath<'t>>,
}

/// One accessor call of a chain.
struct Call<'t> {
    steps: Vec<Step<'t>>,
    /// Where the chain goes on, or the rest of the arguments.
    end: usize,
    /// Whether the chain goes on from its value.
    goes_on: bool,
    /// Whether its closing bracket is yet to come.
    is_open: bool,
}

impl<'t> ChainParser<'_, 't> {
    /// Parses what begins at a token; returns where to go on.
    fn parse(&mut self, at: usize) -> usize {
        let Some(token) = self.tokens.get(at).copied() else { return at };
        if token.is("(") {
            self.calls.push(at.checked_sub(1).and_then(|before| self.identifier(before)));
        } else if token.is(")") {
            self.calls.pop();
        } else if token.is("fn") {
            self.bound.clear();
        } else if token.is("let") || token.is("for") {
            self.unbind(at + 1);
        } else if token.is("|") {
            return self.closure(at);
        } else if token.is(".") {
            return self.chain(at);
        } else if token.is("&") && self.is(at + 1, "[") && !self.is(at.wrapping_sub(1), "&") {
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

    /// Forgets the variables that a pattern shadows; returns where the pattern ends.
    fn unbind(&mut self, from: usize) -> usize {
        let mut at = from;
        while let Some(token) = self.tokens.get(at) {
            if ["=", "in", "|", ";", "{"].iter().any(|end| token.is(end)) {
                break;
            }
            if let Some(name) = token.identifier() {
                self.bound.remove(name);
            }
            at += 1;
        }
        at
    }

    /// Reads the parameters of a closure; another `|` has no second one before the end of its expression.
    fn closure(&mut self, open: usize) -> usize {
        let end = self.unbind(open + 1);
        if self.is(end, "|") { end + 1 } else { open }
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
        while let Some(call) = self.call(end) {
            names += call.steps.iter().filter(|step| matches!(step, Step::Name(_))).count();
            steps.extend(call.steps);
            end = call.end;
            if call.is_open {
                self.calls.push(None);
            }
            while self.is(end, "?") {
                end += 1;
            }
            if !call.goes_on {
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

    /// Reads one accessor call from its dot.
    fn call(&self, dot: usize) -> Option<Call<'t>> {
        let name =
            self.identifier(dot + 1).filter(|_| self.is(dot, ".") && self.is(dot + 2, "("))?;
        let (first, end) = (dot + 3, group_end(self.tokens, dot + 2));
        let goes_on = CONTINUES.contains(&name);
        let whole = |steps| Some(Call { steps, end, goes_on, is_open: false });
        if MEMBERS.contains(&name) {
            let is_alone = self.is(first + 1, ")");
            return match self.string(first) {
                // The value is read on its own.
                Some(member) if name == "set" && self.is(first + 1, ",") => {
                    let steps = vec![Step::Name(member)];
                    Some(Call { steps, end: first + 1, goes_on, is_open: true })
                }
                Some(member) if is_alone => whole(vec![Step::Name(member)]),
                None if is_alone && goes_on && self.identifier(first).is_some() => {
                    whole(vec![Step::Any])
                }
                _ => None,
            };
        }
        if name == "items" && self.is(first, ")") {
            return whole(vec![Step::Item]);
        }
        if name == "key" && !self.is(first, ")") {
            return Some(Call { steps: vec![Step::Any], end, goes_on: true, is_open: false });
        }
        let is_path = PATHS.contains(&name) && self.is(first, "&") && self.is(first + 1, "[");
        let mut steps = is_path.then(|| self.elements(first + 1)).flatten()?;
        if name == "items" {
            steps.push(Step::Item);
        }
        whole(steps)
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
mod tests;
