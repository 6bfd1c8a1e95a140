//! The current time and new uids, as object metadata has them.

use jiff::Timestamp;

/// A `metav1.Time`: RFC 3339 in UTC with whole seconds.
pub(crate) fn format_time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The current time as a `metav1.Time`.
pub(crate) fn now() -> String {
    format_time(Timestamp::now())
}

/// A random uid for a new object.
pub(crate) fn new_uid() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// A random id for a request. There is one for each, so that the system is not asked for randomness.
pub(crate) fn new_request_id() -> String {
    let bytes = fastrand::u128(..).to_le_bytes();
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}
