//! Loader of the definitions that `--crds` names.

use super::{CustomKind, DefinitionSource, DefinitionSources, judge_definition};
use crate::Config;
use crate::against::StoredObjects;
use crate::findings::SourceDocument;
use ratchet_manifests::{DocumentError, DocumentRef, Item, run};
use ratchet_object::{Node, Span};
use std::sync::Arc;

/// The number of errors that are listed.
const MOST_ERRORS: usize = 20;

/// Reads every definition below the paths of `--crds`; the error lists all that the API server would refuse.
pub(crate) fn read_crds(
    config: &Config,
    stored: Option<&StoredObjects>,
) -> Result<DefinitionSources, String> {
    let (mut sources, mut errors): (DefinitionSources, Vec<String>) = Default::default();
    let work = |item: Item<'_>, found: &mut Vec<Result<DefinitionSource, String>>| match item {
        Item::Document(file, document) => read_document(config, stored, file, &document, found),
        Item::Failed(path, why) => found.push(Err(format!("{}: {why}", path.display()))),
        Item::Done => {}
    };
    run(&config.crds, true, config.workers, work, |found| {
        match found {
            Ok(source) => sources.push(source),
            Err(error) => errors.push(error),
        }
        errors.len() < MOST_ERRORS
    });
    if !errors.is_empty() {
        return Err(format!("--crds:\n{}", errors.join("\n")));
    }
    if sources.is_empty() && !config.crds.is_empty() {
        let paths: Vec<String> =
            config.crds.iter().map(|path| path.display().to_string()).collect();
        let paths = paths.join(", ");
        return Err(format!("--crds {paths}: no CustomResourceDefinition is there"));
    }
    Ok(sources)
}

/// Appends the definitions of a document, or why they cannot be used. Other documents may be anything.
fn read_document(
    config: &Config,
    stored: Option<&StoredObjects>,
    file: &Arc<str>,
    document: &DocumentRef<'_>,
    found: &mut Vec<Result<DefinitionSource, String>>,
) {
    let text = match document.text {
        Ok(text) => text,
        Err(error) => {
            let why = match error {
                DocumentError::TooLarge => "the document is larger than 3 MiB",
                DocumentError::NotUtf8 => "the document is not UTF-8",
            };
            return found.push(Err(format!("{file}:{}: {why}", document.line + 1)));
        }
    };
    let lines = SourceDocument::new(file, document, text);
    let location = |span: Span| {
        let place = lines.position(span.start);
        format!("{file}:{}:{}", place.line, place.column)
    };
    let decoded = DefinitionSource::for_each(file, document, |source, node| {
        let errors = errors_of(config, stored, node);
        if errors.is_empty() {
            return found.push(Ok(source));
        }
        let CustomKind { group, plural, .. } = &source.custom_kind;
        found.extend(errors.into_iter().map(|(span, what)| {
            let place = location(span);
            Err(format!("{place}: CustomResourceDefinition \"{plural}.{group}\": {what}"))
        }));
    });
    if let Err(error) = decoded {
        let span = Span { start: error.offset, end: error.offset };
        found.push(Err(format!("{}: {}", location(span), error.message)));
    }
}

/// The errors that the API server would report for a definition, with their positions in its document.
fn errors_of(
    config: &Config,
    stored: Option<&StoredObjects>,
    definition: Node<'_>,
) -> Vec<(Span, String)> {
    let root = Span { start: definition.span.start, end: definition.span.start };
    match judge_definition(config, stored, definition) {
        None => vec![(root, "a value has the wrong type: check the definition itself".into())],
        Some(verdict) => {
            let errors = verdict.errors.iter();
            errors
                .map(|error| (error.span, format!("{}: {}", error.field, error.message())))
                .collect()
        }
    }
}
