//! Label selectors: requirements, all of which must hold.

use super::label_name::{label_key_faults, label_value_faults};
use crate::Node;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use ratchet_net::Quoted;

/// Requirements on labels. No requirements match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
    matches_nothing: bool,
}

/// One requirement on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    key: String,
    op: LabelOp,
    values: Vec<String>,
}

/// The operators of label selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelOp {
    /// `key=value`.
    Equals,
    /// `key==value`.
    DoubleEquals,
    /// `key!=value`; holds where the label is absent.
    NotEquals,
    /// `key in (a,b)`.
    In,
    /// `key notin (a,b)`; holds where the label is absent.
    NotIn,
    /// `key`.
    Exists,
    /// `!key`.
    DoesNotExist,
    /// `key>number`.
    GreaterThan,
    /// `key<number`.
    LessThan,
}

/// The names of operators in `matchExpressions`.
const OPERATORS: [(&str, LabelOp); 4] = [
    ("In", LabelOp::In),
    ("NotIn", LabelOp::NotIn),
    ("Exists", LabelOp::Exists),
    ("DoesNotExist", LabelOp::DoesNotExist),
];

impl LabelSelector {
    /// The selector that matches nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self { requirements: Vec::new(), matches_nothing: true }
    }

    /// A selector of these requirements.
    #[must_use]
    pub fn new(mut requirements: Vec<Requirement>) -> Self {
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Self { requirements, matches_nothing: false }
    }

    /// Parses the selector of an object, `{matchLabels, matchExpressions}`. An absent one matches
    /// nothing, an empty one everything.
    pub fn from_tree(selector: Option<&Node<'_>>) -> Result<Self, String> {
        let Some(selector) = selector.filter(|selector| !selector.is_null()) else {
            return Ok(Self::nothing());
        };
        let mut requirements = Vec::new();
        let labels = selector.get("matchLabels").map(Node::entries).unwrap_or_default();
        for entry in labels {
            let value = entry.node.text().unwrap_or_default();
            let values = [value.to_string()].into();
            requirements.push(Requirement::new(&entry.key, LabelOp::Equals, values)?);
        }
        let expressions = selector.get("matchExpressions").map(Node::items).unwrap_or_default();
        for expression in expressions {
            let operator = expression.text_at(&["operator"]);
            let Some((_, op)) = OPERATORS.iter().find(|row| row.0 == operator) else {
                return Err(format!("{} is not a valid label selector operator", Quoted(operator)));
            };
            let values = expression.get("values").map(Node::items).unwrap_or_default();
            let values = values.iter().filter_map(Node::text).map(String::from).collect();
            requirements.push(Requirement::new(expression.text_at(&["key"]), *op, values)?);
        }
        Ok(Self::new(requirements))
    }

    /// A selector from a plain map of labels, such as the selector of a Service; an empty one matches
    /// everything, and the labels are not validated.
    #[must_use]
    pub fn from_labels(labels: &Node<'_>) -> Self {
        let requirement = |entry: &crate::Entry<'_>| Requirement {
            key: entry.key.clone().into_owned(),
            op: LabelOp::Equals,
            values: [entry.node.text().unwrap_or_default().to_string()].into(),
        };
        Self::new(labels.entries().iter().map(requirement).collect())
    }

    /// Whether labels match all requirements; `get` returns the value of a label.
    pub fn matches<'v>(&self, get: impl Fn(&str) -> Option<&'v str>) -> bool {
        !self.matches_nothing && self.requirements.iter().all(|one| one.holds(get(&one.key)))
    }

    /// Whether the labels of an object match all requirements.
    #[must_use]
    pub fn matches_object(&self, object: &Node<'_>) -> bool {
        let labels = object.find(&["metadata", "labels"]);
        self.matches(|key| labels.and_then(|labels| labels.get(key)).and_then(Node::text))
    }

    /// Whether every object matches.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty() && !self.matches_nothing
    }

    /// Whether this is the selector that matches nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.matches_nothing
    }

    /// The requirements, sorted by key.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }
}

impl Requirement {
    /// A valid requirement, or the error.
    pub fn new(key: &str, op: LabelOp, values: Vec<String>) -> Result<Self, String> {
        let mut faults = Vec::new();
        let key_faults = label_key_faults(key);
        if !key_faults.is_empty() {
            faults.push(invalid("key", &Quoted(key), &key_faults.join("; ")));
        }
        check_count(op, &values, &mut faults);
        for (index, value) in values.iter().enumerate() {
            let value_faults = label_value_faults(value);
            if !value_faults.is_empty() {
                let path = format!("values[{index}][{key}]");
                faults.push(invalid(&path, &Quoted(value), &value_faults.join("; ")));
            }
        }
        match faults.as_slice() {
            [] => Ok(Self { key: key.into(), op, values }),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }

    /// The key of the label.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The operator.
    #[must_use]
    pub fn op(&self) -> LabelOp {
        self.op
    }

    /// The values, in the order they were given.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether a label with this value, or an absent one, meets the requirement.
    #[must_use]
    pub fn holds(&self, label: Option<&str>) -> bool {
        let is_listed = |label: &str| self.values.iter().any(|value| value == label);
        let compared = |label: &str| -> Option<(i64, i64)> {
            let bound = self.values.first()?.parse().ok()?;
            Some((label.parse().ok()?, bound))
        };
        match self.op {
            LabelOp::In | LabelOp::Equals | LabelOp::DoubleEquals => label.is_some_and(is_listed),
            LabelOp::NotIn | LabelOp::NotEquals => !label.is_some_and(is_listed),
            LabelOp::Exists => label.is_some(),
            LabelOp::DoesNotExist => label.is_none(),
            LabelOp::GreaterThan => label.and_then(compared).is_some_and(|(is, than)| is > than),
            LabelOp::LessThan => label.and_then(compared).is_some_and(|(is, than)| is < than),
        }
    }
}

fn invalid(path: &str, value: &dyn fmt::Display, detail: &str) -> String {
    format!("{path}: Invalid value: {value}: {detail}")
}

/// Checks the number and type of values that an operator takes.
fn check_count(op: LabelOp, values: &[String], faults: &mut Vec<String>) {
    let (fits, detail) = match op {
        LabelOp::In | LabelOp::NotIn => {
            (!values.is_empty(), "for 'in', 'notin' operators, values set can't be empty")
        }
        LabelOp::Equals | LabelOp::DoubleEquals | LabelOp::NotEquals => {
            (values.len() == 1, "exact-match compatibility requires one single value")
        }
        LabelOp::Exists | LabelOp::DoesNotExist => {
            (values.is_empty(), "values set must be empty for exists and does not exist")
        }
        LabelOp::GreaterThan | LabelOp::LessThan => {
            (values.len() == 1, "for 'Gt', 'Lt' operators, exactly one value is required")
        }
    };
    if !fits {
        let formatted = values.iter().map(|value| Node::string(value.as_str())).collect::<Vec<_>>();
        let formatted =
            if formatted.is_empty() { "null".into() } else { Node::list(formatted).to_json() };
        faults.push(invalid("values", &formatted, detail));
    }
    if !matches!(op, LabelOp::GreaterThan | LabelOp::LessThan) {
        return;
    }
    for (index, value) in values.iter().enumerate() {
        if value.parse::<i64>().is_err() {
            let detail = "for 'Gt', 'Lt' operators, the value must be an integer";
            faults.push(invalid(&format!("values[{index}]"), &Quoted(value), detail));
        }
    }
}

/// Formats the requirement in the syntax that is parsed, with values sorted.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        values.sort_unstable();
        let (key, values) = (&self.key, values.join(","));
        match self.op {
            LabelOp::Exists => f.write_str(key),
            LabelOp::DoesNotExist => write!(f, "!{key}"),
            LabelOp::Equals => write!(f, "{key}={values}"),
            LabelOp::DoubleEquals => write!(f, "{key}=={values}"),
            LabelOp::NotEquals => write!(f, "{key}!={values}"),
            LabelOp::In => write!(f, "{key} in ({values})"),
            LabelOp::NotIn => write!(f, "{key} notin ({values})"),
            LabelOp::GreaterThan => write!(f, "{key}>{values}"),
            LabelOp::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        for requirement in &self.requirements {
            write!(f, "{before}{requirement}")?;
            before = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};

    fn from(text: &str) -> Result<LabelSelector, String> {
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        LabelSelector::from_tree(Some(&node))
    }

    #[test]
    fn selectors_of_objects() {
        let text = "{matchLabels: {b: x, a: z}, matchExpressions: [{key: c, operator: NotIn, values: [v, u]}, {key: d, operator: DoesNotExist}]}";
        let selector = from(text).unwrap();
        assert_eq!(selector.to_string(), "a=z,b=x,c notin (u,v),!d");
        let object = |labels: &str| {
            let text = format!("{{metadata: {{labels: {labels}}}}}");
            decode(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
        };
        assert!(selector.matches_object(&object("{a: z, b: x}")));
        assert!(!selector.matches_object(&object("{a: z, b: x, c: u}")));
        assert!(!selector.matches_object(&object("{a: z, b: x, d: ''}")));
        assert!(!selector.matches_object(&object("{b: x}")));
    }

    #[test]
    fn absent_matches_nothing_and_empty_everything() {
        let absent = LabelSelector::from_tree(None).unwrap();
        assert!(absent.is_nothing() && !absent.is_everything() && !absent.matches(|_| Some("x")));
        assert!(from("{\"a\": null}").unwrap().is_everything());
        assert!(from("{matchLabels: {}, matchExpressions: []}").unwrap().matches(|_| None));
        let plain = Node::map([("app", Node::string("x"))]);
        assert_eq!(LabelSelector::from_labels(&plain).to_string(), "app=x");
        assert!(LabelSelector::from_labels(&Node::empty_map()).is_everything());
    }

    #[test]
    fn selectors_of_objects_that_are_none() {
        let error = |text: &str| from(text).unwrap_err();
        assert_eq!(
            error("{matchExpressions: [{key: a, operator: Gt}]}"),
            "\"Gt\" is not a valid label selector operator"
        );
        assert_eq!(
            error("{matchExpressions: [{key: a, operator: In}]}"),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
        );
        assert_eq!(
            error("{matchExpressions: [{key: a, operator: Exists, values: [b]}]}"),
            "values: Invalid value: [\"b\"]: values set must be empty for exists and does not exist"
        );
        assert!(
            error("{matchLabels: {a: '-'}}")
                .starts_with("values[0][a]: Invalid value: \"-\": a valid label")
        );
        let both = error("{matchLabels: {'-': '-'}}");
        assert!(
            both.starts_with("[key: Invalid value: \"-\": name part") && both.ends_with(']'),
            "{both}"
        );
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let more = Requirement::new("a", LabelOp::GreaterThan, ["9".into()].into()).unwrap();
        assert!(more.holds(Some("10")) && !more.holds(Some("9")) && !more.holds(Some("x")));
        assert!(!more.holds(None));
        let less = Requirement::new("a", LabelOp::LessThan, ["9".into()].into()).unwrap();
        assert!(less.holds(Some("-10")) && !less.holds(Some("10")) && !less.holds(None));
    }
}
