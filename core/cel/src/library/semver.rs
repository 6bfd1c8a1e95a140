//! The semver library: `semver()` and the functions of `kubernetes.Semver`.

use super::arguments::{opaque, text, truth};
use super::{Context, Cost, Library, Overload};
use crate::{EvalError, Opaque, Value};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::Any;
use core::cmp::Ordering;
use ratchet_net::Quoted;

/// A semantic version without its build metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Semver {
    numbers: [u64; 3],
    before: Vec<Part>,
}

/// A pre-release identifier: numbers sort before alphanumeric ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

impl Semver {
    fn compare(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            match (self.before.is_empty(), other.before.is_empty()) {
                // A release is later than all its pre-releases.
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                _ => self.before.cmp(&other.before),
            }
        })
    }
}

impl Opaque for Semver {
    fn type_name(&self) -> &'static str {
        "kubernetes.Semver"
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        let other: Option<&Self> = other.as_any().downcast_ref();
        other.is_some_and(|other| self.compare(other).is_eq())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let reason = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        alloc::format!("strconv.ParseUint: parsing {}: {reason}", Quoted(text))
    })
}

fn component(text: &str, name: &str, capital: &str) -> Result<u64, String> {
    if !is_number(text) {
        let quoted = Quoted(text);
        return Err(alloc::format!("Invalid character(s) found in {name} number {quoted}"));
    }
    if has_leading_zero(text) {
        let quoted = Quoted(text);
        return Err(alloc::format!("{capital} number must not contain leading zeroes {quoted}"));
    }
    number(text)
}

fn parse(text: &str) -> Result<Semver, String> {
    if text.is_empty() {
        return Err("Version string empty".into());
    }
    let mut parts = text.splitn(3, '.');
    let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("No Major.Minor.Patch elements found".into());
    };
    let major = component(major, "major", "Major")?;
    let minor = component(minor, "minor", "Minor")?;
    let (rest, build) = match rest.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (rest, None),
    };
    let (patch, before) = match rest.split_once('-') {
        Some((patch, before)) => (patch, Some(before)),
        None => (rest, None),
    };
    let patch = component(patch, "patch", "Patch")?;
    let before = before.into_iter().flat_map(|before| before.split('.')).map(part);
    let before = before.collect::<Result<Vec<_>, _>>()?;
    build.into_iter().flat_map(|build| build.split('.')).try_for_each(check_build)?;
    Ok(Semver { numbers: [major, minor, patch], before })
}

fn part(text: &str) -> Result<Part, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".into());
    }
    let quoted = Quoted(text);
    if !is_number(text) {
        if is_identifier(text) {
            return Ok(Part::Word(text.into()));
        }
        return Err(alloc::format!("Invalid character(s) found in prerelease {quoted}"));
    }
    if has_leading_zero(text) {
        return Err(alloc::format!(
            "Numeric PreRelease version must not contain leading zeroes {quoted}"
        ));
    }
    number(text).map(Part::Number)
}

fn check_build(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("Build meta data is empty".into());
    }
    if is_identifier(text) {
        return Ok(());
    }
    Err(alloc::format!("Invalid character(s) found in build meta data {}", Quoted(text)))
}

/// Parses a version that may have a `v` prefix, leading zeros, or fewer than three numbers.
fn parse_tolerant(text: &str) -> Result<Semver, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<Cow<'_, str>> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err("short version cannot contain PreRelease/Build meta data".into());
    }
    parts.resize(3, Cow::Borrowed("0"));
    parse(&parts.join("."))
}

fn without_zeros(part: &str) -> Cow<'_, str> {
    if part.len() < 2 {
        return Cow::Borrowed(part);
    }
    let rest = part.trim_start_matches('0');
    if rest.starts_with(|first: char| first.is_ascii_digit()) {
        Cow::Borrowed(rest)
    } else {
        Cow::Owned(alloc::format!("0{rest}"))
    }
}

fn version(arguments: &[Value<'_>]) -> Result<Result<Semver, String>, EvalError> {
    let text = text(arguments, 0)?;
    let is_lenient = arguments.len() > 1 && truth(arguments, 1)?;
    Ok(if is_lenient { parse_tolerant(text) } else { parse(text) })
}

fn semver<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    version(arguments)?.map(Value::opaque).map_err(EvalError::new)
}

fn is_semver<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(version(arguments)?.is_ok().into())
}

fn order(arguments: &[Value<'_>]) -> Result<Ordering, EvalError> {
    let (a, b): (&Semver, &Semver) = (opaque(arguments, 0)?, opaque(arguments, 1)?);
    Ok(a.compare(b))
}

fn version_number<'t>(
    arguments: &[Value<'t>],
    select: fn([u64; 3]) -> u64,
) -> Result<Value<'t>, EvalError> {
    let version: &Semver = opaque(arguments, 0)?;
    // Numbers that do not fit become negative, as in the API server.
    Ok(Value::Int(select(version.numbers).cast_signed()))
}

/// Kubernetes' semver library.
pub(super) static SEMVER: Library = Library {
    name: "kubernetes.Semver",
    since: (1, 33),
    overloads: &[
        Overload {
            id: "string_to_semver",
            signature: "semver(string): kubernetes.Semver",
            call: semver,
            cost: Cost::SCAN,
        },
        Overload {
            id: "string_bool_to_semver",
            signature: "semver(string, bool): kubernetes.Semver",
            call: semver,
            cost: Cost::SCAN,
        },
        Overload {
            id: "is_semver_string",
            signature: "isSemver(string): bool",
            call: is_semver,
            cost: Cost::SCAN,
        },
        Overload {
            id: "is_semver_string_bool",
            signature: "isSemver(string, bool): bool",
            call: is_semver,
            cost: Cost::SCAN,
        },
        Overload {
            id: "semver_is_greater_than",
            signature: "kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool",
            call: |_, arguments| Ok(order(arguments)?.is_gt().into()),
            cost: Cost::ONE,
        },
        Overload {
            id: "semver_is_less_than",
            signature: "kubernetes.Semver.isLessThan(kubernetes.Semver): bool",
            call: |_, arguments| Ok(order(arguments)?.is_lt().into()),
            cost: Cost::ONE,
        },
        Overload {
            id: "semver_compare_to",
            signature: "kubernetes.Semver.compareTo(kubernetes.Semver): int",
            call: |_, arguments| Ok(Value::Int(order(arguments)? as i64)),
            cost: Cost::ONE,
        },
        Overload {
            id: "semver_major",
            signature: "kubernetes.Semver.major(): int",
            call: |_, arguments| version_number(arguments, |[major, _, _]| major),
            cost: Cost::ONE,
        },
        Overload {
            id: "semver_minor",
            signature: "kubernetes.Semver.minor(): int",
            call: |_, arguments| version_number(arguments, |[_, minor, _]| minor),
            cost: Cost::ONE,
        },
        Overload {
            id: "semver_patch",
            signature: "kubernetes.Semver.patch(): int",
            call: |_, arguments| version_number(arguments, |[_, _, patch]| patch),
            cost: Cost::ONE,
        },
    ],
    constants: &[],
    types: &[],
};
