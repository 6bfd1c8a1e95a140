//! CustomResourceDefinitions of the input, of `--crds` and of `--against`, by which custom objects are checked.

mod load;
mod source;

pub(crate) use load::read_crds;
pub(crate) use source::{CustomKind, DefinitionSource};

use crate::Config;
use crate::against::StoredObjects;
use ratchet_crd::{CustomResource, Environments};
use ratchet_engine::Verdict;
use ratchet_object::{NoCluster, Node};
use ratchet_pipeline::{BuiltInType, CustomType, Decoded, Defaulted};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most text that all definitions may have together, so that memory stays bounded. The definitions of ten large
/// projects have a quarter of it.
const MOST_TEXT: usize = 64 << 20;
/// The number of kinds that a note names; the rest is counted.
const MOST_NAMED: usize = 5;
/// The number of kinds that are remembered for a note.
const MOST_REMEMBERED: usize = 1000;

/// The definitions of one place, in their order.
#[derive(Debug, Default)]
pub(crate) struct DefinitionSources {
    kept: Vec<DefinitionSource>,
    /// The size of all of them.
    size: usize,
}

impl DefinitionSources {
    /// Adds a definition, unless there is too much text already, which ends the check.
    pub(crate) fn push(&mut self, source: DefinitionSource) {
        self.size += source.size();
        if self.size <= MOST_TEXT {
            self.kept.push(source);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &DefinitionSource> {
        self.kept.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut DefinitionSource> {
        self.kept.iter_mut()
    }
}

impl FromIterator<DefinitionSource> for DefinitionSources {
    fn from_iter<I: IntoIterator<Item = DefinitionSource>>(definitions: I) -> Self {
        let mut sources = Self::default();
        definitions.into_iter().for_each(|source| sources.push(source));
        sources
    }
}

/// All definitions, by the kind that they define.
pub(crate) struct Definitions<'c> {
    config: &'c Config,
    stored: Option<&'c StoredObjects>,
    by_kind: BTreeMap<(String, String), Definition>,
    environments: OnceLock<Environments>,
    /// Kinds that no definition defines, and the number of their objects.
    undefined: Mutex<BTreeMap<String, u64>>,
    /// Kinds whose stored objects cannot be converted, with the versions in which they are stored.
    unconverted: Mutex<BTreeSet<String>>,
}

struct Definition {
    source: DefinitionSource,
    /// Compiled when the first object asks for it; `None` if the API server would not accept the definition.
    compiled: OnceLock<Option<Compiled>>,
}

/// A definition in use: the types of its served versions.
struct Compiled {
    types: Vec<CustomType>,
    served: String,
}

/// What the definitions say of a kind in a version.
pub(crate) enum Lookup<'d> {
    /// It is served.
    Type(&'d CustomType),
    /// The kind is defined, but not served in this version; the text names those that are.
    NotServed(&'d str),
    /// No definition, or none that the API server would accept.
    Undefined,
}

impl<'c> Definitions<'c> {
    /// Takes definitions in the order of their weight: those of the input count before those of `--crds`, and these
    /// before stored ones. Of two in one place the later one counts, as if both were applied in turn.
    pub(crate) fn new(
        config: &'c Config,
        stored: Option<&'c StoredObjects>,
        (input, crds): (DefinitionSources, DefinitionSources),
    ) -> Result<Self, String> {
        let known = stored.into_iter().flat_map(StoredObjects::definitions);
        let known = known.map(|(file, object)| DefinitionSource::stored(&file, &object)).collect();
        let sources = [known, crds, input];
        let size: usize = sources.iter().map(|sources: &DefinitionSources| sources.size).sum();
        if size > MOST_TEXT {
            let most = MOST_TEXT >> 20;
            return Err(format!(
                "the CustomResourceDefinitions have more than {most} MiB together, which is the most"
            ));
        }
        let mut by_kind = BTreeMap::new();
        for source in sources.into_iter().flat_map(|sources| sources.kept) {
            let CustomKind { group, kind, .. } = &source.custom_kind;
            let key = (group.clone(), kind.clone());
            by_kind.insert(key, Definition { source, compiled: OnceLock::new() });
        }
        Ok(Self {
            config,
            stored,
            by_kind,
            environments: OnceLock::new(),
            undefined: Mutex::default(),
            unconverted: Mutex::default(),
        })
    }

    /// The kinds that are defined.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &CustomKind> {
        self.by_kind.values().map(|definition| &definition.source.custom_kind)
    }

    /// The type of a custom kind in a version.
    pub(crate) fn find(&self, group: &str, version: &str, kind: &str) -> Lookup<'_> {
        if self.by_kind.is_empty() {
            return Lookup::Undefined;
        }
        let Some(definition) = self.by_kind.get(&(group.to_owned(), kind.to_owned())) else {
            return Lookup::Undefined;
        };
        let compiled = definition.compiled.get_or_init(|| self.compile(&definition.source));
        let Some(compiled) = compiled else { return Lookup::Undefined };
        let mut types = compiled.types.iter();
        match types.find(|custom_type| custom_type.version() == version) {
            Some(custom_type) => Lookup::Type(custom_type),
            None => Lookup::NotServed(&compiled.served),
        }
    }

    fn compile(&self, source: &DefinitionSource) -> Option<Compiled> {
        let node = source.decode()?;
        let verdict = judge_definition(self.config, self.stored, node.clone())?;
        if !verdict.errors.is_empty() {
            return None;
        }
        let minor = u32::from(self.config.api_config.emulated.minor());
        let environments = self.environments.get_or_init(|| Environments::of_release(minor));
        let resource = Arc::new(CustomResource::compile(&node, environments));
        let served = resource.definition.served_versions();
        let served: Vec<String> = served.iter().map(|version| version.name.clone()).collect();
        let types = served.iter().filter_map(|name| CustomType::new(Arc::clone(&resource), name));
        Some(Compiled { types: types.collect(), served: served.join(", ") })
    }

    /// Records an object of a kind without a usable definition.
    pub(crate) fn remember_undefined(&self, group: &str, kind: &str) {
        let mut undefined = self.undefined.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{kind}.{group}");
        if undefined.len() < MOST_REMEMBERED || undefined.contains_key(&name) {
            *undefined.entry(name).or_default() += 1;
        }
    }

    /// Records a stored object that only a webhook can convert, or nobody.
    pub(crate) fn remember_unconverted(&self, kind: &str, api_version: &str) {
        let mut unconverted = self.unconverted.lock().unwrap_or_else(PoisonError::into_inner);
        if unconverted.len() < MOST_REMEMBERED {
            unconverted.insert(format!("{kind} in {api_version}"));
        }
    }

    /// A note about stored objects that count as new because they cannot be converted.
    pub(crate) fn unconverted_note(&self) -> Option<String> {
        let unconverted = self.unconverted.lock().unwrap_or_else(PoisonError::into_inner);
        let named: Vec<&str> = unconverted.iter().take(MOST_NAMED).map(String::as_str).collect();
        (!named.is_empty()).then(|| {
            format!(
                "stored objects in versions that no webhook converts here count as new: {}",
                named.join(", ")
            )
        })
    }

    /// A note about objects of kinds without a usable definition.
    pub(crate) fn undefined_note(&self) -> Option<String> {
        let undefined = self.undefined.lock().unwrap_or_else(PoisonError::into_inner);
        if undefined.is_empty() {
            return None;
        }
        let mut refused = Vec::new();
        for definition in self.by_kind.values() {
            let CustomKind { group, kind, .. } = &definition.source.custom_kind;
            let is_refused = matches!(definition.compiled.get(), Some(None));
            if is_refused && undefined.contains_key(&format!("{kind}.{group}")) {
                let DefinitionSource { file, line, .. } = &definition.source;
                refused.push(format!("{kind}.{group} ({file}:{line})"));
            }
        }
        let named: Vec<String> = undefined
            .iter()
            .take(MOST_NAMED)
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        let more = match undefined.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let mut note = format!(
            "only the syntax was checked of objects whose CustomResourceDefinition is missing: {}{more}",
            named.join(", ")
        );
        note.push_str(match refused.is_empty() {
            true => "; give definitions with --crds PATH",
            false => "; the API server refuses these definitions: ",
        });
        note.push_str(&refused.join(", "));
        Some(note)
    }
}

/// Judges a definition, as an update if it is stored already; `None` if a value has the wrong type.
fn judge_definition(
    config: &Config,
    stored: Option<&StoredObjects>,
    node: Node<'_>,
) -> Option<Verdict> {
    let definition_type = BuiltInType::find(source::API_VERSION, source::KIND)?;
    let old = stored.and_then(|stored| stored.find(&node, &config.namespace));
    let old = old.and_then(|old| Defaulted::stored(&definition_type, old.into_node()));
    let new = Decoded::new(&definition_type, node, &[]).with_defaults().ok()?;
    let paired = new.pair(old);
    let mut judged = paired.judge(&config.api_config, &NoCluster, None);
    judged.locate();
    Some(judged.into_verdict())
}
