//! The order of versions by priority: `v10`, `v2`, `v1`, `v2beta1`, `v1alpha1`, then others by name.

use core::cmp::Ordering;

/// What `v2beta1` says: its number, its stage and the number of the stage.
fn parse(version: &str) -> Option<(u64, u8, u64)> {
    let rest = version.strip_prefix('v')?;
    let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (major, stage) = rest.split_at_checked(length)?;
    let (stage, minor) = match stage {
        "" => (2, "1"),
        stage => match (stage.strip_prefix("beta"), stage.strip_prefix("alpha")) {
            (Some(minor), _) => (1, minor),
            (_, Some(minor)) => (0, minor),
            _ => return None,
        },
    };
    let number = |digits: &str| {
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    };
    Some((number(major)?, stage, number(minor)?))
}

/// Compares two versions: the one with the higher priority is less.
pub fn compare_versions(one: &str, other: &str) -> Ordering {
    match (parse(one), parse(other)) {
        (Some(a), Some(b)) => (b.1, b.0, b.2).cmp(&(a.1, a.0, a.2)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.cmp(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_sorted_by_priority() {
        let sorted = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "foo1",
            "foo10",
            "v1beta",
            "vx",
        ];
        assert!(sorted.is_sorted_by(|one, other| compare_versions(one, other).is_lt()));
        assert_eq!(compare_versions("v1", "v1"), Ordering::Equal);
    }
}
