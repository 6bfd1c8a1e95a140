//! Findings on their way out: one file a format, each written as the objects come.

mod github;
mod human;
mod json;
mod junit;
mod markdown;
mod sarif;
mod yaml;

use crate::{Config, Judged, OutputFormat, Summary};
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
    match (object.kind.as_str(), object.namespace.as_str()) {
        ("", _) => "document".to_owned(),
        (kind, "") => format!("{kind} {}", object.name),
        (kind, namespace) => format!("{kind} {namespace}/{}", object.name),
    }
}
