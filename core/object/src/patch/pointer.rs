//! JSON pointers as the API server resolves them, and the container that a pointer's last step changes.

use crate::{Entry, Node, Value};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::num::{IntErrorKind, ParseIntError};
use ratchet_net::Quoted;

/// A pointer: the steps to a container, and the key or index in it.
pub(super) struct Pointer {
    parents: Vec<String>,
    pub(super) last: String,
}

impl Pointer {
    /// Ignores what precedes the first slash; a path without a slash is no pointer.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let (_, steps) = path.split_once('/')?;
        let mut parents: Vec<String> = steps.split('/').map(unescape).collect();
        let last = parents.pop()?;
        Some(Self { parents, last })
    }

    /// The depth of a value that is put here.
    pub(super) fn depth(&self) -> usize {
        self.parents.len() + 1
    }

    /// The map or list that the last step applies to. `cost` accumulates how much was searched.
    pub(super) fn container<'n>(
        &self,
        root: &'n mut Node<'static>,
        cost: &mut usize,
    ) -> Option<&'n mut Node<'static>> {
        let end = self.parents.iter().try_fold(root, |node, step| {
            *cost += breadth(node) / 8 + 1;
            match &mut node.value {
                Value::Map(entries) => entry_mut(entries, step).map(|entry| &mut entry.node),
                Value::List(items) => {
                    let item_index = item_index(step, items.len()).ok()?;
                    items.get_mut(item_index)
                }
                _ => None,
            }
        })?;
        matches!(end.value, Value::Map(_) | Value::List(_)).then_some(end)
    }
}

fn breadth(node: &Node<'_>) -> usize {
    node.entries().len() + node.items().len()
}

fn entry_mut<'e>(entries: &'e mut [Entry<'static>], name: &str) -> Option<&'e mut Entry<'static>> {
    entries.iter_mut().find(|entry| entry.key == name)
}

fn unescape(step: &str) -> String {
    let mut out = String::with_capacity(step.len());
    let mut rest = step;
    while let Some((before, after)) = rest.split_once('~') {
        out.push_str(before);
        let (letter, tail) = if let Some(tail) = after.strip_prefix('1') {
            ('/', tail)
        } else {
            ('~', after.strip_prefix('0').unwrap_or(after))
        };
        out.push(letter);
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The index of an existing item; a negative one counts from the end.
fn item_index(step: &str, count: usize) -> Result<usize, String> {
    let index: i64 = step.parse().map_err(|error: ParseIntError| {
        let why = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.Atoi: parsing {}: {why}", Quoted(step))
    })?;
    let out_of_range =
        || format!("Unable to access invalid index: {index}: invalid index referenced");
    let item_index = if index < 0 {
        let back = usize::try_from(index.unsigned_abs()).map_err(|_| out_of_range())?;
        count.checked_sub(back).ok_or_else(out_of_range)?
    } else {
        usize::try_from(index).map_err(|_| out_of_range())?
    };
    if item_index < count { Ok(item_index) } else { Err(out_of_range()) }
}

/// The value in a container; an absent member of a map is no error, as in the library.
pub(super) fn get<'n>(
    container: &'n mut Node<'static>,
    step: &str,
) -> Result<Option<&'n mut Node<'static>>, String> {
    match &mut container.value {
        Value::List(items) => {
            let item_index = item_index(step, items.len())?;
            Ok(items.get_mut(item_index))
        }
        Value::Map(entries) => Ok(entry_mut(entries, step).map(|entry| &mut entry.node)),
        _ => Ok(None),
    }
}

/// Adds to a container: a member is set, an item is inserted before the one at its index.
pub(super) fn add(
    container: &mut Node<'static>,
    step: &str,
    value: Node<'static>,
) -> Result<(), String> {
    match &mut container.value {
        Value::List(items) if step == "-" => items.push(value),
        Value::List(items) => {
            // One index more than there are items: the end.
            let item_index =
                item_index(step, items.len() + 1).map_err(|error| match step.parse::<i64>() {
                    Ok(_) => error,
                    Err(_) => format!("value was not a proper array index: '{step}': {error}"),
                })?;
            items.insert(item_index, value);
        }
        _ => container.set(step.to_string(), value),
    }
    Ok(())
}

/// Removes a value from a container.
pub(super) fn remove(container: &mut Node<'static>, step: &str) -> Result<Node<'static>, String> {
    if let Value::List(items) = &mut container.value {
        let item_index = item_index(step, items.len())?;
        return Ok(items.remove(item_index));
    }
    container
        .remove(step)
        .ok_or_else(|| format!("Unable to remove nonexistent key: {step}: missing value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_once() {
        for (step, name) in
            [("a~1b", "a/b"), ("a~0b", "a~b"), ("~01", "~1"), ("~", "~"), ("~2", "~2"), ("", "")]
        {
            assert_eq!(unescape(step), name);
        }
    }

    #[test]
    fn places_count_from_both_ends() {
        assert_eq!(item_index("0", 2), Ok(0));
        assert_eq!(item_index("-1", 2), Ok(1));
        assert_eq!(item_index("+1", 2), Ok(1));
        assert_eq!(item_index("01", 2), Ok(1));
        for step in ["2", "-3", "", "-", "x", "1.0", "99999999999999999999"] {
            assert!(item_index(step, 2).is_err(), "{step}");
        }
        assert!(item_index("-9223372036854775808", 2).is_err());
    }

    #[test]
    fn paths_without_a_slash_lead_nowhere() {
        assert!(Pointer::parse("").is_none());
        assert!(Pointer::parse("a").is_none());
        let pointer = Pointer::parse("a/b/c").unwrap();
        assert_eq!((pointer.parents.len(), pointer.last.as_str()), (1, "c"));
    }
}
