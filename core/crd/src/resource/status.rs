//! Updates of the status alone.

use super::strategy::Strategy;
use ratchet_object::Node;

impl Strategy {
    /// Prepares an update of the status: everything else stays, managed fields aside.
    pub fn prepare_for_status_update(&self, new: &mut Node<'_>, old: &Node<'_>) {
        let status = new.remove("status");
        let managed_fields =
            new.get_mut("metadata").and_then(|metadata| metadata.remove("managedFields"));
        *new = old.clone().into_owned();
        let metadata = new.map_mut("metadata");
        match managed_fields {
            Some(managed_fields) => metadata.set("managedFields", managed_fields.into_owned()),
            None => {
                metadata.remove("managedFields");
            }
        }
        match status {
            Some(status) => new.set("status", status.into_owned()),
            None => {
                new.remove("status");
            }
        }
    }
}
