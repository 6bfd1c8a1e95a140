//! SPDX licence expressions: can the allowed licences satisfy one.

use std::collections::BTreeSet;

/// Whether the allowed licences satisfy the expression; nothing where it is no expression.
pub(super) fn is_satisfied(expression: &str, allowed: &BTreeSet<String>) -> Option<bool> {
    // Older crates write `MIT/Apache-2.0` and mean OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = Words { rest: spaced.split_whitespace().collect(), allowed };
    words.rest.reverse();
    let satisfied = words.any_of()?;
    words.rest.is_empty().then_some(satisfied)
}

/// The words that are still to be read, the next one last.
struct Words<'a> {
    rest: Vec<&'a str>,
    allowed: &'a BTreeSet<String>,
}

impl<'a> Words<'a> {
    fn any_of(&mut self) -> Option<bool> {
        let mut satisfied = self.all_of()?;
        while self.take("OR") {
            satisfied |= self.all_of()?;
        }
        Some(satisfied)
    }

    fn all_of(&mut self) -> Option<bool> {
        let mut satisfied = self.one()?;
        while self.take("AND") {
            satisfied &= self.one()?;
        }
        Some(satisfied)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let satisfied = self.any_of()?;
            return self.take(")").then_some(satisfied);
        }
        let licence = self.name()?;
        if self.take("WITH") {
            let exception = self.name()?;
            return Some(self.allowed.contains(&format!("{licence} WITH {exception}")));
        }
        Some(self.allowed.contains(licence))
    }

    fn name(&mut self) -> Option<&'a str> {
        self.rest.pop().filter(|word| !matches!(*word, "(" | ")" | "OR" | "AND" | "WITH"))
    }

    fn take(&mut self, word: &str) -> bool {
        self.rest.pop_if(|next| *next == word).is_some()
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
