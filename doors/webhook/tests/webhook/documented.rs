//! The files that the documents show: configurations are right, and the API takes the objects.

use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_object::{Limits, NoCluster, decode};
use ratchet_pipeline::{BuiltInType, Decoded, FieldValidation};
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

#[test]
fn the_api_takes_the_webhook_configuration() {
    let text = blocks(HOW_TO).into_iter().find(|text| text.contains("kind: Validating")).unwrap();
    let mut decoded = decode(text, Limits::DEFAULT).unwrap();
    let api_version = "admissionregistration.k8s.io/v1";
    let object_type = BuiltInType::find(api_version, "ValidatingWebhookConfiguration").unwrap();
    let decoded = Decoded::located(&object_type, decoded.documents.remove(0), &decoded.repeated);
    assert_eq!(decoded.fields().strict_error(FieldValidation::Strict), None);
    let paired = decoded.with_defaults().unwrap().pair(None);
    let config = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
    let judged = paired.judge(&config, &NoCluster, None);
    assert_eq!(judged.status(), None);
    assert!(judged.verdict().warnings.is_empty(), "{:?}", judged.verdict().warnings);
}
