//! Calls that are short for something longer: loops, `has`, and what maps optionals.

use super::grammar::Factory;
use super::{Expr, Fold, Kind, Wrong};
use crate::Value;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// A call that may be a macro.
pub(super) struct Call {
    pub(super) at: u32,
    pub(super) target: Option<Expr>,
    pub(super) function: String,
    pub(super) arguments: Vec<Expr>,
}

/// The name of what a loop carries: no name that can be written.
pub(crate) const CARRIED: &str = "@result";
/// What it was once called; loops may not use it for their items.
const CARRIED_ONCE: &str = "__result__";

/// How many parts an expression may come to.
const MOST_PARTS: usize = 1 << 17;

type Expand = fn(&mut Factory, u32, Expr, Vec<Expr>) -> Result<Expr, Wrong>;

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

/// What a call is short for, or the call itself.
pub(super) fn expand(
    factory: &mut Factory,
    call: Call,
    version: (u32, u32),
) -> Result<Expr, Wrong> {
    let Call { at, target, function, mut arguments } = call;
    let known = MACROS.iter().find(|row| {
        row.function == function && row.arguments == arguments.len() && version >= row.since
    });
    match (target, known) {
        (Some(target), Some(row)) => (row.expand)(factory, at, target, arguments),
        (None, _) if function == "has" && arguments.len() == 1 => has(factory, at, arguments.pop()),
        (target, _) => {
            let target = target.map(Box::new);
            Ok(factory.make(at, Kind::Call { target, function, arguments }))
        }
    }
}

fn wrong(at: u32, message: &str) -> Wrong {
    Wrong { at: Some(at), message: message.to_string() }
}

fn has(factory: &mut Factory, at: u32, argument: Option<Expr>) -> Result<Expr, Wrong> {
    let place = argument.as_ref().map_or(at, |argument| argument.at);
    match argument.map(|argument| argument.kind) {
        Some(Kind::Select { operand, field, test: false }) => {
            Ok(factory.make(at, Kind::Select { operand, field, test: true }))
        }
        _ => Err(wrong(place, "invalid argument to has() macro")),
    }
}

/// The names of a loop's items.
struct Names {
    item: String,
    second: Option<String>,
}

const NOT_SIMPLE: &str = "argument must be a simple name";
const NOT_IDENTIFIER: &str = "argument is not an identifier";
const OVERWRITES: &str = "iteration variable overwrites accumulator variable";

fn simple_name(expr: &Expr, otherwise: &str) -> Result<String, Wrong> {
    match &expr.kind {
        Kind::Ident(name) => Ok(name.clone()),
        _ => Err(wrong(expr.at, otherwise)),
    }
}

fn one_name(arguments: &mut Vec<Expr>, otherwise: &str) -> Result<Names, Wrong> {
    let first = arguments.remove(0);
    let item = simple_name(&first, otherwise)?;
    if item == CARRIED_ONCE {
        return Err(wrong(first.at, OVERWRITES));
    }
    Ok(Names { item, second: None })
}

fn two_names(arguments: &mut Vec<Expr>) -> Result<Names, Wrong> {
    let (first, second) = (arguments.remove(0), arguments.remove(0));
    let item = simple_name(&first, NOT_SIMPLE)?;
    let value = simple_name(&second, NOT_SIMPLE)?;
    if item == value {
        return Err(wrong(second.at, &format!("duplicate variable name: {item}")));
    }
    for (name, at) in [(&item, first.at), (&value, second.at)] {
        if name == CARRIED_ONCE {
            return Err(wrong(at, OVERWRITES));
        }
    }
    Ok(Names { item, second: Some(value) })
}

/// The names of a quantifier, and what it asks of each item.
fn quantified(mut arguments: Vec<Expr>) -> Result<(Names, Expr), Wrong> {
    let names = if arguments.len() == 3 {
        two_names(&mut arguments)?
    } else {
        one_name(&mut arguments, NOT_SIMPLE)?
    };
    Ok((names, arguments.remove(0)))
}

/// How a loop goes.
struct Rounds {
    start: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
}

fn fold(factory: &mut Factory, at: u32, range: Expr, names: Names, rounds: Rounds) -> Expr {
    let Names { item, second } = names;
    let Rounds { start, condition, step, result } = rounds;
    let accumulator = CARRIED.to_string();
    let fold = Fold { range, item, second, accumulator, start, condition, step, result };
    factory.make(at, Kind::Fold(Box::new(fold)))
}

fn all(factory: &mut Factory, at: u32, range: Expr, arguments: Vec<Expr>) -> Result<Expr, Wrong> {
    until(factory, at, range, arguments, false)
}

fn exists(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    until(factory, at, range, arguments, true)
}

/// A loop that ends with the first item whose answer is `decisive`.
fn until(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    arguments: Vec<Expr>,
    decisive: bool,
) -> Result<Expr, Wrong> {
    let (names, asked) = quantified(arguments)?;
    let start = factory.literal(at, Value::Bool(!decisive));
    let mut undecided = factory.ident(at, CARRIED);
    if decisive {
        undecided = factory.call(at, "!_", vec![undecided]);
    }
    let condition = factory.call(at, "@not_strictly_false", vec![undecided]);
    let carried = factory.ident(at, CARRIED);
    let join = if decisive { "_||_" } else { "_&&_" };
    let step = factory.call(at, join, vec![carried, asked]);
    let result = factory.ident(at, CARRIED);
    Ok(fold(factory, at, range, names, Rounds { start, condition, step, result }))
}

fn exists_one(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let (names, asked) = quantified(arguments)?;
    let start = factory.literal(at, Value::Int(0));
    let condition = factory.literal(at, Value::Bool(true));
    let carried = factory.ident(at, CARRIED);
    let one = factory.literal(at, Value::Int(1));
    let more = factory.call(at, "_+_", vec![carried, one]);
    let step = chosen(factory, at, Some(asked), more);
    let carried = factory.ident(at, CARRIED);
    let one = factory.literal(at, Value::Int(1));
    let result = factory.call(at, "_==_", vec![carried, one]);
    Ok(fold(factory, at, range, names, Rounds { start, condition, step, result }))
}

/// `step` where the filter lets the item through; what is carried stays as it is elsewhere.
fn chosen(factory: &mut Factory, at: u32, filter: Option<Expr>, step: Expr) -> Expr {
    match filter {
        None => step,
        Some(filter) => {
            let carried = factory.ident(at, CARRIED);
            factory.call(at, "_?_:_", vec![filter, step, carried])
        }
    }
}

/// A loop that carries a list or a map and adds to it.
fn gather(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    names: Names,
    start: Expr,
    step: Expr,
) -> Expr {
    let condition = factory.literal(at, Value::Bool(true));
    let result = factory.ident(at, CARRIED);
    fold(factory, at, range, names, Rounds { start, condition, step, result })
}

fn appended(factory: &mut Factory, at: u32, filter: Option<Expr>, item: Expr) -> Expr {
    let carried = factory.ident(at, CARRIED);
    let added = factory.make(at, Kind::List(vec![(item, false)]));
    let step = factory.call(at, "_+_", vec![carried, added]);
    chosen(factory, at, filter, step)
}

fn map(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let names = one_name(&mut arguments, NOT_IDENTIFIER)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let start = factory.make(at, Kind::List(Vec::new()));
    let step = appended(factory, at, filter, arguments.remove(0));
    Ok(gather(factory, at, range, names, start, step))
}

fn filter(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let item = arguments.first().cloned();
    let names = one_name(&mut arguments, NOT_IDENTIFIER)?;
    let item = item.unwrap_or_else(|| factory.ident(at, &names.item));
    let start = factory.make(at, Kind::List(Vec::new()));
    let asked = arguments.remove(0);
    let step = appended(factory, at, Some(asked), item);
    Ok(gather(factory, at, range, names, start, step))
}

fn transform_list(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let names = two_names(&mut arguments)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let start = factory.make(at, Kind::List(Vec::new()));
    let step = appended(factory, at, filter, arguments.remove(0));
    Ok(gather(factory, at, range, names, start, step))
}

fn transform_map(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let names = two_names(&mut arguments)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let carried = factory.ident(at, CARRIED);
    let key = factory.ident(at, &names.item);
    let inserted = factory.call(at, "cel.@mapInsert", vec![carried, key, arguments.remove(0)]);
    let step = chosen(factory, at, filter, inserted);
    let start = factory.make(at, Kind::Map(Vec::new()));
    Ok(gather(factory, at, range, names, start, step))
}

fn transform_map_entry(
    factory: &mut Factory,
    at: u32,
    range: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let names = two_names(&mut arguments)?;
    let filter = if arguments.len() == 2 { Some(arguments.remove(0)) } else { None };
    let carried = factory.ident(at, CARRIED);
    let inserted = factory.call(at, "cel.@mapInsert", vec![carried, arguments.remove(0)]);
    let step = chosen(factory, at, filter, inserted);
    let start = factory.make(at, Kind::Map(Vec::new()));
    Ok(gather(factory, at, range, names, start, step))
}

/// `value` under `name` in `body`: a loop of no rounds.
fn bind(factory: &mut Factory, at: u32, name: &str, value: Expr, body: Expr) -> Expr {
    let range = factory.make(at, Kind::List(Vec::new()));
    let condition = factory.literal(at, Value::Bool(false));
    let step = factory.ident(at, name);
    let fold = Fold {
        range,
        item: "#unused".to_string(),
        second: None,
        accumulator: name.to_string(),
        start: value,
        condition,
        step,
        result: body,
    };
    factory.make(at, Kind::Fold(Box::new(fold)))
}

/// What optional maps share: the value of the optional, under a name, in the body.
fn opened(
    factory: &mut Factory,
    at: u32,
    target: &Expr,
    mut arguments: Vec<Expr>,
    function: &str,
) -> Result<(Expr, Expr), Wrong> {
    let message = format!("{function}() variable name must be a simple identifier");
    let name = simple_name(&arguments.remove(0), &message)?;
    // Each such macro doubles what stands before it.
    if factory.made() > MOST_PARTS {
        return Err(wrong(at, "expression is too large once its macros are expanded"));
    }
    let again = Box::new(renumbered(factory, target));
    let member = |function: &str, target: Box<Expr>| Kind::Call {
        target: Some(target),
        function: function.to_string(),
        arguments: Vec::new(),
    };
    let value = factory.make(at, member("value", again));
    let body = bind(factory, at, &name, value, arguments.remove(0));
    let asked = factory.make(at, member("hasValue", Box::new(target.clone())));
    Ok((asked, body))
}

fn optional_map(
    factory: &mut Factory,
    at: u32,
    target: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let (asked, body) = opened(factory, at, &target, arguments, "optMap")?;
    let some = factory.call(at, "optional.of", vec![body]);
    let none = factory.call(at, "optional.none", Vec::new());
    Ok(factory.call(at, "_?_:_", vec![asked, some, none]))
}

fn optional_flat_map(
    factory: &mut Factory,
    at: u32,
    target: Expr,
    arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    let (asked, body) = opened(factory, at, &target, arguments, "optFlatMap")?;
    let none = factory.call(at, "optional.none", Vec::new());
    Ok(factory.call(at, "_?_:_", vec![asked, body, none]))
}

/// `list.sortBy(x, key)` is `list` sorted by the list of its keys.
fn sort_by(
    factory: &mut Factory,
    at: u32,
    target: Expr,
    mut arguments: Vec<Expr>,
) -> Result<Expr, Wrong> {
    const INPUT: &str = "@__sortBy_input__";
    if !matches!(
        target.kind,
        Kind::List(_) | Kind::Select { .. } | Kind::Ident(_) | Kind::Fold(_) | Kind::Call { .. }
    ) {
        let message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
        return Err(wrong(target.at, message));
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

/// The same expression with numbers of its own.
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
        Kind::Struct { values, .. } => {
            for value in values {
                renumber(factory, value);
            }
        }
        Kind::Fold(fold) => {
            let Fold { range, start, condition, step, result, .. } = fold.as_mut();
            for part in [range, start, condition, step, result] {
                renumber(factory, part);
            }
        }
    }
}
