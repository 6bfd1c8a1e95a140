//! Macros: comprehensions, `has`, and functions on optionals.

use super::grammar::Factory;
use super::{Comprehension, Expr, Kind, SourceError};
use crate::Value;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// A call that may be a macro.
pub(super) struct ParsedCall {
    pub(super) at: u32,
    pub(super) target: Option<Expr>,
    pub(super) function: String,
    pub(super) arguments: Vec<Expr>,
}

/// The name of the accumulator, which cannot be written in an expression.
pub(crate) const ACCUMULATOR: &str = "@result";
/// The former name of the accumulator, which iteration variables may not have.
const LEGACY_ACCUMULATOR: &str = "__result__";

/// The most subexpressions that an expression may expand to.
const MAX_EXPRESSIONS: usize = 1 << 17;

type Expand = fn(&mut Factory, u32, Expr, Vec<Expr>) -> Result<Expr, SourceError>;

/// A macro with a receiver.
struct Macro {
    function: &'static str,
    arguments: usize,
    since: (u32, u32),
    expand: Expand,
}

const fn row(function: &'static str, arguments: usize, since: u32, expand: Expand) -> Macro {
    Macro { function, arguments, since: (1, since), expand }
}

static MACROS: &[Macro] = &[
    row("all", 2, 0, all),
    row("exists", 2, 0, exists),
    row("exists_one", 2, 0, exists_one),
    row("map", 2, 0, map),
    row("map", 3, 0, map),
    row("filter", 2, 0, filter),
    row("optMap", 2, 28, optional_map),
    row("optFlatMap", 2, 28, optional_flat_map),
    row("all", 3, 32, all),
    row("exists", 3, 32, exists),
    row("exists_one", 3, 32, exists_one),
    row("existsOne", 3, 32, exists_one),
    row("transformList", 3, 32, transform_list),
    row("transformList", 4, 32, transform_list),
    row("transformMap", 3, 32, transform_map),
    row("transformMap", 4, 32, transform_map),
    row("transformMapEntry", 3, 32, transform_map_entry),
    row("transformMapEntry", 4, 32, transform_map_entry),
    row("sortBy", 2, 34, sort_by),
];

/// Expands a call, if it is a macro.
pub(super) fn expand(
    factory: &mut Factory,
    call: ParsedCall,
    version: (u32, u32),
) -> Result<Expr, SourceError> {
    let ParsedCall { at, target, function, mut arguments } = call;
    let matching_macro = MACROS.iter().find(|row| {
        row.function == function && row.arguments == arguments.len() && version >= row.since
    });
    match (target, matching_macro) {
        (Some(target), Some(row)) => (row.expand)(factory, at, target, arguments),
        (None, _) if function == "has" && arguments.len() == 1 => has(factory, at, arguments.pop()),
        (target, _) => {
            let target = target.map(Box::new);
            Ok(factory.make(at, Kind::Call { target, function, arguments }))
        }
    }
}

fn source_error(at: u32, message: &str) -> SourceError {
    SourceError { at: Some(at), message: message.to_string() }
}

fn has(factory: &mut Factory, at: u32, argument: Option<Expr>) -> Result<Expr, SourceError> {
    let offset = argument.as_ref().map_or(at, |argument| argument.at);
    match argument.map(|argument| argument.kind) {
        Some(Kind::Select { operand, field, test: false }) => {
            Ok(factory.make(at, Kind::Select { operand, field, test: true }))
        }
        _ => Err(source_error(offset, "invalid argument to has() macro")),
    }
}

/// The names of the iteration variables.
struct Names {
    item: String,
    second: Option<String>,
}

const NOT_SIMPLE: &str = "argument must be a simple name";
const NOT_IDENTIFIER: &str = "argument is not an identifier";
const OVERWRITES: &str = "iteration variable overwrites accumulator variable";

fn simple_name(expr: &Expr, otherwise: &str) -> Result<String, SourceError> {
    match &expr.kind {
        Kind::Ident(name) => Ok(name.clone()),
        _ => Err(source_error(expr.at, otherwise)),
    }
}

fn one_name(arguments: &mut Vec<Expr>, otherwise: &str) -> Result<Names, SourceError> {
    let first = arguments.remove(0);
    let item = simple_name(&first, otherwise)?;
    if item == LEGACY_ACCUMULATOR {
        return Err(source_error(first.at, OVERWRITES));
    }
    Ok(Names { item, second: None })
}

fn two_names(arguments: &mut Vec<Expr>) -> Result<Names, SourceError> {
    let (first, second) = (arguments.remove(0), arguments.remove(0));
    let item = simple_name(&first, NOT_SIMPLE)?;
    let value = simple_name(&second, NOT_SIMPLE)?;
    if item == value {
        return Err(source_error(second.at, &format!("duplicate variable name: {item}")));
    }
    for (name, at) in [(&item, first.at), (&value, second.at)] {
        if name == LEGACY_ACCUMULATOR {
            return Err(source_error(at, OVERWRITES));
        }
    }
    Ok(Names { item, second: Some(value) })
}

/// The names and the predicate of a quantifier.
fn quantified(mut arguments: Vec<Expr>) -> Result<(Names, Expr), SourceError> {
    let names = if arguments.len() == 3 {
        two_names(&mut arguments)?
    } else {
        one_name(&mut arguments, NOT_SIMPLE)?
    };
    Ok((names, arguments.remove(0)))
}

/// The expressions of a comprehension that accumulate its result.
struct Accumulation {
    start: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
}

fn fold(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    names: Names,
    accumulation: Accumulation,
) -> Expr {
    let Names { item, second } = names;
    let Accumulation { start, condition, step, result } = accumulation;
    let accumulator = ACCUMULATOR.to_string();
    let fold = Comprehension { range, item, second, accumulator, start, condition, step, result };
    factory.make(at, Kind::Comprehension(Box::new(fold)))
}

fn all(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    until(factory, at, range, arguments, false)
}

fn exists(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    until(factory, at, range, arguments, true)
}

/// A loop that ends with the first item whose predicate is `decisive`.
fn until(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    arguments: Vec<Expr>,
    decisive: bool,
) -> Result<Expr, SourceError> {
    let (names, predicate) = quantified(arguments)?;
    let start = factory.literal(at, Value::Bool(!decisive));
    let mut undecided = factory.ident(at, ACCUMULATOR);
    if decisive {
        undecided = factory.call(at, "!_", vec![undecided]);
    }
    let condition = factory.call(at, "@not_strictly_false", vec![undecided]);
    let accumulator = factory.ident(at, ACCUMULATOR);
    let join = if decisive { "_||_" } else { "_&&_" };
    let step = factory.call(at, join, vec![accumulator, predicate]);
    let result = factory.ident(at, ACCUMULATOR);
    Ok(fold(factory, at, range, names, Accumulation { start, condition, step, result }))
}

fn exists_one(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let (names, predicate) = quantified(arguments)?;
    let start = factory.literal(at, Value::Int(0));
    let condition = factory.literal(at, Value::Bool(true));
    let accumulator = factory.ident(at, ACCUMULATOR);
    let one = factory.literal(at, Value::Int(1));
    let more = factory.call(at, "_+_", vec![accumulator, one]);
    let step = conditional_step(factory, at, Some(predicate), more);
    let accumulator = factory.ident(at, ACCUMULATOR);
    let one = factory.literal(at, Value::Int(1));
    let result = factory.call(at, "_==_", vec![accumulator, one]);
    Ok(fold(factory, at, range, names, Accumulation { start, condition, step, result }))
}

/// `step` where the filter accepts the item; the unchanged accumulator elsewhere.
fn conditional_step(factory: &mut Factory, at: u32, filter: Option<Expr>, step: Expr) -> Expr {
    match filter {
        None => step,
        Some(filter) => {
            let accumulator = factory.ident(at, ACCUMULATOR);
            factory.call(at, "_?_:_", vec![filter, step, accumulator])
        }
    }
}

/// A comprehension that adds to a list or a map.
fn accumulate(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    names: Names,
    start: Expr,
    step: Expr,
) -> Expr {
    let condition = factory.literal(at, Value::Bool(true));
    let result = factory.ident(at, ACCUMULATOR);
    fold(factory, at, range, names, Accumulation { start, condition, step, result })
}

fn append_step(factory: &mut Factory, at: u32, filter: Option<Expr>, item: Expr) -> Expr {
    let accumulator = factory.ident(at, ACCUMULATOR);
    let added = factory.make(at, Kind::List(vec![(item, false)]));
    let step = factory.call(at, "_+_", vec![accumulator, added]);
    conditional_step(factory, at, filter, step)
}

fn map(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let names = one_name(&mut arguments, NOT_IDENTIFIER)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let start = factory.make(at, Kind::List(Vec::new()));
    let step = append_step(factory, at, filter, arguments.remove(0));
    Ok(accumulate(factory, at, range, names, start, step))
}

fn filter(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let item = arguments.first().cloned();
    let names = one_name(&mut arguments, NOT_IDENTIFIER)?;
    let item = item.unwrap_or_else(|| factory.ident(at, &names.item));
    let start = factory.make(at, Kind::List(Vec::new()));
    let predicate = arguments.remove(0);
    let step = append_step(factory, at, Some(predicate), item);
    Ok(accumulate(factory, at, range, names, start, step))
}

fn transform_list(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let names = two_names(&mut arguments)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let start = factory.make(at, Kind::List(Vec::new()));
    let step = append_step(factory, at, filter, arguments.remove(0));
    Ok(accumulate(factory, at, range, names, start, step))
}

fn transform_map(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let names = two_names(&mut arguments)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let accumulator = factory.ident(at, ACCUMULATOR);
    let key = factory.ident(at, &names.item);
    let inserted = factory.call(at, "cel.@mapInsert", vec![accumulator, key, arguments.remove(0)]);
    let step = conditional_step(factory, at, filter, inserted);
    let start = factory.make(at, Kind::Map(Vec::new()));
    Ok(accumulate(factory, at, range, names, start, step))
}

fn transform_map_entry(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let names = two_names(&mut arguments)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let accumulator = factory.ident(at, ACCUMULATOR);
    let inserted = factory.call(at, "cel.@mapInsert", vec![accumulator, arguments.remove(0)]);
    let step = conditional_step(factory, at, filter, inserted);
    let start = factory.make(at, Kind::Map(Vec::new()));
    Ok(accumulate(factory, at, range, names, start, step))
}

/// `value` under `name` in `body`: a comprehension without iterations.
fn bind(factory: &mut Factory, at: u32, name: &str, value: Expr, body: Expr) -> Expr {
    let range = factory.make(at, Kind::List(Vec::new()));
    let condition = factory.literal(at, Value::Bool(false));
    let step = factory.ident(at, name);
    let fold = Comprehension {
        range,
        item: "#unused".to_string(),
        second: None,
        accumulator: name.to_string(),
        start: value,
        condition,
        step,
        result: body,
    };
    factory.make(at, Kind::Comprehension(Box::new(fold)))
}

/// What the optional maps share: the test for a value, and the body with the value bound to a name.
fn bind_optional(
    factory: &mut Factory,
    at: u32,
    target: &Expr,
    mut arguments: Vec<Expr>,
    function: &str,
) -> Result<(Expr, Expr), SourceError> {
    let message = format!("{function}() variable name must be a simple identifier");
    let name = simple_name(&arguments.remove(0), &message)?;
    // Each such macro duplicates its target.
    if factory.count() > MAX_EXPRESSIONS {
        return Err(source_error(at, "expression is too large once its macros are expanded"));
    }
    let again = Box::new(renumbered(factory, target));
    let member = |function: &str, target: Box<Expr>| Kind::Call {
        target: Some(target),
        function: function.to_string(),
        arguments: Vec::new(),
    };
    let value = factory.make(at, member("value", again));
    let body = bind(factory, at, &name, value, arguments.remove(0));
    let predicate = factory.make(at, member("hasValue", Box::new(target.clone())));
    Ok((predicate, body))
}

fn optional_map(
    factory: &mut Factory,
    at: u32,
    target: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let (predicate, body) = bind_optional(factory, at, &target, arguments, "optMap")?;
    let some = factory.call(at, "optional.of", vec![body]);
    let none = factory.call(at, "optional.none", Vec::new());
    Ok(factory.call(at, "_?_:_", vec![predicate, some, none]))
}

fn optional_flat_map(
    factory: &mut Factory,
    at: u32,
    target: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    let (predicate, body) = bind_optional(factory, at, &target, arguments, "optFlatMap")?;
    let none = factory.call(at, "optional.none", Vec::new());
    Ok(factory.call(at, "_?_:_", vec![predicate, body, none]))
}

/// Expands `list.sortBy(x, key)` to `list` sorted by the list of its keys.
fn sort_by(
    factory: &mut Factory,
    at: u32,
    target: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, SourceError> {
    const INPUT: &str = "@__sortBy_input__";
    if !matches!(
        target.kind,
        Kind::List(_)
            | Kind::Select { .. }
            | Kind::Ident(_)
            | Kind::Comprehension(_)
            | Kind::Call { .. }
    ) {
        let message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
        return Err(source_error(target.at, message));
    }
    let range = factory.ident(at, INPUT);
    let keys = map(factory, at, range, core::mem::take(&mut arguments))?;
    let input = factory.ident(at, INPUT);
    let sorted = Kind::Call {
        target: Some(Box::new(input)),
        function: "@sortByAssociatedKeys".to_string(),
        arguments: vec![keys],
    };
    let body = factory.make(at, sorted);
    Ok(bind(factory, at, INPUT, target, body))
}

/// The same expression with new ids.
fn renumbered(factory: &mut Factory, expr: &Expr) -> Expr {
    let mut copy = expr.clone();
    renumber(factory, &mut copy);
    copy
}

fn renumber(factory: &mut Factory, expr: &mut Expr) {
    expr.id = factory.literal(0, Value::Null).id;
    match &mut expr.kind {
        Kind::Literal(_) | Kind::Ident(_) => {}
        Kind::Select { operand, .. } => renumber(factory, operand),
        Kind::Call { target, arguments, .. } => {
            for part in target.iter_mut().map(Box::as_mut).chain(arguments) {
                renumber(factory, part);
            }
        }
        Kind::List(items) => {
            for (item, _) in items {
                renumber(factory, item);
            }
        }
        Kind::Map(entries) => {
            for entry in entries {
                renumber(factory, &mut entry.key);
                renumber(factory, &mut entry.value);
            }
        }
        Kind::Struct { fields, .. } => {
            for field in fields {
                renumber(factory, &mut field.value);
            }
        }
        Kind::Comprehension(fold) => {
            let Comprehension { range, start, condition, step, result, .. } = fold.as_mut();
            for part in [range, start, condition, step, result] {
                renumber(factory, part);
            }
        }
    }
}
