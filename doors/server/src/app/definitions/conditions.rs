//! Names and conditions of definitions, as the controllers of the reference write them.

use super::known::{Known, key};
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
    let found = known.all().filter(|(_, definition)| is_unsettled(&definition.view));
    found.map(|(name, _)| name.clone()).collect()
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
    // The definitions that are written here, as they will be.
    let mut after: BTreeMap<&str, CustomResourceDefinition> = BTreeMap::new();
    let mut writes = Vec::new();
    for definition in ordered {
        let view = &definition.view;
        let rivals = known.rivals(view);
        let rivals = rivals.iter().map(|rival| &rival.view);
        let rivals = rivals.filter(|rival| !after.contains_key(rival.name.as_str()));
        let mut node = definition.node();
        let is_valid = has_valid_ca_bundle(view);
        if !sync_status(&mut node, rivals.chain(after.values()), is_valid, now) {
            continue;
        }
        after.insert(&view.name, CustomResourceDefinition::from_node(&node));
        let guard = Guard::At(Revision(definition.revision()));
        writes.push(Write::put(&key(&view.name), guard, storable(&node)?.bytes()));
    }
    Ok(writes)
}

/// Whether the authorities of a conversion webhook, if there are any, can be read.
pub(super) fn has_valid_ca_bundle(definition: &CustomResourceDefinition) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::custom::SharedEnvironments;
    use crate::storage::cache::Item;

    const NOW: &str = "2026-01-01T00:00:00Z";

    /// Definitions of one group that all want the same short name.
    fn definitions(stored: &[(&str, u64, &str)]) -> Known {
        let environments = SharedEnvironments::of_release(36);
        let definition = |(plural, revision, status): &(&str, u64, &str)| {
            let value = format!(
                r#"{{"metadata":{{"name":"{plural}.x.io"}},"spec":{{"group":"x.io","names":{{"plural":"{plural}","kind":"{plural}","shortNames":["s"]}}}},"status":{status}}}"#
            );
            let name: Arc<str> = format!("{plural}.x.io").into();
            let item = Item::stored(name.clone(), *revision, value.as_bytes()).unwrap();
            (name, Arc::new(Definition::read(&Arc::new(item), &environments)))
        };
        let mut known = Known::default();
        stored.iter().map(definition).for_each(|(name, one)| known.insert(&name, one));
        known
    }

    fn names(writes: &[Write]) -> Vec<(&str, bool)> {
        let short = |write: &Write| {
            let ratchet_store::Operation::Put { value, .. } = &write.act else { return false };
            std::str::from_utf8(value).unwrap().contains("InitialNamesAccepted")
        };
        writes.iter().map(|write| (write.key.rsplit('/').next().unwrap(), short(write))).collect()
    }

    #[test]
    fn the_first_gets_the_name_and_settled_ones_are_left_alone() {
        let known = definitions(&[("b", 3, "{}"), ("a", 7, "{}")]);
        let dirty = unsettled(&known);
        assert_eq!(dirty.len(), 2);
        let writes = writes(&known, &dirty, NOW).unwrap();
        assert_eq!(names(&writes), [("b.x.io", true), ("a.x.io", false)]);
        let status = |write: &Write| match &write.act {
            ratchet_store::Operation::Put { value, .. } => {
                let text = std::str::from_utf8(value).unwrap();
                let start = text.find(r#""status":"#).unwrap() + 9;
                text[start..text.len() - 1].to_owned()
            }
            _ => String::new(),
        };
        let (b, a) = (status(&writes[0]), status(&writes[1]));
        let known = definitions(&[("b", 8, &b), ("a", 8, &a)]);
        let all = known.all().map(|(name, _)| name.clone()).collect();
        assert!(super::writes(&known, &all, NOW).unwrap().is_empty());
        assert_eq!(unsettled(&known).len(), 1, "it has not got its name");
        assert_eq!(known.waiting("x.io").count(), 1);
        assert_eq!(known.waiting("x.i").chain(known.waiting("x.io.y")).count(), 0);
        // The name is free again.
        let known = definitions(&[("a", 8, &a)]);
        let free = super::writes(&known, &unsettled(&known), NOW).unwrap();
        assert_eq!(names(&free), [("a.x.io", true)]);
    }

    #[test]
    fn authorities_of_a_webhook_must_be_readable() {
        let webhook = |bundle: &str| {
            let webhook = ratchet_crd::definition::ConversionWebhook {
                ca_bundle: bundle.to_owned(),
                ..Default::default()
            };
            CustomResourceDefinition {
                conversion: Conversion::Webhook(webhook),
                ..CustomResourceDefinition::default()
            }
        };
        assert!(has_valid_ca_bundle(&CustomResourceDefinition::default()));
        assert!(has_valid_ca_bundle(&webhook("")));
        for bad in [
            "%",
            "eA==",
            "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmVBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=",
        ] {
            assert!(!has_valid_ca_bundle(&webhook(bad)), "{bad}");
        }
    }
}
