//! Calls of `format()` whose format and list are written out are judged before anything is evaluated.

use super::string_format::{Clause, Piece, pieces};
use crate::Type;
use crate::syntax::{Expr, Kind, Wrong};

/// Judges a call, if it is one of `format()` with both written out.
pub(crate) fn check(call: &Expr, types: &[Type]) -> Option<Wrong> {
    let Kind::Call { target: Some(target), function, arguments } = &call.kind else { return None };
    let (Kind::Literal(format), [Expr { kind: Kind::List(items), .. }]) =
        (&target.kind, arguments.as_slice())
    else {
        return None;
    };
    let format = format.as_text().filter(|_| function == "format")?;
    let at_call = |message| Some(Wrong { at: Some(call.at), message });
    let mut used = 0;
    for piece in pieces(format) {
        let clause = match piece {
            Ok(Piece::Plain(_)) => continue,
            Ok(Piece::Clause(clause)) => clause,
            Err(why) => return at_call(why),
        };
        let Some((item, _)) = items.get(used) else {
            return at_call(alloc::format!("index {used} out of range"));
        };
        if let Some(bad) = misfit(clause, item, types) {
            let why = clause.refusal(type_at(bad, types).name());
            let message = alloc::format!("error during formatting: {why}");
            return Some(Wrong { at: Some(bad.at), message });
        }
        used += 1;
    }
    let given = items.len();
    if given <= used {
        return None;
    }
    at_call(alloc::format!(
        "too many arguments supplied to string.format (expected {used}, got {given})"
    ))
}

fn type_at(item: &Expr, types: &[Type]) -> Type {
    types.get(item.id).cloned().unwrap_or(Type::Dyn)
}

/// What a clause does not take: an item, or something within it.
fn misfit<'e>(clause: Clause, item: &'e Expr, types: &[Type]) -> Option<&'e Expr> {
    if !takes(clause, &type_at(item, types)) {
        return Some(item);
    }
    match &item.kind {
        Kind::List(items) if clause == Clause::Text => {
            items.iter().find_map(|(item, _)| misfit(clause, item, types))
        }
        Kind::Map(entries) if clause == Clause::Text => entries.iter().find_map(|entry| {
            misfit(clause, &entry.key, types).or_else(|| misfit(clause, &entry.value, types))
        }),
        _ => None,
    }
}

fn takes(clause: Clause, ty: &Type) -> bool {
    let is_whole = matches!(ty, Type::Int | Type::Uint);
    match (clause, ty) {
        (_, Type::Dyn) => true,
        (Clause::Text, _) => {
            !matches!(ty, Type::Optional(_) | Type::Opaque(_) | Type::Object(_) | Type::Error)
        }
        (Clause::Decimal | Clause::Octal, _) => is_whole,
        // A text may be the name of infinity.
        (Clause::Fixed(_) | Clause::Scientific(_), _) => matches!(ty, Type::Double | Type::String),
        (Clause::Binary, _) => is_whole || matches!(ty, Type::Bool),
        (Clause::Hex { .. }, _) => is_whole || matches!(ty, Type::String | Type::Bytes),
    }
}
