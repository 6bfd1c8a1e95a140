//! The clauses of an `Accept` header in the order in which a client prefers them.

/// Above this number of clauses Go sorts by another algorithm, which keeps no order among equals.
const INSERTION_SORTED: usize = 12;

/// One clause, such as `application/json;as=Table;q=0.5`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause<'h> {
    media_type: &'h str,
    subtype: &'h str,
    /// `q`: one unless it is given, zero if it is no number.
    pub(crate) weight: f32,
    parameters: Vec<(&'h str, &'h str)>,
}

impl<'h> Clause<'h> {
    /// The clauses of a header, sorted as the reference sorts them. What is no media range is left out.
    pub(crate) fn parse_all(header: &'h str) -> Vec<Self> {
        let mut clauses: Vec<Self> = header.split(',').filter_map(Self::parse).collect();
        match clauses.len() <= INSERTION_SORTED {
            // `precedes` is no order: which clause comes first depends on the steps of the sort.
            true => insertion_sort(&mut clauses),
            false => clauses.sort_by(|a, b| b.weight.total_cmp(&a.weight)),
        }
        clauses
    }

    fn parse(text: &'h str) -> Option<Self> {
        let (range, rest) = cut(trim(text), ';');
        let (media_type, subtype) = cut(range, '/');
        let media_type = trim(media_type);
        let subtype = match subtype {
            "" if media_type == "*" => "*",
            "" => return None,
            subtype => match cut(subtype, '/') {
                (subtype, "") => trim(subtype),
                _ => return None,
            },
        };
        let mut clause = Self { media_type, subtype, weight: 1.0, parameters: Vec::new() };
        for parameter in rest.split(';') {
            let (name, value) = cut(parameter, '=');
            // `a`, `a=` and `a=b=c` say nothing.
            let (value, more) = cut(value, '=');
            if value.is_empty() || !more.is_empty() {
                continue;
            }
            match trim(name) {
                "q" => clause.weight = value.parse().unwrap_or(0.0),
                name => clause.parameters.push((name, trim(value))),
            }
        }
        Some(clause)
    }

    /// Whether the clause is for this type, such as `("application", "json")`.
    pub(crate) fn matches(&self, media_type: &str, subtype: &str) -> bool {
        let is_any = self.media_type == "*" && self.subtype == "*";
        is_any
            || (self.media_type == media_type
                && matches!(self.subtype, s if s == "*" || s == subtype))
    }

    /// The value of a parameter; the last one counts.
    pub(crate) fn parameter(&self, name: &str) -> Option<&'h str> {
        self.parameters.iter().rev().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// The rule by which the reference's negotiation sorts.
    fn precedes(&self, other: &Self) -> bool {
        self.weight > other.weight
            || (self.media_type != "*" && other.media_type == "*")
            || (self.subtype != "*" && other.subtype == "*")
    }
}

/// The types of an `Accept` header without their parameters, in the order of the header.
pub(crate) fn types(header: &str) -> impl Iterator<Item = &str> {
    header.split(',').map(|clause| trim(cut(clause, ';').0))
}

fn insertion_sort(clauses: &mut [Clause<'_>]) {
    for end in 1..clauses.len() {
        for at in (1..=end).rev() {
            let is_before = match clauses.get(at - 1..=at) {
                Some([before, after]) => after.precedes(before),
                _ => false,
            };
            if !is_before {
                break;
            }
            clauses.swap(at - 1, at);
        }
    }
}

/// What stands before and behind the first separator.
fn cut(text: &str, separator: char) -> (&str, &str) {
    text.split_once(separator).unwrap_or((text, ""))
}

fn trim(text: &str) -> &str {
    text.trim_matches(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(header: &str) -> Vec<String> {
        let clauses = Clause::parse_all(header);
        clauses.iter().map(|clause| format!("{}/{}", clause.media_type, clause.subtype)).collect()
    }

    #[test]
    fn the_weightiest_clause_comes_first() {
        assert_eq!(order("a/b;q=0.5, c/d"), ["c/d", "a/b"]);
        assert_eq!(order("a/b;q=0.5,c/d;q=0.7,e/f;q=0.6"), ["c/d", "e/f", "a/b"]);
        assert_eq!(order("*/*,a/*,a/b"), ["a/b", "a/*", "*/*"]);
        // What is exact comes before what is not, whatever it weighs.
        assert_eq!(order("*/*,a/b;q=0.1"), ["a/b", "*/*"]);
        assert_eq!(order("a/b,c/d,e/f"), ["a/b", "c/d", "e/f"]);
        let many = vec!["a/b;q=0.1"; 20].join(",") + ",c/d";
        assert_eq!(order(&many)[0], "c/d");
    }

    #[test]
    fn what_is_no_clause_is_passed_over() {
        assert_eq!(order(",,json,a/b/c,*, x/y"), ["x/y", "*/*"]);
        let clause = &Clause::parse_all("a/b;;;v=1;w;x=;y=1=2; z = 3 ;v=2;q=?")[0];
        assert_eq!(clause.parameters, [("v", "1"), ("z", "3"), ("v", "2")]);
        assert_eq!((clause.parameter("v"), clause.weight), (Some("2"), 0.0));
        assert_eq!(types("a/b;q=1, c/d").collect::<Vec<_>>(), ["a/b", "c/d"]);
    }

    #[test]
    fn ranges_match_their_types() {
        let matches = |header| Clause::parse_all(header)[0].matches("application", "json");
        assert!(matches("application/json") && matches("application/*") && matches("*"));
        assert!(!matches("application/yaml") && !matches("*/json") && !matches("text/*"));
    }
}
