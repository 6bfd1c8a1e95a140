//! Function signatures as text: `string.split(string): list(string)`.

use crate::Type;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A parsed signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The qualified name of the function.
    pub name: String,
    /// Whether the first parameter is a receiver.
    pub member: bool,
    /// The parameters, the receiver first.
    pub parameters: Vec<Type>,
    /// The result type.
    pub result: Type,
}

impl Signature {
    /// Parses a signature; `None` if it is malformed.
    pub fn parse(text: &'static str) -> Option<Self> {
        let (text, namespaced) = match text.strip_prefix("fn ") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let close = text.rfind("):")?;
        let open = opening(text, close)?;
        let result = parse_type(text.get(close + 2..)?)?;
        let mut parameters = parse_types(text.get(open + 1..close)?)?;
        let head = text.get(..open)?;
        let dot = if namespaced { None } else { head.rfind('.') };
        let Some(dot) = dot else {
            return Some(Self { name: head.to_string(), member: false, parameters, result });
        };
        parameters.insert(0, parse_type(head.get(..dot)?)?);
        let name = head.get(dot + 1..)?.to_string();
        Some(Self { name, member: true, parameters, result })
    }
}

/// The opening parenthesis that matches the closing one at `close`.
fn opening(text: &str, close: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (index, byte) in
        text.bytes().enumerate().take(close + 1).collect::<Vec<_>>().into_iter().rev()
    {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

fn parse_types(text: &'static str) -> Option<Vec<Type>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let mut types = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                types.push(parse_type(text.get(start..index)?)?);
                start = index + 1;
            }
            _ => {}
        }
    }
    types.push(parse_type(text.get(start..)?)?);
    Some(types)
}

/// The types without parameters.
const SIMPLE_TYPES: &[(&str, Type)] = &[
    ("null", Type::Null),
    ("bool", Type::Bool),
    ("int", Type::Int),
    ("uint", Type::Uint),
    ("double", Type::Double),
    ("string", Type::String),
    ("bytes", Type::Bytes),
    ("duration", Type::Duration),
    ("timestamp", Type::Timestamp),
    ("dyn", Type::Dyn),
];

/// Parses a type in the syntax of signatures.
pub(crate) fn parse_type(text: &'static str) -> Option<Type> {
    let text = text.trim();
    if let Some((_, ty)) = SIMPLE_TYPES.iter().find(|(simple, _)| *simple == text) {
        return Some(ty.clone());
    }
    if let Some((name, rest)) = text.split_once('(') {
        let mut inner = parse_types(rest.strip_suffix(')')?)?.into_iter();
        let ty = match name {
            "list" => Type::list(inner.next()?),
            "map" => Type::map(inner.next()?, inner.next()?),
            "optional_type" => Type::optional(inner.next()?),
            "type" => Type::type_of(inner.next()?),
            _ => return None,
        };
        return inner.next().is_none().then_some(ty);
    }
    let mut letters = text.chars();
    match (letters.next()?, letters.next()) {
        (letter, None) if letter.is_ascii_uppercase() => Some(Type::Param(letter)),
        _ if text.contains('.') => Some(Type::Opaque(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read() {
        let member = Signature::parse("list(A).indexOf(A): int").expect("a signature");
        assert!(member.member);
        assert_eq!(member.name, "indexOf");
        assert_eq!(member.parameters, [Type::list(Type::Param('A')), Type::Param('A')]);
        let opaque = Signature::parse("net.CIDR.containsIP(net.IP): bool").expect("a signature");
        assert_eq!(opaque.parameters, [Type::Opaque("net.CIDR"), Type::Opaque("net.IP")]);
        let space = Signature::parse("fn ip.isCanonical(string): bool").expect("a signature");
        assert_eq!((space.name.as_str(), space.member), ("ip.isCanonical", false));
        let none = Signature::parse("net.IP.family(): int").expect("a signature");
        assert_eq!(none.parameters, [Type::Opaque("net.IP")]);
        let operator = Signature::parse("_?_:_(bool, A, A): A").expect("a signature");
        assert_eq!(operator.name, "_?_:_");
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        for text in ["f", "f()", "f(: int", "f(nonsense): int", "f(list(int, int)): int"] {
            assert_eq!(Signature::parse(text), None, "{text}");
        }
    }
}
