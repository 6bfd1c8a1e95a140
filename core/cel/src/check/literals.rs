//! Checks of literals that need no evaluation.

use crate::library::{pattern, standard, string_format_check};
use crate::syntax::{Comprehension, Expr, Kind, SourceError};
use crate::{Type, Value};
use alloc::format;
use alloc::vec::Vec;

/// Reports literals that cannot be valid, in the order of the reference's validators.
pub(super) fn check(
    expr: &Expr,
    types: &[Type],
    version: (u32, u32),
    errors: &mut Vec<SourceError>,
) {
    check_mixtures(expr, types, errors);
    if version < (1, 29) {
        return;
    }
    visit(expr, &mut |expr| {
        if let Kind::Call { function, arguments, .. } = &expr.kind
            && let Some(argument) = arguments.first()
            && let Kind::Literal(value) = &argument.kind
            && !converts(function, value)
        {
            let message = format!("invalid {function} argument");
            errors.push(SourceError { at: Some(argument.at), message });
        }
    });
    visit(expr, &mut |expr| errors.extend(string_format_check::check(expr, types)));
}

/// Reports lists and maps of mixed types.
fn check_mixtures(expr: &Expr, types: &[Type], errors: &mut Vec<SourceError>) {
    visit_unless(expr, may_mix, &mut |expr| match &expr.kind {
        Kind::List(items) => {
            let items = items.iter().map(|(item, optional)| (item, *optional));
            errors.extend(mismatched_items(items, types).next());
        }
        Kind::Map(entries) => {
            let keys = entries.iter().map(|entry| (&entry.key, false));
            let values = entries.iter().map(|entry| (&entry.value, entry.optional));
            errors.extend(mismatched_items(keys, types).chain(mismatched_items(values, types)));
        }
        _ => {}
    });
}

/// Whether lists and maps within an expression may have mixed types: only `format()` takes them.
fn may_mix(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Call { function, .. } if function == "format")
}

fn converts(function: &str, value: &Value<'static>) -> bool {
    match (function, value.as_text()) {
        ("duration", _) => standard::to_duration(value).is_ok(),
        ("timestamp", _) => standard::to_timestamp(value).is_ok(),
        ("matches", Some(pattern)) => pattern::compile(pattern).is_ok(),
        _ => true,
    }
}

/// The items of another type than the first.
fn mismatched_items<'e>(
    mut items: impl Iterator<Item = (&'e Expr, bool)>,
    types: &[Type],
) -> impl Iterator<Item = SourceError> {
    let type_of = |(item, optional): (&Expr, bool)| {
        let ty = types.get(item.id).cloned().unwrap_or(Type::Error);
        match ty {
            Type::Optional(inner) if optional => inner.as_ref().clone(),
            other => other,
        }
    };
    let expected = items.next().map(type_of);
    items.filter_map(move |(item, optional)| {
        let (expected, ty) = (expected.as_ref()?, type_of((item, optional)));
        let message = format!("expected type '{expected}' but found '{ty}'");
        (*expected != ty).then_some(SourceError { at: Some(item.at), message })
    })
}

/// Calls `each` for an expression and all its subexpressions.
pub(crate) fn visit(expr: &Expr, each: &mut dyn FnMut(&Expr)) {
    visit_unless(expr, |_| false, each);
}

/// The same, without the subexpressions of an expression for which `ends` is true.
fn visit_unless(expr: &Expr, ends: fn(&Expr) -> bool, each: &mut dyn FnMut(&Expr)) {
    each(expr);
    if ends(expr) {
        return;
    }
    let visit = |part: &Expr, each: &mut dyn FnMut(&Expr)| visit_unless(part, ends, each);
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
        Kind::Struct { fields, .. } => fields.iter().for_each(|field| visit(&field.value, each)),
        Kind::Comprehension(fold) => {
            let Comprehension { range, start, condition, step, result, .. } = fold.as_ref();
            for part in [range, start, condition, step, result] {
                visit(part, each);
            }
        }
    }
}
