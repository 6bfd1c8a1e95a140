//! Accessors for the parts of timestamps and durations.

use super::Context;
use super::zone;
use crate::time::Civil;
use crate::{EvalError, Timestamp, Value};

type EvalResult<'t> = Result<Value<'t>, EvalError>;

/// The civil time in the time zone argument, or in UTC.
fn civil(time: Timestamp, arguments: &[Value<'_>]) -> Result<Civil, EvalError> {
    let offset = match arguments.get(1) {
        None => 0,
        Some(Value::Text(name)) => zone::offset(name, time.seconds)?,
        Some(_) => return Err(EvalError::no_such_overload()),
    };
    Ok(Civil::of(time.seconds.saturating_add(offset)))
}

fn part<'t>(arguments: &[Value<'t>], part: fn(&Civil) -> i64) -> EvalResult<'t> {
    match arguments.first() {
        Some(Value::Timestamp(time)) => Ok(Value::Int(part(&civil(*time, arguments)?))),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// A part of a timestamp, or the length of a duration in such units.
fn part_or_span<'t>(arguments: &[Value<'t>], of: fn(&Civil) -> i64, nanos: i64) -> EvalResult<'t> {
    match arguments.first() {
        Some(Value::Duration(span)) => Ok(Value::Int(span.checked_div(nanos).unwrap_or_default())),
        _ => part(arguments, of),
    }
}

pub(super) fn year<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part(arguments, |civil| civil.date.year)
}

pub(super) fn month<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part(arguments, |civil| civil.date.month - 1)
}

pub(super) fn day_of_year<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part(arguments, Civil::day_of_year)
}

pub(super) fn day_of_month<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part(arguments, |civil| civil.date.day - 1)
}

pub(super) fn date<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part(arguments, |civil| civil.date.day)
}

pub(super) fn day_of_week<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part(arguments, |civil| civil.weekday)
}

pub(super) fn hours<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part_or_span(arguments, |civil| civil.second / 3600, 3_600_000_000_000)
}

pub(super) fn minutes<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part_or_span(arguments, |civil| civil.second / 60 % 60, 60_000_000_000)
}

pub(super) fn seconds<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    part_or_span(arguments, |civil| civil.second % 60, 1_000_000_000)
}

pub(super) fn milliseconds<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match arguments.first() {
        Some(Value::Timestamp(time)) => {
            civil(*time, arguments)?;
            Ok(Value::Int(i64::from(time.nanos / 1_000_000)))
        }
        Some(Value::Duration(span)) => Ok(Value::Int(span / 1_000_000)),
        _ => Err(EvalError::no_such_overload()),
    }
}
