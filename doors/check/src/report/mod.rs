//! Report formats, one module each, written object by object.

mod format;
mod github;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod sarif;
mod text;
mod yaml;

use crate::{Config, OutputFormat};
use format::Report;

/// The report in the configured format.
pub(crate) fn of(config: &Config) -> Box<dyn Report> {
    match config.output {
        OutputFormat::Human => Box::new(human::Human::new(config)),
        OutputFormat::Json => Box::new(json::Json::new(config)),
        OutputFormat::Yaml => Box::new(yaml::Yaml::new(config)),
        OutputFormat::Sarif => Box::new(sarif::Sarif::default()),
        OutputFormat::Junit => Box::new(junit::Junit::default()),
        OutputFormat::Github => Box::new(github::Github),
        OutputFormat::Html => Box::new(html::Html::new(config)),
        OutputFormat::Markdown => Box::new(markdown::Markdown::default()),
    }
}
