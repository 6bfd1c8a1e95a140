//! Literals that can be judged before anything is evaluated.

use crate::library::{regex, standard};
use crate::syntax::{Expr, Fold, Kind, Wrong};
use crate::{Type, Value};
use alloc::format;
use alloc::vec::Vec;

/// Reports literals that cannot work, in the order of the reference's validators.
pub(super) fn check(expr: &Expr, types: &[Type], wrongs: &mut Vec<Wrong>) {
    visit(expr, &mut |expr| {
        if let Kind::Call { function, arguments, .. } = &expr.kind
            && let Some(argument) = arguments.first()
            && let Kind::Literal(value) = &argument.kind
            && !works(function, value)
        {
            let message = format!("invalid {function} argument");
            wrongs.push(Wrong { at: Some(argument.at), message });
        }
    });
    visit(expr, &mut |expr| match &expr.kind {
        Kind::List(items) => {
            same(items.iter().map(|(item, optional)| (item, *optional)), types, wrongs);
        }
        Kind::Map(entries) => {
            same(entries.iter().map(|entry| (&entry.key, false)), types, wrongs);
            same(entries.iter().map(|entry| (&entry.value, entry.optional)), types, wrongs);
        }
        _ => {}
    });
}

fn works(function: &str, value: &Value<'static>) -> bool {
    match (function, value.as_text()) {
        ("duration", _) => standard::to_duration(value).is_ok(),
        ("timestamp", _) => standard::to_timestamp(value).is_ok(),
        ("matches", Some(pattern)) => regex::compile(pattern).is_ok(),
        _ => true,
    }
}

/// Reports the first item of another type than the first.
fn same<'e>(
    items: impl Iterator<Item = (&'e Expr, bool)>,
    types: &[Type],
    wrongs: &mut Vec<Wrong>,
) {
    let mut expected: Option<Type> = None;
    for (item, optional) in items {
        let ty = types.get(item.id).cloned().unwrap_or(Type::Error);
        let ty = match ty {
            Type::Optional(inner) if optional => inner.as_ref().clone(),
            other => other,
        };
        match &expected {
            None => expected = Some(ty),
            Some(expected) if *expected != ty => {
                let message = format!("expected type '{expected}' but found '{ty}'");
                wrongs.push(Wrong { at: Some(item.at), message });
                return;
            }
            Some(_) => {}
        }
    }
}

/// Calls `each` for an expression and all within it.
pub(crate) fn visit(expr: &Expr, each: &mut dyn FnMut(&Expr)) {
    each(expr);
    match &expr.kind {
        Kind::Literal(_) | Kind::Ident(_) => {}
        Kind::Select { operand, .. } => visit(operand, each),
        Kind::Call { target, arguments, .. } => {
            for part in target.iter().map(AsRef::as_ref).chain(arguments) {
                visit(part, each);
            }
        }
        Kind::List(items) => items.iter().for_each(|(item, _)| visit(item, each)),
        Kind::Map(entries) => {
            for entry in entries {
                visit(&entry.key, each);
                visit(&entry.value, each);
            }
        }
        Kind::Struct { values, .. } => values.iter().for_each(|value| visit(value, each)),
        Kind::Fold(fold) => {
            let Fold { range, start, condition, step, result, .. } = fold.as_ref();
            for part in [range, start, condition, step, result] {
                visit(part, each);
            }
        }
    }
}
