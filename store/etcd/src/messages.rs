//! Messages of etcd's API: those that this store sends and reads, with only the fields that it needs.

use bytes::Bytes;

use crate::protobuf::{Malformed, Message, Value, fields};

/// Paths of the methods.
pub(crate) mod method {
    pub(crate) const RANGE: &str = "/etcdserverpb.KV/Range";
    pub(crate) const TXN: &str = "/etcdserverpb.KV/Txn";
    pub(crate) const COMPACT: &str = "/etcdserverpb.KV/Compact";
    pub(crate) const WATCH: &str = "/etcdserverpb.Watch/Watch";
    pub(crate) const LEASE_GRANT: &str = "/etcdserverpb.Lease/LeaseGrant";
    pub(crate) const LEASE_TIME_TO_LIVE: &str = "/etcdserverpb.Lease/LeaseTimeToLive";
    pub(crate) const STATUS: &str = "/etcdserverpb.Maintenance/Status";
    pub(crate) const ALARM: &str = "/etcdserverpb.Maintenance/Alarm";
}

/// A range of keys: from `start` up to, but not including, `end`; an empty `end` means the one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyRange {
    pub(crate) start: Vec<u8>,
    pub(crate) end: Vec<u8>,
}

impl KeyRange {
    pub(crate) fn one(key: Vec<u8>) -> Self {
        Self { start: key, end: Vec::new() }
    }
}

/// Reads keys at a revision; 0 means the latest.
pub(crate) fn range(keys: &KeyRange, limit: u64, revision: u64) -> Message {
    let message = Message::default().bytes(1, &keys.start).bytes(2, &keys.end);
    message.number(3, limit).number(4, revision)
}

/// The same without the values.
pub(crate) fn range_keys(keys: &KeyRange, limit: u64, revision: u64) -> Message {
    range(keys, limit, revision).flag(8, true)
}

/// Asks how many keys there are; the header of the response has the revision.
pub(crate) fn count(keys: &KeyRange) -> Message {
    range(keys, 0, 0).flag(9, true)
}

/// Writes a key; lease 0 is none.
pub(crate) fn put(key: &[u8], value: &[u8], lease: u64) -> Message {
    Message::default().bytes(1, key).bytes(2, value).number(3, lease)
}

/// Deletes a key.
pub(crate) fn delete(key: &[u8]) -> Message {
    Message::default().bytes(1, key)
}

/// One request of a transaction.
#[derive(Debug)]
pub(crate) enum RequestOp {
    Range(Message),
    Put(Message),
    Delete(Message),
    Txn(Message),
}

impl RequestOp {
    fn into_message(self) -> Message {
        match self {
            Self::Range(message) => Message::default().nested(1, message),
            Self::Put(message) => Message::default().nested(2, message),
            Self::Delete(message) => Message::default().nested(3, message),
            Self::Txn(message) => Message::default().nested(4, message),
        }
    }
}

/// Compares the revision at which a key was last modified; 0 is that of a missing key.
pub(crate) fn compare_modified(key: &[u8], revision: u64) -> Message {
    Message::default().number(2, 2).bytes(3, key).number_always(6, revision)
}

/// Compares the number of writes since a key was created; 0 is that of a missing key.
pub(crate) fn compare_version(key: &[u8], version: u64) -> Message {
    Message::default().bytes(3, key).number_always(4, version)
}

/// A transaction.
pub(crate) fn txn(
    compare: Vec<Message>,
    success: Vec<RequestOp>,
    failure: Vec<RequestOp>,
) -> Message {
    let message = compare.into_iter().fold(Message::default(), |txn, one| txn.nested(1, one));
    let ops = |message: Message, field, ops: Vec<RequestOp>| {
        ops.into_iter().fold(message, |txn, op| txn.nested(field, op.into_message()))
    };
    ops(ops(message, 2, success), 3, failure)
}

/// Compacts the history before a revision.
pub(crate) fn compaction(revision: u64) -> Message {
    Message::default().number(1, revision)
}

/// Grants a lease of some seconds; etcd chooses its number.
pub(crate) fn lease_grant(seconds: u64) -> Message {
    Message::default().number(1, seconds)
}

/// Asks how many seconds a lease has left.
pub(crate) fn lease_time_to_live(id: u64) -> Message {
    Message::default().number(1, id)
}

/// Watches keys from a revision on, with what each event replaced if asked for.
pub(crate) fn watch_create(keys: &KeyRange, from: u64, previous: bool) -> Message {
    let create = Message::default().bytes(1, &keys.start).bytes(2, &keys.end).number(3, from);
    // A progress notification now and then keeps a quiet watch ahead of compaction.
    Message::default().nested(1, create.flag(4, true).flag(6, previous))
}

/// A key with its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyValue {
    pub(crate) key: Bytes,
    pub(crate) value: Bytes,
    pub(crate) created: u64,
    pub(crate) modified: u64,
    pub(crate) version: u64,
    /// The lease of the key; 0 is none.
    pub(crate) lease: u64,
}

impl KeyValue {
    fn parse(message: Bytes) -> Result<Self, Malformed> {
        let mut found = Self::default();
        fields(message, |field, value| {
            match field {
                1 => found.key = value.bytes(),
                2 => found.created = value.number(),
                3 => found.modified = value.number(),
                4 => found.version = value.number(),
                5 => found.value = value.bytes(),
                6 => found.lease = value.number(),
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// The revision in a response's header.
fn header_revision(header: Value) -> Result<u64, Malformed> {
    let mut revision = 0;
    fields(header.bytes(), |field, value| {
        if field == 3 {
            revision = value.number();
        }
        Ok(())
    })?;
    Ok(revision)
}

/// The response to a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RangeResponse {
    pub(crate) revision: u64,
    pub(crate) kvs: Vec<KeyValue>,
    /// All keys of the range, whatever the limit.
    pub(crate) count: u64,
}

impl RangeResponse {
    pub(crate) fn parse(message: Bytes) -> Result<Self, Malformed> {
        let mut found = Self::default();
        fields(message, |field, value| {
            match field {
                1 => found.revision = header_revision(value)?,
                2 => found.kvs.push(KeyValue::parse(value.bytes())?),
                4 => found.count = value.number(),
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// The response to a transaction, with the results of its ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TxnResponse {
    pub(crate) revision: u64,
    pub(crate) succeeded: bool,
    pub(crate) ranges: Vec<RangeResponse>,
}

impl TxnResponse {
    pub(crate) fn parse(message: Bytes) -> Result<Self, Malformed> {
        let mut found = Self::default();
        fields(message, |field, value| {
            match field {
                1 => found.revision = header_revision(value)?,
                2 => found.succeeded = value.flag(),
                3 => fields(value.bytes(), |field, value| {
                    if field == 1 {
                        found.ranges.push(RangeResponse::parse(value.bytes())?);
                    }
                    Ok(())
                })?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// An event of a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchEvent {
    pub(crate) is_delete: bool,
    pub(crate) kv: KeyValue,
    pub(crate) previous: Option<KeyValue>,
}

impl WatchEvent {
    fn parse(message: Bytes) -> Result<Self, Malformed> {
        let mut found = Self::default();
        fields(message, |field, value| {
            match field {
                1 => found.is_delete = value.flag(),
                2 => found.kv = KeyValue::parse(value.bytes())?,
                3 => found.previous = Some(KeyValue::parse(value.bytes())?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// One message of a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchResponse {
    pub(crate) revision: u64,
    pub(crate) created: bool,
    pub(crate) canceled: bool,
    pub(crate) compact_revision: u64,
    pub(crate) cancel_reason: Bytes,
    pub(crate) events: Vec<WatchEvent>,
}

impl WatchResponse {
    pub(crate) fn parse(message: Bytes) -> Result<Self, Malformed> {
        let mut found = Self::default();
        fields(message, |field, value| {
            match field {
                1 => found.revision = header_revision(value)?,
                3 => found.created = value.flag(),
                4 => found.canceled = value.flag(),
                5 => found.compact_revision = value.number(),
                6 => found.cancel_reason = value.bytes(),
                11 => found.events.push(WatchEvent::parse(value.bytes())?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// A lease: its number and its seconds, which may be more than were asked for; those of one that has expired are
/// negative.
pub(crate) fn parse_lease(message: Bytes) -> Result<(u64, u64), Malformed> {
    number_fields(message, [2, 3]).map(|[id, seconds]| (id, seconds))
}

/// The size of a member's database in bytes.
pub(crate) fn parse_size(message: Bytes) -> Result<u64, Malformed> {
    number_fields(message, [3]).map(|[bytes]| bytes)
}

/// Whether a member has raised the alarm NOSPACE; the request for all alarms is empty.
pub(crate) fn parse_no_space(message: Bytes) -> Result<bool, Malformed> {
    const NOSPACE: u64 = 1;
    let mut found = false;
    fields(message, |field, value| {
        if field == 2 {
            let [alarm] = number_fields(value.bytes(), [2])?;
            found |= alarm == NOSPACE;
        }
        Ok(())
    })?;
    Ok(found)
}

fn number_fields<const N: usize>(message: Bytes, wanted: [u32; N]) -> Result<[u64; N], Malformed> {
    let mut found = [0; N];
    fields(message, |field, value| {
        for (slot, number) in found.iter_mut().zip(wanted) {
            if number == field {
                *slot = value.clone().number();
            }
        }
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_are_read() {
        let alarm = |kind| Message::default().number(1, 77).number(2, kind);
        let answer = |alarms: &[u64]| {
            let header = Message::default().nested(1, Message::default().number(3, 7));
            let all = alarms.iter().fold(header, |all, kind| all.nested(2, alarm(*kind)));
            parse_no_space(all.into_bytes().into())
        };
        assert_eq!(answer(&[]), Ok(false));
        assert_eq!(answer(&[2]), Ok(false), "damage is another alarm");
        assert_eq!(answer(&[2, 1]), Ok(true));
    }

    #[test]
    fn responses_are_read() {
        let header = || Message::default().number(1, 9).number(3, 7);
        let kv = Message::default().bytes(1, b"/a").number(2, 3).number(3, 4).bytes(5, b"x");
        let event = Message::default().number(1, 1).nested(2, kv);
        let watch = Message::default().nested(1, header()).nested(11, event).bytes(6, b"why");
        let found = WatchResponse::parse(watch.into_bytes().into()).unwrap();
        assert_eq!(
            (found.revision, found.events.len(), &found.cancel_reason[..]),
            (7, 1, &b"why"[..])
        );
        assert!(found.events[0].is_delete && found.events[0].previous.is_none());
        assert_eq!((found.events[0].kv.created, found.events[0].kv.modified), (3, 4));

        let range = Message::default().nested(1, header()).number(4, 12);
        let txn = Message::default().nested(3, Message::default().nested(1, range)).flag(2, true);
        let found = TxnResponse::parse(txn.into_bytes().into()).unwrap();
        assert!(found.succeeded);
        assert_eq!((found.ranges[0].revision, found.ranges[0].count), (7, 12));
        let lease = Message::default().nested(1, header()).number(2, 5).number(3, 60);
        assert_eq!(parse_lease(lease.into_bytes().into()), Ok((5, 60)));
        assert_eq!(RangeResponse::parse(vec![0x12, 9].into()), Err(Malformed));
    }
}
