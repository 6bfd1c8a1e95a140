//! The text format of Prometheus: heads of gauges, escaped label values.

use std::io::{self, Write};

/// Writes the lines before the values of a gauge.
pub fn metric_head(out: &mut dyn Write, name: &str, help: &str) -> io::Result<()> {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge")
}

/// Text escaped for a label value.
pub fn label_value(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
