//! JSON pointers as the API reads them, and the container that a pointer's last step changes.

use crate::{Entry, Node, Value};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A path: the way to a container, and the name or place in it.
pub(super) struct Pointer {
    way: Vec<String>,
    pub(super) last: String,
}

impl Pointer {
    /// What stands before the first slash is not looked at; a path without a slash leads nowhere.
    pub(super) fn read(path: &str) -> Option<Self> {
        let (_, steps) = path.split_once('/')?;
        let mut way: Vec<String> = steps.split('/').map(unescape).collect();
        let last = way.pop()?;
        Some(Self { way, last })
    }

    /// How deep a value stands that is put here.
    pub(super) fn depth(&self) -> usize {
        self.way.len() + 1
    }

    /// The map or list that the last step is about. `cost` learns how much was searched.
    pub(super) fn container<'n>(
        &self,
        root: &'n mut Node<'static>,
        cost: &mut usize,
    ) -> Option<&'n mut Node<'static>> {
        let end = self.way.iter().try_fold(root, |node, step| {
            *cost += breadth(node) / 8 + 1;
            match &mut node.value {
                Value::Map(entries) => entry_mut(entries, step).map(|entry| &mut entry.node),
                Value::List(items) => {
                    let place = place(step, items.len()).ok()?;
                    items.get_mut(place)
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

/// The place of an item that is there; what is negative counts from the end.
fn place(step: &str, count: usize) -> Result<usize, String> {
    let index: i64 =
        step.parse().map_err(|_| format!("strconv.Atoi: parsing {step:?}: invalid syntax"))?;
    let wrong = || format!("Unable to access invalid index: {index}: invalid index referenced");
    let place = if index < 0 {
        let back = usize::try_from(index.unsigned_abs()).map_err(|_| wrong())?;
        count.checked_sub(back).ok_or_else(wrong)?
    } else {
        usize::try_from(index).map_err(|_| wrong())?
    };
    if place < count { Ok(place) } else { Err(wrong()) }
}

/// The value in a container; a map that lacks it says so without an error, as the library does.
pub(super) fn get<'n>(
    container: &'n mut Node<'static>,
    step: &str,
) -> Result<Option<&'n mut Node<'static>>, String> {
    match &mut container.value {
        Value::List(items) => {
            let place = place(step, items.len())?;
            Ok(items.get_mut(place))
        }
        Value::Map(entries) => Ok(entry_mut(entries, step).map(|entry| &mut entry.node)),
        _ => Ok(None),
    }
}

/// Adds to a container: a member is set, an item goes in before the one that stands there.
pub(super) fn add(
    container: &mut Node<'static>,
    step: &str,
    value: Node<'static>,
) -> Result<(), String> {
    match &mut container.value {
        Value::List(items) if step == "-" => items.push(value),
        Value::List(items) => {
            // One place more than there are: the end.
            let place = place(step, items.len() + 1).map_err(|why| match step.parse::<i64>() {
                Ok(_) => why,
                Err(_) => format!("value was not a proper array index: '{step}': {why}"),
            })?;
            items.insert(place, value);
        }
        _ => container.set(step.to_string(), value),
    }
    Ok(())
}

/// Takes a value out of a container.
pub(super) fn remove(container: &mut Node<'static>, step: &str) -> Result<Node<'static>, String> {
    if let Value::List(items) = &mut container.value {
        let place = place(step, items.len())?;
        return Ok(items.remove(place));
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
        assert_eq!(place("0", 2), Ok(0));
        assert_eq!(place("-1", 2), Ok(1));
        assert_eq!(place("+1", 2), Ok(1));
        assert_eq!(place("01", 2), Ok(1));
        for step in ["2", "-3", "", "-", "x", "1.0", "99999999999999999999"] {
            assert!(place(step, 2).is_err(), "{step}");
        }
        assert!(place("-9223372036854775808", 2).is_err());
    }

    #[test]
    fn paths_without_a_slash_lead_nowhere() {
        assert!(Pointer::read("").is_none());
        assert!(Pointer::read("a").is_none());
        let odd = Pointer::read("a/b/c").unwrap();
        assert_eq!((odd.way.len(), odd.last.as_str()), (1, "c"));
    }
}
