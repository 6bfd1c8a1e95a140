//! An API server's side of a review: `core/webhook` makes the call for a change, and reads the answer.

use ratchet_access::User;
use ratchet_engine::{Change, Part};
use ratchet_object::{Limits, NoCluster, Object, Scope, decode};
use ratchet_policy::{Attributes, GroupVersionKind, GroupVersionResource, Operation, Reader};
use ratchet_webhook::{
    AdmissionType, Answer, Context, ValidatingDispatch, WebhookConfiguration, Webhooks,
};

/// The name of the webhook.
pub(crate) const NAME: &str = "ratchet.example.com";

const CONFIGURATION: &str =
    "{metadata: {name: c}, webhooks: [{name: ratchet.example.com, sideEffects: None,
    admissionReviewVersions: [v1], clientConfig: {url: 'https://127.0.0.1:9443/validate'},
    rules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*']}]}]}";

/// What a client of the API server sees of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// Code, reason and message of a refusal.
    pub(crate) refusal: Option<(i64, String, String)>,
    /// The number of causes of a refusal.
    pub(crate) causes: usize,
    /// The warnings.
    pub(crate) warnings: Vec<String>,
    /// The annotations of the audit event.
    pub(crate) audit: Vec<(String, String)>,
}

/// Asks a webhook for everything about a change of `ann`; `answer` is given the review. `None` if no webhook is called.
pub(crate) fn ask(change: &Change<'_>, answer: impl FnOnce(&str) -> String) -> Option<Seen> {
    with_attributes(change, |attributes| {
        let webhooks = webhooks(CONFIGURATION);
        let context = context(attributes);
        let (mut dispatch, calls) = ValidatingDispatch::start(&webhooks, &context).unwrap();
        let call = calls.first()?;
        let body = answer(call.body()).into_bytes();
        let answer = Answer::Response { status: 200, content_type: String::new(), body };
        dispatch.answer(call, answer, &context);
        let (rejection, report) = dispatch.finish();
        let causes = rejection.as_ref().map(|rejection| {
            let status = rejection.status(attributes);
            status.find(&["details", "causes"]).map_or(0, |causes| causes.items().len())
        });
        Some(Seen {
            refusal: rejection.map(|rejection| {
                (rejection.code(), rejection.reason().to_owned(), rejection.message(attributes))
            }),
            causes: causes.unwrap_or_default(),
            warnings: report.warnings,
            audit: report.annotations.into_iter().map(|own| (own.key, own.value)).collect(),
        })
    })
}

/// Whether any webhook of a configuration is called about a change.
pub(crate) fn is_sent(configuration: &str, change: &Change<'_>) -> bool {
    let webhooks = webhooks(configuration);
    with_attributes(change, |attributes| {
        let (_, calls) = ValidatingDispatch::start(&webhooks, &context(attributes)).unwrap();
        !calls.is_empty()
    })
}

/// The attributes of the request that makes a change.
fn with_attributes<T>(change: &Change<'_>, then: impl FnOnce(&Attributes<'_>) -> T) -> T {
    let new = change.new_object();
    let owned = |object: &Object<'_>| object.node().clone().into_owned();
    let (object, old) = (owned(new), change.old_object().map(owned));
    let kind = GroupVersionKind::from_api_version(new.api_version(), new.kind_name());
    let GroupVersionKind { group, version, .. } = kind;
    then(&Attributes {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        kind,
        resource: GroupVersionResource { group, version, resource: change.kind.plural },
        subresource: match change.part {
            Part::Main => "",
            Part::Sub(name) => name,
        },
        name: new.name(),
        namespace: match (change.kind.scope, new.namespace()) {
            (Scope::Cluster, _) => "",
            (Scope::Namespaced, "") => "default",
            (Scope::Namespaced, namespace) => namespace,
        },
        object: Some(&object),
        old: old.as_ref(),
        options: None,
        user: &User { name: "ann".into(), ..User::default() },
        dry_run: false,
    })
}

fn context<'c>(attributes: &'c Attributes<'c>) -> Context<'c> {
    const NEW_UID: &dyn Fn() -> String = &|| "u-1".to_owned();
    Context { attributes, objects: &NoCluster, new_uid: NEW_UID, is_overdue: false }
}

fn webhooks(configuration: &str) -> Webhooks {
    let configuration = decode(configuration, Limits::DEFAULT).unwrap().documents.remove(0);
    let admission = AdmissionType::Validating;
    let compiled = WebhookConfiguration::compile(&configuration, admission, &Reader::new((1, 36)));
    Webhooks::new(admission, vec![compiled.into()])
}
