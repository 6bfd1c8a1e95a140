//! Records of the store, made of what etcd has under a key.

use ratchet_store::Record;

use crate::keys::KeyMap;
use crate::messages::KeyValue;
use crate::shared::from_etcd;

/// The record of a key; none if the key is not among the store's.
pub(crate) fn record(keys: &KeyMap, kv: KeyValue) -> Option<Record> {
    let key = keys.to_store(&kv.key)?;
    let (created, modified) = (from_etcd(kv.created), from_etcd(kv.modified));
    Some(Record { key, value: kv.value, created, modified })
}
