//! Findings on their way out: one file a format, each written as the objects come.

mod github;
mod human;
mod json;
mod junit;
mod markdown;
mod sarif;
mod yaml;

use crate::{Config, Finding, Judged, OutputFormat, Summary};
use std::io::{self, Write};

/// A format that findings are written in, object by object: no report holds them all.
pub(crate) trait Report {
    /// What stands before the first object.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// What there is to say about one object.
    fn object(&mut self, judged: &Judged, out: &mut dyn Write) -> io::Result<()>;

    /// What stands behind the last object.
    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;
}

/// The report that was asked for.
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

/// `Service shop/web`, or what little is known of it.
pub(crate) fn title(judged: &Judged) -> String {
    let object = &judged.object;
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

/// What else there is to say of a finding, where it is told line by line.
pub(crate) fn remarks(finding: &Finding) -> impl Iterator<Item = String> + '_ {
    let place = finding.policy.iter().filter_map(|ruling| ruling.told());
    finding.notes.iter().cloned().chain(place)
}

/// Text without the letters that would steer a terminal.
pub(crate) fn visible(text: &str) -> String {
    let is_tame = |letter: char| !letter.is_control();
    if text.chars().all(is_tame) {
        return text.to_owned();
    }
    text.chars()
        .map(
            |letter| {
                if is_tame(letter) {
                    letter.to_string()
                } else {
                    letter.escape_default().to_string()
                }
            },
        )
        .collect()
}

/// `1 object`, `2 objects`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
