//! `CustomResource`: a definition compiled for use on its objects.

mod columns;
mod convert;
mod finalizers;
mod scale;
mod status;
mod strategy;
#[cfg(test)]
mod tests;

pub use columns::TableColumn;
pub use convert::ConvertError;
pub use scale::ScaleError;
pub use strategy::Strategy;

use crate::definition::CustomResourceDefinition;
use crate::rules::Environments;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::Node;

/// A definition, with the strategies of all its versions.
#[derive(Debug)]
pub struct CustomResource {
    /// What it was compiled from, without the schemas.
    pub definition: CustomResourceDefinition,
    /// One for each version, in the order of the definition.
    strategies: Vec<Arc<Strategy>>,
}

impl CustomResource {
    /// Compiles a definition that was accepted.
    pub fn compile(definition: &Node<'_>, environments: &Environments) -> Self {
        let view = CustomResourceDefinition::from_node(definition);
        let versions = definition.find(&["spec", "versions"]).map(Node::items).unwrap_or_default();
        let strategies = versions
            .iter()
            .zip(&view.versions)
            .map(|(node, version)| Arc::new(Strategy::compile(&view, version, node, environments)))
            .collect();
        Self { definition: view, strategies }
    }

    /// The strategies of all versions, in the order of the definition.
    pub fn strategies(&self) -> &[Arc<Strategy>] {
        &self.strategies
    }

    /// The strategy of a version.
    pub fn strategy(&self, version: &str) -> Option<&Arc<Strategy>> {
        self.strategies.iter().find(|strategy| strategy.version == version)
    }

    /// The strategy of the version in which objects are stored.
    pub fn storage_strategy(&self) -> Option<&Arc<Strategy>> {
        let storage = self.definition.storage_version()?;
        self.strategy(&storage.name)
    }
}
