//! The built-in kinds, with what k8s-openapi knows about each.

use k8s_openapi::schemars::{JsonSchema, SchemaGenerator};
use k8s_openapi::serde_json::{Map, Value};
use k8s_openapi::{
    ClusterResourceScope, NamespaceResourceScope, Resource, ResourceScope, SubResourceScope,
};

/// A kind as k8s-openapi describes it.
pub struct Kind {
    pub group: &'static str,
    pub version: &'static str,
    pub kind: &'static str,
    /// The id of its type among the definitions.
    pub id: String,
    pub namespaced: bool,
    /// Whether it is only ever sent to a subresource, which `plural` then names.
    pub subresource: bool,
    pub plural: &'static str,
}

/// A scope, turned from a type into values.
trait Scope: ResourceScope {
    const NAMESPACED: bool;
    const SUBRESOURCE: bool = false;
}

impl Scope for ClusterResourceScope {
    const NAMESPACED: bool = false;
}

impl Scope for NamespaceResourceScope {
    const NAMESPACED: bool = true;
}

/// k8s-openapi does not give the scope of a subresource. It is that of its parent, and Pod (eviction), ServiceAccount
/// (token) and all kinds that scale are namespaced.
impl Scope for SubResourceScope {
    const NAMESPACED: bool = true;
    const SUBRESOURCE: bool = true;
}

fn row<T: Resource<Scope: Scope> + JsonSchema>(generator: &mut SchemaGenerator) -> Kind {
    // By reference, so that the type and all types it refers to become definitions, recursion included.
    generator.subschema_for::<T>();
    Kind {
        group: T::GROUP,
        version: T::VERSION,
        kind: T::KIND,
        id: T::schema_name().into_owned(),
        namespaced: T::Scope::NAMESPACED,
        subresource: T::Scope::SUBRESOURCE,
        plural: T::URL_PATH_SEGMENT,
    }
}

macro_rules! rows {
    ($generator:ident; $($($module:ident)::+: $($kind:ident)+;)+) => {{
        let mut rows = Vec::new();
        $({
            use k8s_openapi::$($module)::+ as module;
            $(rows.push(row::<module::$kind>($generator));)+
        })+
        rows
    }};
}

/// All kinds, sorted by group, version and kind, and the definitions of all their types.
pub fn all() -> (Vec<Kind>, Map<String, Value>) {
    let mut generator = SchemaGenerator::default();
    let mut kinds = list(&mut generator);
    kinds.sort_by_key(|row| (row.group, row.version, row.kind));
    (kinds, generator.take_definitions(false))
}

// k8s-openapi has no registry. These are the hits of `impl crate::Resource for` in its sources,
// without List and without apimachinery's: those (Status and the discovery documents, APIGroup to
// APIVersions) are answers of the API server and never sent to it.
#[rustfmt::skip]
fn list(generator: &mut SchemaGenerator) -> Vec<Kind> {
    rows! { generator;
        api::admissionregistration::v1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
            MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
            ValidatingWebhookConfiguration;
        api::admissionregistration::v1alpha1: MutatingAdmissionPolicy
            MutatingAdmissionPolicyBinding;
        api::admissionregistration::v1beta1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding;
        api::apiserverinternal::v1alpha1: StorageVersion;
        api::apps::v1: ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet;
        api::authentication::v1: SelfSubjectReview TokenRequest TokenReview;
        api::authorization::v1: LocalSubjectAccessReview SelfSubjectAccessReview
            SelfSubjectRulesReview SubjectAccessReview;
        api::autoscaling::v1: HorizontalPodAutoscaler Scale;
        api::autoscaling::v2: HorizontalPodAutoscaler;
        api::batch::v1: CronJob Job;
        api::certificates::v1: CertificateSigningRequest;
        api::certificates::v1alpha1: ClusterTrustBundle;
        api::certificates::v1beta1: ClusterTrustBundle PodCertificateRequest;
        api::coordination::v1: Lease;
        api::coordination::v1alpha2: LeaseCandidate;
        api::coordination::v1beta1: LeaseCandidate;
        api::core::v1: Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node
            PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController
            ResourceQuota Secret Service ServiceAccount;
        api::discovery::v1: EndpointSlice;
        api::events::v1: Event;
        api::flowcontrol::v1: FlowSchema PriorityLevelConfiguration;
        api::networking::v1: IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR;
        api::networking::v1beta1: IPAddress ServiceCIDR;
        api::node::v1: RuntimeClass;
        api::policy::v1: Eviction PodDisruptionBudget;
        api::rbac::v1: ClusterRole ClusterRoleBinding Role RoleBinding;
        api::resource::v1: DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
        api::resource::v1alpha3: DeviceTaintRule ResourcePoolStatusRequest;
        api::resource::v1beta1: DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
        api::resource::v1beta2: DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate
            ResourceSlice;
        api::scheduling::v1: PriorityClass;
        api::scheduling::v1alpha2: PodGroup Workload;
        api::storage::v1: CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment
            VolumeAttributesClass;
        api::storage::v1beta1: VolumeAttributesClass;
        api::storagemigration::v1beta1: StorageVersionMigration;
        apiextensions_apiserver::pkg::apis::apiextensions::v1: CustomResourceDefinition;
        kube_aggregator::pkg::apis::apiregistration::v1: APIService;
    }
}
