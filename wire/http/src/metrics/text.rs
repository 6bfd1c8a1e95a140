//! Prometheus text format: order of lines, and formatting of numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{MetricType, Stability};

/// Collects families and writes them sorted.
#[derive(Default)]
pub struct Writer {
    families: BTreeMap<String, FamilyText>,
}

#[derive(Default)]
struct FamilyText {
    header: String,
    /// The lines of each series by label values, which define their order.
    series: BTreeMap<Vec<String>, String>,
}

impl Writer {
    /// Begins or continues a family; it is written only when it gets a sample.
    pub fn family(
        &mut self,
        name: &str,
        kind: MetricType,
        stability: Stability,
        help: &str,
    ) -> FamilyWriter<'_> {
        let kind = match kind {
            MetricType::Counter => "counter",
            MetricType::Gauge => "gauge",
        };
        self.header(name, kind, stability, help);
        FamilyWriter { writer: self, name: name.to_owned() }
    }

    pub(super) fn header(&mut self, name: &str, kind: &str, stability: Stability, help: &str) {
        let mark = match stability {
            Stability::Alpha => "[ALPHA] ",
            Stability::Beta => "[BETA] ",
            Stability::Stable => "[STABLE] ",
            Stability::Unmarked => "",
        };
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        let header = format!("# HELP {name} {mark}{help}\n# TYPE {name} {kind}\n");
        self.families.entry(name.to_owned()).or_default().header = header;
    }

    /// One line; `le` is the upper bound of a bucket and comes last.
    pub(super) fn line(
        &mut self,
        name: &str,
        suffix: &str,
        labels: &[(&str, &str)],
        le: Option<f64>,
        value: f64,
    ) {
        let mut labels = labels.to_vec();
        labels.sort_unstable_by_key(|(name, _)| *name);
        let mut pairs: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
        pairs.extend(le.map(|bound| format!("le=\"{}\"", number(bound))));
        let pairs =
            if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };

        let key = labels.iter().map(|(_, value)| (*value).to_owned()).collect();
        let family = self.families.entry(name.to_owned()).or_default();
        let lines = family.series.entry(key).or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{name}{suffix}{pairs} {}", number(value));
    }

    pub(super) fn finish(self) -> String {
        let mut out = String::new();
        for family in self.families.into_values().filter(|family| !family.series.is_empty()) {
            out += &family.header;
            out.extend(family.series.into_values());
        }
        out
    }
}

/// Adds samples to one family.
pub struct FamilyWriter<'a> {
    writer: &'a mut Writer,
    name: String,
}

impl FamilyWriter<'_> {
    /// One value with its labels, in any order.
    pub fn sample(&mut self, labels: &[(&str, &str)], value: f64) -> &mut Self {
        self.writer.line(&self.name, "", labels, None, value);
        self
    }
}

fn escape(value: &str) -> Cow<'_, str> {
    if !value.contains(['\\', '\n', '"']) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\""))
}

/// A number as Go's `%g` formats it: the fewest digits that parse as the same number, and an
/// exponent from a million on.
fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_as_go_does() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.0, "-1"),
            (0.005, "0.005"),
            (1.25, "1.25"),
            (60.0, "60"),
            (0.1 + 0.2, "0.30000000000000004"),
            (999_999.0, "999999"),
            (1_000_000.0, "1e+06"),
            (123_456_789.0, "1.23456789e+08"),
            (1_763_182_800.25, "1.76318280025e+09"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (-2.5e-7, "-2.5e-07"),
            (1e100, "1e+100"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
