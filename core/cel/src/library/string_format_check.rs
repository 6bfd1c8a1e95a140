//! Static checks of `format()` calls whose format and arguments are literals.

use super::string_format::{Clause, Piece, pieces};
use crate::Type;
use crate::syntax::{Expr, Kind, SourceError};

/// Checks a call, if it is one of `format()` with a literal format and list.
pub(crate) fn check(call: &Expr, types: &[Type]) -> Option<SourceError> {
    let Kind::Call { target: Some(target), function, arguments } = &call.kind else { return None };
    let (Kind::Literal(format), [Expr { kind: Kind::List(items), .. }]) =
        (&target.kind, arguments.as_slice())
    else {
        return None;
    };
    let format = format.as_text().filter(|_| function == "format")?;
    let at_call = |message| Some(SourceError { at: Some(call.at), message });
    let mut used = 0;
    for piece in pieces(format) {
        let clause = match piece {
            Ok(Piece::Plain(_)) => continue,
            Ok(Piece::Clause(clause)) => clause,
            Err(error) => return at_call(error),
        };
        let Some((item, _)) = items.get(used) else {
            return at_call(alloc::format!("index {used} out of range"));
        };
        if let Some(bad) = mismatch(clause, item, types) {
            let error = clause.type_error(type_at(bad, types).name());
            let message = alloc::format!("error during formatting: {error}");
            return Some(SourceError { at: Some(bad.at), message });
        }
        used += 1;
    }
    let actual = items.len();
    if actual <= used {
        return None;
    }
    at_call(alloc::format!(
        "too many arguments supplied to string.format (expected {used}, got {actual})"
    ))
}

fn type_at(item: &Expr, types: &[Type]) -> Type {
    types.get(item.id).cloned().unwrap_or(Type::Dyn)
}

/// The part of an argument that a clause does not take: the item itself, or something within it.
fn mismatch<'e>(clause: Clause, item: &'e Expr, types: &[Type]) -> Option<&'e Expr> {
    if !accepts(clause, &type_at(item, types)) {
        return Some(item);
    }
    match &item.kind {
        Kind::List(items) if clause == Clause::Text => {
            items.iter().find_map(|(item, _)| mismatch(clause, item, types))
        }
        Kind::Map(entries) if clause == Clause::Text => entries.iter().find_map(|entry| {
            mismatch(clause, &entry.key, types).or_else(|| mismatch(clause, &entry.value, types))
        }),
        _ => None,
    }
}

fn accepts(clause: Clause, ty: &Type) -> bool {
    let is_whole = matches!(ty, Type::Int | Type::Uint);
    match (clause, ty) {
        (_, Type::Dyn) => true,
        (Clause::Text, _) => {
            !matches!(ty, Type::Optional(_) | Type::Opaque(_) | Type::Object(_) | Type::Error)
        }
        (Clause::Decimal | Clause::Octal, _) => is_whole,
        // A string may name infinity.
        (Clause::Fixed(_) | Clause::Scientific(_), _) => matches!(ty, Type::Double | Type::String),
        (Clause::Binary, _) => is_whole || matches!(ty, Type::Bool),
        (Clause::Hex { .. }, _) => is_whole || matches!(ty, Type::String | Type::Bytes),
    }
}
