//! Names and conditions of definitions, as the controllers of the reference write them.

use super::{Known, key};
use crate::registry::custom::Definition;
use crate::status::StatusError;
use crate::storage::cache::storable;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratchet_crd::definition::{
    Conversion, CustomResourceDefinition, approval_condition, sync_status,
};
use ratchet_store::{Guard, Revision, Write};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use x509_parser::pem::Pem;

/// The definitions whose conditions are not up to date, as far as names and approval say.
pub(super) fn unsettled(known: &Known) -> BTreeSet<Arc<str>> {
    let is_unsettled = |definition: &CustomResourceDefinition| {
        let approval = approval_condition(definition);
        definition.names != definition.accepted_names
            || !definition.is_established()
            || approval.is_some_and(|approval| !definition.conditions.contains(&approval))
    };
    let found = known.iter().filter(|(_, definition)| is_unsettled(&definition.view));
    found.map(|(name, _)| name.clone()).collect()
}

/// The definitions of these groups that do not have all their names, which may be free now.
pub(super) fn conflicting<'k>(
    known: &'k Known,
    groups: &'k BTreeSet<String>,
) -> impl Iterator<Item = Arc<str>> + 'k {
    let found = known.iter().filter(|(_, definition)| {
        let view = &definition.view;
        view.names != view.accepted_names && groups.contains(&view.group)
    });
    found.map(|(name, _)| name.clone())
}

/// The writes that bring the conditions of the dirty definitions up to date. Who was there first gets a name first.
pub(super) fn writes(
    known: &Known,
    dirty: &BTreeSet<Arc<str>>,
    now: &str,
) -> Result<Vec<Write>, StatusError> {
    let mut ordered: Vec<&Arc<Definition>> =
        dirty.iter().filter_map(|name| known.get(name)).collect();
    ordered.sort_by_key(|definition| definition.revision());
    let mut groups: BTreeMap<&str, Vec<CustomResourceDefinition>> = BTreeMap::new();
    let mut writes = Vec::new();
    for definition in ordered {
        let view = &definition.view;
        let group = groups.entry(view.group.as_str()).or_insert_with(|| {
            let same = known.values().filter(|other| other.view.group == view.group);
            same.map(|other| other.view.clone()).collect()
        });
        let mut node = definition.node();
        if !sync_status(&mut node, group.iter(), has_valid_ca_bundle(view), now) {
            continue;
        }
        let after = CustomResourceDefinition::from_node(&node);
        if let Some(own) = group.iter_mut().find(|other| other.name == view.name) {
            *own = after;
        }
        let guard = Guard::At(Revision(definition.revision()));
        writes.push(Write::put(&key(&view.name), guard, storable(node)?.bytes()));
    }
    Ok(writes)
}

/// Whether the authorities of a conversion webhook, if there are any, can be read.
fn has_valid_ca_bundle(definition: &CustomResourceDefinition) -> bool {
    let Conversion::Webhook(webhook) = &definition.conversion else { return true };
    if webhook.ca_bundle.is_empty() {
        return true;
    }
    let Ok(bundle) = BASE64_STANDARD.decode(&webhook.ca_bundle) else { return false };
    let mut count = 0;
    for block in Pem::iter_from_buffer(&bundle) {
        match block {
            Ok(block) if block.label == "CERTIFICATE" => match block.parse_x509() {
                Ok(_) => count += 1,
                Err(_) => return false,
            },
            Ok(_) => {}
            Err(_) => break,
        }
    }
    count > 0
}
