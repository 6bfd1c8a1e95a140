//! Accessors for the arguments of a call, by type.

use crate::{Fault, List, Opaque, Value};

pub(super) fn text<'a>(arguments: &'a [Value<'_>], index: usize) -> Result<&'a str, Fault> {
    arguments.get(index).and_then(Value::as_text).ok_or_else(Fault::no_such_overload)
}

pub(super) fn int(arguments: &[Value<'_>], index: usize) -> Result<i64, Fault> {
    arguments.get(index).and_then(Value::as_int).ok_or_else(Fault::no_such_overload)
}

pub(super) fn truth(arguments: &[Value<'_>], index: usize) -> Result<bool, Fault> {
    arguments.get(index).and_then(Value::as_bool).ok_or_else(Fault::no_such_overload)
}

pub(super) fn list<'a, 't>(
    arguments: &'a [Value<'t>],
    index: usize,
) -> Result<&'a List<'t>, Fault> {
    arguments.get(index).and_then(Value::as_list).ok_or_else(Fault::no_such_overload)
}

pub(super) fn opaque<'a, T: Opaque>(
    arguments: &'a [Value<'_>],
    index: usize,
) -> Result<&'a T, Fault> {
    arguments.get(index).and_then(Value::as_opaque).ok_or_else(Fault::no_such_overload)
}
