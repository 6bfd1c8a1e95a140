//! CEL expressions that quantify over the values of a field path.

/// The quantifier over a field's values.
#[derive(Clone, Copy)]
pub(super) enum Values {
    /// Every value satisfies the predicate.
    All,
    /// At least one value satisfies the predicate.
    Any,
}

impl Values {
    fn macro_name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "exists",
        }
    }

    /// Variable names, the outermost first; the two quantifiers use different ones because they can nest.
    fn names(self) -> [&'static str; 4] {
        match self {
            Self::All => ["a", "b", "c", "d"],
            Self::Any => ["w", "x", "y", "z"],
        }
    }

    /// The result for an absent field.
    fn of_nothing(self) -> &'static str {
        match self {
            Self::All => "true",
            Self::Any => "false",
        }
    }
}

/// An expression over the values at `path` below `root`; absent fields have no values. `predicate` gets the name of a
/// value's variable.
pub(super) fn quantify(
    values: Values,
    root: &str,
    path: &str,
    predicate: &dyn Fn(&str) -> String,
) -> String {
    let steps: Vec<&str> = path.split('.').collect();
    below(values, root, &steps, 0, predicate)
}

fn below(
    values: Values,
    root: &str,
    steps: &[&str],
    depth: usize,
    predicate: &dyn Fn(&str) -> String,
) -> String {
    let name = values.names().get(depth).copied().unwrap_or("e");
    let many = steps.iter().position(|step| step.ends_with("[]"));
    let (here, rest) = steps.split_at(many.map_or(steps.len(), |index| index + 1));
    let field: String =
        here.iter().map(|step| format!(".?{}", step.trim_end_matches("[]"))).collect();
    let inner = match rest {
        [] => predicate(name),
        rest => below(values, name, rest, depth + 1, predicate),
    };
    match many {
        Some(_) => format!("{root}{field}.orValue([]).{}({name}, {inner})", values.macro_name()),
        None => format!("{root}{field}.optMap({name}, {inner}).orValue({})", values.of_nothing()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_walked_and_absent_fields_say_nothing() {
        let is_ip = |name: &str| format!("isIP({name})");
        let cases = [
            ("spec.externalIPs[]", "object.?spec.?externalIPs.orValue([]).all(a, isIP(a))"),
            ("status.hostIP", "object.?status.?hostIP.optMap(a, isIP(a)).orValue(true)"),
            (
                "subsets[].addresses[].ip",
                "object.?subsets.orValue([]).all(a, a.?addresses.orValue([]).all(b, b.?ip.optMap(c, isIP(c)).orValue(true)))",
            ),
        ];
        for (path, expected) in cases {
            assert_eq!(quantify(Values::All, "object", path, &is_ip), expected);
        }
        let same = |name: &str| format!("{name} == a");
        let expected = "oldObject.?spec.?podCIDRs.orValue([]).exists(w, w == a)";
        assert_eq!(quantify(Values::Any, "oldObject", "spec.podCIDRs[]", &same), expected);
    }
}
