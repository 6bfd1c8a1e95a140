//! Test counts, parsed from the output of test binaries.

use std::collections::BTreeMap;

/// The sums over all test binaries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(super) suites: u64,
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) ignored: u64,
    /// Ignored tests by reason.
    reasons: BTreeMap<String, Vec<String>>,
    /// Steps that were not run, and why.
    left_out: Vec<String>,
}

impl Tally {
    /// Adds a suite of one test.
    pub(super) fn add(&mut self, has_passed: bool) {
        self.suites += 1;
        match has_passed {
            true => self.passed += 1,
            false => self.failed += 1,
        }
    }

    /// Records something that could not be run.
    pub(crate) fn not_run(&mut self, what: impl Into<String>) {
        self.left_out.push(what.into());
    }

    /// Prints what was not run.
    pub(crate) fn print_left_out(&self) {
        for (reason, tests) in &self.reasons {
            println!("not run: {} ({reason})", tests.join(", "));
        }
        for what in &self.left_out {
            println!("not run: {what}");
        }
    }

    /// Removes the tests that were ignored for a reason, because they ran later.
    pub(crate) fn forget_ignored(&mut self, reason: &str) {
        let tests = self.reasons.remove(reason).unwrap_or_default();
        self.ignored = self.ignored.saturating_sub(u64::try_from(tests.len()).unwrap_or(0));
    }

    /// Counts a line like `test result: ok. 5 passed; 0 failed; 1 ignored; …` or `test a ... ignored, why`; ignores
    /// other lines.
    pub(super) fn add_line(&mut self, line: &str) {
        let test = line.trim_end().strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
        if let Some((name, result)) = test
            && let Some(why) = result.strip_prefix("ignored")
        {
            let why = why.strip_prefix(", ").unwrap_or("without a reason");
            self.reasons.entry(why.to_owned()).or_default().push(name.to_owned());
        }
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.suites += 1;
        for count in counts.split(';') {
            let Some((number, outcome)) = count.trim().split_once(' ') else { continue };
            let number: u64 = number.parse().unwrap_or(0);
            match outcome {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_all_binaries_add_up() {
        let output = "\
running 2 tests
test a ... ok
test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.20s

   Doc-tests x
test result: FAILED. 30 passed; 2 failed; 0 ignored; 5 measured; 9 filtered out; finished in 0.00s
";
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.add_line(line));
        assert_eq!((tally.suites, tally.passed, tally.failed, tally.ignored), (2, 37, 2, 1));
    }

    #[test]
    fn ignored_tests_are_named_by_their_reasons() {
        let mut tally = Tally::default();
        for line in [
            "test a ... ignored, needs X\n",
            "test b ... ignored\n",
            "test c ... ignored, needs X",
            "test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out",
        ] {
            tally.add_line(line);
        }
        assert_eq!(tally.reasons["needs X"], ["a", "c"]);
        assert_eq!(tally.reasons["without a reason"], ["b"]);
        tally.forget_ignored("needs X");
        assert_eq!((tally.ignored, tally.reasons.len()), (1, 1));
    }

    #[test]
    fn other_lines_count_nothing() {
        let mut tally = Tally::default();
        for line in ["", "test result: ", "test 9 passed; ... ok", " test result: ok. 5 passed;"] {
            tally.add_line(line);
        }
        assert_eq!(tally, Tally::default());
    }
}
