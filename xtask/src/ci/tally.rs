//! How many tests ran, counted from the lines with which each test binary ends.

/// The sums over all test binaries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(super) suites: u64,
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) ignored: u64,
}

impl Tally {
    /// Adds a line like `test result: ok. 5 passed; 0 failed; 1 ignored; …`; others say nothing.
    pub(super) fn read(&mut self, line: &str) {
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.suites += 1;
        for count in counts.split(';') {
            let Some((number, word)) = count.trim().split_once(' ') else { continue };
            let number: u64 = number.parse().unwrap_or(0);
            match word {
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
        output.lines().for_each(|line| tally.read(line));
        assert_eq!(tally, Tally { suites: 2, passed: 37, failed: 2, ignored: 1 });
    }

    #[test]
    fn other_lines_count_nothing() {
        let mut tally = Tally::default();
        for line in ["", "test result: ", "test 9 passed; ... ok", " test result: ok. 5 passed;"] {
            tally.read(line);
        }
        assert_eq!(tally, Tally::default());
    }
}
