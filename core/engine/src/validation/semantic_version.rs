//! `SemanticVersion`, a version of semver.org 2.0.0, without its build metadata.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// A version. The default is 0.0.0, the lowest that is no pre-release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SemanticVersion<'t> {
    core: [u64; 3],
    /// Identifiers of a pre-release; none of a release.
    pre_release: Vec<Identifier<'t>>,
}

/// A part of a pre-release; numbers are lower than words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier<'t> {
    Number(u64),
    Word(&'t str),
}

impl<'t> SemanticVersion<'t> {
    /// Reads a version; none if it is malformed, or if a number in it is too large.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        if !is_well_formed(text) {
            return None;
        }
        let rest = text.split_once('+').map_or(text, |(rest, _)| rest);
        let (core, pre_release) =
            rest.split_once('-').map_or((rest, None), |(core, after)| (core, Some(after)));
        let mut numbers = core.split('.').map(str::parse);
        let mut number = || numbers.next()?.ok();
        let core = [number()?, number()?, number()?];
        let identifiers = pre_release.into_iter().flat_map(|after| after.split('.'));
        let pre_release = identifiers.map(identifier).collect::<Option<_>>()?;
        Some(Self { core, pre_release })
    }
}

fn identifier(text: &str) -> Option<Identifier<'_>> {
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Some(Identifier::Number(text.parse().ok()?)),
        false => Some(Identifier::Word(text)),
    }
}

impl PartialOrd for SemanticVersion<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SemanticVersion<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let is_release = |version: &Self| version.pre_release.is_empty();
        // A pre-release is lower than its release.
        let by_core = self.core.cmp(&other.core);
        by_core
            .then(is_release(self).cmp(&is_release(other)))
            .then_with(|| self.pre_release.cmp(&other.pre_release))
    }
}

/// Whether a text is a version of semver.org 2.0.0, however large its numbers are.
pub(super) fn is_well_formed(text: &str) -> bool {
    let (rest, build) =
        text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (core, release) =
        rest.split_once('-').map_or((rest, None), |(core, release)| (core, Some(release)));
    let is_number = |part: &str| {
        let is_digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_digits && (part == "0" || !part.starts_with('0'))
    };
    let is_word = |part: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !part.is_empty() && part.bytes().all(is_part)
    };
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && release.is_none_or(|release| {
            let mut parts = release.split('.');
            parts.all(|part| is_number(part) || (is_word(part) && !is_digits(part)))
        })
        && build.is_none_or(|build| build.split('.').all(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_semver() {
        for text in ["1.2.3", "0.0.0", "1.0.0-alpha.1", "1.0.0-0a.-", "1.2.3+b.01", "1.2.3-a+b-c"] {
            assert!(is_well_formed(text), "{text}");
        }
        for text in [
            "",
            "1",
            "1.2",
            "01.2.3",
            "1.2.3-",
            "1.2.3-01",
            "1.2.3-a..b",
            "1.2.3+",
            "v1.2.3",
            "1.2.3+a_b",
        ] {
            assert!(!is_well_formed(text), "{text}");
        }
        for text in ["99999999999999999999.0.0", "1.0.0-99999999999999999999"] {
            assert!(is_well_formed(text) && SemanticVersion::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn versions_are_ordered_as_semver_says() {
        let texts = [
            "0.0.0",
            "1.36.0-alpha",
            "1.36.0-alpha.9",
            "1.36.0-alpha.10",
            "1.36.0-alpha.b",
            "1.36.0-beta",
            "1.36.0",
            "1.36.1",
            "1.100.0",
        ];
        let versions: Vec<_> = texts.iter().map(|text| SemanticVersion::parse(text)).collect();
        assert!(versions.iter().all(Option::is_some) && versions.is_sorted_by(|a, b| a < b));
        assert_eq!(SemanticVersion::parse("0.0.0+b"), Some(SemanticVersion::default()));
    }
}
