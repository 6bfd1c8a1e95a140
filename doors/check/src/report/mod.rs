//! Report formats, one module each, written object by object.

mod github;
mod human;
mod json;
mod junit;
mod markdown;
mod sarif;
mod yaml;

use crate::{CheckedObject, Config, Finding, OutputFormat, Summary};
use std::io::{self, Write};

/// An output format; objects are written as they come, so that no report holds them all.
pub(crate) trait Report {
    /// Writes what precedes the first object.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes one object with its findings.
    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what follows the last object.
    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;
}

/// The report in the configured format.
pub(crate) fn of(config: &Config) -> Box<dyn Report> {
    match config.output {
        OutputFormat::Human => Box::new(human::Human::new(config)),
        OutputFormat::Json => Box::new(json::Json::new(config)),
        OutputFormat::Yaml => Box::new(yaml::Yaml::new(config)),
        OutputFormat::Sarif => Box::new(sarif::Sarif::default()),
        OutputFormat::Junit => Box::new(junit::Junit::default()),
        OutputFormat::Github => Box::new(github::Github),
        OutputFormat::Markdown => Box::new(markdown::Markdown::default()),
    }
}

/// The title of an object: `Service shop/web`, or less if not all of it is known.
pub(crate) fn title(checked: &CheckedObject) -> String {
    let object = &checked.object;
    let name = match (object.namespace.as_str(), object.name.as_str()) {
        (_, "") => "without a name".to_owned(),
        ("", name) => name.to_owned(),
        (namespace, name) => format!("{namespace}/{name}"),
    };
    match object.kind.as_str() {
        "" => "document".to_owned(),
        kind => visible(&format!("{kind} {name}")),
    }
}

/// Notes of a finding and the location of its policy's expression, as lines of text.
pub(crate) fn remarks(finding: &Finding) -> impl Iterator<Item = String> + '_ {
    let place = finding.policy.iter().filter_map(|decision| decision.describe_location());
    finding.notes.iter().cloned().chain(place)
}

/// Text with control characters escaped, which a terminal would interpret.
pub(crate) fn visible(text: &str) -> String {
    let is_tame = |c: char| !c.is_control();
    if text.chars().all(is_tame) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| if is_tame(c) { c.to_string() } else { c.escape_default().to_string() })
        .collect()
}

/// `1 object`, `2 objects`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
