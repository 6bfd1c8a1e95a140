//! What the reports of all doors share: escapes of every format, SARIF rules, YAML of JSON values, fingerprints.
//!
//! ```
//! use ratchet_formats::{count, fingerprint, markdown_cell, visible, xml_escape};
//!
//! assert_eq!(xml_escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
//! assert_eq!(markdown_cell("a|b"), "a\\|b");
//! assert_eq!(visible("red: \u{1b}[31m"), "red: \\u{1b}[31m");
//! assert_eq!([count(1, "patch"), count(2, "patch"), count(0, "file")], ["1 patch", "2 patches", "0 files"]);
//! assert_eq!(fingerprint(&["a", "b"]).len(), 16);
//! ```

mod fingerprint;
mod prometheus;
mod report_error;
pub mod sarif;
mod shell;
mod text;
mod xml;
mod yaml;

pub use fingerprint::fingerprint;
pub use prometheus::{label_value, metric_head};
pub use report_error::ReportError;
pub use shell::shell_quote;
pub use text::{count, escape_control, markdown_cell, visible};
pub use xml::xml_escape;
pub use yaml::{write_item, write_members};
