//! A bad new configuration file: the old one stays in force, and log, metrics and readiness say so.

use crate::replica::{BAD, Called, review};
use crate::world::until;
use serde_json::json;

#[test]
fn a_bad_file_keeps_the_old_one_and_is_told_everywhere() {
    let called = Called::start(None, "rules: {RTC-IP: enforce}\n", &[]);
    let is_refused = || called.response(&review("shop", "web", BAD))["allowed"] == json!(false);
    assert!(is_refused());
    called.configure("rules: {RTC-IP: off}\nmode: mild\n");
    let fault = "webhook.yaml:4:7: mode: must be enforce, warn, audit or off, found \\\"mild\\\"";
    until("the line of the log", || called.replica.log().contains(fault).then_some(()));
    let log = called.replica.log();
    assert!(log.contains("the new configuration is not usable, the old one stays"), "{log}");
    assert!(is_refused(), "nothing of the bad file is in force");
    assert!(called.has_metric("ratchet_webhook_config_last_reload_successful 0"));
    let (code, _, detail) = called.get("/readyz?verbose");
    assert_eq!(code, 200, "{detail}");
    assert!(detail.contains("warn: the new configuration is not in force: "), "{detail}");

    called.configure("rules: {RTC-IP: off}\n");
    until("the good file", || (!is_refused()).then_some(()));
    assert!(called.has_metric("ratchet_webhook_config_last_reload_successful 1"));
    assert!(!called.get("/readyz?verbose").2.contains("warn"));
    assert!(called.has_metric(
        "ratchet_webhook_certificate_expiration_timestamp_seconds{certificate=\"serving\"} "
    ));
}
