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
    /// Reasons of which the tests ran later.
    forgotten: Vec<String>,
    /// Steps that were not run, and why.
    left_out: Vec<String>,
    /// Whether other tests run at the same time, so that output is printed when it is complete.
    pub(super) is_beside: bool,
}

impl Tally {
    /// The counts of steps that run beside others.
    pub(super) fn beside() -> Self {
        Self { is_beside: true, ..Self::default() }
    }

    /// Adds the counts of other steps.
    pub(super) fn merge(&mut self, other: Self) {
        self.suites += other.suites;
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        for (reason, tests) in other.reasons {
            self.reasons.entry(reason).or_default().extend(tests);
        }
        self.forgotten.extend(other.forgotten);
        self.left_out.extend(other.left_out);
    }

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

    /// Does not count the tests that were ignored for a reason, because they run in a step of their own.
    pub(crate) fn forget_ignored(&mut self, reason: &str) {
        self.forgotten.push(reason.to_owned());
    }

    /// Removes what is not to be counted, when everything was counted.
    pub(super) fn settle(&mut self) {
        for reason in std::mem::take(&mut self.forgotten) {
            let tests = self.reasons.remove(&reason).unwrap_or_default();
            self.ignored = self.ignored.saturating_sub(u64::try_from(tests.len()).unwrap_or(0));
        }
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
        let mut later = Tally::beside();
        later.forget_ignored("needs X");
        tally.merge(later);
        tally.settle();
        assert_eq!((tally.ignored, tally.reasons.len()), (1, 1));
    }

    #[test]
    fn lanes_add_up() {
        let counted = |line: &str| {
            let mut tally = Tally::default();
            tally.add_line(line);
            tally
        };
        let mut all = counted("test result: ok. 2 passed; 0 failed; 1 ignored");
        let mut other = counted("test result: FAILED. 3 passed; 4 failed; 0 ignored");
        other.not_run("a browser");
        all.merge(other);
        assert_eq!((all.suites, all.passed, all.failed, all.ignored), (2, 5, 4, 1));
        assert_eq!(all.left_out, ["a browser"]);
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
