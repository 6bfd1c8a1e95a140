//! A field's path as a question in CEL, about all its values or about any of them.

/// Which values of a field must answer yes.
#[derive(Clone, Copy)]
pub(super) enum Values {
    /// Every one.
    All,
    /// At least one.
    Any,
}

impl Values {
    fn macro_name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "exists",
        }
    }

    /// The names of values, the outermost first; one question can stand in the other.
    fn names(self) -> [&'static str; 4] {
        match self {
            Self::All => ["a", "b", "c", "d"],
            Self::Any => ["w", "x", "y", "z"],
        }
    }

    /// The answer for a field that is not there.
    fn of_nothing(self) -> &'static str {
        match self {
            Self::All => "true",
            Self::Any => "false",
        }
    }
}

/// Asks for the values at `path` below `root`; absent fields have no values. `ask` is given the name of a value.
pub(super) fn ask(values: Values, root: &str, path: &str, ask: &dyn Fn(&str) -> String) -> String {
    let steps: Vec<&str> = path.split('.').collect();
    below(values, root, &steps, 0, ask)
}

fn below(
    values: Values,
    root: &str,
    steps: &[&str],
    depth: usize,
    ask: &dyn Fn(&str) -> String,
) -> String {
    let name = values.names().get(depth).copied().unwrap_or("e");
    let many = steps.iter().position(|step| step.ends_with("[]"));
    let (here, rest) = steps.split_at(many.map_or(steps.len(), |index| index + 1));
    let field: String =
        here.iter().map(|step| format!(".?{}", step.trim_end_matches("[]"))).collect();
    let inner = match rest {
        [] => ask(name),
        rest => below(values, name, rest, depth + 1, ask),
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
            assert_eq!(ask(Values::All, "object", path, &is_ip), expected);
        }
        let same = |name: &str| format!("{name} == a");
        let expected = "oldObject.?spec.?podCIDRs.orValue([]).exists(w, w == a)";
        assert_eq!(ask(Values::Any, "oldObject", "spec.podCIDRs[]", &same), expected);
    }
}
