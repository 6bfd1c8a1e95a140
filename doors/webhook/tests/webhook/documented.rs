//! The configuration files that the documents show.

use ratchet_webhook_server::{Configuration, Mode, RuleModes};

const HOW_TO: &str = include_str!("../../../../docs/how-to/webhook.md");
const REFERENCE: &str = include_str!("../../../../docs/reference/webhook.md");

fn blocks(page: &'static str) -> Vec<&'static str> {
    let blocks = page.split("```yaml\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn configurations_are_right() {
    let all: Vec<&str> = blocks(HOW_TO).into_iter().chain(blocks(REFERENCE)).collect();
    let ours = all.iter().filter(|text| text.contains("kind: WebhookConfiguration"));
    let parsed: Vec<Configuration> = ours.map(|text| Configuration::parse(text).unwrap()).collect();
    let [audit, complete] = parsed.as_slice() else { panic!("{} configurations", parsed.len()) };
    let mode =
        |configuration: &Configuration, id: &str| configuration.mode_of(id, &RuleModes::default());
    assert_eq!((mode(audit, "RTC-IP-001"), mode(audit, "RTC-API-001")), (Mode::Audit, Mode::Off));
    assert_eq!(mode(complete, "RTC-IP-001"), Mode::Enforce);
    assert_eq!(complete.external_ips.as_ref().unwrap().len(), 1);
}
