//! Evaluation of SPDX licence expressions against a set of allowed licences.

use std::collections::BTreeSet;

/// Whether the allowed licences satisfy the expression; `None` if it is invalid.
pub(super) fn is_satisfied(expression: &str, allowed: &BTreeSet<String>) -> Option<bool> {
    // Older crates write `MIT/Apache-2.0` and mean OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut tokens = Tokens { rest: spaced.split_whitespace().collect(), allowed };
    tokens.rest.reverse();
    let satisfied = tokens.any_of()?;
    tokens.rest.is_empty().then_some(satisfied)
}

/// The remaining tokens, the next one last.
struct Tokens<'a> {
    rest: Vec<&'a str>,
    allowed: &'a BTreeSet<String>,
}

impl<'a> Tokens<'a> {
    fn any_of(&mut self) -> Option<bool> {
        let mut satisfied = self.all_of()?;
        while self.accept("OR") {
            satisfied |= self.all_of()?;
        }
        Some(satisfied)
    }

    fn all_of(&mut self) -> Option<bool> {
        let mut satisfied = self.one()?;
        while self.accept("AND") {
            satisfied &= self.one()?;
        }
        Some(satisfied)
    }

    fn one(&mut self) -> Option<bool> {
        if self.accept("(") {
            let satisfied = self.any_of()?;
            return self.accept(")").then_some(satisfied);
        }
        let licence = self.name()?;
        if self.accept("WITH") {
            let exception = self.name()?;
            return Some(self.allowed.contains(&format!("{licence} WITH {exception}")));
        }
        Some(self.allowed.contains(licence))
    }

    fn name(&mut self) -> Option<&'a str> {
        self.rest.pop().filter(|token| !matches!(*token, "(" | ")" | "OR" | "AND" | "WITH"))
    }

    fn accept(&mut self, token: &str) -> bool {
        self.rest.pop_if(|next| *next == token).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfied(expression: &str) -> Option<bool> {
        let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        is_satisfied(expression, &allowed.into())
    }

    #[test]
    fn one_way_is_enough_for_or_and_every_part_is_needed_for_and() {
        for (expression, want) in [
            ("MIT", true),
            ("GPL-2.0-only", false),
            ("mit", false),
            ("GPL-2.0-only OR MIT", true),
            ("GPL-2.0-only/MIT", true),
            ("GPL-2.0-only AND MIT", false),
            ("MIT AND Apache-2.0", true),
            ("MIT OR Apache-2.0 AND GPL-2.0-only", true),
            ("(MIT OR Apache-2.0) AND GPL-2.0-only", false),
            ("(MIT OR GPL-2.0-only) AND Apache-2.0", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT WITH LLVM-exception", false),
        ] {
            assert_eq!(satisfied(expression), Some(want), "{expression}");
        }
    }

    #[test]
    fn what_is_no_expression_is_told_apart() {
        for expression in
            ["", "OR", "MIT OR", "MIT Apache-2.0", "(MIT", "MIT)", "MIT WITH", "AND MIT"]
        {
            assert_eq!(satisfied(expression), None, "{expression}");
        }
    }
}
