//! The CEL standard library as a table.

pub(crate) use super::standard_convert::{
    double_text, duration as to_duration, timestamp as to_timestamp,
};

use super::regex::search_cost;
use super::standard_compare as compare;
use super::standard_convert as convert;
use super::standard_numbers as numbers;
use super::standard_text as text;
use super::standard_time as time;
use super::{Cost, FunctionOp, Library, Overload, size_of, tenths};

/// The CEL standard library.
pub(super) static STANDARD: Library =
    Library { name: "standard", since: (1, 0), overloads: ROWS, constants: &[], types: &[] };

/// Comparisons between numbers of different types.
pub(super) static CROSS_TYPE: Library =
    Library { name: "standard", since: (1, 28), overloads: CROSS_ROWS, constants: &[], types: &[] };

const fn row(id: &'static str, signature: &'static str, call: FunctionOp, cost: Cost) -> Overload {
    Overload { id, signature, call, cost }
}

/// Linear in the shorter of two arguments.
const SHORTER: Cost = Cost(|arguments, _| {
    let (one, other) = (size_of(arguments, 0), size_of(arguments, 1));
    tenths(if one < other { one } else { other }, 1)
});
/// Linear in both arguments together.
const BOTH: Cost =
    Cost(|arguments, _| tenths(size_of(arguments, 0).saturating_add(size_of(arguments, 1)), 1));
/// The product of both sizes.
const PRODUCT: Cost = Cost(|arguments, _| {
    tenths(size_of(arguments, 0), 1).saturating_mul(tenths(size_of(arguments, 1), 1))
});
/// The number of items of a list.
const LIST: Cost = Cost(|arguments, _| size_of(arguments, 1));
/// The cost of matching a text with a pattern.
const PATTERN: Cost =
    Cost(|arguments, _| search_cost(size_of(arguments, 0), size_of(arguments, 1)));

/// Operators and functions; `compare::never` is used for those that the evaluator implements.
static ROWS: &[Overload] = &[
    row("conditional", "_?_:_(bool, A, A): A", compare::never, Cost::ONE),
    row("logical_and", "_&&_(bool, bool): bool", compare::never, Cost::ONE),
    row("logical_or", "_||_(bool, bool): bool", compare::never, Cost::ONE),
    row("logical_not", "!_(bool): bool", compare::not, Cost::ONE),
    row("not_strictly_false", "@not_strictly_false(bool): bool", compare::never, Cost::ONE),
    row("equals", "_==_(A, A): bool", compare::never, Cost::ONE),
    row("not_equals", "_!=_(A, A): bool", compare::never, Cost::ONE),
    row("add_bytes", "_+_(bytes, bytes): bytes", numbers::add, BOTH),
    row("add_double", "_+_(double, double): double", numbers::add, Cost::ONE),
    row("add_duration_duration", "_+_(duration, duration): duration", numbers::add, Cost::ONE),
    row("add_duration_timestamp", "_+_(duration, timestamp): timestamp", numbers::add, Cost::ONE),
    row("add_timestamp_duration", "_+_(timestamp, duration): timestamp", numbers::add, Cost::ONE),
    row("add_int64", "_+_(int, int): int", numbers::add, Cost::ONE),
    row("add_list", "_+_(list(A), list(A)): list(A)", numbers::add, Cost::ONE),
    row("add_string", "_+_(string, string): string", numbers::add, BOTH),
    row("add_uint64", "_+_(uint, uint): uint", numbers::add, Cost::ONE),
    row("divide_double", "_/_(double, double): double", numbers::divide, Cost::ONE),
    row("divide_int64", "_/_(int, int): int", numbers::divide, Cost::ONE),
    row("divide_uint64", "_/_(uint, uint): uint", numbers::divide, Cost::ONE),
    row("modulo_int64", "_%_(int, int): int", numbers::modulo, Cost::ONE),
    row("modulo_uint64", "_%_(uint, uint): uint", numbers::modulo, Cost::ONE),
    row("multiply_double", "_*_(double, double): double", numbers::multiply, Cost::ONE),
    row("multiply_int64", "_*_(int, int): int", numbers::multiply, Cost::ONE),
    row("multiply_uint64", "_*_(uint, uint): uint", numbers::multiply, Cost::ONE),
    row("negate_double", "-_(double): double", numbers::negate, Cost::ONE),
    row("negate_int64", "-_(int): int", numbers::negate, Cost::ONE),
    row("subtract_double", "_-_(double, double): double", numbers::subtract, Cost::ONE),
    row(
        "subtract_duration_duration",
        "_-_(duration, duration): duration",
        numbers::subtract,
        Cost::ONE,
    ),
    row("subtract_int64", "_-_(int, int): int", numbers::subtract, Cost::ONE),
    row(
        "subtract_timestamp_duration",
        "_-_(timestamp, duration): timestamp",
        numbers::subtract,
        Cost::ONE,
    ),
    row(
        "subtract_timestamp_timestamp",
        "_-_(timestamp, timestamp): duration",
        numbers::subtract,
        Cost::ONE,
    ),
    row("subtract_uint64", "_-_(uint, uint): uint", numbers::subtract, Cost::ONE),
    row("less_bool", "_<_(bool, bool): bool", compare::less, Cost::ONE),
    row("less_int64", "_<_(int, int): bool", compare::less, Cost::ONE),
    row("less_uint64", "_<_(uint, uint): bool", compare::less, Cost::ONE),
    row("less_double", "_<_(double, double): bool", compare::less, Cost::ONE),
    row("less_string", "_<_(string, string): bool", compare::less, SHORTER),
    row("less_bytes", "_<_(bytes, bytes): bool", compare::less, SHORTER),
    row("less_timestamp", "_<_(timestamp, timestamp): bool", compare::less, Cost::ONE),
    row("less_duration", "_<_(duration, duration): bool", compare::less, Cost::ONE),
    row("less_equals_bool", "_<=_(bool, bool): bool", compare::less_equal, Cost::ONE),
    row("less_equals_int64", "_<=_(int, int): bool", compare::less_equal, Cost::ONE),
    row("less_equals_uint64", "_<=_(uint, uint): bool", compare::less_equal, Cost::ONE),
    row("less_equals_double", "_<=_(double, double): bool", compare::less_equal, Cost::ONE),
    row("less_equals_string", "_<=_(string, string): bool", compare::less_equal, SHORTER),
    row("less_equals_bytes", "_<=_(bytes, bytes): bool", compare::less_equal, SHORTER),
    row(
        "less_equals_timestamp",
        "_<=_(timestamp, timestamp): bool",
        compare::less_equal,
        Cost::ONE,
    ),
    row("less_equals_duration", "_<=_(duration, duration): bool", compare::less_equal, Cost::ONE),
    row("greater_bool", "_>_(bool, bool): bool", compare::greater, Cost::ONE),
    row("greater_int64", "_>_(int, int): bool", compare::greater, Cost::ONE),
    row("greater_uint64", "_>_(uint, uint): bool", compare::greater, Cost::ONE),
    row("greater_double", "_>_(double, double): bool", compare::greater, Cost::ONE),
    row("greater_string", "_>_(string, string): bool", compare::greater, SHORTER),
    row("greater_bytes", "_>_(bytes, bytes): bool", compare::greater, SHORTER),
    row("greater_timestamp", "_>_(timestamp, timestamp): bool", compare::greater, Cost::ONE),
    row("greater_duration", "_>_(duration, duration): bool", compare::greater, Cost::ONE),
    row("greater_equals_bool", "_>=_(bool, bool): bool", compare::greater_equal, Cost::ONE),
    row("greater_equals_int64", "_>=_(int, int): bool", compare::greater_equal, Cost::ONE),
    row("greater_equals_uint64", "_>=_(uint, uint): bool", compare::greater_equal, Cost::ONE),
    row("greater_equals_double", "_>=_(double, double): bool", compare::greater_equal, Cost::ONE),
    row("greater_equals_string", "_>=_(string, string): bool", compare::greater_equal, SHORTER),
    row("greater_equals_bytes", "_>=_(bytes, bytes): bool", compare::greater_equal, SHORTER),
    row(
        "greater_equals_timestamp",
        "_>=_(timestamp, timestamp): bool",
        compare::greater_equal,
        Cost::ONE,
    ),
    row(
        "greater_equals_duration",
        "_>=_(duration, duration): bool",
        compare::greater_equal,
        Cost::ONE,
    ),
    row("index_list", "_[_](list(A), int): A", compare::never, Cost::ONE),
    row("index_map", "_[_](map(A, B), A): B", compare::never, Cost::ONE),
    row("in_list", "@in(A, list(A)): bool", text::is_in, LIST),
    row("in_map", "@in(A, map(A, B)): bool", text::is_in, Cost::ONE),
    row("size_bytes", "size(bytes): int", text::size, Cost::ONE),
    row("bytes_size", "bytes.size(): int", text::size, Cost::ONE),
    row("size_list", "size(list(A)): int", text::size, Cost::ONE),
    row("list_size", "list(A).size(): int", text::size, Cost::ONE),
    row("size_map", "size(map(A, B)): int", text::size, Cost::ONE),
    row("map_size", "map(A, B).size(): int", text::size, Cost::ONE),
    row("size_string", "size(string): int", text::size, Cost::ONE),
    row("string_size", "string.size(): int", text::size, Cost::ONE),
    row("contains_string", "string.contains(string): bool", text::contains, PRODUCT),
    row("ends_with_string", "string.endsWith(string): bool", text::ends_with, Cost::SCAN),
    row("starts_with_string", "string.startsWith(string): bool", text::starts_with, Cost::SCAN),
    row("matches", "matches(string, string): bool", text::matches, Cost::ONE),
    row("matches_string", "string.matches(string): bool", text::matches, PATTERN),
    row(
        "cel_@mapInsert_map_key_value",
        "fn cel.@mapInsert(map(K, V), K, V): map(K, V)",
        compare::never,
        Cost::ONE,
    ),
    row(
        "cel_@mapInsert_map_map",
        "fn cel.@mapInsert(map(K, V), map(K, V)): map(K, V)",
        compare::never,
        Cost::ONE,
    ),
    row("type", "type(A): type(A)", convert::to_type, Cost::ONE),
    row("to_dyn", "dyn(A): dyn", convert::identity, Cost::ONE),
    row("bool_to_bool", "bool(bool): bool", convert::to_bool, Cost::ONE),
    row("string_to_bool", "bool(string): bool", convert::to_bool, Cost::ONE),
    row("bytes_to_bytes", "bytes(bytes): bytes", convert::to_bytes, Cost::ONE),
    row("string_to_bytes", "bytes(string): bytes", convert::to_bytes, Cost::SCAN),
    row("double_to_double", "double(double): double", convert::to_double, Cost::ONE),
    row("int64_to_double", "double(int): double", convert::to_double, Cost::ONE),
    row("string_to_double", "double(string): double", convert::to_double, Cost::ONE),
    row("uint64_to_double", "double(uint): double", convert::to_double, Cost::ONE),
    row("duration_to_duration", "duration(duration): duration", convert::to_duration, Cost::ONE),
    row("int64_to_duration", "duration(int): duration", convert::to_duration, Cost::ONE),
    row("string_to_duration", "duration(string): duration", convert::to_duration, Cost::ONE),
    row("int64_to_int64", "int(int): int", convert::to_int, Cost::ONE),
    row("double_to_int64", "int(double): int", convert::to_int, Cost::ONE),
    row("duration_to_int64", "int(duration): int", convert::to_int, Cost::ONE),
    row("string_to_int64", "int(string): int", convert::to_int, Cost::ONE),
    row("timestamp_to_int64", "int(timestamp): int", convert::to_int, Cost::ONE),
    row("uint64_to_int64", "int(uint): int", convert::to_int, Cost::ONE),
    row("string_to_string", "string(string): string", convert::to_string, Cost::ONE),
    row("bool_to_string", "string(bool): string", convert::to_string, Cost::ONE),
    row("bytes_to_string", "string(bytes): string", convert::to_string, Cost::SCAN),
    row("double_to_string", "string(double): string", convert::to_string, Cost::ONE),
    row("duration_to_string", "string(duration): string", convert::to_string, Cost::ONE),
    row("int64_to_string", "string(int): string", convert::to_string, Cost::ONE),
    row("timestamp_to_string", "string(timestamp): string", convert::to_string, Cost::ONE),
    row("uint64_to_string", "string(uint): string", convert::to_string, Cost::ONE),
    row(
        "timestamp_to_timestamp",
        "timestamp(timestamp): timestamp",
        convert::to_timestamp,
        Cost::ONE,
    ),
    row("int64_to_timestamp", "timestamp(int): timestamp", convert::to_timestamp, Cost::ONE),
    row("string_to_timestamp", "timestamp(string): timestamp", convert::to_timestamp, Cost::ONE),
    row("uint64_to_uint64", "uint(uint): uint", convert::to_uint, Cost::ONE),
    row("double_to_uint64", "uint(double): uint", convert::to_uint, Cost::ONE),
    row("int64_to_uint64", "uint(int): uint", convert::to_uint, Cost::ONE),
    row("string_to_uint64", "uint(string): uint", convert::to_uint, Cost::ONE),
    row("timestamp_to_year", "timestamp.getFullYear(): int", time::year, Cost::ONE),
    row("timestamp_to_year_with_tz", "timestamp.getFullYear(string): int", time::year, Cost::ONE),
    row("timestamp_to_month", "timestamp.getMonth(): int", time::month, Cost::ONE),
    row("timestamp_to_month_with_tz", "timestamp.getMonth(string): int", time::month, Cost::ONE),
    row("timestamp_to_day_of_year", "timestamp.getDayOfYear(): int", time::day_of_year, Cost::ONE),
    row(
        "timestamp_to_day_of_year_with_tz",
        "timestamp.getDayOfYear(string): int",
        time::day_of_year,
        Cost::ONE,
    ),
    row(
        "timestamp_to_day_of_month",
        "timestamp.getDayOfMonth(): int",
        time::day_of_month,
        Cost::ONE,
    ),
    row(
        "timestamp_to_day_of_month_with_tz",
        "timestamp.getDayOfMonth(string): int",
        time::day_of_month,
        Cost::ONE,
    ),
    row("timestamp_to_day_of_month_1_based", "timestamp.getDate(): int", time::date, Cost::ONE),
    row(
        "timestamp_to_day_of_month_1_based_with_tz",
        "timestamp.getDate(string): int",
        time::date,
        Cost::ONE,
    ),
    row("timestamp_to_day_of_week", "timestamp.getDayOfWeek(): int", time::day_of_week, Cost::ONE),
    row(
        "timestamp_to_day_of_week_with_tz",
        "timestamp.getDayOfWeek(string): int",
        time::day_of_week,
        Cost::ONE,
    ),
    row("timestamp_to_hours", "timestamp.getHours(): int", time::hours, Cost::ONE),
    row("timestamp_to_hours_with_tz", "timestamp.getHours(string): int", time::hours, Cost::ONE),
    row("duration_to_hours", "duration.getHours(): int", time::hours, Cost::ONE),
    row("timestamp_to_minutes", "timestamp.getMinutes(): int", time::minutes, Cost::ONE),
    row(
        "timestamp_to_minutes_with_tz",
        "timestamp.getMinutes(string): int",
        time::minutes,
        Cost::ONE,
    ),
    row("duration_to_minutes", "duration.getMinutes(): int", time::minutes, Cost::ONE),
    row("timestamp_to_seconds", "timestamp.getSeconds(): int", time::seconds, Cost::ONE),
    row("timestamp_to_seconds_tz", "timestamp.getSeconds(string): int", time::seconds, Cost::ONE),
    row("duration_to_seconds", "duration.getSeconds(): int", time::seconds, Cost::ONE),
    row(
        "timestamp_to_milliseconds",
        "timestamp.getMilliseconds(): int",
        time::milliseconds,
        Cost::ONE,
    ),
    row(
        "timestamp_to_milliseconds_with_tz",
        "timestamp.getMilliseconds(string): int",
        time::milliseconds,
        Cost::ONE,
    ),
    row(
        "duration_to_milliseconds",
        "duration.getMilliseconds(): int",
        time::milliseconds,
        Cost::ONE,
    ),
];

/// Comparisons between numbers of different types.
static CROSS_ROWS: &[Overload] = &[
    row("less_int64_double", "_<_(int, double): bool", compare::less, Cost::ONE),
    row("less_int64_uint64", "_<_(int, uint): bool", compare::less, Cost::ONE),
    row("less_uint64_double", "_<_(uint, double): bool", compare::less, Cost::ONE),
    row("less_uint64_int64", "_<_(uint, int): bool", compare::less, Cost::ONE),
    row("less_double_int64", "_<_(double, int): bool", compare::less, Cost::ONE),
    row("less_double_uint64", "_<_(double, uint): bool", compare::less, Cost::ONE),
    row("less_equals_int64_double", "_<=_(int, double): bool", compare::less_equal, Cost::ONE),
    row("less_equals_int64_uint64", "_<=_(int, uint): bool", compare::less_equal, Cost::ONE),
    row("less_equals_uint64_double", "_<=_(uint, double): bool", compare::less_equal, Cost::ONE),
    row("less_equals_uint64_int64", "_<=_(uint, int): bool", compare::less_equal, Cost::ONE),
    row("less_equals_double_int64", "_<=_(double, int): bool", compare::less_equal, Cost::ONE),
    row("less_equals_double_uint64", "_<=_(double, uint): bool", compare::less_equal, Cost::ONE),
    row("greater_int64_double", "_>_(int, double): bool", compare::greater, Cost::ONE),
    row("greater_int64_uint64", "_>_(int, uint): bool", compare::greater, Cost::ONE),
    row("greater_uint64_double", "_>_(uint, double): bool", compare::greater, Cost::ONE),
    row("greater_uint64_int64", "_>_(uint, int): bool", compare::greater, Cost::ONE),
    row("greater_double_int64", "_>_(double, int): bool", compare::greater, Cost::ONE),
    row("greater_double_uint64", "_>_(double, uint): bool", compare::greater, Cost::ONE),
    row(
        "greater_equals_int64_double",
        "_>=_(int, double): bool",
        compare::greater_equal,
        Cost::ONE,
    ),
    row("greater_equals_int64_uint64", "_>=_(int, uint): bool", compare::greater_equal, Cost::ONE),
    row(
        "greater_equals_uint64_double",
        "_>=_(uint, double): bool",
        compare::greater_equal,
        Cost::ONE,
    ),
    row("greater_equals_uint64_int64", "_>=_(uint, int): bool", compare::greater_equal, Cost::ONE),
    row(
        "greater_equals_double_int64",
        "_>=_(double, int): bool",
        compare::greater_equal,
        Cost::ONE,
    ),
    row(
        "greater_equals_double_uint64",
        "_>=_(double, uint): bool",
        compare::greater_equal,
        Cost::ONE,
    ),
];
