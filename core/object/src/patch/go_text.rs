//! Trees formatted like Go's `%v`, as in error messages of the API server.

use crate::{Node, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Displays a tree as Go prints maps and slices: `map[a:1 b:[x y]]`, keys sorted, strings unquoted.
#[derive(Clone, Copy, Debug)]
pub struct GoText<'a>(
    /// The tree to display.
    pub &'a Node<'a>,
);

impl fmt::Display for GoText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.value {
            Value::Null => f.write_str("<nil>"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Float(number) => f.write_str(&float(*number)),
            Value::Text(text) => f.write_str(text),
            Value::List(items) => write_list(f, items),
            Value::Map(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.sort_by(|a, b| a.key.cmp(&b.key));
                f.write_str("map[")?;
                let mut before = "";
                for entry in entries {
                    write!(f, "{before}{}:{}", entry.key, GoText(&entry.node))?;
                    before = " ";
                }
                f.write_str("]")
            }
        }
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, items: &[Node<'_>]) -> fmt::Result {
    f.write_str("[")?;
    let mut before = "";
    for item in items {
        write!(f, "{before}{}", GoText(item))?;
        before = " ";
    }
    f.write_str("]")
}

/// A list of items as Go prints a slice.
pub(super) fn list(items: &[Node<'static>]) -> String {
    struct Items<'a>(&'a [Node<'static>]);
    impl fmt::Display for Items<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_list(f, self.0)
        }
    }
    format!("{}", Items(items))
}

/// A float as Go prints it: the shortest digits, with an exponent of at least two digits beyond 1e-4 and 1e21.
fn float(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-4..1e21).contains(&size) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    let Some((digits, power)) = text.split_once('e') else { return text };
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    format!("{digits}e{sign}{power:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    #[test]
    fn maps_lists_and_scalars() {
        let inner = Node::map([("z", Node::new(Value::Null)), ("b", Node::bool(true))]);
        let list = Node::list(vec![Node::int(1), Node::string("x y"), inner]);
        let tree = Node::map([("spec", list), ("a", Node::empty_map())]);
        assert_eq!(GoText(&tree).to_string(), "map[a:map[] spec:[1 x y map[b:true z:<nil>]]]");
    }

    #[test]
    fn numbers() {
        for (number, text) in
            [(1.5, "1.5"), (0.0, "0"), (100.0, "100"), (1e21, "1e+21"), (1e-5, "1e-05")]
        {
            assert_eq!(GoText(&Node::new(Value::Float(number))).to_string(), text);
        }
    }
}
