//! The schemas of the kinds built into Kubernetes v1.36.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- schema > core/object/src/schema/v1_36.rs`

use super::Shape::*;
use super::{KindRow, TypeRow, opt, req};

/// All object types, sorted by id.
#[rustfmt::skip]
pub static TYPES: &[TypeRow] = &[
    /* 0 */ TypeRow { name: "ApplyConfiguration", id: "io.k8s.api.admissionregistration.v1.ApplyConfiguration", fields: &[
        opt("expression", String),
    ] },
    /* 1 */ TypeRow { name: "AuditAnnotation", id: "io.k8s.api.admissionregistration.v1.AuditAnnotation", fields: &[
        req("key", String),
        req("valueExpression", String),
    ] },
    /* 2 */ TypeRow { name: "ExpressionWarning", id: "io.k8s.api.admissionregistration.v1.ExpressionWarning", fields: &[
        req("fieldRef", String),
        req("warning", String),
    ] },
    /* 3 */ TypeRow { name: "JSONPatch", id: "io.k8s.api.admissionregistration.v1.JSONPatch", fields: &[
        opt("expression", String),
    ] },
    /* 4 */ TypeRow { name: "MatchCondition", id: "io.k8s.api.admissionregistration.v1.MatchCondition", fields: &[
        req("expression", String),
        req("name", String),
    ] },
    /* 5 */ TypeRow { name: "MatchResources", id: "io.k8s.api.admissionregistration.v1.MatchResources", fields: &[
        opt("excludeResourceRules", List(&Object(13))), // NamedRuleWithOperations
        opt("matchPolicy", String),
        opt("namespaceSelector", Object(647)), // LabelSelector
        opt("objectSelector", Object(647)), // LabelSelector
        opt("resourceRules", List(&Object(13))), // NamedRuleWithOperations
    ] },
    /* 6 */ TypeRow { name: "MutatingAdmissionPolicy", id: "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(9)), // MutatingAdmissionPolicySpec
    ] },
    /* 7 */ TypeRow { name: "MutatingAdmissionPolicyBinding", id: "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(8)), // MutatingAdmissionPolicyBindingSpec
    ] },
    /* 8 */ TypeRow { name: "MutatingAdmissionPolicyBindingSpec", id: "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec", fields: &[
        opt("matchResources", Object(5)), // MatchResources
        opt("paramRef", Object(15)), // ParamRef
        opt("policyName", String),
    ] },
    /* 9 */ TypeRow { name: "MutatingAdmissionPolicySpec", id: "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec", fields: &[
        opt("failurePolicy", String),
        opt("matchConditions", List(&Object(4))), // MatchCondition
        opt("matchConstraints", Object(5)), // MatchResources
        opt("mutations", List(&Object(12))), // Mutation
        opt("paramKind", Object(14)), // ParamKind
        opt("reinvocationPolicy", String),
        opt("variables", List(&Object(27))), // Variable
    ] },
    /* 10 */ TypeRow { name: "MutatingWebhook", id: "io.k8s.api.admissionregistration.v1.MutatingWebhook", fields: &[
        req("admissionReviewVersions", List(&String)),
        req("clientConfig", Object(28)), // WebhookClientConfig
        opt("failurePolicy", String),
        opt("matchConditions", List(&Object(4))), // MatchCondition
        opt("matchPolicy", String),
        req("name", String),
        opt("namespaceSelector", Object(647)), // LabelSelector
        opt("objectSelector", Object(647)), // LabelSelector
        opt("reinvocationPolicy", String),
        opt("rules", List(&Object(16))), // RuleWithOperations
        req("sideEffects", String),
        opt("timeoutSeconds", Int32),
    ] },
    /* 11 */ TypeRow { name: "MutatingWebhookConfiguration", id: "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("webhooks", List(&Object(10))), // MutatingWebhook
    ] },
    /* 12 */ TypeRow { name: "Mutation", id: "io.k8s.api.admissionregistration.v1.Mutation", fields: &[
        opt("applyConfiguration", Object(0)), // ApplyConfiguration
        opt("jsonPatch", Object(3)), // JSONPatch
        req("patchType", String),
    ] },
    /* 13 */ TypeRow { name: "NamedRuleWithOperations", id: "io.k8s.api.admissionregistration.v1.NamedRuleWithOperations", fields: &[
        opt("apiGroups", List(&String)),
        opt("apiVersions", List(&String)),
        opt("operations", List(&String)),
        opt("resourceNames", List(&String)),
        opt("resources", List(&String)),
        opt("scope", String),
    ] },
    /* 14 */ TypeRow { name: "ParamKind", id: "io.k8s.api.admissionregistration.v1.ParamKind", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
    ] },
    /* 15 */ TypeRow { name: "ParamRef", id: "io.k8s.api.admissionregistration.v1.ParamRef", fields: &[
        opt("name", String),
        opt("namespace", String),
        opt("parameterNotFoundAction", String),
        opt("selector", Object(647)), // LabelSelector
    ] },
    /* 16 */ TypeRow { name: "RuleWithOperations", id: "io.k8s.api.admissionregistration.v1.RuleWithOperations", fields: &[
        opt("apiGroups", List(&String)),
        opt("apiVersions", List(&String)),
        opt("operations", List(&String)),
        opt("resources", List(&String)),
        opt("scope", String),
    ] },
    /* 17 */ TypeRow { name: "ServiceReference", id: "io.k8s.api.admissionregistration.v1.ServiceReference", fields: &[
        req("name", String),
        req("namespace", String),
        opt("path", String),
        opt("port", Int32),
    ] },
    /* 18 */ TypeRow { name: "TypeChecking", id: "io.k8s.api.admissionregistration.v1.TypeChecking", fields: &[
        opt("expressionWarnings", List(&Object(2))), // ExpressionWarning
    ] },
    /* 19 */ TypeRow { name: "ValidatingAdmissionPolicy", id: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(22)), // ValidatingAdmissionPolicySpec
        opt("status", Object(23)), // ValidatingAdmissionPolicyStatus
    ] },
    /* 20 */ TypeRow { name: "ValidatingAdmissionPolicyBinding", id: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(21)), // ValidatingAdmissionPolicyBindingSpec
    ] },
    /* 21 */ TypeRow { name: "ValidatingAdmissionPolicyBindingSpec", id: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec", fields: &[
        opt("matchResources", Object(5)), // MatchResources
        opt("paramRef", Object(15)), // ParamRef
        req("policyName", String),
        req("validationActions", List(&String)),
    ] },
    /* 22 */ TypeRow { name: "ValidatingAdmissionPolicySpec", id: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec", fields: &[
        opt("auditAnnotations", List(&Object(1))), // AuditAnnotation
        opt("failurePolicy", String),
        opt("matchConditions", List(&Object(4))), // MatchCondition
        opt("matchConstraints", Object(5)), // MatchResources
        opt("paramKind", Object(14)), // ParamKind
        opt("validations", List(&Object(26))), // Validation
        opt("variables", List(&Object(27))), // Variable
    ] },
    /* 23 */ TypeRow { name: "ValidatingAdmissionPolicyStatus", id: "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("observedGeneration", Int64),
        opt("typeChecking", Object(18)), // TypeChecking
    ] },
    /* 24 */ TypeRow { name: "ValidatingWebhook", id: "io.k8s.api.admissionregistration.v1.ValidatingWebhook", fields: &[
        req("admissionReviewVersions", List(&String)),
        req("clientConfig", Object(28)), // WebhookClientConfig
        opt("failurePolicy", String),
        opt("matchConditions", List(&Object(4))), // MatchCondition
        opt("matchPolicy", String),
        req("name", String),
        opt("namespaceSelector", Object(647)), // LabelSelector
        opt("objectSelector", Object(647)), // LabelSelector
        opt("rules", List(&Object(16))), // RuleWithOperations
        req("sideEffects", String),
        opt("timeoutSeconds", Int32),
    ] },
    /* 25 */ TypeRow { name: "ValidatingWebhookConfiguration", id: "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("webhooks", List(&Object(24))), // ValidatingWebhook
    ] },
    /* 26 */ TypeRow { name: "Validation", id: "io.k8s.api.admissionregistration.v1.Validation", fields: &[
        req("expression", String),
        opt("message", String),
        opt("messageExpression", String),
        opt("reason", String),
    ] },
    /* 27 */ TypeRow { name: "Variable", id: "io.k8s.api.admissionregistration.v1.Variable", fields: &[
        req("expression", String),
        req("name", String),
    ] },
    /* 28 */ TypeRow { name: "WebhookClientConfig", id: "io.k8s.api.admissionregistration.v1.WebhookClientConfig", fields: &[
        opt("caBundle", Bytes),
        opt("service", Object(17)), // ServiceReference
        opt("url", String),
    ] },
    /* 29 */ TypeRow { name: "ApplyConfiguration", id: "io.k8s.api.admissionregistration.v1alpha1.ApplyConfiguration", fields: &[
        opt("expression", String),
    ] },
    /* 30 */ TypeRow { name: "JSONPatch", id: "io.k8s.api.admissionregistration.v1alpha1.JSONPatch", fields: &[
        opt("expression", String),
    ] },
    /* 31 */ TypeRow { name: "MatchCondition", id: "io.k8s.api.admissionregistration.v1alpha1.MatchCondition", fields: &[
        req("expression", String),
        req("name", String),
    ] },
    /* 32 */ TypeRow { name: "MatchResources", id: "io.k8s.api.admissionregistration.v1alpha1.MatchResources", fields: &[
        opt("excludeResourceRules", List(&Object(38))), // NamedRuleWithOperations
        opt("matchPolicy", String),
        opt("namespaceSelector", Object(647)), // LabelSelector
        opt("objectSelector", Object(647)), // LabelSelector
        opt("resourceRules", List(&Object(38))), // NamedRuleWithOperations
    ] },
    /* 33 */ TypeRow { name: "MutatingAdmissionPolicy", id: "io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicy", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(36)), // MutatingAdmissionPolicySpec
    ] },
    /* 34 */ TypeRow { name: "MutatingAdmissionPolicyBinding", id: "io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(35)), // MutatingAdmissionPolicyBindingSpec
    ] },
    /* 35 */ TypeRow { name: "MutatingAdmissionPolicyBindingSpec", id: "io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingSpec", fields: &[
        opt("matchResources", Object(32)), // MatchResources
        opt("paramRef", Object(40)), // ParamRef
        opt("policyName", String),
    ] },
    /* 36 */ TypeRow { name: "MutatingAdmissionPolicySpec", id: "io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicySpec", fields: &[
        opt("failurePolicy", String),
        opt("matchConditions", List(&Object(31))), // MatchCondition
        opt("matchConstraints", Object(32)), // MatchResources
        opt("mutations", List(&Object(37))), // Mutation
        opt("paramKind", Object(39)), // ParamKind
        opt("reinvocationPolicy", String),
        opt("variables", List(&Object(41))), // Variable
    ] },
    /* 37 */ TypeRow { name: "Mutation", id: "io.k8s.api.admissionregistration.v1alpha1.Mutation", fields: &[
        opt("applyConfiguration", Object(29)), // ApplyConfiguration
        opt("jsonPatch", Object(30)), // JSONPatch
        req("patchType", String),
    ] },
    /* 38 */ TypeRow { name: "NamedRuleWithOperations", id: "io.k8s.api.admissionregistration.v1alpha1.NamedRuleWithOperations", fields: &[
        opt("apiGroups", List(&String)),
        opt("apiVersions", List(&String)),
        opt("operations", List(&String)),
        opt("resourceNames", List(&String)),
        opt("resources", List(&String)),
        opt("scope", String),
    ] },
    /* 39 */ TypeRow { name: "ParamKind", id: "io.k8s.api.admissionregistration.v1alpha1.ParamKind", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
    ] },
    /* 40 */ TypeRow { name: "ParamRef", id: "io.k8s.api.admissionregistration.v1alpha1.ParamRef", fields: &[
        opt("name", String),
        opt("namespace", String),
        opt("parameterNotFoundAction", String),
        opt("selector", Object(647)), // LabelSelector
    ] },
    /* 41 */ TypeRow { name: "Variable", id: "io.k8s.api.admissionregistration.v1alpha1.Variable", fields: &[
        req("expression", String),
        req("name", String),
    ] },
    /* 42 */ TypeRow { name: "ApplyConfiguration", id: "io.k8s.api.admissionregistration.v1beta1.ApplyConfiguration", fields: &[
        opt("expression", String),
    ] },
    /* 43 */ TypeRow { name: "JSONPatch", id: "io.k8s.api.admissionregistration.v1beta1.JSONPatch", fields: &[
        opt("expression", String),
    ] },
    /* 44 */ TypeRow { name: "MatchCondition", id: "io.k8s.api.admissionregistration.v1beta1.MatchCondition", fields: &[
        req("expression", String),
        req("name", String),
    ] },
    /* 45 */ TypeRow { name: "MatchResources", id: "io.k8s.api.admissionregistration.v1beta1.MatchResources", fields: &[
        opt("excludeResourceRules", List(&Object(51))), // NamedRuleWithOperations
        opt("matchPolicy", String),
        opt("namespaceSelector", Object(647)), // LabelSelector
        opt("objectSelector", Object(647)), // LabelSelector
        opt("resourceRules", List(&Object(51))), // NamedRuleWithOperations
    ] },
    /* 46 */ TypeRow { name: "MutatingAdmissionPolicy", id: "io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicy", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(49)), // MutatingAdmissionPolicySpec
    ] },
    /* 47 */ TypeRow { name: "MutatingAdmissionPolicyBinding", id: "io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBinding", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(48)), // MutatingAdmissionPolicyBindingSpec
    ] },
    /* 48 */ TypeRow { name: "MutatingAdmissionPolicyBindingSpec", id: "io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec", fields: &[
        opt("matchResources", Object(45)), // MatchResources
        opt("paramRef", Object(53)), // ParamRef
        opt("policyName", String),
    ] },
    /* 49 */ TypeRow { name: "MutatingAdmissionPolicySpec", id: "io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicySpec", fields: &[
        opt("failurePolicy", String),
        opt("matchConditions", List(&Object(44))), // MatchCondition
        opt("matchConstraints", Object(45)), // MatchResources
        opt("mutations", List(&Object(50))), // Mutation
        opt("paramKind", Object(52)), // ParamKind
        opt("reinvocationPolicy", String),
        opt("variables", List(&Object(54))), // Variable
    ] },
    /* 50 */ TypeRow { name: "Mutation", id: "io.k8s.api.admissionregistration.v1beta1.Mutation", fields: &[
        opt("applyConfiguration", Object(42)), // ApplyConfiguration
        opt("jsonPatch", Object(43)), // JSONPatch
        req("patchType", String),
    ] },
    /* 51 */ TypeRow { name: "NamedRuleWithOperations", id: "io.k8s.api.admissionregistration.v1beta1.NamedRuleWithOperations", fields: &[
        opt("apiGroups", List(&String)),
        opt("apiVersions", List(&String)),
        opt("operations", List(&String)),
        opt("resourceNames", List(&String)),
        opt("resources", List(&String)),
        opt("scope", String),
    ] },
    /* 52 */ TypeRow { name: "ParamKind", id: "io.k8s.api.admissionregistration.v1beta1.ParamKind", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
    ] },
    /* 53 */ TypeRow { name: "ParamRef", id: "io.k8s.api.admissionregistration.v1beta1.ParamRef", fields: &[
        opt("name", String),
        opt("namespace", String),
        opt("parameterNotFoundAction", String),
        opt("selector", Object(647)), // LabelSelector
    ] },
    /* 54 */ TypeRow { name: "Variable", id: "io.k8s.api.admissionregistration.v1beta1.Variable", fields: &[
        req("expression", String),
        req("name", String),
    ] },
    /* 55 */ TypeRow { name: "ServerStorageVersion", id: "io.k8s.api.apiserverinternal.v1alpha1.ServerStorageVersion", fields: &[
        req("apiServerID", String),
        req("decodableVersions", List(&String)),
        req("encodingVersion", String),
        opt("servedVersions", List(&String)),
    ] },
    /* 56 */ TypeRow { name: "StorageVersion", id: "io.k8s.api.apiserverinternal.v1alpha1.StorageVersion", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(58)), // StorageVersionSpec
        opt("status", Object(59)), // StorageVersionStatus
    ] },
    /* 57 */ TypeRow { name: "StorageVersionCondition", id: "io.k8s.api.apiserverinternal.v1alpha1.StorageVersionCondition", fields: &[
        opt("lastTransitionTime", Time),
        req("message", String),
        opt("observedGeneration", Int64),
        req("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 58 */ TypeRow { name: "StorageVersionSpec", id: "io.k8s.api.apiserverinternal.v1alpha1.StorageVersionSpec", fields: &[
    ] },
    /* 59 */ TypeRow { name: "StorageVersionStatus", id: "io.k8s.api.apiserverinternal.v1alpha1.StorageVersionStatus", fields: &[
        opt("commonEncodingVersion", String),
        opt("conditions", List(&Object(57))), // StorageVersionCondition
        opt("storageVersions", List(&Object(55))), // ServerStorageVersion
    ] },
    /* 60 */ TypeRow { name: "ControllerRevision", id: "io.k8s.api.apps.v1.ControllerRevision", fields: &[
        opt("apiVersion", String),
        opt("data", Any),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("revision", Int64),
    ] },
    /* 61 */ TypeRow { name: "DaemonSet", id: "io.k8s.api.apps.v1.DaemonSet", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(63)), // DaemonSetSpec
        opt("status", Object(64)), // DaemonSetStatus
    ] },
    /* 62 */ TypeRow { name: "DaemonSetCondition", id: "io.k8s.api.apps.v1.DaemonSetCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 63 */ TypeRow { name: "DaemonSetSpec", id: "io.k8s.api.apps.v1.DaemonSetSpec", fields: &[
        opt("minReadySeconds", Int32),
        opt("revisionHistoryLimit", Int32),
        req("selector", Object(647)), // LabelSelector
        req("template", Object(314)), // PodTemplateSpec
        opt("updateStrategy", Object(65)), // DaemonSetUpdateStrategy
    ] },
    /* 64 */ TypeRow { name: "DaemonSetStatus", id: "io.k8s.api.apps.v1.DaemonSetStatus", fields: &[
        opt("collisionCount", Int32),
        opt("conditions", List(&Object(62))), // DaemonSetCondition
        req("currentNumberScheduled", Int32),
        req("desiredNumberScheduled", Int32),
        opt("numberAvailable", Int32),
        req("numberMisscheduled", Int32),
        req("numberReady", Int32),
        opt("numberUnavailable", Int32),
        opt("observedGeneration", Int64),
        opt("updatedNumberScheduled", Int32),
    ] },
    /* 65 */ TypeRow { name: "DaemonSetUpdateStrategy", id: "io.k8s.api.apps.v1.DaemonSetUpdateStrategy", fields: &[
        opt("rollingUpdate", Object(75)), // RollingUpdateDaemonSet
        opt("type", String),
    ] },
    /* 66 */ TypeRow { name: "Deployment", id: "io.k8s.api.apps.v1.Deployment", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(68)), // DeploymentSpec
        opt("status", Object(69)), // DeploymentStatus
    ] },
    /* 67 */ TypeRow { name: "DeploymentCondition", id: "io.k8s.api.apps.v1.DeploymentCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("lastUpdateTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 68 */ TypeRow { name: "DeploymentSpec", id: "io.k8s.api.apps.v1.DeploymentSpec", fields: &[
        opt("minReadySeconds", Int32),
        opt("paused", Bool),
        opt("progressDeadlineSeconds", Int32),
        opt("replicas", Int32),
        opt("revisionHistoryLimit", Int32),
        req("selector", Object(647)), // LabelSelector
        opt("strategy", Object(70)), // DeploymentStrategy
        req("template", Object(314)), // PodTemplateSpec
    ] },
    /* 69 */ TypeRow { name: "DeploymentStatus", id: "io.k8s.api.apps.v1.DeploymentStatus", fields: &[
        opt("availableReplicas", Int32),
        opt("collisionCount", Int32),
        opt("conditions", List(&Object(67))), // DeploymentCondition
        opt("observedGeneration", Int64),
        opt("readyReplicas", Int32),
        opt("replicas", Int32),
        opt("terminatingReplicas", Int32),
        opt("unavailableReplicas", Int32),
        opt("updatedReplicas", Int32),
    ] },
    /* 70 */ TypeRow { name: "DeploymentStrategy", id: "io.k8s.api.apps.v1.DeploymentStrategy", fields: &[
        opt("rollingUpdate", Object(76)), // RollingUpdateDeployment
        opt("type", String),
    ] },
    /* 71 */ TypeRow { name: "ReplicaSet", id: "io.k8s.api.apps.v1.ReplicaSet", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(73)), // ReplicaSetSpec
        opt("status", Object(74)), // ReplicaSetStatus
    ] },
    /* 72 */ TypeRow { name: "ReplicaSetCondition", id: "io.k8s.api.apps.v1.ReplicaSetCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 73 */ TypeRow { name: "ReplicaSetSpec", id: "io.k8s.api.apps.v1.ReplicaSetSpec", fields: &[
        opt("minReadySeconds", Int32),
        opt("replicas", Int32),
        req("selector", Object(647)), // LabelSelector
        opt("template", Object(314)), // PodTemplateSpec
    ] },
    /* 74 */ TypeRow { name: "ReplicaSetStatus", id: "io.k8s.api.apps.v1.ReplicaSetStatus", fields: &[
        opt("availableReplicas", Int32),
        opt("conditions", List(&Object(72))), // ReplicaSetCondition
        opt("fullyLabeledReplicas", Int32),
        opt("observedGeneration", Int64),
        opt("readyReplicas", Int32),
        req("replicas", Int32),
        opt("terminatingReplicas", Int32),
    ] },
    /* 75 */ TypeRow { name: "RollingUpdateDaemonSet", id: "io.k8s.api.apps.v1.RollingUpdateDaemonSet", fields: &[
        opt("maxSurge", IntOrString),
        opt("maxUnavailable", IntOrString),
    ] },
    /* 76 */ TypeRow { name: "RollingUpdateDeployment", id: "io.k8s.api.apps.v1.RollingUpdateDeployment", fields: &[
        opt("maxSurge", IntOrString),
        opt("maxUnavailable", IntOrString),
    ] },
    /* 77 */ TypeRow { name: "RollingUpdateStatefulSetStrategy", id: "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy", fields: &[
        opt("maxUnavailable", IntOrString),
        opt("partition", Int32),
    ] },
    /* 78 */ TypeRow { name: "StatefulSet", id: "io.k8s.api.apps.v1.StatefulSet", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(82)), // StatefulSetSpec
        opt("status", Object(83)), // StatefulSetStatus
    ] },
    /* 79 */ TypeRow { name: "StatefulSetCondition", id: "io.k8s.api.apps.v1.StatefulSetCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 80 */ TypeRow { name: "StatefulSetOrdinals", id: "io.k8s.api.apps.v1.StatefulSetOrdinals", fields: &[
        opt("start", Int32),
    ] },
    /* 81 */ TypeRow { name: "StatefulSetPersistentVolumeClaimRetentionPolicy", id: "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", fields: &[
        opt("whenDeleted", String),
        opt("whenScaled", String),
    ] },
    /* 82 */ TypeRow { name: "StatefulSetSpec", id: "io.k8s.api.apps.v1.StatefulSetSpec", fields: &[
        opt("minReadySeconds", Int32),
        opt("ordinals", Object(80)), // StatefulSetOrdinals
        opt("persistentVolumeClaimRetentionPolicy", Object(81)), // StatefulSetPersistentVolumeClaimRetentionPolicy
        opt("podManagementPolicy", String),
        opt("replicas", Int32),
        opt("revisionHistoryLimit", Int32),
        req("selector", Object(647)), // LabelSelector
        opt("serviceName", String),
        req("template", Object(314)), // PodTemplateSpec
        opt("updateStrategy", Object(84)), // StatefulSetUpdateStrategy
        opt("volumeClaimTemplates", List(&Object(285))), // PersistentVolumeClaim
    ] },
    /* 83 */ TypeRow { name: "StatefulSetStatus", id: "io.k8s.api.apps.v1.StatefulSetStatus", fields: &[
        opt("availableReplicas", Int32),
        opt("collisionCount", Int32),
        opt("conditions", List(&Object(79))), // StatefulSetCondition
        opt("currentReplicas", Int32),
        opt("currentRevision", String),
        opt("observedGeneration", Int64),
        opt("readyReplicas", Int32),
        req("replicas", Int32),
        opt("updateRevision", String),
        opt("updatedReplicas", Int32),
    ] },
    /* 84 */ TypeRow { name: "StatefulSetUpdateStrategy", id: "io.k8s.api.apps.v1.StatefulSetUpdateStrategy", fields: &[
        opt("rollingUpdate", Object(77)), // RollingUpdateStatefulSetStrategy
        opt("type", String),
    ] },
    /* 85 */ TypeRow { name: "BoundObjectReference", id: "io.k8s.api.authentication.v1.BoundObjectReference", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("name", String),
        opt("uid", String),
    ] },
    /* 86 */ TypeRow { name: "SelfSubjectReview", id: "io.k8s.api.authentication.v1.SelfSubjectReview", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("status", Object(87)), // SelfSubjectReviewStatus
    ] },
    /* 87 */ TypeRow { name: "SelfSubjectReviewStatus", id: "io.k8s.api.authentication.v1.SelfSubjectReviewStatus", fields: &[
        opt("userInfo", Object(94)), // UserInfo
    ] },
    /* 88 */ TypeRow { name: "TokenRequest", id: "io.k8s.api.authentication.v1.TokenRequest", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(89)), // TokenRequestSpec
        opt("status", Object(90)), // TokenRequestStatus
    ] },
    /* 89 */ TypeRow { name: "TokenRequestSpec", id: "io.k8s.api.authentication.v1.TokenRequestSpec", fields: &[
        opt("audiences", List(&String)),
        opt("boundObjectRef", Object(85)), // BoundObjectReference
        opt("expirationSeconds", Int64),
    ] },
    /* 90 */ TypeRow { name: "TokenRequestStatus", id: "io.k8s.api.authentication.v1.TokenRequestStatus", fields: &[
        opt("expirationTimestamp", Time),
        opt("token", String),
    ] },
    /* 91 */ TypeRow { name: "TokenReview", id: "io.k8s.api.authentication.v1.TokenReview", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(92)), // TokenReviewSpec
        opt("status", Object(93)), // TokenReviewStatus
    ] },
    /* 92 */ TypeRow { name: "TokenReviewSpec", id: "io.k8s.api.authentication.v1.TokenReviewSpec", fields: &[
        opt("audiences", List(&String)),
        req("token", String),
    ] },
    /* 93 */ TypeRow { name: "TokenReviewStatus", id: "io.k8s.api.authentication.v1.TokenReviewStatus", fields: &[
        opt("audiences", List(&String)),
        opt("authenticated", Bool),
        opt("error", String),
        opt("user", Object(94)), // UserInfo
    ] },
    /* 94 */ TypeRow { name: "UserInfo", id: "io.k8s.api.authentication.v1.UserInfo", fields: &[
        opt("extra", Map(&List(&String))),
        opt("groups", List(&String)),
        opt("uid", String),
        opt("username", String),
    ] },
    /* 95 */ TypeRow { name: "FieldSelectorAttributes", id: "io.k8s.api.authorization.v1.FieldSelectorAttributes", fields: &[
        opt("rawSelector", String),
        opt("requirements", List(&Object(645))), // FieldSelectorRequirement
    ] },
    /* 96 */ TypeRow { name: "LabelSelectorAttributes", id: "io.k8s.api.authorization.v1.LabelSelectorAttributes", fields: &[
        opt("rawSelector", String),
        opt("requirements", List(&Object(648))), // LabelSelectorRequirement
    ] },
    /* 97 */ TypeRow { name: "LocalSubjectAccessReview", id: "io.k8s.api.authorization.v1.LocalSubjectAccessReview", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(107)), // SubjectAccessReviewSpec
        opt("status", Object(108)), // SubjectAccessReviewStatus
    ] },
    /* 98 */ TypeRow { name: "NonResourceAttributes", id: "io.k8s.api.authorization.v1.NonResourceAttributes", fields: &[
        opt("path", String),
        opt("verb", String),
    ] },
    /* 99 */ TypeRow { name: "NonResourceRule", id: "io.k8s.api.authorization.v1.NonResourceRule", fields: &[
        opt("nonResourceURLs", List(&String)),
        req("verbs", List(&String)),
    ] },
    /* 100 */ TypeRow { name: "ResourceAttributes", id: "io.k8s.api.authorization.v1.ResourceAttributes", fields: &[
        opt("fieldSelector", Object(95)), // FieldSelectorAttributes
        opt("group", String),
        opt("labelSelector", Object(96)), // LabelSelectorAttributes
        opt("name", String),
        opt("namespace", String),
        opt("resource", String),
        opt("subresource", String),
        opt("verb", String),
        opt("version", String),
    ] },
    /* 101 */ TypeRow { name: "ResourceRule", id: "io.k8s.api.authorization.v1.ResourceRule", fields: &[
        opt("apiGroups", List(&String)),
        opt("resourceNames", List(&String)),
        opt("resources", List(&String)),
        req("verbs", List(&String)),
    ] },
    /* 102 */ TypeRow { name: "SelfSubjectAccessReview", id: "io.k8s.api.authorization.v1.SelfSubjectAccessReview", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(103)), // SelfSubjectAccessReviewSpec
        opt("status", Object(108)), // SubjectAccessReviewStatus
    ] },
    /* 103 */ TypeRow { name: "SelfSubjectAccessReviewSpec", id: "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec", fields: &[
        opt("nonResourceAttributes", Object(98)), // NonResourceAttributes
        opt("resourceAttributes", Object(100)), // ResourceAttributes
    ] },
    /* 104 */ TypeRow { name: "SelfSubjectRulesReview", id: "io.k8s.api.authorization.v1.SelfSubjectRulesReview", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(105)), // SelfSubjectRulesReviewSpec
        opt("status", Object(109)), // SubjectRulesReviewStatus
    ] },
    /* 105 */ TypeRow { name: "SelfSubjectRulesReviewSpec", id: "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec", fields: &[
        opt("namespace", String),
    ] },
    /* 106 */ TypeRow { name: "SubjectAccessReview", id: "io.k8s.api.authorization.v1.SubjectAccessReview", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(107)), // SubjectAccessReviewSpec
        opt("status", Object(108)), // SubjectAccessReviewStatus
    ] },
    /* 107 */ TypeRow { name: "SubjectAccessReviewSpec", id: "io.k8s.api.authorization.v1.SubjectAccessReviewSpec", fields: &[
        opt("extra", Map(&List(&String))),
        opt("groups", List(&String)),
        opt("nonResourceAttributes", Object(98)), // NonResourceAttributes
        opt("resourceAttributes", Object(100)), // ResourceAttributes
        opt("uid", String),
        opt("user", String),
    ] },
    /* 108 */ TypeRow { name: "SubjectAccessReviewStatus", id: "io.k8s.api.authorization.v1.SubjectAccessReviewStatus", fields: &[
        req("allowed", Bool),
        opt("denied", Bool),
        opt("evaluationError", String),
        opt("reason", String),
    ] },
    /* 109 */ TypeRow { name: "SubjectRulesReviewStatus", id: "io.k8s.api.authorization.v1.SubjectRulesReviewStatus", fields: &[
        opt("evaluationError", String),
        req("incomplete", Bool),
        req("nonResourceRules", List(&Object(99))), // NonResourceRule
        req("resourceRules", List(&Object(101))), // ResourceRule
    ] },
    /* 110 */ TypeRow { name: "CrossVersionObjectReference", id: "io.k8s.api.autoscaling.v1.CrossVersionObjectReference", fields: &[
        opt("apiVersion", String),
        req("kind", String),
        req("name", String),
    ] },
    /* 111 */ TypeRow { name: "HorizontalPodAutoscaler", id: "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(112)), // HorizontalPodAutoscalerSpec
        opt("status", Object(113)), // HorizontalPodAutoscalerStatus
    ] },
    /* 112 */ TypeRow { name: "HorizontalPodAutoscalerSpec", id: "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", fields: &[
        req("maxReplicas", Int32),
        opt("minReplicas", Int32),
        req("scaleTargetRef", Object(110)), // CrossVersionObjectReference
        opt("targetCPUUtilizationPercentage", Int32),
    ] },
    /* 113 */ TypeRow { name: "HorizontalPodAutoscalerStatus", id: "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus", fields: &[
        opt("currentCPUUtilizationPercentage", Int32),
        req("currentReplicas", Int32),
        req("desiredReplicas", Int32),
        opt("lastScaleTime", Time),
        opt("observedGeneration", Int64),
    ] },
    /* 114 */ TypeRow { name: "Scale", id: "io.k8s.api.autoscaling.v1.Scale", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(115)), // ScaleSpec
        opt("status", Object(116)), // ScaleStatus
    ] },
    /* 115 */ TypeRow { name: "ScaleSpec", id: "io.k8s.api.autoscaling.v1.ScaleSpec", fields: &[
        opt("replicas", Int32),
    ] },
    /* 116 */ TypeRow { name: "ScaleStatus", id: "io.k8s.api.autoscaling.v1.ScaleStatus", fields: &[
        req("replicas", Int32),
        opt("selector", String),
    ] },
    /* 117 */ TypeRow { name: "ContainerResourceMetricSource", id: "io.k8s.api.autoscaling.v2.ContainerResourceMetricSource", fields: &[
        req("container", String),
        req("name", String),
        req("target", Object(132)), // MetricTarget
    ] },
    /* 118 */ TypeRow { name: "ContainerResourceMetricStatus", id: "io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus", fields: &[
        req("container", String),
        req("current", Object(133)), // MetricValueStatus
        req("name", String),
    ] },
    /* 119 */ TypeRow { name: "CrossVersionObjectReference", id: "io.k8s.api.autoscaling.v2.CrossVersionObjectReference", fields: &[
        opt("apiVersion", String),
        req("kind", String),
        req("name", String),
    ] },
    /* 120 */ TypeRow { name: "ExternalMetricSource", id: "io.k8s.api.autoscaling.v2.ExternalMetricSource", fields: &[
        req("metric", Object(129)), // MetricIdentifier
        req("target", Object(132)), // MetricTarget
    ] },
    /* 121 */ TypeRow { name: "ExternalMetricStatus", id: "io.k8s.api.autoscaling.v2.ExternalMetricStatus", fields: &[
        req("current", Object(133)), // MetricValueStatus
        req("metric", Object(129)), // MetricIdentifier
    ] },
    /* 122 */ TypeRow { name: "HPAScalingPolicy", id: "io.k8s.api.autoscaling.v2.HPAScalingPolicy", fields: &[
        req("periodSeconds", Int32),
        req("type", String),
        req("value", Int32),
    ] },
    /* 123 */ TypeRow { name: "HPAScalingRules", id: "io.k8s.api.autoscaling.v2.HPAScalingRules", fields: &[
        opt("policies", List(&Object(122))), // HPAScalingPolicy
        opt("selectPolicy", String),
        opt("stabilizationWindowSeconds", Int32),
        opt("tolerance", Quantity),
    ] },
    /* 124 */ TypeRow { name: "HorizontalPodAutoscaler", id: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(127)), // HorizontalPodAutoscalerSpec
        opt("status", Object(128)), // HorizontalPodAutoscalerStatus
    ] },
    /* 125 */ TypeRow { name: "HorizontalPodAutoscalerBehavior", id: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior", fields: &[
        opt("scaleDown", Object(123)), // HPAScalingRules
        opt("scaleUp", Object(123)), // HPAScalingRules
    ] },
    /* 126 */ TypeRow { name: "HorizontalPodAutoscalerCondition", id: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 127 */ TypeRow { name: "HorizontalPodAutoscalerSpec", id: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec", fields: &[
        opt("behavior", Object(125)), // HorizontalPodAutoscalerBehavior
        req("maxReplicas", Int32),
        opt("metrics", List(&Object(130))), // MetricSpec
        opt("minReplicas", Int32),
        req("scaleTargetRef", Object(119)), // CrossVersionObjectReference
    ] },
    /* 128 */ TypeRow { name: "HorizontalPodAutoscalerStatus", id: "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus", fields: &[
        opt("conditions", List(&Object(126))), // HorizontalPodAutoscalerCondition
        opt("currentMetrics", List(&Object(131))), // MetricStatus
        opt("currentReplicas", Int32),
        req("desiredReplicas", Int32),
        opt("lastScaleTime", Time),
        opt("observedGeneration", Int64),
    ] },
    /* 129 */ TypeRow { name: "MetricIdentifier", id: "io.k8s.api.autoscaling.v2.MetricIdentifier", fields: &[
        req("name", String),
        opt("selector", Object(647)), // LabelSelector
    ] },
    /* 130 */ TypeRow { name: "MetricSpec", id: "io.k8s.api.autoscaling.v2.MetricSpec", fields: &[
        opt("containerResource", Object(117)), // ContainerResourceMetricSource
        opt("external", Object(120)), // ExternalMetricSource
        opt("object", Object(134)), // ObjectMetricSource
        opt("pods", Object(136)), // PodsMetricSource
        opt("resource", Object(138)), // ResourceMetricSource
        req("type", String),
    ] },
    /* 131 */ TypeRow { name: "MetricStatus", id: "io.k8s.api.autoscaling.v2.MetricStatus", fields: &[
        opt("containerResource", Object(118)), // ContainerResourceMetricStatus
        opt("external", Object(121)), // ExternalMetricStatus
        opt("object", Object(135)), // ObjectMetricStatus
        opt("pods", Object(137)), // PodsMetricStatus
        opt("resource", Object(139)), // ResourceMetricStatus
        req("type", String),
    ] },
    /* 132 */ TypeRow { name: "MetricTarget", id: "io.k8s.api.autoscaling.v2.MetricTarget", fields: &[
        opt("averageUtilization", Int32),
        opt("averageValue", Quantity),
        req("type", String),
        opt("value", Quantity),
    ] },
    /* 133 */ TypeRow { name: "MetricValueStatus", id: "io.k8s.api.autoscaling.v2.MetricValueStatus", fields: &[
        opt("averageUtilization", Int32),
        opt("averageValue", Quantity),
        opt("value", Quantity),
    ] },
    /* 134 */ TypeRow { name: "ObjectMetricSource", id: "io.k8s.api.autoscaling.v2.ObjectMetricSource", fields: &[
        req("describedObject", Object(119)), // CrossVersionObjectReference
        req("metric", Object(129)), // MetricIdentifier
        req("target", Object(132)), // MetricTarget
    ] },
    /* 135 */ TypeRow { name: "ObjectMetricStatus", id: "io.k8s.api.autoscaling.v2.ObjectMetricStatus", fields: &[
        req("current", Object(133)), // MetricValueStatus
        req("describedObject", Object(119)), // CrossVersionObjectReference
        req("metric", Object(129)), // MetricIdentifier
    ] },
    /* 136 */ TypeRow { name: "PodsMetricSource", id: "io.k8s.api.autoscaling.v2.PodsMetricSource", fields: &[
        req("metric", Object(129)), // MetricIdentifier
        req("target", Object(132)), // MetricTarget
    ] },
    /* 137 */ TypeRow { name: "PodsMetricStatus", id: "io.k8s.api.autoscaling.v2.PodsMetricStatus", fields: &[
        req("current", Object(133)), // MetricValueStatus
        req("metric", Object(129)), // MetricIdentifier
    ] },
    /* 138 */ TypeRow { name: "ResourceMetricSource", id: "io.k8s.api.autoscaling.v2.ResourceMetricSource", fields: &[
        req("name", String),
        req("target", Object(132)), // MetricTarget
    ] },
    /* 139 */ TypeRow { name: "ResourceMetricStatus", id: "io.k8s.api.autoscaling.v2.ResourceMetricStatus", fields: &[
        req("current", Object(133)), // MetricValueStatus
        req("name", String),
    ] },
    /* 140 */ TypeRow { name: "CronJob", id: "io.k8s.api.batch.v1.CronJob", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(141)), // CronJobSpec
        opt("status", Object(142)), // CronJobStatus
    ] },
    /* 141 */ TypeRow { name: "CronJobSpec", id: "io.k8s.api.batch.v1.CronJobSpec", fields: &[
        opt("concurrencyPolicy", String),
        opt("failedJobsHistoryLimit", Int32),
        req("jobTemplate", Object(147)), // JobTemplateSpec
        req("schedule", String),
        opt("startingDeadlineSeconds", Int64),
        opt("successfulJobsHistoryLimit", Int32),
        opt("suspend", Bool),
        opt("timeZone", String),
    ] },
    /* 142 */ TypeRow { name: "CronJobStatus", id: "io.k8s.api.batch.v1.CronJobStatus", fields: &[
        opt("active", List(&Object(283))), // ObjectReference
        opt("lastScheduleTime", Time),
        opt("lastSuccessfulTime", Time),
    ] },
    /* 143 */ TypeRow { name: "Job", id: "io.k8s.api.batch.v1.Job", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(145)), // JobSpec
        opt("status", Object(146)), // JobStatus
    ] },
    /* 144 */ TypeRow { name: "JobCondition", id: "io.k8s.api.batch.v1.JobCondition", fields: &[
        opt("lastProbeTime", Time),
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 145 */ TypeRow { name: "JobSpec", id: "io.k8s.api.batch.v1.JobSpec", fields: &[
        opt("activeDeadlineSeconds", Int64),
        opt("backoffLimit", Int32),
        opt("backoffLimitPerIndex", Int32),
        opt("completionMode", String),
        opt("completions", Int32),
        opt("managedBy", String),
        opt("manualSelector", Bool),
        opt("maxFailedIndexes", Int32),
        opt("parallelism", Int32),
        opt("podFailurePolicy", Object(148)), // PodFailurePolicy
        opt("podReplacementPolicy", String),
        opt("selector", Object(647)), // LabelSelector
        opt("successPolicy", Object(152)), // SuccessPolicy
        opt("suspend", Bool),
        req("template", Object(314)), // PodTemplateSpec
        opt("ttlSecondsAfterFinished", Int32),
    ] },
    /* 146 */ TypeRow { name: "JobStatus", id: "io.k8s.api.batch.v1.JobStatus", fields: &[
        opt("active", Int32),
        opt("completedIndexes", String),
        opt("completionTime", Time),
        opt("conditions", List(&Object(144))), // JobCondition
        opt("failed", Int32),
        opt("failedIndexes", String),
        opt("ready", Int32),
        opt("startTime", Time),
        opt("succeeded", Int32),
        opt("terminating", Int32),
        opt("uncountedTerminatedPods", Object(154)), // UncountedTerminatedPods
    ] },
    /* 147 */ TypeRow { name: "JobTemplateSpec", id: "io.k8s.api.batch.v1.JobTemplateSpec", fields: &[
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(145)), // JobSpec
    ] },
    /* 148 */ TypeRow { name: "PodFailurePolicy", id: "io.k8s.api.batch.v1.PodFailurePolicy", fields: &[
        req("rules", List(&Object(151))), // PodFailurePolicyRule
    ] },
    /* 149 */ TypeRow { name: "PodFailurePolicyOnExitCodesRequirement", id: "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement", fields: &[
        opt("containerName", String),
        req("operator", String),
        req("values", List(&Int32)),
    ] },
    /* 150 */ TypeRow { name: "PodFailurePolicyOnPodConditionsPattern", id: "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", fields: &[
        opt("status", String),
        req("type", String),
    ] },
    /* 151 */ TypeRow { name: "PodFailurePolicyRule", id: "io.k8s.api.batch.v1.PodFailurePolicyRule", fields: &[
        req("action", String),
        opt("onExitCodes", Object(149)), // PodFailurePolicyOnExitCodesRequirement
        opt("onPodConditions", List(&Object(150))), // PodFailurePolicyOnPodConditionsPattern
    ] },
    /* 152 */ TypeRow { name: "SuccessPolicy", id: "io.k8s.api.batch.v1.SuccessPolicy", fields: &[
        req("rules", List(&Object(153))), // SuccessPolicyRule
    ] },
    /* 153 */ TypeRow { name: "SuccessPolicyRule", id: "io.k8s.api.batch.v1.SuccessPolicyRule", fields: &[
        opt("succeededCount", Int32),
        opt("succeededIndexes", String),
    ] },
    /* 154 */ TypeRow { name: "UncountedTerminatedPods", id: "io.k8s.api.batch.v1.UncountedTerminatedPods", fields: &[
        opt("failed", List(&String)),
        opt("succeeded", List(&String)),
    ] },
    /* 155 */ TypeRow { name: "CertificateSigningRequest", id: "io.k8s.api.certificates.v1.CertificateSigningRequest", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(157)), // CertificateSigningRequestSpec
        opt("status", Object(158)), // CertificateSigningRequestStatus
    ] },
    /* 156 */ TypeRow { name: "CertificateSigningRequestCondition", id: "io.k8s.api.certificates.v1.CertificateSigningRequestCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("lastUpdateTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 157 */ TypeRow { name: "CertificateSigningRequestSpec", id: "io.k8s.api.certificates.v1.CertificateSigningRequestSpec", fields: &[
        opt("expirationSeconds", Int32),
        opt("extra", Map(&List(&String))),
        opt("groups", List(&String)),
        req("request", Bytes),
        req("signerName", String),
        opt("uid", String),
        opt("usages", List(&String)),
        opt("username", String),
    ] },
    /* 158 */ TypeRow { name: "CertificateSigningRequestStatus", id: "io.k8s.api.certificates.v1.CertificateSigningRequestStatus", fields: &[
        opt("certificate", Bytes),
        opt("conditions", List(&Object(156))), // CertificateSigningRequestCondition
    ] },
    /* 159 */ TypeRow { name: "ClusterTrustBundle", id: "io.k8s.api.certificates.v1alpha1.ClusterTrustBundle", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(160)), // ClusterTrustBundleSpec
    ] },
    /* 160 */ TypeRow { name: "ClusterTrustBundleSpec", id: "io.k8s.api.certificates.v1alpha1.ClusterTrustBundleSpec", fields: &[
        opt("signerName", String),
        req("trustBundle", String),
    ] },
    /* 161 */ TypeRow { name: "ClusterTrustBundle", id: "io.k8s.api.certificates.v1beta1.ClusterTrustBundle", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(162)), // ClusterTrustBundleSpec
    ] },
    /* 162 */ TypeRow { name: "ClusterTrustBundleSpec", id: "io.k8s.api.certificates.v1beta1.ClusterTrustBundleSpec", fields: &[
        opt("signerName", String),
        req("trustBundle", String),
    ] },
    /* 163 */ TypeRow { name: "PodCertificateRequest", id: "io.k8s.api.certificates.v1beta1.PodCertificateRequest", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(164)), // PodCertificateRequestSpec
        opt("status", Object(165)), // PodCertificateRequestStatus
    ] },
    /* 164 */ TypeRow { name: "PodCertificateRequestSpec", id: "io.k8s.api.certificates.v1beta1.PodCertificateRequestSpec", fields: &[
        opt("maxExpirationSeconds", Int32),
        req("nodeName", String),
        req("nodeUID", String),
        opt("pkixPublicKey", Bytes),
        req("podName", String),
        req("podUID", String),
        opt("proofOfPossession", Bytes),
        req("serviceAccountName", String),
        req("serviceAccountUID", String),
        req("signerName", String),
        req("stubPKCS10Request", Bytes),
        opt("unverifiedUserAnnotations", Map(&String)),
    ] },
    /* 165 */ TypeRow { name: "PodCertificateRequestStatus", id: "io.k8s.api.certificates.v1beta1.PodCertificateRequestStatus", fields: &[
        opt("beginRefreshAt", Time),
        opt("certificateChain", String),
        opt("conditions", List(&Object(643))), // Condition
        opt("notAfter", Time),
        opt("notBefore", Time),
    ] },
    /* 166 */ TypeRow { name: "Lease", id: "io.k8s.api.coordination.v1.Lease", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(167)), // LeaseSpec
    ] },
    /* 167 */ TypeRow { name: "LeaseSpec", id: "io.k8s.api.coordination.v1.LeaseSpec", fields: &[
        opt("acquireTime", MicroTime),
        opt("holderIdentity", String),
        opt("leaseDurationSeconds", Int32),
        opt("leaseTransitions", Int32),
        opt("preferredHolder", String),
        opt("renewTime", MicroTime),
        opt("strategy", String),
    ] },
    /* 168 */ TypeRow { name: "LeaseCandidate", id: "io.k8s.api.coordination.v1alpha2.LeaseCandidate", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(169)), // LeaseCandidateSpec
    ] },
    /* 169 */ TypeRow { name: "LeaseCandidateSpec", id: "io.k8s.api.coordination.v1alpha2.LeaseCandidateSpec", fields: &[
        req("binaryVersion", String),
        opt("emulationVersion", String),
        req("leaseName", String),
        opt("pingTime", MicroTime),
        opt("renewTime", MicroTime),
        req("strategy", String),
    ] },
    /* 170 */ TypeRow { name: "LeaseCandidate", id: "io.k8s.api.coordination.v1beta1.LeaseCandidate", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(171)), // LeaseCandidateSpec
    ] },
    /* 171 */ TypeRow { name: "LeaseCandidateSpec", id: "io.k8s.api.coordination.v1beta1.LeaseCandidateSpec", fields: &[
        req("binaryVersion", String),
        opt("emulationVersion", String),
        req("leaseName", String),
        opt("pingTime", MicroTime),
        opt("renewTime", MicroTime),
        req("strategy", String),
    ] },
    /* 172 */ TypeRow { name: "AWSElasticBlockStoreVolumeSource", id: "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource", fields: &[
        opt("fsType", String),
        opt("partition", Int32),
        opt("readOnly", Bool),
        req("volumeID", String),
    ] },
    /* 173 */ TypeRow { name: "Affinity", id: "io.k8s.api.core.v1.Affinity", fields: &[
        opt("nodeAffinity", Object(266)), // NodeAffinity
        opt("podAffinity", Object(295)), // PodAffinity
        opt("podAntiAffinity", Object(297)), // PodAntiAffinity
    ] },
    /* 174 */ TypeRow { name: "AppArmorProfile", id: "io.k8s.api.core.v1.AppArmorProfile", fields: &[
        opt("localhostProfile", String),
        req("type", String),
    ] },
    /* 175 */ TypeRow { name: "AttachedVolume", id: "io.k8s.api.core.v1.AttachedVolume", fields: &[
        req("devicePath", String),
        req("name", String),
    ] },
    /* 176 */ TypeRow { name: "AzureDiskVolumeSource", id: "io.k8s.api.core.v1.AzureDiskVolumeSource", fields: &[
        opt("cachingMode", String),
        req("diskName", String),
        req("diskURI", String),
        opt("fsType", String),
        opt("kind", String),
        opt("readOnly", Bool),
    ] },
    /* 177 */ TypeRow { name: "AzureFilePersistentVolumeSource", id: "io.k8s.api.core.v1.AzureFilePersistentVolumeSource", fields: &[
        opt("readOnly", Bool),
        req("secretName", String),
        opt("secretNamespace", String),
        req("shareName", String),
    ] },
    /* 178 */ TypeRow { name: "AzureFileVolumeSource", id: "io.k8s.api.core.v1.AzureFileVolumeSource", fields: &[
        opt("readOnly", Bool),
        req("secretName", String),
        req("shareName", String),
    ] },
    /* 179 */ TypeRow { name: "Binding", id: "io.k8s.api.core.v1.Binding", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("target", Object(283)), // ObjectReference
    ] },
    /* 180 */ TypeRow { name: "CSIPersistentVolumeSource", id: "io.k8s.api.core.v1.CSIPersistentVolumeSource", fields: &[
        opt("controllerExpandSecretRef", Object(345)), // SecretReference
        opt("controllerPublishSecretRef", Object(345)), // SecretReference
        req("driver", String),
        opt("fsType", String),
        opt("nodeExpandSecretRef", Object(345)), // SecretReference
        opt("nodePublishSecretRef", Object(345)), // SecretReference
        opt("nodeStageSecretRef", Object(345)), // SecretReference
        opt("readOnly", Bool),
        opt("volumeAttributes", Map(&String)),
        req("volumeHandle", String),
    ] },
    /* 181 */ TypeRow { name: "CSIVolumeSource", id: "io.k8s.api.core.v1.CSIVolumeSource", fields: &[
        req("driver", String),
        opt("fsType", String),
        opt("nodePublishSecretRef", Object(256)), // LocalObjectReference
        opt("readOnly", Bool),
        opt("volumeAttributes", Map(&String)),
    ] },
    /* 182 */ TypeRow { name: "Capabilities", id: "io.k8s.api.core.v1.Capabilities", fields: &[
        opt("add", List(&String)),
        opt("drop", List(&String)),
    ] },
    /* 183 */ TypeRow { name: "CephFSPersistentVolumeSource", id: "io.k8s.api.core.v1.CephFSPersistentVolumeSource", fields: &[
        req("monitors", List(&String)),
        opt("path", String),
        opt("readOnly", Bool),
        opt("secretFile", String),
        opt("secretRef", Object(345)), // SecretReference
        opt("user", String),
    ] },
    /* 184 */ TypeRow { name: "CephFSVolumeSource", id: "io.k8s.api.core.v1.CephFSVolumeSource", fields: &[
        req("monitors", List(&String)),
        opt("path", String),
        opt("readOnly", Bool),
        opt("secretFile", String),
        opt("secretRef", Object(256)), // LocalObjectReference
        opt("user", String),
    ] },
    /* 185 */ TypeRow { name: "CinderPersistentVolumeSource", id: "io.k8s.api.core.v1.CinderPersistentVolumeSource", fields: &[
        opt("fsType", String),
        opt("readOnly", Bool),
        opt("secretRef", Object(345)), // SecretReference
        req("volumeID", String),
    ] },
    /* 186 */ TypeRow { name: "CinderVolumeSource", id: "io.k8s.api.core.v1.CinderVolumeSource", fields: &[
        opt("fsType", String),
        opt("readOnly", Bool),
        opt("secretRef", Object(256)), // LocalObjectReference
        req("volumeID", String),
    ] },
    /* 187 */ TypeRow { name: "ClientIPConfig", id: "io.k8s.api.core.v1.ClientIPConfig", fields: &[
        opt("timeoutSeconds", Int32),
    ] },
    /* 188 */ TypeRow { name: "ClusterTrustBundleProjection", id: "io.k8s.api.core.v1.ClusterTrustBundleProjection", fields: &[
        opt("labelSelector", Object(647)), // LabelSelector
        opt("name", String),
        opt("optional", Bool),
        req("path", String),
        opt("signerName", String),
    ] },
    /* 189 */ TypeRow { name: "ComponentCondition", id: "io.k8s.api.core.v1.ComponentCondition", fields: &[
        opt("error", String),
        opt("message", String),
        req("status", String),
        req("type", String),
    ] },
    /* 190 */ TypeRow { name: "ComponentStatus", id: "io.k8s.api.core.v1.ComponentStatus", fields: &[
        opt("apiVersion", String),
        opt("conditions", List(&Object(189))), // ComponentCondition
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
    ] },
    /* 191 */ TypeRow { name: "ConfigMap", id: "io.k8s.api.core.v1.ConfigMap", fields: &[
        opt("apiVersion", String),
        opt("binaryData", Map(&Bytes)),
        opt("data", Map(&String)),
        opt("immutable", Bool),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
    ] },
    /* 192 */ TypeRow { name: "ConfigMapEnvSource", id: "io.k8s.api.core.v1.ConfigMapEnvSource", fields: &[
        req("name", String),
        opt("optional", Bool),
    ] },
    /* 193 */ TypeRow { name: "ConfigMapKeySelector", id: "io.k8s.api.core.v1.ConfigMapKeySelector", fields: &[
        req("key", String),
        req("name", String),
        opt("optional", Bool),
    ] },
    /* 194 */ TypeRow { name: "ConfigMapNodeConfigSource", id: "io.k8s.api.core.v1.ConfigMapNodeConfigSource", fields: &[
        req("kubeletConfigKey", String),
        req("name", String),
        req("namespace", String),
        opt("resourceVersion", String),
        opt("uid", String),
    ] },
    /* 195 */ TypeRow { name: "ConfigMapProjection", id: "io.k8s.api.core.v1.ConfigMapProjection", fields: &[
        opt("items", List(&Object(247))), // KeyToPath
        req("name", String),
        opt("optional", Bool),
    ] },
    /* 196 */ TypeRow { name: "ConfigMapVolumeSource", id: "io.k8s.api.core.v1.ConfigMapVolumeSource", fields: &[
        opt("defaultMode", Int32),
        opt("items", List(&Object(247))), // KeyToPath
        req("name", String),
        opt("optional", Bool),
    ] },
    /* 197 */ TypeRow { name: "Container", id: "io.k8s.api.core.v1.Container", fields: &[
        opt("args", List(&String)),
        opt("command", List(&String)),
        opt("env", List(&Object(220))), // EnvVar
        opt("envFrom", List(&Object(219))), // EnvFromSource
        opt("image", String),
        opt("imagePullPolicy", String),
        opt("lifecycle", Object(248)), // Lifecycle
        opt("livenessProbe", Object(318)), // Probe
        req("name", String),
        opt("ports", List(&Object(200))), // ContainerPort
        opt("readinessProbe", Object(318)), // Probe
        opt("resizePolicy", List(&Object(201))), // ContainerResizePolicy
        opt("resources", Object(333)), // ResourceRequirements
        opt("restartPolicy", String),
        opt("restartPolicyRules", List(&Object(202))), // ContainerRestartRule
        opt("securityContext", Object(347)), // SecurityContext
        opt("startupProbe", Object(318)), // Probe
        opt("stdin", Bool),
        opt("stdinOnce", Bool),
        opt("terminationMessagePath", String),
        opt("terminationMessagePolicy", String),
        opt("tty", Bool),
        opt("volumeDevices", List(&Object(368))), // VolumeDevice
        opt("volumeMounts", List(&Object(369))), // VolumeMount
        opt("workingDir", String),
    ] },
    /* 198 */ TypeRow { name: "ContainerExtendedResourceRequest", id: "io.k8s.api.core.v1.ContainerExtendedResourceRequest", fields: &[
        req("containerName", String),
        req("requestName", String),
        req("resourceName", String),
    ] },
    /* 199 */ TypeRow { name: "ContainerImage", id: "io.k8s.api.core.v1.ContainerImage", fields: &[
        opt("names", List(&String)),
        opt("sizeBytes", Int64),
    ] },
    /* 200 */ TypeRow { name: "ContainerPort", id: "io.k8s.api.core.v1.ContainerPort", fields: &[
        req("containerPort", Int32),
        opt("hostIP", String),
        opt("hostPort", Int32),
        opt("name", String),
        opt("protocol", String),
    ] },
    /* 201 */ TypeRow { name: "ContainerResizePolicy", id: "io.k8s.api.core.v1.ContainerResizePolicy", fields: &[
        req("resourceName", String),
        req("restartPolicy", String),
    ] },
    /* 202 */ TypeRow { name: "ContainerRestartRule", id: "io.k8s.api.core.v1.ContainerRestartRule", fields: &[
        req("action", String),
        opt("exitCodes", Object(203)), // ContainerRestartRuleOnExitCodes
    ] },
    /* 203 */ TypeRow { name: "ContainerRestartRuleOnExitCodes", id: "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes", fields: &[
        req("operator", String),
        opt("values", List(&Int32)),
    ] },
    /* 204 */ TypeRow { name: "ContainerState", id: "io.k8s.api.core.v1.ContainerState", fields: &[
        opt("running", Object(205)), // ContainerStateRunning
        opt("terminated", Object(206)), // ContainerStateTerminated
        opt("waiting", Object(207)), // ContainerStateWaiting
    ] },
    /* 205 */ TypeRow { name: "ContainerStateRunning", id: "io.k8s.api.core.v1.ContainerStateRunning", fields: &[
        opt("startedAt", Time),
    ] },
    /* 206 */ TypeRow { name: "ContainerStateTerminated", id: "io.k8s.api.core.v1.ContainerStateTerminated", fields: &[
        opt("containerID", String),
        req("exitCode", Int32),
        opt("finishedAt", Time),
        opt("message", String),
        opt("reason", String),
        opt("signal", Int32),
        opt("startedAt", Time),
    ] },
    /* 207 */ TypeRow { name: "ContainerStateWaiting", id: "io.k8s.api.core.v1.ContainerStateWaiting", fields: &[
        opt("message", String),
        opt("reason", String),
    ] },
    /* 208 */ TypeRow { name: "ContainerStatus", id: "io.k8s.api.core.v1.ContainerStatus", fields: &[
        opt("allocatedResources", Map(&Quantity)),
        opt("allocatedResourcesStatus", List(&Object(334))), // ResourceStatus
        opt("containerID", String),
        req("image", String),
        req("imageID", String),
        opt("lastState", Object(204)), // ContainerState
        req("name", String),
        req("ready", Bool),
        opt("resources", Object(333)), // ResourceRequirements
        req("restartCount", Int32),
        opt("started", Bool),
        opt("state", Object(204)), // ContainerState
        opt("stopSignal", String),
        opt("user", Object(209)), // ContainerUser
        opt("volumeMounts", List(&Object(370))), // VolumeMountStatus
    ] },
    /* 209 */ TypeRow { name: "ContainerUser", id: "io.k8s.api.core.v1.ContainerUser", fields: &[
        opt("linux", Object(253)), // LinuxContainerUser
    ] },
    /* 210 */ TypeRow { name: "DaemonEndpoint", id: "io.k8s.api.core.v1.DaemonEndpoint", fields: &[
        req("Port", Int32),
    ] },
    /* 211 */ TypeRow { name: "DownwardAPIProjection", id: "io.k8s.api.core.v1.DownwardAPIProjection", fields: &[
        opt("items", List(&Object(212))), // DownwardAPIVolumeFile
    ] },
    /* 212 */ TypeRow { name: "DownwardAPIVolumeFile", id: "io.k8s.api.core.v1.DownwardAPIVolumeFile", fields: &[
        opt("fieldRef", Object(282)), // ObjectFieldSelector
        opt("mode", Int32),
        req("path", String),
        opt("resourceFieldRef", Object(328)), // ResourceFieldSelector
    ] },
    /* 213 */ TypeRow { name: "DownwardAPIVolumeSource", id: "io.k8s.api.core.v1.DownwardAPIVolumeSource", fields: &[
        opt("defaultMode", Int32),
        opt("items", List(&Object(212))), // DownwardAPIVolumeFile
    ] },
    /* 214 */ TypeRow { name: "EmptyDirVolumeSource", id: "io.k8s.api.core.v1.EmptyDirVolumeSource", fields: &[
        opt("medium", String),
        opt("sizeLimit", Quantity),
    ] },
    /* 215 */ TypeRow { name: "EndpointAddress", id: "io.k8s.api.core.v1.EndpointAddress", fields: &[
        opt("hostname", String),
        req("ip", String),
        opt("nodeName", String),
        opt("targetRef", Object(283)), // ObjectReference
    ] },
    /* 216 */ TypeRow { name: "EndpointPort", id: "io.k8s.api.core.v1.EndpointPort", fields: &[
        opt("appProtocol", String),
        opt("name", String),
        req("port", Int32),
        opt("protocol", String),
    ] },
    /* 217 */ TypeRow { name: "EndpointSubset", id: "io.k8s.api.core.v1.EndpointSubset", fields: &[
        opt("addresses", List(&Object(215))), // EndpointAddress
        opt("notReadyAddresses", List(&Object(215))), // EndpointAddress
        opt("ports", List(&Object(216))), // EndpointPort
    ] },
    /* 218 */ TypeRow { name: "Endpoints", id: "io.k8s.api.core.v1.Endpoints", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("subsets", List(&Object(217))), // EndpointSubset
    ] },
    /* 219 */ TypeRow { name: "EnvFromSource", id: "io.k8s.api.core.v1.EnvFromSource", fields: &[
        opt("configMapRef", Object(192)), // ConfigMapEnvSource
        opt("prefix", String),
        opt("secretRef", Object(342)), // SecretEnvSource
    ] },
    /* 220 */ TypeRow { name: "EnvVar", id: "io.k8s.api.core.v1.EnvVar", fields: &[
        req("name", String),
        opt("value", String),
        opt("valueFrom", Object(221)), // EnvVarSource
    ] },
    /* 221 */ TypeRow { name: "EnvVarSource", id: "io.k8s.api.core.v1.EnvVarSource", fields: &[
        opt("configMapKeyRef", Object(193)), // ConfigMapKeySelector
        opt("fieldRef", Object(282)), // ObjectFieldSelector
        opt("fileKeyRef", Object(229)), // FileKeySelector
        opt("resourceFieldRef", Object(328)), // ResourceFieldSelector
        opt("secretKeyRef", Object(343)), // SecretKeySelector
    ] },
    /* 222 */ TypeRow { name: "EphemeralContainer", id: "io.k8s.api.core.v1.EphemeralContainer", fields: &[
        opt("args", List(&String)),
        opt("command", List(&String)),
        opt("env", List(&Object(220))), // EnvVar
        opt("envFrom", List(&Object(219))), // EnvFromSource
        opt("image", String),
        opt("imagePullPolicy", String),
        opt("lifecycle", Object(248)), // Lifecycle
        opt("livenessProbe", Object(318)), // Probe
        req("name", String),
        opt("ports", List(&Object(200))), // ContainerPort
        opt("readinessProbe", Object(318)), // Probe
        opt("resizePolicy", List(&Object(201))), // ContainerResizePolicy
        opt("resources", Object(333)), // ResourceRequirements
        opt("restartPolicy", String),
        opt("restartPolicyRules", List(&Object(202))), // ContainerRestartRule
        opt("securityContext", Object(347)), // SecurityContext
        opt("startupProbe", Object(318)), // Probe
        opt("stdin", Bool),
        opt("stdinOnce", Bool),
        opt("targetContainerName", String),
        opt("terminationMessagePath", String),
        opt("terminationMessagePolicy", String),
        opt("tty", Bool),
        opt("volumeDevices", List(&Object(368))), // VolumeDevice
        opt("volumeMounts", List(&Object(369))), // VolumeMount
        opt("workingDir", String),
    ] },
    /* 223 */ TypeRow { name: "EphemeralVolumeSource", id: "io.k8s.api.core.v1.EphemeralVolumeSource", fields: &[
        opt("volumeClaimTemplate", Object(289)), // PersistentVolumeClaimTemplate
    ] },
    /* 224 */ TypeRow { name: "Event", id: "io.k8s.api.core.v1.Event", fields: &[
        opt("action", String),
        opt("apiVersion", String),
        opt("count", Int32),
        opt("eventTime", MicroTime),
        opt("firstTimestamp", Time),
        req("involvedObject", Object(283)), // ObjectReference
        opt("kind", String),
        opt("lastTimestamp", Time),
        opt("message", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("reason", String),
        opt("related", Object(283)), // ObjectReference
        opt("reportingComponent", String),
        opt("reportingInstance", String),
        opt("series", Object(225)), // EventSeries
        opt("source", Object(226)), // EventSource
        opt("type", String),
    ] },
    /* 225 */ TypeRow { name: "EventSeries", id: "io.k8s.api.core.v1.EventSeries", fields: &[
        opt("count", Int32),
        opt("lastObservedTime", MicroTime),
    ] },
    /* 226 */ TypeRow { name: "EventSource", id: "io.k8s.api.core.v1.EventSource", fields: &[
        opt("component", String),
        opt("host", String),
    ] },
    /* 227 */ TypeRow { name: "ExecAction", id: "io.k8s.api.core.v1.ExecAction", fields: &[
        opt("command", List(&String)),
    ] },
    /* 228 */ TypeRow { name: "FCVolumeSource", id: "io.k8s.api.core.v1.FCVolumeSource", fields: &[
        opt("fsType", String),
        opt("lun", Int32),
        opt("readOnly", Bool),
        opt("targetWWNs", List(&String)),
        opt("wwids", List(&String)),
    ] },
    /* 229 */ TypeRow { name: "FileKeySelector", id: "io.k8s.api.core.v1.FileKeySelector", fields: &[
        req("key", String),
        opt("optional", Bool),
        req("path", String),
        req("volumeName", String),
    ] },
    /* 230 */ TypeRow { name: "FlexPersistentVolumeSource", id: "io.k8s.api.core.v1.FlexPersistentVolumeSource", fields: &[
        req("driver", String),
        opt("fsType", String),
        opt("options", Map(&String)),
        opt("readOnly", Bool),
        opt("secretRef", Object(345)), // SecretReference
    ] },
    /* 231 */ TypeRow { name: "FlexVolumeSource", id: "io.k8s.api.core.v1.FlexVolumeSource", fields: &[
        req("driver", String),
        opt("fsType", String),
        opt("options", Map(&String)),
        opt("readOnly", Bool),
        opt("secretRef", Object(256)), // LocalObjectReference
    ] },
    /* 232 */ TypeRow { name: "FlockerVolumeSource", id: "io.k8s.api.core.v1.FlockerVolumeSource", fields: &[
        opt("datasetName", String),
        opt("datasetUUID", String),
    ] },
    /* 233 */ TypeRow { name: "GCEPersistentDiskVolumeSource", id: "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource", fields: &[
        opt("fsType", String),
        opt("partition", Int32),
        req("pdName", String),
        opt("readOnly", Bool),
    ] },
    /* 234 */ TypeRow { name: "GRPCAction", id: "io.k8s.api.core.v1.GRPCAction", fields: &[
        req("port", Int32),
        opt("service", String),
    ] },
    /* 235 */ TypeRow { name: "GitRepoVolumeSource", id: "io.k8s.api.core.v1.GitRepoVolumeSource", fields: &[
        opt("directory", String),
        req("repository", String),
        opt("revision", String),
    ] },
    /* 236 */ TypeRow { name: "GlusterfsPersistentVolumeSource", id: "io.k8s.api.core.v1.GlusterfsPersistentVolumeSource", fields: &[
        req("endpoints", String),
        opt("endpointsNamespace", String),
        req("path", String),
        opt("readOnly", Bool),
    ] },
    /* 237 */ TypeRow { name: "GlusterfsVolumeSource", id: "io.k8s.api.core.v1.GlusterfsVolumeSource", fields: &[
        req("endpoints", String),
        req("path", String),
        opt("readOnly", Bool),
    ] },
    /* 238 */ TypeRow { name: "HTTPGetAction", id: "io.k8s.api.core.v1.HTTPGetAction", fields: &[
        opt("host", String),
        opt("httpHeaders", List(&Object(239))), // HTTPHeader
        opt("path", String),
        req("port", IntOrString),
        opt("scheme", String),
    ] },
    /* 239 */ TypeRow { name: "HTTPHeader", id: "io.k8s.api.core.v1.HTTPHeader", fields: &[
        req("name", String),
        req("value", String),
    ] },
    /* 240 */ TypeRow { name: "HostAlias", id: "io.k8s.api.core.v1.HostAlias", fields: &[
        opt("hostnames", List(&String)),
        req("ip", String),
    ] },
    /* 241 */ TypeRow { name: "HostIP", id: "io.k8s.api.core.v1.HostIP", fields: &[
        req("ip", String),
    ] },
    /* 242 */ TypeRow { name: "HostPathVolumeSource", id: "io.k8s.api.core.v1.HostPathVolumeSource", fields: &[
        req("path", String),
        opt("type", String),
    ] },
    /* 243 */ TypeRow { name: "ISCSIPersistentVolumeSource", id: "io.k8s.api.core.v1.ISCSIPersistentVolumeSource", fields: &[
        opt("chapAuthDiscovery", Bool),
        opt("chapAuthSession", Bool),
        opt("fsType", String),
        opt("initiatorName", String),
        req("iqn", String),
        opt("iscsiInterface", String),
        req("lun", Int32),
        opt("portals", List(&String)),
        opt("readOnly", Bool),
        opt("secretRef", Object(345)), // SecretReference
        req("targetPortal", String),
    ] },
    /* 244 */ TypeRow { name: "ISCSIVolumeSource", id: "io.k8s.api.core.v1.ISCSIVolumeSource", fields: &[
        opt("chapAuthDiscovery", Bool),
        opt("chapAuthSession", Bool),
        opt("fsType", String),
        opt("initiatorName", String),
        req("iqn", String),
        opt("iscsiInterface", String),
        req("lun", Int32),
        opt("portals", List(&String)),
        opt("readOnly", Bool),
        opt("secretRef", Object(256)), // LocalObjectReference
        req("targetPortal", String),
    ] },
    /* 245 */ TypeRow { name: "ImageVolumeSource", id: "io.k8s.api.core.v1.ImageVolumeSource", fields: &[
        opt("pullPolicy", String),
        opt("reference", String),
    ] },
    /* 246 */ TypeRow { name: "ImageVolumeStatus", id: "io.k8s.api.core.v1.ImageVolumeStatus", fields: &[
        req("imageRef", String),
    ] },
    /* 247 */ TypeRow { name: "KeyToPath", id: "io.k8s.api.core.v1.KeyToPath", fields: &[
        req("key", String),
        opt("mode", Int32),
        req("path", String),
    ] },
    /* 248 */ TypeRow { name: "Lifecycle", id: "io.k8s.api.core.v1.Lifecycle", fields: &[
        opt("postStart", Object(249)), // LifecycleHandler
        opt("preStop", Object(249)), // LifecycleHandler
        opt("stopSignal", String),
    ] },
    /* 249 */ TypeRow { name: "LifecycleHandler", id: "io.k8s.api.core.v1.LifecycleHandler", fields: &[
        opt("exec", Object(227)), // ExecAction
        opt("httpGet", Object(238)), // HTTPGetAction
        opt("sleep", Object(355)), // SleepAction
        opt("tcpSocket", Object(359)), // TCPSocketAction
    ] },
    /* 250 */ TypeRow { name: "LimitRange", id: "io.k8s.api.core.v1.LimitRange", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(252)), // LimitRangeSpec
    ] },
    /* 251 */ TypeRow { name: "LimitRangeItem", id: "io.k8s.api.core.v1.LimitRangeItem", fields: &[
        opt("default", Map(&Quantity)),
        opt("defaultRequest", Map(&Quantity)),
        opt("max", Map(&Quantity)),
        opt("maxLimitRequestRatio", Map(&Quantity)),
        opt("min", Map(&Quantity)),
        req("type", String),
    ] },
    /* 252 */ TypeRow { name: "LimitRangeSpec", id: "io.k8s.api.core.v1.LimitRangeSpec", fields: &[
        req("limits", List(&Object(251))), // LimitRangeItem
    ] },
    /* 253 */ TypeRow { name: "LinuxContainerUser", id: "io.k8s.api.core.v1.LinuxContainerUser", fields: &[
        req("gid", Int64),
        opt("supplementalGroups", List(&Int64)),
        req("uid", Int64),
    ] },
    /* 254 */ TypeRow { name: "LoadBalancerIngress", id: "io.k8s.api.core.v1.LoadBalancerIngress", fields: &[
        opt("hostname", String),
        opt("ip", String),
        opt("ipMode", String),
        opt("ports", List(&Object(315))), // PortStatus
    ] },
    /* 255 */ TypeRow { name: "LoadBalancerStatus", id: "io.k8s.api.core.v1.LoadBalancerStatus", fields: &[
        opt("ingress", List(&Object(254))), // LoadBalancerIngress
    ] },
    /* 256 */ TypeRow { name: "LocalObjectReference", id: "io.k8s.api.core.v1.LocalObjectReference", fields: &[
        req("name", String),
    ] },
    /* 257 */ TypeRow { name: "LocalVolumeSource", id: "io.k8s.api.core.v1.LocalVolumeSource", fields: &[
        opt("fsType", String),
        req("path", String),
    ] },
    /* 258 */ TypeRow { name: "ModifyVolumeStatus", id: "io.k8s.api.core.v1.ModifyVolumeStatus", fields: &[
        req("status", String),
        opt("targetVolumeAttributesClassName", String),
    ] },
    /* 259 */ TypeRow { name: "NFSVolumeSource", id: "io.k8s.api.core.v1.NFSVolumeSource", fields: &[
        req("path", String),
        opt("readOnly", Bool),
        req("server", String),
    ] },
    /* 260 */ TypeRow { name: "Namespace", id: "io.k8s.api.core.v1.Namespace", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(262)), // NamespaceSpec
        opt("status", Object(263)), // NamespaceStatus
    ] },
    /* 261 */ TypeRow { name: "NamespaceCondition", id: "io.k8s.api.core.v1.NamespaceCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 262 */ TypeRow { name: "NamespaceSpec", id: "io.k8s.api.core.v1.NamespaceSpec", fields: &[
        opt("finalizers", List(&String)),
    ] },
    /* 263 */ TypeRow { name: "NamespaceStatus", id: "io.k8s.api.core.v1.NamespaceStatus", fields: &[
        opt("conditions", List(&Object(261))), // NamespaceCondition
        opt("phase", String),
    ] },
    /* 264 */ TypeRow { name: "Node", id: "io.k8s.api.core.v1.Node", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(278)), // NodeSpec
        opt("status", Object(279)), // NodeStatus
    ] },
    /* 265 */ TypeRow { name: "NodeAddress", id: "io.k8s.api.core.v1.NodeAddress", fields: &[
        req("address", String),
        req("type", String),
    ] },
    /* 266 */ TypeRow { name: "NodeAffinity", id: "io.k8s.api.core.v1.NodeAffinity", fields: &[
        opt("preferredDuringSchedulingIgnoredDuringExecution", List(&Object(317))), // PreferredSchedulingTerm
        opt("requiredDuringSchedulingIgnoredDuringExecution", Object(275)), // NodeSelector
    ] },
    /* 267 */ TypeRow { name: "NodeAllocatableResourceClaimStatus", id: "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus", fields: &[
        opt("containers", List(&String)),
        req("resourceClaimName", String),
        req("resources", Map(&Quantity)),
    ] },
    /* 268 */ TypeRow { name: "NodeCondition", id: "io.k8s.api.core.v1.NodeCondition", fields: &[
        opt("lastHeartbeatTime", Time),
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 269 */ TypeRow { name: "NodeConfigSource", id: "io.k8s.api.core.v1.NodeConfigSource", fields: &[
        opt("configMap", Object(194)), // ConfigMapNodeConfigSource
    ] },
    /* 270 */ TypeRow { name: "NodeConfigStatus", id: "io.k8s.api.core.v1.NodeConfigStatus", fields: &[
        opt("active", Object(269)), // NodeConfigSource
        opt("assigned", Object(269)), // NodeConfigSource
        opt("error", String),
        opt("lastKnownGood", Object(269)), // NodeConfigSource
    ] },
    /* 271 */ TypeRow { name: "NodeDaemonEndpoints", id: "io.k8s.api.core.v1.NodeDaemonEndpoints", fields: &[
        opt("kubeletEndpoint", Object(210)), // DaemonEndpoint
    ] },
    /* 272 */ TypeRow { name: "NodeFeatures", id: "io.k8s.api.core.v1.NodeFeatures", fields: &[
        opt("supplementalGroupsPolicy", Bool),
    ] },
    /* 273 */ TypeRow { name: "NodeRuntimeHandler", id: "io.k8s.api.core.v1.NodeRuntimeHandler", fields: &[
        opt("features", Object(274)), // NodeRuntimeHandlerFeatures
        opt("name", String),
    ] },
    /* 274 */ TypeRow { name: "NodeRuntimeHandlerFeatures", id: "io.k8s.api.core.v1.NodeRuntimeHandlerFeatures", fields: &[
        opt("recursiveReadOnlyMounts", Bool),
        opt("userNamespaces", Bool),
    ] },
    /* 275 */ TypeRow { name: "NodeSelector", id: "io.k8s.api.core.v1.NodeSelector", fields: &[
        req("nodeSelectorTerms", List(&Object(277))), // NodeSelectorTerm
    ] },
    /* 276 */ TypeRow { name: "NodeSelectorRequirement", id: "io.k8s.api.core.v1.NodeSelectorRequirement", fields: &[
        req("key", String),
        req("operator", String),
        opt("values", List(&String)),
    ] },
    /* 277 */ TypeRow { name: "NodeSelectorTerm", id: "io.k8s.api.core.v1.NodeSelectorTerm", fields: &[
        opt("matchExpressions", List(&Object(276))), // NodeSelectorRequirement
        opt("matchFields", List(&Object(276))), // NodeSelectorRequirement
    ] },
    /* 278 */ TypeRow { name: "NodeSpec", id: "io.k8s.api.core.v1.NodeSpec", fields: &[
        opt("configSource", Object(269)), // NodeConfigSource
        opt("externalID", String),
        opt("podCIDR", String),
        opt("podCIDRs", List(&String)),
        opt("providerID", String),
        opt("taints", List(&Object(360))), // Taint
        opt("unschedulable", Bool),
    ] },
    /* 279 */ TypeRow { name: "NodeStatus", id: "io.k8s.api.core.v1.NodeStatus", fields: &[
        opt("addresses", List(&Object(265))), // NodeAddress
        opt("allocatable", Map(&Quantity)),
        opt("capacity", Map(&Quantity)),
        opt("conditions", List(&Object(268))), // NodeCondition
        opt("config", Object(270)), // NodeConfigStatus
        opt("daemonEndpoints", Object(271)), // NodeDaemonEndpoints
        opt("declaredFeatures", List(&String)),
        opt("features", Object(272)), // NodeFeatures
        opt("images", List(&Object(199))), // ContainerImage
        opt("nodeInfo", Object(281)), // NodeSystemInfo
        opt("phase", String),
        opt("runtimeHandlers", List(&Object(273))), // NodeRuntimeHandler
        opt("volumesAttached", List(&Object(175))), // AttachedVolume
        opt("volumesInUse", List(&String)),
    ] },
    /* 280 */ TypeRow { name: "NodeSwapStatus", id: "io.k8s.api.core.v1.NodeSwapStatus", fields: &[
        opt("capacity", Int64),
    ] },
    /* 281 */ TypeRow { name: "NodeSystemInfo", id: "io.k8s.api.core.v1.NodeSystemInfo", fields: &[
        req("architecture", String),
        req("bootID", String),
        req("containerRuntimeVersion", String),
        req("kernelVersion", String),
        req("kubeProxyVersion", String),
        req("kubeletVersion", String),
        req("machineID", String),
        req("operatingSystem", String),
        req("osImage", String),
        opt("swap", Object(280)), // NodeSwapStatus
        req("systemUUID", String),
    ] },
    /* 282 */ TypeRow { name: "ObjectFieldSelector", id: "io.k8s.api.core.v1.ObjectFieldSelector", fields: &[
        opt("apiVersion", String),
        req("fieldPath", String),
    ] },
    /* 283 */ TypeRow { name: "ObjectReference", id: "io.k8s.api.core.v1.ObjectReference", fields: &[
        opt("apiVersion", String),
        opt("fieldPath", String),
        opt("kind", String),
        opt("name", String),
        opt("namespace", String),
        opt("resourceVersion", String),
        opt("uid", String),
    ] },
    /* 284 */ TypeRow { name: "PersistentVolume", id: "io.k8s.api.core.v1.PersistentVolume", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(291)), // PersistentVolumeSpec
        opt("status", Object(292)), // PersistentVolumeStatus
    ] },
    /* 285 */ TypeRow { name: "PersistentVolumeClaim", id: "io.k8s.api.core.v1.PersistentVolumeClaim", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(287)), // PersistentVolumeClaimSpec
        opt("status", Object(288)), // PersistentVolumeClaimStatus
    ] },
    /* 286 */ TypeRow { name: "PersistentVolumeClaimCondition", id: "io.k8s.api.core.v1.PersistentVolumeClaimCondition", fields: &[
        opt("lastProbeTime", Time),
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 287 */ TypeRow { name: "PersistentVolumeClaimSpec", id: "io.k8s.api.core.v1.PersistentVolumeClaimSpec", fields: &[
        opt("accessModes", List(&String)),
        opt("dataSource", Object(365)), // TypedLocalObjectReference
        opt("dataSourceRef", Object(366)), // TypedObjectReference
        opt("resources", Object(373)), // VolumeResourceRequirements
        opt("selector", Object(647)), // LabelSelector
        opt("storageClassName", String),
        opt("volumeAttributesClassName", String),
        opt("volumeMode", String),
        opt("volumeName", String),
    ] },
    /* 288 */ TypeRow { name: "PersistentVolumeClaimStatus", id: "io.k8s.api.core.v1.PersistentVolumeClaimStatus", fields: &[
        opt("accessModes", List(&String)),
        opt("allocatedResourceStatuses", Map(&String)),
        opt("allocatedResources", Map(&Quantity)),
        opt("capacity", Map(&Quantity)),
        opt("conditions", List(&Object(286))), // PersistentVolumeClaimCondition
        opt("currentVolumeAttributesClassName", String),
        opt("modifyVolumeStatus", Object(258)), // ModifyVolumeStatus
        opt("phase", String),
    ] },
    /* 289 */ TypeRow { name: "PersistentVolumeClaimTemplate", id: "io.k8s.api.core.v1.PersistentVolumeClaimTemplate", fields: &[
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(287)), // PersistentVolumeClaimSpec
    ] },
    /* 290 */ TypeRow { name: "PersistentVolumeClaimVolumeSource", id: "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource", fields: &[
        req("claimName", String),
        opt("readOnly", Bool),
    ] },
    /* 291 */ TypeRow { name: "PersistentVolumeSpec", id: "io.k8s.api.core.v1.PersistentVolumeSpec", fields: &[
        opt("accessModes", List(&String)),
        opt("awsElasticBlockStore", Object(172)), // AWSElasticBlockStoreVolumeSource
        opt("azureDisk", Object(176)), // AzureDiskVolumeSource
        opt("azureFile", Object(177)), // AzureFilePersistentVolumeSource
        opt("capacity", Map(&Quantity)),
        opt("cephfs", Object(183)), // CephFSPersistentVolumeSource
        opt("cinder", Object(185)), // CinderPersistentVolumeSource
        opt("claimRef", Object(283)), // ObjectReference
        opt("csi", Object(180)), // CSIPersistentVolumeSource
        opt("fc", Object(228)), // FCVolumeSource
        opt("flexVolume", Object(230)), // FlexPersistentVolumeSource
        opt("flocker", Object(232)), // FlockerVolumeSource
        opt("gcePersistentDisk", Object(233)), // GCEPersistentDiskVolumeSource
        opt("glusterfs", Object(236)), // GlusterfsPersistentVolumeSource
        opt("hostPath", Object(242)), // HostPathVolumeSource
        opt("iscsi", Object(243)), // ISCSIPersistentVolumeSource
        opt("local", Object(257)), // LocalVolumeSource
        opt("mountOptions", List(&String)),
        opt("nfs", Object(259)), // NFSVolumeSource
        opt("nodeAffinity", Object(371)), // VolumeNodeAffinity
        opt("persistentVolumeReclaimPolicy", String),
        opt("photonPersistentDisk", Object(293)), // PhotonPersistentDiskVolumeSource
        opt("portworxVolume", Object(316)), // PortworxVolumeSource
        opt("quobyte", Object(320)), // QuobyteVolumeSource
        opt("rbd", Object(321)), // RBDPersistentVolumeSource
        opt("scaleIO", Object(336)), // ScaleIOPersistentVolumeSource
        opt("storageClassName", String),
        opt("storageos", Object(356)), // StorageOSPersistentVolumeSource
        opt("volumeAttributesClassName", String),
        opt("volumeMode", String),
        opt("vsphereVolume", Object(375)), // VsphereVirtualDiskVolumeSource
    ] },
    /* 292 */ TypeRow { name: "PersistentVolumeStatus", id: "io.k8s.api.core.v1.PersistentVolumeStatus", fields: &[
        opt("lastPhaseTransitionTime", Time),
        opt("message", String),
        opt("phase", String),
        opt("reason", String),
    ] },
    /* 293 */ TypeRow { name: "PhotonPersistentDiskVolumeSource", id: "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource", fields: &[
        opt("fsType", String),
        req("pdID", String),
    ] },
    /* 294 */ TypeRow { name: "Pod", id: "io.k8s.api.core.v1.Pod", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(311)), // PodSpec
        opt("status", Object(312)), // PodStatus
    ] },
    /* 295 */ TypeRow { name: "PodAffinity", id: "io.k8s.api.core.v1.PodAffinity", fields: &[
        opt("preferredDuringSchedulingIgnoredDuringExecution", List(&Object(376))), // WeightedPodAffinityTerm
        opt("requiredDuringSchedulingIgnoredDuringExecution", List(&Object(296))), // PodAffinityTerm
    ] },
    /* 296 */ TypeRow { name: "PodAffinityTerm", id: "io.k8s.api.core.v1.PodAffinityTerm", fields: &[
        opt("labelSelector", Object(647)), // LabelSelector
        opt("matchLabelKeys", List(&String)),
        opt("mismatchLabelKeys", List(&String)),
        opt("namespaceSelector", Object(647)), // LabelSelector
        opt("namespaces", List(&String)),
        req("topologyKey", String),
    ] },
    /* 297 */ TypeRow { name: "PodAntiAffinity", id: "io.k8s.api.core.v1.PodAntiAffinity", fields: &[
        opt("preferredDuringSchedulingIgnoredDuringExecution", List(&Object(376))), // WeightedPodAffinityTerm
        opt("requiredDuringSchedulingIgnoredDuringExecution", List(&Object(296))), // PodAffinityTerm
    ] },
    /* 298 */ TypeRow { name: "PodCertificateProjection", id: "io.k8s.api.core.v1.PodCertificateProjection", fields: &[
        opt("certificateChainPath", String),
        opt("credentialBundlePath", String),
        opt("keyPath", String),
        req("keyType", String),
        opt("maxExpirationSeconds", Int32),
        req("signerName", String),
        opt("userAnnotations", Map(&String)),
    ] },
    /* 299 */ TypeRow { name: "PodCondition", id: "io.k8s.api.core.v1.PodCondition", fields: &[
        opt("lastProbeTime", Time),
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("observedGeneration", Int64),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 300 */ TypeRow { name: "PodDNSConfig", id: "io.k8s.api.core.v1.PodDNSConfig", fields: &[
        opt("nameservers", List(&String)),
        opt("options", List(&Object(301))), // PodDNSConfigOption
        opt("searches", List(&String)),
    ] },
    /* 301 */ TypeRow { name: "PodDNSConfigOption", id: "io.k8s.api.core.v1.PodDNSConfigOption", fields: &[
        opt("name", String),
        opt("value", String),
    ] },
    /* 302 */ TypeRow { name: "PodExtendedResourceClaimStatus", id: "io.k8s.api.core.v1.PodExtendedResourceClaimStatus", fields: &[
        req("requestMappings", List(&Object(198))), // ContainerExtendedResourceRequest
        req("resourceClaimName", String),
    ] },
    /* 303 */ TypeRow { name: "PodIP", id: "io.k8s.api.core.v1.PodIP", fields: &[
        req("ip", String),
    ] },
    /* 304 */ TypeRow { name: "PodOS", id: "io.k8s.api.core.v1.PodOS", fields: &[
        req("name", String),
    ] },
    /* 305 */ TypeRow { name: "PodReadinessGate", id: "io.k8s.api.core.v1.PodReadinessGate", fields: &[
        req("conditionType", String),
    ] },
    /* 306 */ TypeRow { name: "PodResourceClaim", id: "io.k8s.api.core.v1.PodResourceClaim", fields: &[
        req("name", String),
        opt("resourceClaimName", String),
        opt("resourceClaimTemplateName", String),
    ] },
    /* 307 */ TypeRow { name: "PodResourceClaimStatus", id: "io.k8s.api.core.v1.PodResourceClaimStatus", fields: &[
        req("name", String),
        opt("resourceClaimName", String),
    ] },
    /* 308 */ TypeRow { name: "PodSchedulingGate", id: "io.k8s.api.core.v1.PodSchedulingGate", fields: &[
        req("name", String),
    ] },
    /* 309 */ TypeRow { name: "PodSchedulingGroup", id: "io.k8s.api.core.v1.PodSchedulingGroup", fields: &[
        opt("podGroupName", String),
    ] },
    /* 310 */ TypeRow { name: "PodSecurityContext", id: "io.k8s.api.core.v1.PodSecurityContext", fields: &[
        opt("appArmorProfile", Object(174)), // AppArmorProfile
        opt("fsGroup", Int64),
        opt("fsGroupChangePolicy", String),
        opt("runAsGroup", Int64),
        opt("runAsNonRoot", Bool),
        opt("runAsUser", Int64),
        opt("seLinuxChangePolicy", String),
        opt("seLinuxOptions", Object(335)), // SELinuxOptions
        opt("seccompProfile", Object(340)), // SeccompProfile
        opt("supplementalGroups", List(&Int64)),
        opt("supplementalGroupsPolicy", String),
        opt("sysctls", List(&Object(358))), // Sysctl
        opt("windowsOptions", Object(377)), // WindowsSecurityContextOptions
    ] },
    /* 311 */ TypeRow { name: "PodSpec", id: "io.k8s.api.core.v1.PodSpec", fields: &[
        opt("activeDeadlineSeconds", Int64),
        opt("affinity", Object(173)), // Affinity
        opt("automountServiceAccountToken", Bool),
        req("containers", List(&Object(197))), // Container
        opt("dnsConfig", Object(300)), // PodDNSConfig
        opt("dnsPolicy", String),
        opt("enableServiceLinks", Bool),
        opt("ephemeralContainers", List(&Object(222))), // EphemeralContainer
        opt("hostAliases", List(&Object(240))), // HostAlias
        opt("hostIPC", Bool),
        opt("hostNetwork", Bool),
        opt("hostPID", Bool),
        opt("hostUsers", Bool),
        opt("hostname", String),
        opt("hostnameOverride", String),
        opt("imagePullSecrets", List(&Object(256))), // LocalObjectReference
        opt("initContainers", List(&Object(197))), // Container
        opt("nodeName", String),
        opt("nodeSelector", Map(&String)),
        opt("os", Object(304)), // PodOS
        opt("overhead", Map(&Quantity)),
        opt("preemptionPolicy", String),
        opt("priority", Int32),
        opt("priorityClassName", String),
        opt("readinessGates", List(&Object(305))), // PodReadinessGate
        opt("resourceClaims", List(&Object(306))), // PodResourceClaim
        opt("resources", Object(333)), // ResourceRequirements
        opt("restartPolicy", String),
        opt("runtimeClassName", String),
        opt("schedulerName", String),
        opt("schedulingGates", List(&Object(308))), // PodSchedulingGate
        opt("schedulingGroup", Object(309)), // PodSchedulingGroup
        opt("securityContext", Object(310)), // PodSecurityContext
        opt("serviceAccount", String),
        opt("serviceAccountName", String),
        opt("setHostnameAsFQDN", Bool),
        opt("shareProcessNamespace", Bool),
        opt("subdomain", String),
        opt("terminationGracePeriodSeconds", Int64),
        opt("tolerations", List(&Object(361))), // Toleration
        opt("topologySpreadConstraints", List(&Object(364))), // TopologySpreadConstraint
        opt("volumes", List(&Object(367))), // Volume
    ] },
    /* 312 */ TypeRow { name: "PodStatus", id: "io.k8s.api.core.v1.PodStatus", fields: &[
        opt("allocatedResources", Map(&Quantity)),
        opt("conditions", List(&Object(299))), // PodCondition
        opt("containerStatuses", List(&Object(208))), // ContainerStatus
        opt("ephemeralContainerStatuses", List(&Object(208))), // ContainerStatus
        opt("extendedResourceClaimStatus", Object(302)), // PodExtendedResourceClaimStatus
        opt("hostIP", String),
        opt("hostIPs", List(&Object(241))), // HostIP
        opt("initContainerStatuses", List(&Object(208))), // ContainerStatus
        opt("message", String),
        opt("nodeAllocatableResourceClaimStatuses", List(&Object(267))), // NodeAllocatableResourceClaimStatus
        opt("nominatedNodeName", String),
        opt("observedGeneration", Int64),
        opt("phase", String),
        opt("podIP", String),
        opt("podIPs", List(&Object(303))), // PodIP
        opt("qosClass", String),
        opt("reason", String),
        opt("resize", String),
        opt("resourceClaimStatuses", List(&Object(307))), // PodResourceClaimStatus
        opt("resources", Object(333)), // ResourceRequirements
        opt("startTime", Time),
    ] },
    /* 313 */ TypeRow { name: "PodTemplate", id: "io.k8s.api.core.v1.PodTemplate", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("template", Object(314)), // PodTemplateSpec
    ] },
    /* 314 */ TypeRow { name: "PodTemplateSpec", id: "io.k8s.api.core.v1.PodTemplateSpec", fields: &[
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(311)), // PodSpec
    ] },
    /* 315 */ TypeRow { name: "PortStatus", id: "io.k8s.api.core.v1.PortStatus", fields: &[
        opt("error", String),
        req("port", Int32),
        req("protocol", String),
    ] },
    /* 316 */ TypeRow { name: "PortworxVolumeSource", id: "io.k8s.api.core.v1.PortworxVolumeSource", fields: &[
        opt("fsType", String),
        opt("readOnly", Bool),
        req("volumeID", String),
    ] },
    /* 317 */ TypeRow { name: "PreferredSchedulingTerm", id: "io.k8s.api.core.v1.PreferredSchedulingTerm", fields: &[
        req("preference", Object(277)), // NodeSelectorTerm
        req("weight", Int32),
    ] },
    /* 318 */ TypeRow { name: "Probe", id: "io.k8s.api.core.v1.Probe", fields: &[
        opt("exec", Object(227)), // ExecAction
        opt("failureThreshold", Int32),
        opt("grpc", Object(234)), // GRPCAction
        opt("httpGet", Object(238)), // HTTPGetAction
        opt("initialDelaySeconds", Int32),
        opt("periodSeconds", Int32),
        opt("successThreshold", Int32),
        opt("tcpSocket", Object(359)), // TCPSocketAction
        opt("terminationGracePeriodSeconds", Int64),
        opt("timeoutSeconds", Int32),
    ] },
    /* 319 */ TypeRow { name: "ProjectedVolumeSource", id: "io.k8s.api.core.v1.ProjectedVolumeSource", fields: &[
        opt("defaultMode", Int32),
        opt("sources", List(&Object(372))), // VolumeProjection
    ] },
    /* 320 */ TypeRow { name: "QuobyteVolumeSource", id: "io.k8s.api.core.v1.QuobyteVolumeSource", fields: &[
        opt("group", String),
        opt("readOnly", Bool),
        req("registry", String),
        opt("tenant", String),
        opt("user", String),
        req("volume", String),
    ] },
    /* 321 */ TypeRow { name: "RBDPersistentVolumeSource", id: "io.k8s.api.core.v1.RBDPersistentVolumeSource", fields: &[
        opt("fsType", String),
        req("image", String),
        opt("keyring", String),
        req("monitors", List(&String)),
        opt("pool", String),
        opt("readOnly", Bool),
        opt("secretRef", Object(345)), // SecretReference
        opt("user", String),
    ] },
    /* 322 */ TypeRow { name: "RBDVolumeSource", id: "io.k8s.api.core.v1.RBDVolumeSource", fields: &[
        opt("fsType", String),
        req("image", String),
        opt("keyring", String),
        req("monitors", List(&String)),
        opt("pool", String),
        opt("readOnly", Bool),
        opt("secretRef", Object(256)), // LocalObjectReference
        opt("user", String),
    ] },
    /* 323 */ TypeRow { name: "ReplicationController", id: "io.k8s.api.core.v1.ReplicationController", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(325)), // ReplicationControllerSpec
        opt("status", Object(326)), // ReplicationControllerStatus
    ] },
    /* 324 */ TypeRow { name: "ReplicationControllerCondition", id: "io.k8s.api.core.v1.ReplicationControllerCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 325 */ TypeRow { name: "ReplicationControllerSpec", id: "io.k8s.api.core.v1.ReplicationControllerSpec", fields: &[
        opt("minReadySeconds", Int32),
        opt("replicas", Int32),
        opt("selector", Map(&String)),
        opt("template", Object(314)), // PodTemplateSpec
    ] },
    /* 326 */ TypeRow { name: "ReplicationControllerStatus", id: "io.k8s.api.core.v1.ReplicationControllerStatus", fields: &[
        opt("availableReplicas", Int32),
        opt("conditions", List(&Object(324))), // ReplicationControllerCondition
        opt("fullyLabeledReplicas", Int32),
        opt("observedGeneration", Int64),
        opt("readyReplicas", Int32),
        req("replicas", Int32),
    ] },
    /* 327 */ TypeRow { name: "ResourceClaim", id: "io.k8s.api.core.v1.ResourceClaim", fields: &[
        req("name", String),
        opt("request", String),
    ] },
    /* 328 */ TypeRow { name: "ResourceFieldSelector", id: "io.k8s.api.core.v1.ResourceFieldSelector", fields: &[
        opt("containerName", String),
        opt("divisor", Quantity),
        req("resource", String),
    ] },
    /* 329 */ TypeRow { name: "ResourceHealth", id: "io.k8s.api.core.v1.ResourceHealth", fields: &[
        opt("health", String),
        opt("message", String),
        req("resourceID", String),
    ] },
    /* 330 */ TypeRow { name: "ResourceQuota", id: "io.k8s.api.core.v1.ResourceQuota", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(331)), // ResourceQuotaSpec
        opt("status", Object(332)), // ResourceQuotaStatus
    ] },
    /* 331 */ TypeRow { name: "ResourceQuotaSpec", id: "io.k8s.api.core.v1.ResourceQuotaSpec", fields: &[
        opt("hard", Map(&Quantity)),
        opt("scopeSelector", Object(338)), // ScopeSelector
        opt("scopes", List(&String)),
    ] },
    /* 332 */ TypeRow { name: "ResourceQuotaStatus", id: "io.k8s.api.core.v1.ResourceQuotaStatus", fields: &[
        opt("hard", Map(&Quantity)),
        opt("used", Map(&Quantity)),
    ] },
    /* 333 */ TypeRow { name: "ResourceRequirements", id: "io.k8s.api.core.v1.ResourceRequirements", fields: &[
        opt("claims", List(&Object(327))), // ResourceClaim
        opt("limits", Map(&Quantity)),
        opt("requests", Map(&Quantity)),
    ] },
    /* 334 */ TypeRow { name: "ResourceStatus", id: "io.k8s.api.core.v1.ResourceStatus", fields: &[
        req("name", String),
        opt("resources", List(&Object(329))), // ResourceHealth
    ] },
    /* 335 */ TypeRow { name: "SELinuxOptions", id: "io.k8s.api.core.v1.SELinuxOptions", fields: &[
        opt("level", String),
        opt("role", String),
        opt("type", String),
        opt("user", String),
    ] },
    /* 336 */ TypeRow { name: "ScaleIOPersistentVolumeSource", id: "io.k8s.api.core.v1.ScaleIOPersistentVolumeSource", fields: &[
        opt("fsType", String),
        req("gateway", String),
        opt("protectionDomain", String),
        opt("readOnly", Bool),
        req("secretRef", Object(345)), // SecretReference
        opt("sslEnabled", Bool),
        opt("storageMode", String),
        opt("storagePool", String),
        req("system", String),
        opt("volumeName", String),
    ] },
    /* 337 */ TypeRow { name: "ScaleIOVolumeSource", id: "io.k8s.api.core.v1.ScaleIOVolumeSource", fields: &[
        opt("fsType", String),
        req("gateway", String),
        opt("protectionDomain", String),
        opt("readOnly", Bool),
        req("secretRef", Object(256)), // LocalObjectReference
        opt("sslEnabled", Bool),
        opt("storageMode", String),
        opt("storagePool", String),
        req("system", String),
        opt("volumeName", String),
    ] },
    /* 338 */ TypeRow { name: "ScopeSelector", id: "io.k8s.api.core.v1.ScopeSelector", fields: &[
        opt("matchExpressions", List(&Object(339))), // ScopedResourceSelectorRequirement
    ] },
    /* 339 */ TypeRow { name: "ScopedResourceSelectorRequirement", id: "io.k8s.api.core.v1.ScopedResourceSelectorRequirement", fields: &[
        req("operator", String),
        req("scopeName", String),
        opt("values", List(&String)),
    ] },
    /* 340 */ TypeRow { name: "SeccompProfile", id: "io.k8s.api.core.v1.SeccompProfile", fields: &[
        opt("localhostProfile", String),
        req("type", String),
    ] },
    /* 341 */ TypeRow { name: "Secret", id: "io.k8s.api.core.v1.Secret", fields: &[
        opt("apiVersion", String),
        opt("data", Map(&Bytes)),
        opt("immutable", Bool),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("stringData", Map(&String)),
        opt("type", String),
    ] },
    /* 342 */ TypeRow { name: "SecretEnvSource", id: "io.k8s.api.core.v1.SecretEnvSource", fields: &[
        req("name", String),
        opt("optional", Bool),
    ] },
    /* 343 */ TypeRow { name: "SecretKeySelector", id: "io.k8s.api.core.v1.SecretKeySelector", fields: &[
        req("key", String),
        req("name", String),
        opt("optional", Bool),
    ] },
    /* 344 */ TypeRow { name: "SecretProjection", id: "io.k8s.api.core.v1.SecretProjection", fields: &[
        opt("items", List(&Object(247))), // KeyToPath
        req("name", String),
        opt("optional", Bool),
    ] },
    /* 345 */ TypeRow { name: "SecretReference", id: "io.k8s.api.core.v1.SecretReference", fields: &[
        opt("name", String),
        opt("namespace", String),
    ] },
    /* 346 */ TypeRow { name: "SecretVolumeSource", id: "io.k8s.api.core.v1.SecretVolumeSource", fields: &[
        opt("defaultMode", Int32),
        opt("items", List(&Object(247))), // KeyToPath
        opt("optional", Bool),
        opt("secretName", String),
    ] },
    /* 347 */ TypeRow { name: "SecurityContext", id: "io.k8s.api.core.v1.SecurityContext", fields: &[
        opt("allowPrivilegeEscalation", Bool),
        opt("appArmorProfile", Object(174)), // AppArmorProfile
        opt("capabilities", Object(182)), // Capabilities
        opt("privileged", Bool),
        opt("procMount", String),
        opt("readOnlyRootFilesystem", Bool),
        opt("runAsGroup", Int64),
        opt("runAsNonRoot", Bool),
        opt("runAsUser", Int64),
        opt("seLinuxOptions", Object(335)), // SELinuxOptions
        opt("seccompProfile", Object(340)), // SeccompProfile
        opt("windowsOptions", Object(377)), // WindowsSecurityContextOptions
    ] },
    /* 348 */ TypeRow { name: "Service", id: "io.k8s.api.core.v1.Service", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(352)), // ServiceSpec
        opt("status", Object(353)), // ServiceStatus
    ] },
    /* 349 */ TypeRow { name: "ServiceAccount", id: "io.k8s.api.core.v1.ServiceAccount", fields: &[
        opt("apiVersion", String),
        opt("automountServiceAccountToken", Bool),
        opt("imagePullSecrets", List(&Object(256))), // LocalObjectReference
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("secrets", List(&Object(283))), // ObjectReference
    ] },
    /* 350 */ TypeRow { name: "ServiceAccountTokenProjection", id: "io.k8s.api.core.v1.ServiceAccountTokenProjection", fields: &[
        opt("audience", String),
        opt("expirationSeconds", Int64),
        req("path", String),
    ] },
    /* 351 */ TypeRow { name: "ServicePort", id: "io.k8s.api.core.v1.ServicePort", fields: &[
        opt("appProtocol", String),
        opt("name", String),
        opt("nodePort", Int32),
        req("port", Int32),
        opt("protocol", String),
        opt("targetPort", IntOrString),
    ] },
    /* 352 */ TypeRow { name: "ServiceSpec", id: "io.k8s.api.core.v1.ServiceSpec", fields: &[
        opt("allocateLoadBalancerNodePorts", Bool),
        opt("clusterIP", String),
        opt("clusterIPs", List(&String)),
        opt("externalIPs", List(&String)),
        opt("externalName", String),
        opt("externalTrafficPolicy", String),
        opt("healthCheckNodePort", Int32),
        opt("internalTrafficPolicy", String),
        opt("ipFamilies", List(&String)),
        opt("ipFamilyPolicy", String),
        opt("loadBalancerClass", String),
        opt("loadBalancerIP", String),
        opt("loadBalancerSourceRanges", List(&String)),
        opt("ports", List(&Object(351))), // ServicePort
        opt("publishNotReadyAddresses", Bool),
        opt("selector", Map(&String)),
        opt("sessionAffinity", String),
        opt("sessionAffinityConfig", Object(354)), // SessionAffinityConfig
        opt("trafficDistribution", String),
        opt("type", String),
    ] },
    /* 353 */ TypeRow { name: "ServiceStatus", id: "io.k8s.api.core.v1.ServiceStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("loadBalancer", Object(255)), // LoadBalancerStatus
    ] },
    /* 354 */ TypeRow { name: "SessionAffinityConfig", id: "io.k8s.api.core.v1.SessionAffinityConfig", fields: &[
        opt("clientIP", Object(187)), // ClientIPConfig
    ] },
    /* 355 */ TypeRow { name: "SleepAction", id: "io.k8s.api.core.v1.SleepAction", fields: &[
        req("seconds", Int64),
    ] },
    /* 356 */ TypeRow { name: "StorageOSPersistentVolumeSource", id: "io.k8s.api.core.v1.StorageOSPersistentVolumeSource", fields: &[
        opt("fsType", String),
        opt("readOnly", Bool),
        opt("secretRef", Object(283)), // ObjectReference
        opt("volumeName", String),
        opt("volumeNamespace", String),
    ] },
    /* 357 */ TypeRow { name: "StorageOSVolumeSource", id: "io.k8s.api.core.v1.StorageOSVolumeSource", fields: &[
        opt("fsType", String),
        opt("readOnly", Bool),
        opt("secretRef", Object(256)), // LocalObjectReference
        opt("volumeName", String),
        opt("volumeNamespace", String),
    ] },
    /* 358 */ TypeRow { name: "Sysctl", id: "io.k8s.api.core.v1.Sysctl", fields: &[
        req("name", String),
        req("value", String),
    ] },
    /* 359 */ TypeRow { name: "TCPSocketAction", id: "io.k8s.api.core.v1.TCPSocketAction", fields: &[
        opt("host", String),
        req("port", IntOrString),
    ] },
    /* 360 */ TypeRow { name: "Taint", id: "io.k8s.api.core.v1.Taint", fields: &[
        req("effect", String),
        req("key", String),
        opt("timeAdded", Time),
        opt("value", String),
    ] },
    /* 361 */ TypeRow { name: "Toleration", id: "io.k8s.api.core.v1.Toleration", fields: &[
        opt("effect", String),
        opt("key", String),
        opt("operator", String),
        opt("tolerationSeconds", Int64),
        opt("value", String),
    ] },
    /* 362 */ TypeRow { name: "TopologySelectorLabelRequirement", id: "io.k8s.api.core.v1.TopologySelectorLabelRequirement", fields: &[
        req("key", String),
        req("values", List(&String)),
    ] },
    /* 363 */ TypeRow { name: "TopologySelectorTerm", id: "io.k8s.api.core.v1.TopologySelectorTerm", fields: &[
        opt("matchLabelExpressions", List(&Object(362))), // TopologySelectorLabelRequirement
    ] },
    /* 364 */ TypeRow { name: "TopologySpreadConstraint", id: "io.k8s.api.core.v1.TopologySpreadConstraint", fields: &[
        opt("labelSelector", Object(647)), // LabelSelector
        opt("matchLabelKeys", List(&String)),
        req("maxSkew", Int32),
        opt("minDomains", Int32),
        opt("nodeAffinityPolicy", String),
        opt("nodeTaintsPolicy", String),
        req("topologyKey", String),
        req("whenUnsatisfiable", String),
    ] },
    /* 365 */ TypeRow { name: "TypedLocalObjectReference", id: "io.k8s.api.core.v1.TypedLocalObjectReference", fields: &[
        opt("apiGroup", String),
        req("kind", String),
        req("name", String),
    ] },
    /* 366 */ TypeRow { name: "TypedObjectReference", id: "io.k8s.api.core.v1.TypedObjectReference", fields: &[
        opt("apiGroup", String),
        req("kind", String),
        req("name", String),
        opt("namespace", String),
    ] },
    /* 367 */ TypeRow { name: "Volume", id: "io.k8s.api.core.v1.Volume", fields: &[
        opt("awsElasticBlockStore", Object(172)), // AWSElasticBlockStoreVolumeSource
        opt("azureDisk", Object(176)), // AzureDiskVolumeSource
        opt("azureFile", Object(178)), // AzureFileVolumeSource
        opt("cephfs", Object(184)), // CephFSVolumeSource
        opt("cinder", Object(186)), // CinderVolumeSource
        opt("configMap", Object(196)), // ConfigMapVolumeSource
        opt("csi", Object(181)), // CSIVolumeSource
        opt("downwardAPI", Object(213)), // DownwardAPIVolumeSource
        opt("emptyDir", Object(214)), // EmptyDirVolumeSource
        opt("ephemeral", Object(223)), // EphemeralVolumeSource
        opt("fc", Object(228)), // FCVolumeSource
        opt("flexVolume", Object(231)), // FlexVolumeSource
        opt("flocker", Object(232)), // FlockerVolumeSource
        opt("gcePersistentDisk", Object(233)), // GCEPersistentDiskVolumeSource
        opt("gitRepo", Object(235)), // GitRepoVolumeSource
        opt("glusterfs", Object(237)), // GlusterfsVolumeSource
        opt("hostPath", Object(242)), // HostPathVolumeSource
        opt("image", Object(245)), // ImageVolumeSource
        opt("iscsi", Object(244)), // ISCSIVolumeSource
        req("name", String),
        opt("nfs", Object(259)), // NFSVolumeSource
        opt("persistentVolumeClaim", Object(290)), // PersistentVolumeClaimVolumeSource
        opt("photonPersistentDisk", Object(293)), // PhotonPersistentDiskVolumeSource
        opt("portworxVolume", Object(316)), // PortworxVolumeSource
        opt("projected", Object(319)), // ProjectedVolumeSource
        opt("quobyte", Object(320)), // QuobyteVolumeSource
        opt("rbd", Object(322)), // RBDVolumeSource
        opt("scaleIO", Object(337)), // ScaleIOVolumeSource
        opt("secret", Object(346)), // SecretVolumeSource
        opt("storageos", Object(357)), // StorageOSVolumeSource
        opt("vsphereVolume", Object(375)), // VsphereVirtualDiskVolumeSource
    ] },
    /* 368 */ TypeRow { name: "VolumeDevice", id: "io.k8s.api.core.v1.VolumeDevice", fields: &[
        req("devicePath", String),
        req("name", String),
    ] },
    /* 369 */ TypeRow { name: "VolumeMount", id: "io.k8s.api.core.v1.VolumeMount", fields: &[
        req("mountPath", String),
        opt("mountPropagation", String),
        req("name", String),
        opt("readOnly", Bool),
        opt("recursiveReadOnly", String),
        opt("subPath", String),
        opt("subPathExpr", String),
    ] },
    /* 370 */ TypeRow { name: "VolumeMountStatus", id: "io.k8s.api.core.v1.VolumeMountStatus", fields: &[
        req("mountPath", String),
        req("name", String),
        opt("readOnly", Bool),
        opt("recursiveReadOnly", String),
        opt("volumeStatus", Object(374)), // VolumeStatus
    ] },
    /* 371 */ TypeRow { name: "VolumeNodeAffinity", id: "io.k8s.api.core.v1.VolumeNodeAffinity", fields: &[
        opt("required", Object(275)), // NodeSelector
    ] },
    /* 372 */ TypeRow { name: "VolumeProjection", id: "io.k8s.api.core.v1.VolumeProjection", fields: &[
        opt("clusterTrustBundle", Object(188)), // ClusterTrustBundleProjection
        opt("configMap", Object(195)), // ConfigMapProjection
        opt("downwardAPI", Object(211)), // DownwardAPIProjection
        opt("podCertificate", Object(298)), // PodCertificateProjection
        opt("secret", Object(344)), // SecretProjection
        opt("serviceAccountToken", Object(350)), // ServiceAccountTokenProjection
    ] },
    /* 373 */ TypeRow { name: "VolumeResourceRequirements", id: "io.k8s.api.core.v1.VolumeResourceRequirements", fields: &[
        opt("limits", Map(&Quantity)),
        opt("requests", Map(&Quantity)),
    ] },
    /* 374 */ TypeRow { name: "VolumeStatus", id: "io.k8s.api.core.v1.VolumeStatus", fields: &[
        opt("image", Object(246)), // ImageVolumeStatus
    ] },
    /* 375 */ TypeRow { name: "VsphereVirtualDiskVolumeSource", id: "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource", fields: &[
        opt("fsType", String),
        opt("storagePolicyID", String),
        opt("storagePolicyName", String),
        req("volumePath", String),
    ] },
    /* 376 */ TypeRow { name: "WeightedPodAffinityTerm", id: "io.k8s.api.core.v1.WeightedPodAffinityTerm", fields: &[
        req("podAffinityTerm", Object(296)), // PodAffinityTerm
        req("weight", Int32),
    ] },
    /* 377 */ TypeRow { name: "WindowsSecurityContextOptions", id: "io.k8s.api.core.v1.WindowsSecurityContextOptions", fields: &[
        opt("gmsaCredentialSpec", String),
        opt("gmsaCredentialSpecName", String),
        opt("hostProcess", Bool),
        opt("runAsUserName", String),
    ] },
    /* 378 */ TypeRow { name: "Endpoint", id: "io.k8s.api.discovery.v1.Endpoint", fields: &[
        req("addresses", List(&String)),
        opt("conditions", Object(379)), // EndpointConditions
        opt("deprecatedTopology", Map(&String)),
        opt("hints", Object(380)), // EndpointHints
        opt("hostname", String),
        opt("nodeName", String),
        opt("targetRef", Object(283)), // ObjectReference
        opt("zone", String),
    ] },
    /* 379 */ TypeRow { name: "EndpointConditions", id: "io.k8s.api.discovery.v1.EndpointConditions", fields: &[
        opt("ready", Bool),
        opt("serving", Bool),
        opt("terminating", Bool),
    ] },
    /* 380 */ TypeRow { name: "EndpointHints", id: "io.k8s.api.discovery.v1.EndpointHints", fields: &[
        opt("forNodes", List(&Object(383))), // ForNode
        opt("forZones", List(&Object(384))), // ForZone
    ] },
    /* 381 */ TypeRow { name: "EndpointPort", id: "io.k8s.api.discovery.v1.EndpointPort", fields: &[
        opt("appProtocol", String),
        opt("name", String),
        opt("port", Int32),
        opt("protocol", String),
    ] },
    /* 382 */ TypeRow { name: "EndpointSlice", id: "io.k8s.api.discovery.v1.EndpointSlice", fields: &[
        req("addressType", String),
        opt("apiVersion", String),
        opt("endpoints", List(&Object(378))), // Endpoint
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("ports", List(&Object(381))), // EndpointPort
    ] },
    /* 383 */ TypeRow { name: "ForNode", id: "io.k8s.api.discovery.v1.ForNode", fields: &[
        req("name", String),
    ] },
    /* 384 */ TypeRow { name: "ForZone", id: "io.k8s.api.discovery.v1.ForZone", fields: &[
        req("name", String),
    ] },
    /* 385 */ TypeRow { name: "Event", id: "io.k8s.api.events.v1.Event", fields: &[
        opt("action", String),
        opt("apiVersion", String),
        opt("deprecatedCount", Int32),
        opt("deprecatedFirstTimestamp", Time),
        opt("deprecatedLastTimestamp", Time),
        opt("deprecatedSource", Object(226)), // EventSource
        opt("eventTime", MicroTime),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("note", String),
        opt("reason", String),
        opt("regarding", Object(283)), // ObjectReference
        opt("related", Object(283)), // ObjectReference
        opt("reportingController", String),
        opt("reportingInstance", String),
        opt("series", Object(386)), // EventSeries
        opt("type", String),
    ] },
    /* 386 */ TypeRow { name: "EventSeries", id: "io.k8s.api.events.v1.EventSeries", fields: &[
        req("count", Int32),
        req("lastObservedTime", MicroTime),
    ] },
    /* 387 */ TypeRow { name: "ExemptPriorityLevelConfiguration", id: "io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration", fields: &[
        opt("lendablePercent", Int32),
        opt("nominalConcurrencyShares", Int32),
    ] },
    /* 388 */ TypeRow { name: "FlowDistinguisherMethod", id: "io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod", fields: &[
        req("type", String),
    ] },
    /* 389 */ TypeRow { name: "FlowSchema", id: "io.k8s.api.flowcontrol.v1.FlowSchema", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(391)), // FlowSchemaSpec
        opt("status", Object(392)), // FlowSchemaStatus
    ] },
    /* 390 */ TypeRow { name: "FlowSchemaCondition", id: "io.k8s.api.flowcontrol.v1.FlowSchemaCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        opt("status", String),
        opt("type", String),
    ] },
    /* 391 */ TypeRow { name: "FlowSchemaSpec", id: "io.k8s.api.flowcontrol.v1.FlowSchemaSpec", fields: &[
        opt("distinguisherMethod", Object(388)), // FlowDistinguisherMethod
        opt("matchingPrecedence", Int32),
        req("priorityLevelConfiguration", Object(400)), // PriorityLevelConfigurationReference
        opt("rules", List(&Object(397))), // PolicyRulesWithSubjects
    ] },
    /* 392 */ TypeRow { name: "FlowSchemaStatus", id: "io.k8s.api.flowcontrol.v1.FlowSchemaStatus", fields: &[
        opt("conditions", List(&Object(390))), // FlowSchemaCondition
    ] },
    /* 393 */ TypeRow { name: "GroupSubject", id: "io.k8s.api.flowcontrol.v1.GroupSubject", fields: &[
        req("name", String),
    ] },
    /* 394 */ TypeRow { name: "LimitResponse", id: "io.k8s.api.flowcontrol.v1.LimitResponse", fields: &[
        opt("queuing", Object(403)), // QueuingConfiguration
        req("type", String),
    ] },
    /* 395 */ TypeRow { name: "LimitedPriorityLevelConfiguration", id: "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration", fields: &[
        opt("borrowingLimitPercent", Int32),
        opt("lendablePercent", Int32),
        opt("limitResponse", Object(394)), // LimitResponse
        opt("nominalConcurrencyShares", Int32),
    ] },
    /* 396 */ TypeRow { name: "NonResourcePolicyRule", id: "io.k8s.api.flowcontrol.v1.NonResourcePolicyRule", fields: &[
        req("nonResourceURLs", List(&String)),
        req("verbs", List(&String)),
    ] },
    /* 397 */ TypeRow { name: "PolicyRulesWithSubjects", id: "io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects", fields: &[
        opt("nonResourceRules", List(&Object(396))), // NonResourcePolicyRule
        opt("resourceRules", List(&Object(404))), // ResourcePolicyRule
        req("subjects", List(&Object(406))), // Subject
    ] },
    /* 398 */ TypeRow { name: "PriorityLevelConfiguration", id: "io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(401)), // PriorityLevelConfigurationSpec
        opt("status", Object(402)), // PriorityLevelConfigurationStatus
    ] },
    /* 399 */ TypeRow { name: "PriorityLevelConfigurationCondition", id: "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        opt("status", String),
        opt("type", String),
    ] },
    /* 400 */ TypeRow { name: "PriorityLevelConfigurationReference", id: "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference", fields: &[
        req("name", String),
    ] },
    /* 401 */ TypeRow { name: "PriorityLevelConfigurationSpec", id: "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec", fields: &[
        opt("exempt", Object(387)), // ExemptPriorityLevelConfiguration
        opt("limited", Object(395)), // LimitedPriorityLevelConfiguration
        req("type", String),
    ] },
    /* 402 */ TypeRow { name: "PriorityLevelConfigurationStatus", id: "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus", fields: &[
        opt("conditions", List(&Object(399))), // PriorityLevelConfigurationCondition
    ] },
    /* 403 */ TypeRow { name: "QueuingConfiguration", id: "io.k8s.api.flowcontrol.v1.QueuingConfiguration", fields: &[
        opt("handSize", Int32),
        opt("queueLengthLimit", Int32),
        opt("queues", Int32),
    ] },
    /* 404 */ TypeRow { name: "ResourcePolicyRule", id: "io.k8s.api.flowcontrol.v1.ResourcePolicyRule", fields: &[
        req("apiGroups", List(&String)),
        opt("clusterScope", Bool),
        opt("namespaces", List(&String)),
        req("resources", List(&String)),
        req("verbs", List(&String)),
    ] },
    /* 405 */ TypeRow { name: "ServiceAccountSubject", id: "io.k8s.api.flowcontrol.v1.ServiceAccountSubject", fields: &[
        req("name", String),
        req("namespace", String),
    ] },
    /* 406 */ TypeRow { name: "Subject", id: "io.k8s.api.flowcontrol.v1.Subject", fields: &[
        opt("group", Object(393)), // GroupSubject
        req("kind", String),
        opt("serviceAccount", Object(405)), // ServiceAccountSubject
        opt("user", Object(407)), // UserSubject
    ] },
    /* 407 */ TypeRow { name: "UserSubject", id: "io.k8s.api.flowcontrol.v1.UserSubject", fields: &[
        req("name", String),
    ] },
    /* 408 */ TypeRow { name: "HTTPIngressPath", id: "io.k8s.api.networking.v1.HTTPIngressPath", fields: &[
        req("backend", Object(414)), // IngressBackend
        opt("path", String),
        req("pathType", String),
    ] },
    /* 409 */ TypeRow { name: "HTTPIngressRuleValue", id: "io.k8s.api.networking.v1.HTTPIngressRuleValue", fields: &[
        req("paths", List(&Object(408))), // HTTPIngressPath
    ] },
    /* 410 */ TypeRow { name: "IPAddress", id: "io.k8s.api.networking.v1.IPAddress", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(411)), // IPAddressSpec
    ] },
    /* 411 */ TypeRow { name: "IPAddressSpec", id: "io.k8s.api.networking.v1.IPAddressSpec", fields: &[
        req("parentRef", Object(432)), // ParentReference
    ] },
    /* 412 */ TypeRow { name: "IPBlock", id: "io.k8s.api.networking.v1.IPBlock", fields: &[
        req("cidr", String),
        opt("except", List(&String)),
    ] },
    /* 413 */ TypeRow { name: "Ingress", id: "io.k8s.api.networking.v1.Ingress", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(423)), // IngressSpec
        opt("status", Object(424)), // IngressStatus
    ] },
    /* 414 */ TypeRow { name: "IngressBackend", id: "io.k8s.api.networking.v1.IngressBackend", fields: &[
        opt("resource", Object(365)), // TypedLocalObjectReference
        opt("service", Object(422)), // IngressServiceBackend
    ] },
    /* 415 */ TypeRow { name: "IngressClass", id: "io.k8s.api.networking.v1.IngressClass", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(417)), // IngressClassSpec
    ] },
    /* 416 */ TypeRow { name: "IngressClassParametersReference", id: "io.k8s.api.networking.v1.IngressClassParametersReference", fields: &[
        opt("apiGroup", String),
        req("kind", String),
        req("name", String),
        opt("namespace", String),
        opt("scope", String),
    ] },
    /* 417 */ TypeRow { name: "IngressClassSpec", id: "io.k8s.api.networking.v1.IngressClassSpec", fields: &[
        opt("controller", String),
        opt("parameters", Object(416)), // IngressClassParametersReference
    ] },
    /* 418 */ TypeRow { name: "IngressLoadBalancerIngress", id: "io.k8s.api.networking.v1.IngressLoadBalancerIngress", fields: &[
        opt("hostname", String),
        opt("ip", String),
        opt("ports", List(&Object(420))), // IngressPortStatus
    ] },
    /* 419 */ TypeRow { name: "IngressLoadBalancerStatus", id: "io.k8s.api.networking.v1.IngressLoadBalancerStatus", fields: &[
        opt("ingress", List(&Object(418))), // IngressLoadBalancerIngress
    ] },
    /* 420 */ TypeRow { name: "IngressPortStatus", id: "io.k8s.api.networking.v1.IngressPortStatus", fields: &[
        opt("error", String),
        req("port", Int32),
        req("protocol", String),
    ] },
    /* 421 */ TypeRow { name: "IngressRule", id: "io.k8s.api.networking.v1.IngressRule", fields: &[
        opt("host", String),
        opt("http", Object(409)), // HTTPIngressRuleValue
    ] },
    /* 422 */ TypeRow { name: "IngressServiceBackend", id: "io.k8s.api.networking.v1.IngressServiceBackend", fields: &[
        req("name", String),
        opt("port", Object(433)), // ServiceBackendPort
    ] },
    /* 423 */ TypeRow { name: "IngressSpec", id: "io.k8s.api.networking.v1.IngressSpec", fields: &[
        opt("defaultBackend", Object(414)), // IngressBackend
        opt("ingressClassName", String),
        opt("rules", List(&Object(421))), // IngressRule
        opt("tls", List(&Object(425))), // IngressTLS
    ] },
    /* 424 */ TypeRow { name: "IngressStatus", id: "io.k8s.api.networking.v1.IngressStatus", fields: &[
        opt("loadBalancer", Object(419)), // IngressLoadBalancerStatus
    ] },
    /* 425 */ TypeRow { name: "IngressTLS", id: "io.k8s.api.networking.v1.IngressTLS", fields: &[
        opt("hosts", List(&String)),
        opt("secretName", String),
    ] },
    /* 426 */ TypeRow { name: "NetworkPolicy", id: "io.k8s.api.networking.v1.NetworkPolicy", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(431)), // NetworkPolicySpec
    ] },
    /* 427 */ TypeRow { name: "NetworkPolicyEgressRule", id: "io.k8s.api.networking.v1.NetworkPolicyEgressRule", fields: &[
        opt("ports", List(&Object(430))), // NetworkPolicyPort
        opt("to", List(&Object(429))), // NetworkPolicyPeer
    ] },
    /* 428 */ TypeRow { name: "NetworkPolicyIngressRule", id: "io.k8s.api.networking.v1.NetworkPolicyIngressRule", fields: &[
        opt("from", List(&Object(429))), // NetworkPolicyPeer
        opt("ports", List(&Object(430))), // NetworkPolicyPort
    ] },
    /* 429 */ TypeRow { name: "NetworkPolicyPeer", id: "io.k8s.api.networking.v1.NetworkPolicyPeer", fields: &[
        opt("ipBlock", Object(412)), // IPBlock
        opt("namespaceSelector", Object(647)), // LabelSelector
        opt("podSelector", Object(647)), // LabelSelector
    ] },
    /* 430 */ TypeRow { name: "NetworkPolicyPort", id: "io.k8s.api.networking.v1.NetworkPolicyPort", fields: &[
        opt("endPort", Int32),
        opt("port", IntOrString),
        opt("protocol", String),
    ] },
    /* 431 */ TypeRow { name: "NetworkPolicySpec", id: "io.k8s.api.networking.v1.NetworkPolicySpec", fields: &[
        opt("egress", List(&Object(427))), // NetworkPolicyEgressRule
        opt("ingress", List(&Object(428))), // NetworkPolicyIngressRule
        opt("podSelector", Object(647)), // LabelSelector
        opt("policyTypes", List(&String)),
    ] },
    /* 432 */ TypeRow { name: "ParentReference", id: "io.k8s.api.networking.v1.ParentReference", fields: &[
        opt("group", String),
        req("name", String),
        opt("namespace", String),
        req("resource", String),
    ] },
    /* 433 */ TypeRow { name: "ServiceBackendPort", id: "io.k8s.api.networking.v1.ServiceBackendPort", fields: &[
        opt("name", String),
        opt("number", Int32),
    ] },
    /* 434 */ TypeRow { name: "ServiceCIDR", id: "io.k8s.api.networking.v1.ServiceCIDR", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(435)), // ServiceCIDRSpec
        opt("status", Object(436)), // ServiceCIDRStatus
    ] },
    /* 435 */ TypeRow { name: "ServiceCIDRSpec", id: "io.k8s.api.networking.v1.ServiceCIDRSpec", fields: &[
        opt("cidrs", List(&String)),
    ] },
    /* 436 */ TypeRow { name: "ServiceCIDRStatus", id: "io.k8s.api.networking.v1.ServiceCIDRStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
    ] },
    /* 437 */ TypeRow { name: "IPAddress", id: "io.k8s.api.networking.v1beta1.IPAddress", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(438)), // IPAddressSpec
    ] },
    /* 438 */ TypeRow { name: "IPAddressSpec", id: "io.k8s.api.networking.v1beta1.IPAddressSpec", fields: &[
        req("parentRef", Object(439)), // ParentReference
    ] },
    /* 439 */ TypeRow { name: "ParentReference", id: "io.k8s.api.networking.v1beta1.ParentReference", fields: &[
        opt("group", String),
        req("name", String),
        opt("namespace", String),
        req("resource", String),
    ] },
    /* 440 */ TypeRow { name: "ServiceCIDR", id: "io.k8s.api.networking.v1beta1.ServiceCIDR", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(441)), // ServiceCIDRSpec
        opt("status", Object(442)), // ServiceCIDRStatus
    ] },
    /* 441 */ TypeRow { name: "ServiceCIDRSpec", id: "io.k8s.api.networking.v1beta1.ServiceCIDRSpec", fields: &[
        opt("cidrs", List(&String)),
    ] },
    /* 442 */ TypeRow { name: "ServiceCIDRStatus", id: "io.k8s.api.networking.v1beta1.ServiceCIDRStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
    ] },
    /* 443 */ TypeRow { name: "Overhead", id: "io.k8s.api.node.v1.Overhead", fields: &[
        opt("podFixed", Map(&Quantity)),
    ] },
    /* 444 */ TypeRow { name: "RuntimeClass", id: "io.k8s.api.node.v1.RuntimeClass", fields: &[
        opt("apiVersion", String),
        req("handler", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("overhead", Object(443)), // Overhead
        opt("scheduling", Object(445)), // Scheduling
    ] },
    /* 445 */ TypeRow { name: "Scheduling", id: "io.k8s.api.node.v1.Scheduling", fields: &[
        opt("nodeSelector", Map(&String)),
        opt("tolerations", List(&Object(361))), // Toleration
    ] },
    /* 446 */ TypeRow { name: "Eviction", id: "io.k8s.api.policy.v1.Eviction", fields: &[
        opt("apiVersion", String),
        opt("deleteOptions", Object(644)), // DeleteOptions
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
    ] },
    /* 447 */ TypeRow { name: "PodDisruptionBudget", id: "io.k8s.api.policy.v1.PodDisruptionBudget", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(448)), // PodDisruptionBudgetSpec
        opt("status", Object(449)), // PodDisruptionBudgetStatus
    ] },
    /* 448 */ TypeRow { name: "PodDisruptionBudgetSpec", id: "io.k8s.api.policy.v1.PodDisruptionBudgetSpec", fields: &[
        opt("maxUnavailable", IntOrString),
        opt("minAvailable", IntOrString),
        opt("selector", Object(647)), // LabelSelector
        opt("unhealthyPodEvictionPolicy", String),
    ] },
    /* 449 */ TypeRow { name: "PodDisruptionBudgetStatus", id: "io.k8s.api.policy.v1.PodDisruptionBudgetStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("currentHealthy", Int32),
        opt("desiredHealthy", Int32),
        opt("disruptedPods", Map(&Time)),
        opt("disruptionsAllowed", Int32),
        opt("expectedPods", Int32),
        opt("observedGeneration", Int64),
    ] },
    /* 450 */ TypeRow { name: "AggregationRule", id: "io.k8s.api.rbac.v1.AggregationRule", fields: &[
        opt("clusterRoleSelectors", List(&Object(647))), // LabelSelector
    ] },
    /* 451 */ TypeRow { name: "ClusterRole", id: "io.k8s.api.rbac.v1.ClusterRole", fields: &[
        opt("aggregationRule", Object(450)), // AggregationRule
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("rules", List(&Object(453))), // PolicyRule
    ] },
    /* 452 */ TypeRow { name: "ClusterRoleBinding", id: "io.k8s.api.rbac.v1.ClusterRoleBinding", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("roleRef", Object(456)), // RoleRef
        opt("subjects", List(&Object(457))), // Subject
    ] },
    /* 453 */ TypeRow { name: "PolicyRule", id: "io.k8s.api.rbac.v1.PolicyRule", fields: &[
        opt("apiGroups", List(&String)),
        opt("nonResourceURLs", List(&String)),
        opt("resourceNames", List(&String)),
        opt("resources", List(&String)),
        req("verbs", List(&String)),
    ] },
    /* 454 */ TypeRow { name: "Role", id: "io.k8s.api.rbac.v1.Role", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("rules", List(&Object(453))), // PolicyRule
    ] },
    /* 455 */ TypeRow { name: "RoleBinding", id: "io.k8s.api.rbac.v1.RoleBinding", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("roleRef", Object(456)), // RoleRef
        opt("subjects", List(&Object(457))), // Subject
    ] },
    /* 456 */ TypeRow { name: "RoleRef", id: "io.k8s.api.rbac.v1.RoleRef", fields: &[
        opt("apiGroup", String),
        req("kind", String),
        req("name", String),
    ] },
    /* 457 */ TypeRow { name: "Subject", id: "io.k8s.api.rbac.v1.Subject", fields: &[
        opt("apiGroup", String),
        req("kind", String),
        req("name", String),
        opt("namespace", String),
    ] },
    /* 458 */ TypeRow { name: "AllocatedDeviceStatus", id: "io.k8s.api.resource.v1.AllocatedDeviceStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("data", Any),
        req("device", String),
        req("driver", String),
        opt("networkData", Object(485)), // NetworkDeviceData
        req("pool", String),
        opt("shareID", String),
    ] },
    /* 459 */ TypeRow { name: "AllocationResult", id: "io.k8s.api.resource.v1.AllocationResult", fields: &[
        opt("allocationTimestamp", Time),
        opt("devices", Object(468)), // DeviceAllocationResult
        opt("nodeSelector", Object(275)), // NodeSelector
    ] },
    /* 460 */ TypeRow { name: "CELDeviceSelector", id: "io.k8s.api.resource.v1.CELDeviceSelector", fields: &[
        req("expression", String),
    ] },
    /* 461 */ TypeRow { name: "CapacityRequestPolicy", id: "io.k8s.api.resource.v1.CapacityRequestPolicy", fields: &[
        opt("default", Quantity),
        opt("validRange", Object(462)), // CapacityRequestPolicyRange
        opt("validValues", List(&Quantity)),
    ] },
    /* 462 */ TypeRow { name: "CapacityRequestPolicyRange", id: "io.k8s.api.resource.v1.CapacityRequestPolicyRange", fields: &[
        opt("max", Quantity),
        req("min", Quantity),
        opt("step", Quantity),
    ] },
    /* 463 */ TypeRow { name: "CapacityRequirements", id: "io.k8s.api.resource.v1.CapacityRequirements", fields: &[
        opt("requests", Map(&Quantity)),
    ] },
    /* 464 */ TypeRow { name: "Counter", id: "io.k8s.api.resource.v1.Counter", fields: &[
        req("value", Quantity),
    ] },
    /* 465 */ TypeRow { name: "CounterSet", id: "io.k8s.api.resource.v1.CounterSet", fields: &[
        req("counters", Map(&Object(464))), // Counter
        req("name", String),
    ] },
    /* 466 */ TypeRow { name: "Device", id: "io.k8s.api.resource.v1.Device", fields: &[
        opt("allNodes", Bool),
        opt("allowMultipleAllocations", Bool),
        opt("attributes", Map(&Object(469))), // DeviceAttribute
        opt("bindingConditions", List(&String)),
        opt("bindingFailureConditions", List(&String)),
        opt("bindsToNode", Bool),
        opt("capacity", Map(&Object(470))), // DeviceCapacity
        opt("consumesCounters", List(&Object(477))), // DeviceCounterConsumption
        req("name", String),
        opt("nodeAllocatableResourceMappings", Map(&Object(486))), // NodeAllocatableResourceMapping
        opt("nodeName", String),
        opt("nodeSelector", Object(275)), // NodeSelector
        opt("taints", List(&Object(482))), // DeviceTaint
    ] },
    /* 467 */ TypeRow { name: "DeviceAllocationConfiguration", id: "io.k8s.api.resource.v1.DeviceAllocationConfiguration", fields: &[
        opt("opaque", Object(487)), // OpaqueDeviceConfiguration
        opt("requests", List(&String)),
        req("source", String),
    ] },
    /* 468 */ TypeRow { name: "DeviceAllocationResult", id: "io.k8s.api.resource.v1.DeviceAllocationResult", fields: &[
        opt("config", List(&Object(467))), // DeviceAllocationConfiguration
        opt("results", List(&Object(479))), // DeviceRequestAllocationResult
    ] },
    /* 469 */ TypeRow { name: "DeviceAttribute", id: "io.k8s.api.resource.v1.DeviceAttribute", fields: &[
        opt("bool", Bool),
        opt("bools", List(&Bool)),
        opt("int", Int64),
        opt("ints", List(&Int64)),
        opt("string", String),
        opt("strings", List(&String)),
        opt("version", String),
        opt("versions", List(&String)),
    ] },
    /* 470 */ TypeRow { name: "DeviceCapacity", id: "io.k8s.api.resource.v1.DeviceCapacity", fields: &[
        opt("requestPolicy", Object(461)), // CapacityRequestPolicy
        req("value", Quantity),
    ] },
    /* 471 */ TypeRow { name: "DeviceClaim", id: "io.k8s.api.resource.v1.DeviceClaim", fields: &[
        opt("config", List(&Object(472))), // DeviceClaimConfiguration
        opt("constraints", List(&Object(476))), // DeviceConstraint
        opt("requests", List(&Object(478))), // DeviceRequest
    ] },
    /* 472 */ TypeRow { name: "DeviceClaimConfiguration", id: "io.k8s.api.resource.v1.DeviceClaimConfiguration", fields: &[
        opt("opaque", Object(487)), // OpaqueDeviceConfiguration
        opt("requests", List(&String)),
    ] },
    /* 473 */ TypeRow { name: "DeviceClass", id: "io.k8s.api.resource.v1.DeviceClass", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(475)), // DeviceClassSpec
    ] },
    /* 474 */ TypeRow { name: "DeviceClassConfiguration", id: "io.k8s.api.resource.v1.DeviceClassConfiguration", fields: &[
        opt("opaque", Object(487)), // OpaqueDeviceConfiguration
    ] },
    /* 475 */ TypeRow { name: "DeviceClassSpec", id: "io.k8s.api.resource.v1.DeviceClassSpec", fields: &[
        opt("config", List(&Object(474))), // DeviceClassConfiguration
        opt("extendedResourceName", String),
        opt("selectors", List(&Object(480))), // DeviceSelector
    ] },
    /* 476 */ TypeRow { name: "DeviceConstraint", id: "io.k8s.api.resource.v1.DeviceConstraint", fields: &[
        opt("distinctAttribute", String),
        opt("matchAttribute", String),
        opt("requests", List(&String)),
    ] },
    /* 477 */ TypeRow { name: "DeviceCounterConsumption", id: "io.k8s.api.resource.v1.DeviceCounterConsumption", fields: &[
        req("counterSet", String),
        req("counters", Map(&Object(464))), // Counter
    ] },
    /* 478 */ TypeRow { name: "DeviceRequest", id: "io.k8s.api.resource.v1.DeviceRequest", fields: &[
        opt("exactly", Object(484)), // ExactDeviceRequest
        opt("firstAvailable", List(&Object(481))), // DeviceSubRequest
        req("name", String),
    ] },
    /* 479 */ TypeRow { name: "DeviceRequestAllocationResult", id: "io.k8s.api.resource.v1.DeviceRequestAllocationResult", fields: &[
        opt("adminAccess", Bool),
        opt("bindingConditions", List(&String)),
        opt("bindingFailureConditions", List(&String)),
        opt("consumedCapacity", Map(&Quantity)),
        req("device", String),
        req("driver", String),
        req("pool", String),
        req("request", String),
        opt("shareID", String),
        opt("tolerations", List(&Object(483))), // DeviceToleration
    ] },
    /* 480 */ TypeRow { name: "DeviceSelector", id: "io.k8s.api.resource.v1.DeviceSelector", fields: &[
        opt("cel", Object(460)), // CELDeviceSelector
    ] },
    /* 481 */ TypeRow { name: "DeviceSubRequest", id: "io.k8s.api.resource.v1.DeviceSubRequest", fields: &[
        opt("allocationMode", String),
        opt("capacity", Object(463)), // CapacityRequirements
        opt("count", Int64),
        req("deviceClassName", String),
        req("name", String),
        opt("selectors", List(&Object(480))), // DeviceSelector
        opt("tolerations", List(&Object(483))), // DeviceToleration
    ] },
    /* 482 */ TypeRow { name: "DeviceTaint", id: "io.k8s.api.resource.v1.DeviceTaint", fields: &[
        req("effect", String),
        req("key", String),
        opt("timeAdded", Time),
        opt("value", String),
    ] },
    /* 483 */ TypeRow { name: "DeviceToleration", id: "io.k8s.api.resource.v1.DeviceToleration", fields: &[
        opt("effect", String),
        opt("key", String),
        opt("operator", String),
        opt("tolerationSeconds", Int64),
        opt("value", String),
    ] },
    /* 484 */ TypeRow { name: "ExactDeviceRequest", id: "io.k8s.api.resource.v1.ExactDeviceRequest", fields: &[
        opt("adminAccess", Bool),
        opt("allocationMode", String),
        opt("capacity", Object(463)), // CapacityRequirements
        opt("count", Int64),
        req("deviceClassName", String),
        opt("selectors", List(&Object(480))), // DeviceSelector
        opt("tolerations", List(&Object(483))), // DeviceToleration
    ] },
    /* 485 */ TypeRow { name: "NetworkDeviceData", id: "io.k8s.api.resource.v1.NetworkDeviceData", fields: &[
        opt("hardwareAddress", String),
        opt("interfaceName", String),
        opt("ips", List(&String)),
    ] },
    /* 486 */ TypeRow { name: "NodeAllocatableResourceMapping", id: "io.k8s.api.resource.v1.NodeAllocatableResourceMapping", fields: &[
        opt("allocationMultiplier", Quantity),
        opt("capacityKey", String),
    ] },
    /* 487 */ TypeRow { name: "OpaqueDeviceConfiguration", id: "io.k8s.api.resource.v1.OpaqueDeviceConfiguration", fields: &[
        req("driver", String),
        req("parameters", Any),
    ] },
    /* 488 */ TypeRow { name: "ResourceClaim", id: "io.k8s.api.resource.v1.ResourceClaim", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(490)), // ResourceClaimSpec
        opt("status", Object(491)), // ResourceClaimStatus
    ] },
    /* 489 */ TypeRow { name: "ResourceClaimConsumerReference", id: "io.k8s.api.resource.v1.ResourceClaimConsumerReference", fields: &[
        opt("apiGroup", String),
        req("name", String),
        req("resource", String),
        req("uid", String),
    ] },
    /* 490 */ TypeRow { name: "ResourceClaimSpec", id: "io.k8s.api.resource.v1.ResourceClaimSpec", fields: &[
        opt("devices", Object(471)), // DeviceClaim
    ] },
    /* 491 */ TypeRow { name: "ResourceClaimStatus", id: "io.k8s.api.resource.v1.ResourceClaimStatus", fields: &[
        opt("allocation", Object(459)), // AllocationResult
        opt("devices", List(&Object(458))), // AllocatedDeviceStatus
        opt("reservedFor", List(&Object(489))), // ResourceClaimConsumerReference
    ] },
    /* 492 */ TypeRow { name: "ResourceClaimTemplate", id: "io.k8s.api.resource.v1.ResourceClaimTemplate", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(493)), // ResourceClaimTemplateSpec
    ] },
    /* 493 */ TypeRow { name: "ResourceClaimTemplateSpec", id: "io.k8s.api.resource.v1.ResourceClaimTemplateSpec", fields: &[
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(490)), // ResourceClaimSpec
    ] },
    /* 494 */ TypeRow { name: "ResourcePool", id: "io.k8s.api.resource.v1.ResourcePool", fields: &[
        req("generation", Int64),
        req("name", String),
        req("resourceSliceCount", Int64),
    ] },
    /* 495 */ TypeRow { name: "ResourceSlice", id: "io.k8s.api.resource.v1.ResourceSlice", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(496)), // ResourceSliceSpec
    ] },
    /* 496 */ TypeRow { name: "ResourceSliceSpec", id: "io.k8s.api.resource.v1.ResourceSliceSpec", fields: &[
        opt("allNodes", Bool),
        opt("devices", List(&Object(466))), // Device
        req("driver", String),
        opt("nodeName", String),
        opt("nodeSelector", Object(275)), // NodeSelector
        opt("perDeviceNodeSelection", Bool),
        req("pool", Object(494)), // ResourcePool
        opt("sharedCounters", List(&Object(465))), // CounterSet
    ] },
    /* 497 */ TypeRow { name: "DeviceTaint", id: "io.k8s.api.resource.v1alpha3.DeviceTaint", fields: &[
        req("effect", String),
        req("key", String),
        opt("timeAdded", Time),
        opt("value", String),
    ] },
    /* 498 */ TypeRow { name: "DeviceTaintRule", id: "io.k8s.api.resource.v1alpha3.DeviceTaintRule", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(499)), // DeviceTaintRuleSpec
        opt("status", Object(500)), // DeviceTaintRuleStatus
    ] },
    /* 499 */ TypeRow { name: "DeviceTaintRuleSpec", id: "io.k8s.api.resource.v1alpha3.DeviceTaintRuleSpec", fields: &[
        opt("deviceSelector", Object(501)), // DeviceTaintSelector
        req("taint", Object(497)), // DeviceTaint
    ] },
    /* 500 */ TypeRow { name: "DeviceTaintRuleStatus", id: "io.k8s.api.resource.v1alpha3.DeviceTaintRuleStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
    ] },
    /* 501 */ TypeRow { name: "DeviceTaintSelector", id: "io.k8s.api.resource.v1alpha3.DeviceTaintSelector", fields: &[
        opt("device", String),
        opt("driver", String),
        opt("pool", String),
    ] },
    /* 502 */ TypeRow { name: "PoolStatus", id: "io.k8s.api.resource.v1alpha3.PoolStatus", fields: &[
        opt("allocatedDevices", Int32),
        opt("availableDevices", Int32),
        req("driver", String),
        req("generation", Int64),
        opt("nodeName", String),
        req("poolName", String),
        opt("resourceSliceCount", Int32),
        opt("totalDevices", Int32),
        opt("unavailableDevices", Int32),
        opt("validationError", String),
    ] },
    /* 503 */ TypeRow { name: "ResourcePoolStatusRequest", id: "io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequest", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(504)), // ResourcePoolStatusRequestSpec
        opt("status", Object(505)), // ResourcePoolStatusRequestStatus
    ] },
    /* 504 */ TypeRow { name: "ResourcePoolStatusRequestSpec", id: "io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestSpec", fields: &[
        req("driver", String),
        opt("limit", Int32),
        opt("poolName", String),
    ] },
    /* 505 */ TypeRow { name: "ResourcePoolStatusRequestStatus", id: "io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        req("poolCount", Int32),
        opt("pools", List(&Object(502))), // PoolStatus
    ] },
    /* 506 */ TypeRow { name: "AllocatedDeviceStatus", id: "io.k8s.api.resource.v1beta1.AllocatedDeviceStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("data", Any),
        req("device", String),
        req("driver", String),
        opt("networkData", Object(533)), // NetworkDeviceData
        req("pool", String),
        opt("shareID", String),
    ] },
    /* 507 */ TypeRow { name: "AllocationResult", id: "io.k8s.api.resource.v1beta1.AllocationResult", fields: &[
        opt("allocationTimestamp", Time),
        opt("devices", Object(517)), // DeviceAllocationResult
        opt("nodeSelector", Object(275)), // NodeSelector
    ] },
    /* 508 */ TypeRow { name: "BasicDevice", id: "io.k8s.api.resource.v1beta1.BasicDevice", fields: &[
        opt("allNodes", Bool),
        opt("allowMultipleAllocations", Bool),
        opt("attributes", Map(&Object(518))), // DeviceAttribute
        opt("bindingConditions", List(&String)),
        opt("bindingFailureConditions", List(&String)),
        opt("bindsToNode", Bool),
        opt("capacity", Map(&Object(519))), // DeviceCapacity
        opt("consumesCounters", List(&Object(526))), // DeviceCounterConsumption
        opt("nodeAllocatableResourceMappings", Map(&Object(534))), // NodeAllocatableResourceMapping
        opt("nodeName", String),
        opt("nodeSelector", Object(275)), // NodeSelector
        opt("taints", List(&Object(531))), // DeviceTaint
    ] },
    /* 509 */ TypeRow { name: "CELDeviceSelector", id: "io.k8s.api.resource.v1beta1.CELDeviceSelector", fields: &[
        req("expression", String),
    ] },
    /* 510 */ TypeRow { name: "CapacityRequestPolicy", id: "io.k8s.api.resource.v1beta1.CapacityRequestPolicy", fields: &[
        opt("default", Quantity),
        opt("validRange", Object(511)), // CapacityRequestPolicyRange
        opt("validValues", List(&Quantity)),
    ] },
    /* 511 */ TypeRow { name: "CapacityRequestPolicyRange", id: "io.k8s.api.resource.v1beta1.CapacityRequestPolicyRange", fields: &[
        opt("max", Quantity),
        req("min", Quantity),
        opt("step", Quantity),
    ] },
    /* 512 */ TypeRow { name: "CapacityRequirements", id: "io.k8s.api.resource.v1beta1.CapacityRequirements", fields: &[
        opt("requests", Map(&Quantity)),
    ] },
    /* 513 */ TypeRow { name: "Counter", id: "io.k8s.api.resource.v1beta1.Counter", fields: &[
        req("value", Quantity),
    ] },
    /* 514 */ TypeRow { name: "CounterSet", id: "io.k8s.api.resource.v1beta1.CounterSet", fields: &[
        req("counters", Map(&Object(513))), // Counter
        req("name", String),
    ] },
    /* 515 */ TypeRow { name: "Device", id: "io.k8s.api.resource.v1beta1.Device", fields: &[
        opt("basic", Object(508)), // BasicDevice
        req("name", String),
    ] },
    /* 516 */ TypeRow { name: "DeviceAllocationConfiguration", id: "io.k8s.api.resource.v1beta1.DeviceAllocationConfiguration", fields: &[
        opt("opaque", Object(535)), // OpaqueDeviceConfiguration
        opt("requests", List(&String)),
        req("source", String),
    ] },
    /* 517 */ TypeRow { name: "DeviceAllocationResult", id: "io.k8s.api.resource.v1beta1.DeviceAllocationResult", fields: &[
        opt("config", List(&Object(516))), // DeviceAllocationConfiguration
        opt("results", List(&Object(528))), // DeviceRequestAllocationResult
    ] },
    /* 518 */ TypeRow { name: "DeviceAttribute", id: "io.k8s.api.resource.v1beta1.DeviceAttribute", fields: &[
        opt("bool", Bool),
        opt("bools", List(&Bool)),
        opt("int", Int64),
        opt("ints", List(&Int64)),
        opt("string", String),
        opt("strings", List(&String)),
        opt("version", String),
        opt("versions", List(&String)),
    ] },
    /* 519 */ TypeRow { name: "DeviceCapacity", id: "io.k8s.api.resource.v1beta1.DeviceCapacity", fields: &[
        opt("requestPolicy", Object(510)), // CapacityRequestPolicy
        req("value", Quantity),
    ] },
    /* 520 */ TypeRow { name: "DeviceClaim", id: "io.k8s.api.resource.v1beta1.DeviceClaim", fields: &[
        opt("config", List(&Object(521))), // DeviceClaimConfiguration
        opt("constraints", List(&Object(525))), // DeviceConstraint
        opt("requests", List(&Object(527))), // DeviceRequest
    ] },
    /* 521 */ TypeRow { name: "DeviceClaimConfiguration", id: "io.k8s.api.resource.v1beta1.DeviceClaimConfiguration", fields: &[
        opt("opaque", Object(535)), // OpaqueDeviceConfiguration
        opt("requests", List(&String)),
    ] },
    /* 522 */ TypeRow { name: "DeviceClass", id: "io.k8s.api.resource.v1beta1.DeviceClass", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(524)), // DeviceClassSpec
    ] },
    /* 523 */ TypeRow { name: "DeviceClassConfiguration", id: "io.k8s.api.resource.v1beta1.DeviceClassConfiguration", fields: &[
        opt("opaque", Object(535)), // OpaqueDeviceConfiguration
    ] },
    /* 524 */ TypeRow { name: "DeviceClassSpec", id: "io.k8s.api.resource.v1beta1.DeviceClassSpec", fields: &[
        opt("config", List(&Object(523))), // DeviceClassConfiguration
        opt("extendedResourceName", String),
        opt("selectors", List(&Object(529))), // DeviceSelector
    ] },
    /* 525 */ TypeRow { name: "DeviceConstraint", id: "io.k8s.api.resource.v1beta1.DeviceConstraint", fields: &[
        opt("distinctAttribute", String),
        opt("matchAttribute", String),
        opt("requests", List(&String)),
    ] },
    /* 526 */ TypeRow { name: "DeviceCounterConsumption", id: "io.k8s.api.resource.v1beta1.DeviceCounterConsumption", fields: &[
        req("counterSet", String),
        req("counters", Map(&Object(513))), // Counter
    ] },
    /* 527 */ TypeRow { name: "DeviceRequest", id: "io.k8s.api.resource.v1beta1.DeviceRequest", fields: &[
        opt("adminAccess", Bool),
        opt("allocationMode", String),
        opt("capacity", Object(512)), // CapacityRequirements
        opt("count", Int64),
        opt("deviceClassName", String),
        opt("firstAvailable", List(&Object(530))), // DeviceSubRequest
        req("name", String),
        opt("selectors", List(&Object(529))), // DeviceSelector
        opt("tolerations", List(&Object(532))), // DeviceToleration
    ] },
    /* 528 */ TypeRow { name: "DeviceRequestAllocationResult", id: "io.k8s.api.resource.v1beta1.DeviceRequestAllocationResult", fields: &[
        opt("adminAccess", Bool),
        opt("bindingConditions", List(&String)),
        opt("bindingFailureConditions", List(&String)),
        opt("consumedCapacity", Map(&Quantity)),
        req("device", String),
        req("driver", String),
        req("pool", String),
        req("request", String),
        opt("shareID", String),
        opt("tolerations", List(&Object(532))), // DeviceToleration
    ] },
    /* 529 */ TypeRow { name: "DeviceSelector", id: "io.k8s.api.resource.v1beta1.DeviceSelector", fields: &[
        opt("cel", Object(509)), // CELDeviceSelector
    ] },
    /* 530 */ TypeRow { name: "DeviceSubRequest", id: "io.k8s.api.resource.v1beta1.DeviceSubRequest", fields: &[
        opt("allocationMode", String),
        opt("capacity", Object(512)), // CapacityRequirements
        opt("count", Int64),
        req("deviceClassName", String),
        req("name", String),
        opt("selectors", List(&Object(529))), // DeviceSelector
        opt("tolerations", List(&Object(532))), // DeviceToleration
    ] },
    /* 531 */ TypeRow { name: "DeviceTaint", id: "io.k8s.api.resource.v1beta1.DeviceTaint", fields: &[
        req("effect", String),
        req("key", String),
        opt("timeAdded", Time),
        opt("value", String),
    ] },
    /* 532 */ TypeRow { name: "DeviceToleration", id: "io.k8s.api.resource.v1beta1.DeviceToleration", fields: &[
        opt("effect", String),
        opt("key", String),
        opt("operator", String),
        opt("tolerationSeconds", Int64),
        opt("value", String),
    ] },
    /* 533 */ TypeRow { name: "NetworkDeviceData", id: "io.k8s.api.resource.v1beta1.NetworkDeviceData", fields: &[
        opt("hardwareAddress", String),
        opt("interfaceName", String),
        opt("ips", List(&String)),
    ] },
    /* 534 */ TypeRow { name: "NodeAllocatableResourceMapping", id: "io.k8s.api.resource.v1beta1.NodeAllocatableResourceMapping", fields: &[
        opt("allocationMultiplier", Quantity),
        opt("capacityKey", String),
    ] },
    /* 535 */ TypeRow { name: "OpaqueDeviceConfiguration", id: "io.k8s.api.resource.v1beta1.OpaqueDeviceConfiguration", fields: &[
        req("driver", String),
        req("parameters", Any),
    ] },
    /* 536 */ TypeRow { name: "ResourceClaim", id: "io.k8s.api.resource.v1beta1.ResourceClaim", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(538)), // ResourceClaimSpec
        opt("status", Object(539)), // ResourceClaimStatus
    ] },
    /* 537 */ TypeRow { name: "ResourceClaimConsumerReference", id: "io.k8s.api.resource.v1beta1.ResourceClaimConsumerReference", fields: &[
        opt("apiGroup", String),
        req("name", String),
        req("resource", String),
        req("uid", String),
    ] },
    /* 538 */ TypeRow { name: "ResourceClaimSpec", id: "io.k8s.api.resource.v1beta1.ResourceClaimSpec", fields: &[
        opt("devices", Object(520)), // DeviceClaim
    ] },
    /* 539 */ TypeRow { name: "ResourceClaimStatus", id: "io.k8s.api.resource.v1beta1.ResourceClaimStatus", fields: &[
        opt("allocation", Object(507)), // AllocationResult
        opt("devices", List(&Object(506))), // AllocatedDeviceStatus
        opt("reservedFor", List(&Object(537))), // ResourceClaimConsumerReference
    ] },
    /* 540 */ TypeRow { name: "ResourceClaimTemplate", id: "io.k8s.api.resource.v1beta1.ResourceClaimTemplate", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(541)), // ResourceClaimTemplateSpec
    ] },
    /* 541 */ TypeRow { name: "ResourceClaimTemplateSpec", id: "io.k8s.api.resource.v1beta1.ResourceClaimTemplateSpec", fields: &[
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(538)), // ResourceClaimSpec
    ] },
    /* 542 */ TypeRow { name: "ResourcePool", id: "io.k8s.api.resource.v1beta1.ResourcePool", fields: &[
        req("generation", Int64),
        req("name", String),
        req("resourceSliceCount", Int64),
    ] },
    /* 543 */ TypeRow { name: "ResourceSlice", id: "io.k8s.api.resource.v1beta1.ResourceSlice", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(544)), // ResourceSliceSpec
    ] },
    /* 544 */ TypeRow { name: "ResourceSliceSpec", id: "io.k8s.api.resource.v1beta1.ResourceSliceSpec", fields: &[
        opt("allNodes", Bool),
        opt("devices", List(&Object(515))), // Device
        req("driver", String),
        opt("nodeName", String),
        opt("nodeSelector", Object(275)), // NodeSelector
        opt("perDeviceNodeSelection", Bool),
        req("pool", Object(542)), // ResourcePool
        opt("sharedCounters", List(&Object(514))), // CounterSet
    ] },
    /* 545 */ TypeRow { name: "AllocatedDeviceStatus", id: "io.k8s.api.resource.v1beta2.AllocatedDeviceStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("data", Any),
        req("device", String),
        req("driver", String),
        opt("networkData", Object(576)), // NetworkDeviceData
        req("pool", String),
        opt("shareID", String),
    ] },
    /* 546 */ TypeRow { name: "AllocationResult", id: "io.k8s.api.resource.v1beta2.AllocationResult", fields: &[
        opt("allocationTimestamp", Time),
        opt("devices", Object(555)), // DeviceAllocationResult
        opt("nodeSelector", Object(275)), // NodeSelector
    ] },
    /* 547 */ TypeRow { name: "CELDeviceSelector", id: "io.k8s.api.resource.v1beta2.CELDeviceSelector", fields: &[
        req("expression", String),
    ] },
    /* 548 */ TypeRow { name: "CapacityRequestPolicy", id: "io.k8s.api.resource.v1beta2.CapacityRequestPolicy", fields: &[
        opt("default", Quantity),
        opt("validRange", Object(549)), // CapacityRequestPolicyRange
        opt("validValues", List(&Quantity)),
    ] },
    /* 549 */ TypeRow { name: "CapacityRequestPolicyRange", id: "io.k8s.api.resource.v1beta2.CapacityRequestPolicyRange", fields: &[
        opt("max", Quantity),
        req("min", Quantity),
        opt("step", Quantity),
    ] },
    /* 550 */ TypeRow { name: "CapacityRequirements", id: "io.k8s.api.resource.v1beta2.CapacityRequirements", fields: &[
        opt("requests", Map(&Quantity)),
    ] },
    /* 551 */ TypeRow { name: "Counter", id: "io.k8s.api.resource.v1beta2.Counter", fields: &[
        req("value", Quantity),
    ] },
    /* 552 */ TypeRow { name: "CounterSet", id: "io.k8s.api.resource.v1beta2.CounterSet", fields: &[
        req("counters", Map(&Object(551))), // Counter
        req("name", String),
    ] },
    /* 553 */ TypeRow { name: "Device", id: "io.k8s.api.resource.v1beta2.Device", fields: &[
        opt("allNodes", Bool),
        opt("allowMultipleAllocations", Bool),
        opt("attributes", Map(&Object(556))), // DeviceAttribute
        opt("bindingConditions", List(&String)),
        opt("bindingFailureConditions", List(&String)),
        opt("bindsToNode", Bool),
        opt("capacity", Map(&Object(557))), // DeviceCapacity
        opt("consumesCounters", List(&Object(564))), // DeviceCounterConsumption
        req("name", String),
        opt("nodeAllocatableResourceMappings", Map(&Object(577))), // NodeAllocatableResourceMapping
        opt("nodeName", String),
        opt("nodeSelector", Object(275)), // NodeSelector
        opt("taints", List(&Object(569))), // DeviceTaint
    ] },
    /* 554 */ TypeRow { name: "DeviceAllocationConfiguration", id: "io.k8s.api.resource.v1beta2.DeviceAllocationConfiguration", fields: &[
        opt("opaque", Object(578)), // OpaqueDeviceConfiguration
        opt("requests", List(&String)),
        req("source", String),
    ] },
    /* 555 */ TypeRow { name: "DeviceAllocationResult", id: "io.k8s.api.resource.v1beta2.DeviceAllocationResult", fields: &[
        opt("config", List(&Object(554))), // DeviceAllocationConfiguration
        opt("results", List(&Object(566))), // DeviceRequestAllocationResult
    ] },
    /* 556 */ TypeRow { name: "DeviceAttribute", id: "io.k8s.api.resource.v1beta2.DeviceAttribute", fields: &[
        opt("bool", Bool),
        opt("bools", List(&Bool)),
        opt("int", Int64),
        opt("ints", List(&Int64)),
        opt("string", String),
        opt("strings", List(&String)),
        opt("version", String),
        opt("versions", List(&String)),
    ] },
    /* 557 */ TypeRow { name: "DeviceCapacity", id: "io.k8s.api.resource.v1beta2.DeviceCapacity", fields: &[
        opt("requestPolicy", Object(548)), // CapacityRequestPolicy
        req("value", Quantity),
    ] },
    /* 558 */ TypeRow { name: "DeviceClaim", id: "io.k8s.api.resource.v1beta2.DeviceClaim", fields: &[
        opt("config", List(&Object(559))), // DeviceClaimConfiguration
        opt("constraints", List(&Object(563))), // DeviceConstraint
        opt("requests", List(&Object(565))), // DeviceRequest
    ] },
    /* 559 */ TypeRow { name: "DeviceClaimConfiguration", id: "io.k8s.api.resource.v1beta2.DeviceClaimConfiguration", fields: &[
        opt("opaque", Object(578)), // OpaqueDeviceConfiguration
        opt("requests", List(&String)),
    ] },
    /* 560 */ TypeRow { name: "DeviceClass", id: "io.k8s.api.resource.v1beta2.DeviceClass", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(562)), // DeviceClassSpec
    ] },
    /* 561 */ TypeRow { name: "DeviceClassConfiguration", id: "io.k8s.api.resource.v1beta2.DeviceClassConfiguration", fields: &[
        opt("opaque", Object(578)), // OpaqueDeviceConfiguration
    ] },
    /* 562 */ TypeRow { name: "DeviceClassSpec", id: "io.k8s.api.resource.v1beta2.DeviceClassSpec", fields: &[
        opt("config", List(&Object(561))), // DeviceClassConfiguration
        opt("extendedResourceName", String),
        opt("selectors", List(&Object(567))), // DeviceSelector
    ] },
    /* 563 */ TypeRow { name: "DeviceConstraint", id: "io.k8s.api.resource.v1beta2.DeviceConstraint", fields: &[
        opt("distinctAttribute", String),
        opt("matchAttribute", String),
        opt("requests", List(&String)),
    ] },
    /* 564 */ TypeRow { name: "DeviceCounterConsumption", id: "io.k8s.api.resource.v1beta2.DeviceCounterConsumption", fields: &[
        req("counterSet", String),
        req("counters", Map(&Object(551))), // Counter
    ] },
    /* 565 */ TypeRow { name: "DeviceRequest", id: "io.k8s.api.resource.v1beta2.DeviceRequest", fields: &[
        opt("exactly", Object(575)), // ExactDeviceRequest
        opt("firstAvailable", List(&Object(568))), // DeviceSubRequest
        req("name", String),
    ] },
    /* 566 */ TypeRow { name: "DeviceRequestAllocationResult", id: "io.k8s.api.resource.v1beta2.DeviceRequestAllocationResult", fields: &[
        opt("adminAccess", Bool),
        opt("bindingConditions", List(&String)),
        opt("bindingFailureConditions", List(&String)),
        opt("consumedCapacity", Map(&Quantity)),
        req("device", String),
        req("driver", String),
        req("pool", String),
        req("request", String),
        opt("shareID", String),
        opt("tolerations", List(&Object(574))), // DeviceToleration
    ] },
    /* 567 */ TypeRow { name: "DeviceSelector", id: "io.k8s.api.resource.v1beta2.DeviceSelector", fields: &[
        opt("cel", Object(547)), // CELDeviceSelector
    ] },
    /* 568 */ TypeRow { name: "DeviceSubRequest", id: "io.k8s.api.resource.v1beta2.DeviceSubRequest", fields: &[
        opt("allocationMode", String),
        opt("capacity", Object(550)), // CapacityRequirements
        opt("count", Int64),
        req("deviceClassName", String),
        req("name", String),
        opt("selectors", List(&Object(567))), // DeviceSelector
        opt("tolerations", List(&Object(574))), // DeviceToleration
    ] },
    /* 569 */ TypeRow { name: "DeviceTaint", id: "io.k8s.api.resource.v1beta2.DeviceTaint", fields: &[
        req("effect", String),
        req("key", String),
        opt("timeAdded", Time),
        opt("value", String),
    ] },
    /* 570 */ TypeRow { name: "DeviceTaintRule", id: "io.k8s.api.resource.v1beta2.DeviceTaintRule", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(571)), // DeviceTaintRuleSpec
        opt("status", Object(572)), // DeviceTaintRuleStatus
    ] },
    /* 571 */ TypeRow { name: "DeviceTaintRuleSpec", id: "io.k8s.api.resource.v1beta2.DeviceTaintRuleSpec", fields: &[
        opt("deviceSelector", Object(573)), // DeviceTaintSelector
        req("taint", Object(569)), // DeviceTaint
    ] },
    /* 572 */ TypeRow { name: "DeviceTaintRuleStatus", id: "io.k8s.api.resource.v1beta2.DeviceTaintRuleStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
    ] },
    /* 573 */ TypeRow { name: "DeviceTaintSelector", id: "io.k8s.api.resource.v1beta2.DeviceTaintSelector", fields: &[
        opt("device", String),
        opt("driver", String),
        opt("pool", String),
    ] },
    /* 574 */ TypeRow { name: "DeviceToleration", id: "io.k8s.api.resource.v1beta2.DeviceToleration", fields: &[
        opt("effect", String),
        opt("key", String),
        opt("operator", String),
        opt("tolerationSeconds", Int64),
        opt("value", String),
    ] },
    /* 575 */ TypeRow { name: "ExactDeviceRequest", id: "io.k8s.api.resource.v1beta2.ExactDeviceRequest", fields: &[
        opt("adminAccess", Bool),
        opt("allocationMode", String),
        opt("capacity", Object(550)), // CapacityRequirements
        opt("count", Int64),
        req("deviceClassName", String),
        opt("selectors", List(&Object(567))), // DeviceSelector
        opt("tolerations", List(&Object(574))), // DeviceToleration
    ] },
    /* 576 */ TypeRow { name: "NetworkDeviceData", id: "io.k8s.api.resource.v1beta2.NetworkDeviceData", fields: &[
        opt("hardwareAddress", String),
        opt("interfaceName", String),
        opt("ips", List(&String)),
    ] },
    /* 577 */ TypeRow { name: "NodeAllocatableResourceMapping", id: "io.k8s.api.resource.v1beta2.NodeAllocatableResourceMapping", fields: &[
        opt("allocationMultiplier", Quantity),
        opt("capacityKey", String),
    ] },
    /* 578 */ TypeRow { name: "OpaqueDeviceConfiguration", id: "io.k8s.api.resource.v1beta2.OpaqueDeviceConfiguration", fields: &[
        req("driver", String),
        req("parameters", Any),
    ] },
    /* 579 */ TypeRow { name: "ResourceClaim", id: "io.k8s.api.resource.v1beta2.ResourceClaim", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(581)), // ResourceClaimSpec
        opt("status", Object(582)), // ResourceClaimStatus
    ] },
    /* 580 */ TypeRow { name: "ResourceClaimConsumerReference", id: "io.k8s.api.resource.v1beta2.ResourceClaimConsumerReference", fields: &[
        opt("apiGroup", String),
        req("name", String),
        req("resource", String),
        req("uid", String),
    ] },
    /* 581 */ TypeRow { name: "ResourceClaimSpec", id: "io.k8s.api.resource.v1beta2.ResourceClaimSpec", fields: &[
        opt("devices", Object(558)), // DeviceClaim
    ] },
    /* 582 */ TypeRow { name: "ResourceClaimStatus", id: "io.k8s.api.resource.v1beta2.ResourceClaimStatus", fields: &[
        opt("allocation", Object(546)), // AllocationResult
        opt("devices", List(&Object(545))), // AllocatedDeviceStatus
        opt("reservedFor", List(&Object(580))), // ResourceClaimConsumerReference
    ] },
    /* 583 */ TypeRow { name: "ResourceClaimTemplate", id: "io.k8s.api.resource.v1beta2.ResourceClaimTemplate", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(584)), // ResourceClaimTemplateSpec
    ] },
    /* 584 */ TypeRow { name: "ResourceClaimTemplateSpec", id: "io.k8s.api.resource.v1beta2.ResourceClaimTemplateSpec", fields: &[
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(581)), // ResourceClaimSpec
    ] },
    /* 585 */ TypeRow { name: "ResourcePool", id: "io.k8s.api.resource.v1beta2.ResourcePool", fields: &[
        req("generation", Int64),
        req("name", String),
        req("resourceSliceCount", Int64),
    ] },
    /* 586 */ TypeRow { name: "ResourceSlice", id: "io.k8s.api.resource.v1beta2.ResourceSlice", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(587)), // ResourceSliceSpec
    ] },
    /* 587 */ TypeRow { name: "ResourceSliceSpec", id: "io.k8s.api.resource.v1beta2.ResourceSliceSpec", fields: &[
        opt("allNodes", Bool),
        opt("devices", List(&Object(553))), // Device
        req("driver", String),
        opt("nodeName", String),
        opt("nodeSelector", Object(275)), // NodeSelector
        opt("perDeviceNodeSelection", Bool),
        req("pool", Object(585)), // ResourcePool
        opt("sharedCounters", List(&Object(552))), // CounterSet
    ] },
    /* 588 */ TypeRow { name: "PriorityClass", id: "io.k8s.api.scheduling.v1.PriorityClass", fields: &[
        opt("apiVersion", String),
        opt("description", String),
        opt("globalDefault", Bool),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("preemptionPolicy", String),
        opt("value", Int32),
    ] },
    /* 589 */ TypeRow { name: "BasicSchedulingPolicy", id: "io.k8s.api.scheduling.v1alpha2.BasicSchedulingPolicy", fields: &[
    ] },
    /* 590 */ TypeRow { name: "GangSchedulingPolicy", id: "io.k8s.api.scheduling.v1alpha2.GangSchedulingPolicy", fields: &[
        req("minCount", Int32),
    ] },
    /* 591 */ TypeRow { name: "PodGroup", id: "io.k8s.api.scheduling.v1alpha2.PodGroup", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(596)), // PodGroupSpec
        opt("status", Object(597)), // PodGroupStatus
    ] },
    /* 592 */ TypeRow { name: "PodGroupResourceClaim", id: "io.k8s.api.scheduling.v1alpha2.PodGroupResourceClaim", fields: &[
        req("name", String),
        opt("resourceClaimName", String),
        opt("resourceClaimTemplateName", String),
    ] },
    /* 593 */ TypeRow { name: "PodGroupResourceClaimStatus", id: "io.k8s.api.scheduling.v1alpha2.PodGroupResourceClaimStatus", fields: &[
        req("name", String),
        opt("resourceClaimName", String),
    ] },
    /* 594 */ TypeRow { name: "PodGroupSchedulingConstraints", id: "io.k8s.api.scheduling.v1alpha2.PodGroupSchedulingConstraints", fields: &[
        opt("topology", List(&Object(600))), // TopologyConstraint
    ] },
    /* 595 */ TypeRow { name: "PodGroupSchedulingPolicy", id: "io.k8s.api.scheduling.v1alpha2.PodGroupSchedulingPolicy", fields: &[
        opt("basic", Object(589)), // BasicSchedulingPolicy
        opt("gang", Object(590)), // GangSchedulingPolicy
    ] },
    /* 596 */ TypeRow { name: "PodGroupSpec", id: "io.k8s.api.scheduling.v1alpha2.PodGroupSpec", fields: &[
        opt("disruptionMode", String),
        opt("podGroupTemplateRef", Object(599)), // PodGroupTemplateReference
        opt("priority", Int32),
        opt("priorityClassName", String),
        opt("resourceClaims", List(&Object(592))), // PodGroupResourceClaim
        opt("schedulingConstraints", Object(594)), // PodGroupSchedulingConstraints
        req("schedulingPolicy", Object(595)), // PodGroupSchedulingPolicy
    ] },
    /* 597 */ TypeRow { name: "PodGroupStatus", id: "io.k8s.api.scheduling.v1alpha2.PodGroupStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("resourceClaimStatuses", List(&Object(593))), // PodGroupResourceClaimStatus
    ] },
    /* 598 */ TypeRow { name: "PodGroupTemplate", id: "io.k8s.api.scheduling.v1alpha2.PodGroupTemplate", fields: &[
        opt("disruptionMode", String),
        req("name", String),
        opt("priority", Int32),
        opt("priorityClassName", String),
        opt("resourceClaims", List(&Object(592))), // PodGroupResourceClaim
        opt("schedulingConstraints", Object(594)), // PodGroupSchedulingConstraints
        req("schedulingPolicy", Object(595)), // PodGroupSchedulingPolicy
    ] },
    /* 599 */ TypeRow { name: "PodGroupTemplateReference", id: "io.k8s.api.scheduling.v1alpha2.PodGroupTemplateReference", fields: &[
        opt("workload", Object(603)), // WorkloadPodGroupTemplateReference
    ] },
    /* 600 */ TypeRow { name: "TopologyConstraint", id: "io.k8s.api.scheduling.v1alpha2.TopologyConstraint", fields: &[
        req("key", String),
    ] },
    /* 601 */ TypeRow { name: "TypedLocalObjectReference", id: "io.k8s.api.scheduling.v1alpha2.TypedLocalObjectReference", fields: &[
        opt("apiGroup", String),
        req("kind", String),
        req("name", String),
    ] },
    /* 602 */ TypeRow { name: "Workload", id: "io.k8s.api.scheduling.v1alpha2.Workload", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(604)), // WorkloadSpec
    ] },
    /* 603 */ TypeRow { name: "WorkloadPodGroupTemplateReference", id: "io.k8s.api.scheduling.v1alpha2.WorkloadPodGroupTemplateReference", fields: &[
        req("podGroupTemplateName", String),
        req("workloadName", String),
    ] },
    /* 604 */ TypeRow { name: "WorkloadSpec", id: "io.k8s.api.scheduling.v1alpha2.WorkloadSpec", fields: &[
        opt("controllerRef", Object(601)), // TypedLocalObjectReference
        req("podGroupTemplates", List(&Object(598))), // PodGroupTemplate
    ] },
    /* 605 */ TypeRow { name: "CSIDriver", id: "io.k8s.api.storage.v1.CSIDriver", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(606)), // CSIDriverSpec
    ] },
    /* 606 */ TypeRow { name: "CSIDriverSpec", id: "io.k8s.api.storage.v1.CSIDriverSpec", fields: &[
        opt("attachRequired", Bool),
        opt("fsGroupPolicy", String),
        opt("nodeAllocatableUpdatePeriodSeconds", Int64),
        opt("podInfoOnMount", Bool),
        opt("preventPodSchedulingIfMissing", Bool),
        opt("requiresRepublish", Bool),
        opt("seLinuxMount", Bool),
        opt("serviceAccountTokenInSecrets", Bool),
        opt("storageCapacity", Bool),
        opt("tokenRequests", List(&Object(612))), // TokenRequest
        opt("volumeLifecycleModes", List(&String)),
    ] },
    /* 607 */ TypeRow { name: "CSINode", id: "io.k8s.api.storage.v1.CSINode", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(609)), // CSINodeSpec
    ] },
    /* 608 */ TypeRow { name: "CSINodeDriver", id: "io.k8s.api.storage.v1.CSINodeDriver", fields: &[
        opt("allocatable", Object(619)), // VolumeNodeResources
        req("name", String),
        req("nodeID", String),
        opt("topologyKeys", List(&String)),
    ] },
    /* 609 */ TypeRow { name: "CSINodeSpec", id: "io.k8s.api.storage.v1.CSINodeSpec", fields: &[
        req("drivers", List(&Object(608))), // CSINodeDriver
    ] },
    /* 610 */ TypeRow { name: "CSIStorageCapacity", id: "io.k8s.api.storage.v1.CSIStorageCapacity", fields: &[
        opt("apiVersion", String),
        opt("capacity", Quantity),
        opt("kind", String),
        opt("maximumVolumeSize", Quantity),
        opt("metadata", Object(650)), // ObjectMeta
        opt("nodeTopology", Object(647)), // LabelSelector
        req("storageClassName", String),
    ] },
    /* 611 */ TypeRow { name: "StorageClass", id: "io.k8s.api.storage.v1.StorageClass", fields: &[
        opt("allowVolumeExpansion", Bool),
        opt("allowedTopologies", List(&Object(363))), // TopologySelectorTerm
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("mountOptions", List(&String)),
        opt("parameters", Map(&String)),
        req("provisioner", String),
        opt("reclaimPolicy", String),
        opt("volumeBindingMode", String),
    ] },
    /* 612 */ TypeRow { name: "TokenRequest", id: "io.k8s.api.storage.v1.TokenRequest", fields: &[
        req("audience", String),
        opt("expirationSeconds", Int64),
    ] },
    /* 613 */ TypeRow { name: "VolumeAttachment", id: "io.k8s.api.storage.v1.VolumeAttachment", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(615)), // VolumeAttachmentSpec
        opt("status", Object(616)), // VolumeAttachmentStatus
    ] },
    /* 614 */ TypeRow { name: "VolumeAttachmentSource", id: "io.k8s.api.storage.v1.VolumeAttachmentSource", fields: &[
        opt("inlineVolumeSpec", Object(291)), // PersistentVolumeSpec
        opt("persistentVolumeName", String),
    ] },
    /* 615 */ TypeRow { name: "VolumeAttachmentSpec", id: "io.k8s.api.storage.v1.VolumeAttachmentSpec", fields: &[
        req("attacher", String),
        req("nodeName", String),
        req("source", Object(614)), // VolumeAttachmentSource
    ] },
    /* 616 */ TypeRow { name: "VolumeAttachmentStatus", id: "io.k8s.api.storage.v1.VolumeAttachmentStatus", fields: &[
        opt("attachError", Object(618)), // VolumeError
        req("attached", Bool),
        opt("attachmentMetadata", Map(&String)),
        opt("detachError", Object(618)), // VolumeError
    ] },
    /* 617 */ TypeRow { name: "VolumeAttributesClass", id: "io.k8s.api.storage.v1.VolumeAttributesClass", fields: &[
        opt("apiVersion", String),
        req("driverName", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("parameters", Map(&String)),
    ] },
    /* 618 */ TypeRow { name: "VolumeError", id: "io.k8s.api.storage.v1.VolumeError", fields: &[
        opt("errorCode", Int32),
        opt("message", String),
        opt("time", Time),
    ] },
    /* 619 */ TypeRow { name: "VolumeNodeResources", id: "io.k8s.api.storage.v1.VolumeNodeResources", fields: &[
        opt("count", Int32),
    ] },
    /* 620 */ TypeRow { name: "VolumeAttributesClass", id: "io.k8s.api.storage.v1beta1.VolumeAttributesClass", fields: &[
        opt("apiVersion", String),
        req("driverName", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("parameters", Map(&String)),
    ] },
    /* 621 */ TypeRow { name: "StorageVersionMigration", id: "io.k8s.api.storagemigration.v1beta1.StorageVersionMigration", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(622)), // StorageVersionMigrationSpec
        opt("status", Object(623)), // StorageVersionMigrationStatus
    ] },
    /* 622 */ TypeRow { name: "StorageVersionMigrationSpec", id: "io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationSpec", fields: &[
        req("resource", Object(646)), // GroupResource
    ] },
    /* 623 */ TypeRow { name: "StorageVersionMigrationStatus", id: "io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationStatus", fields: &[
        opt("conditions", List(&Object(643))), // Condition
        opt("resourceVersion", String),
    ] },
    /* 624 */ TypeRow { name: "CustomResourceColumnDefinition", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition", fields: &[
        opt("description", String),
        opt("format", String),
        req("jsonPath", String),
        req("name", String),
        opt("priority", Int32),
        req("type", String),
    ] },
    /* 625 */ TypeRow { name: "CustomResourceConversion", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion", fields: &[
        req("strategy", String),
        opt("webhook", Object(642)), // WebhookConversion
    ] },
    /* 626 */ TypeRow { name: "CustomResourceDefinition", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        req("spec", Object(629)), // CustomResourceDefinitionSpec
        opt("status", Object(630)), // CustomResourceDefinitionStatus
    ] },
    /* 627 */ TypeRow { name: "CustomResourceDefinitionCondition", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("observedGeneration", Int64),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 628 */ TypeRow { name: "CustomResourceDefinitionNames", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames", fields: &[
        opt("categories", List(&String)),
        req("kind", String),
        opt("listKind", String),
        req("plural", String),
        opt("shortNames", List(&String)),
        opt("singular", String),
    ] },
    /* 629 */ TypeRow { name: "CustomResourceDefinitionSpec", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec", fields: &[
        opt("conversion", Object(625)), // CustomResourceConversion
        req("group", String),
        req("names", Object(628)), // CustomResourceDefinitionNames
        opt("preserveUnknownFields", Bool),
        req("scope", String),
        req("versions", List(&Object(631))), // CustomResourceDefinitionVersion
    ] },
    /* 630 */ TypeRow { name: "CustomResourceDefinitionStatus", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus", fields: &[
        opt("acceptedNames", Object(628)), // CustomResourceDefinitionNames
        opt("conditions", List(&Object(627))), // CustomResourceDefinitionCondition
        opt("observedGeneration", Int64),
        opt("storedVersions", List(&String)),
    ] },
    /* 631 */ TypeRow { name: "CustomResourceDefinitionVersion", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion", fields: &[
        opt("additionalPrinterColumns", List(&Object(624))), // CustomResourceColumnDefinition
        opt("deprecated", Bool),
        opt("deprecationWarning", String),
        req("name", String),
        opt("schema", Object(635)), // CustomResourceValidation
        opt("selectableFields", List(&Object(638))), // SelectableField
        req("served", Bool),
        req("storage", Bool),
        opt("subresources", Object(634)), // CustomResourceSubresources
    ] },
    /* 632 */ TypeRow { name: "CustomResourceSubresourceScale", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale", fields: &[
        opt("labelSelectorPath", String),
        req("specReplicasPath", String),
        req("statusReplicasPath", String),
    ] },
    /* 633 */ TypeRow { name: "CustomResourceSubresourceStatus", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus", fields: &[
    ] },
    /* 634 */ TypeRow { name: "CustomResourceSubresources", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources", fields: &[
        opt("scale", Object(632)), // CustomResourceSubresourceScale
        opt("status", Object(633)), // CustomResourceSubresourceStatus
    ] },
    /* 635 */ TypeRow { name: "CustomResourceValidation", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation", fields: &[
        opt("openAPIV3Schema", Object(637)), // JSONSchemaProps
    ] },
    /* 636 */ TypeRow { name: "ExternalDocumentation", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation", fields: &[
        opt("description", String),
        opt("url", String),
    ] },
    /* 637 */ TypeRow { name: "JSONSchemaProps", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps", fields: &[
        opt("$ref", String),
        opt("$schema", String),
        opt("additionalItems", OneOf(&[Object(637), Bool])), // JSONSchemaProps
        opt("additionalProperties", OneOf(&[Object(637), Bool])), // JSONSchemaProps
        opt("allOf", List(&Object(637))), // JSONSchemaProps
        opt("anyOf", List(&Object(637))), // JSONSchemaProps
        opt("default", Any),
        opt("definitions", Map(&Object(637))), // JSONSchemaProps
        opt("dependencies", Map(&OneOf(&[Object(637), List(&String)]))), // JSONSchemaProps
        opt("description", String),
        opt("enum", List(&Any)),
        opt("example", Any),
        opt("exclusiveMaximum", Bool),
        opt("exclusiveMinimum", Bool),
        opt("externalDocs", Object(636)), // ExternalDocumentation
        opt("format", String),
        opt("id", String),
        opt("items", OneOf(&[Object(637), List(&Object(637))])), // JSONSchemaProps
        opt("maxItems", Int64),
        opt("maxLength", Int64),
        opt("maxProperties", Int64),
        opt("maximum", Float),
        opt("minItems", Int64),
        opt("minLength", Int64),
        opt("minProperties", Int64),
        opt("minimum", Float),
        opt("multipleOf", Float),
        opt("not", Object(637)), // JSONSchemaProps
        opt("nullable", Bool),
        opt("oneOf", List(&Object(637))), // JSONSchemaProps
        opt("pattern", String),
        opt("patternProperties", Map(&Object(637))), // JSONSchemaProps
        opt("properties", Map(&Object(637))), // JSONSchemaProps
        opt("required", List(&String)),
        opt("title", String),
        opt("type", String),
        opt("uniqueItems", Bool),
        opt("x-kubernetes-embedded-resource", Bool),
        opt("x-kubernetes-int-or-string", Bool),
        opt("x-kubernetes-list-map-keys", List(&String)),
        opt("x-kubernetes-list-type", String),
        opt("x-kubernetes-map-type", String),
        opt("x-kubernetes-preserve-unknown-fields", Bool),
        opt("x-kubernetes-validations", List(&Object(640))), // ValidationRule
    ] },
    /* 638 */ TypeRow { name: "SelectableField", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField", fields: &[
        req("jsonPath", String),
    ] },
    /* 639 */ TypeRow { name: "ServiceReference", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference", fields: &[
        req("name", String),
        req("namespace", String),
        opt("path", String),
        opt("port", Int32),
    ] },
    /* 640 */ TypeRow { name: "ValidationRule", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule", fields: &[
        opt("fieldPath", String),
        opt("message", String),
        opt("messageExpression", String),
        opt("optionalOldSelf", Bool),
        opt("reason", String),
        req("rule", String),
    ] },
    /* 641 */ TypeRow { name: "WebhookClientConfig", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig", fields: &[
        opt("caBundle", Bytes),
        opt("service", Object(639)), // ServiceReference
        opt("url", String),
    ] },
    /* 642 */ TypeRow { name: "WebhookConversion", id: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion", fields: &[
        opt("clientConfig", Object(641)), // WebhookClientConfig
        req("conversionReviewVersions", List(&String)),
    ] },
    /* 643 */ TypeRow { name: "Condition", id: "io.k8s.apimachinery.pkg.apis.meta.v1.Condition", fields: &[
        req("lastTransitionTime", Time),
        req("message", String),
        opt("observedGeneration", Int64),
        req("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 644 */ TypeRow { name: "DeleteOptions", id: "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", fields: &[
        opt("apiVersion", String),
        opt("dryRun", List(&String)),
        opt("gracePeriodSeconds", Int64),
        opt("ignoreStoreReadErrorWithClusterBreakingPotential", Bool),
        opt("kind", String),
        opt("orphanDependents", Bool),
        opt("preconditions", Object(652)), // Preconditions
        opt("propagationPolicy", String),
    ] },
    /* 645 */ TypeRow { name: "FieldSelectorRequirement", id: "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement", fields: &[
        req("key", String),
        req("operator", String),
        opt("values", List(&String)),
    ] },
    /* 646 */ TypeRow { name: "GroupResource", id: "io.k8s.apimachinery.pkg.apis.meta.v1.GroupResource", fields: &[
        req("group", String),
        req("resource", String),
    ] },
    /* 647 */ TypeRow { name: "LabelSelector", id: "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", fields: &[
        opt("matchExpressions", List(&Object(648))), // LabelSelectorRequirement
        opt("matchLabels", Map(&String)),
    ] },
    /* 648 */ TypeRow { name: "LabelSelectorRequirement", id: "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement", fields: &[
        req("key", String),
        req("operator", String),
        opt("values", List(&String)),
    ] },
    /* 649 */ TypeRow { name: "ManagedFieldsEntry", id: "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry", fields: &[
        opt("apiVersion", String),
        opt("fieldsType", String),
        opt("fieldsV1", Any),
        opt("manager", String),
        opt("operation", String),
        opt("subresource", String),
        opt("time", Time),
    ] },
    /* 650 */ TypeRow { name: "ObjectMeta", id: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", fields: &[
        opt("annotations", Map(&String)),
        opt("creationTimestamp", Time),
        opt("deletionGracePeriodSeconds", Int64),
        opt("deletionTimestamp", Time),
        opt("finalizers", List(&String)),
        opt("generateName", String),
        opt("generation", Int64),
        opt("labels", Map(&String)),
        opt("managedFields", List(&Object(649))), // ManagedFieldsEntry
        opt("name", String),
        opt("namespace", String),
        opt("ownerReferences", List(&Object(651))), // OwnerReference
        opt("resourceVersion", String),
        opt("selfLink", String),
        opt("uid", String),
    ] },
    /* 651 */ TypeRow { name: "OwnerReference", id: "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", fields: &[
        req("apiVersion", String),
        opt("blockOwnerDeletion", Bool),
        opt("controller", Bool),
        req("kind", String),
        req("name", String),
        req("uid", String),
    ] },
    /* 652 */ TypeRow { name: "Preconditions", id: "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions", fields: &[
        opt("resourceVersion", String),
        opt("uid", String),
    ] },
    /* 653 */ TypeRow { name: "APIService", id: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService", fields: &[
        opt("apiVersion", String),
        opt("kind", String),
        opt("metadata", Object(650)), // ObjectMeta
        opt("spec", Object(655)), // APIServiceSpec
        opt("status", Object(656)), // APIServiceStatus
    ] },
    /* 654 */ TypeRow { name: "APIServiceCondition", id: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition", fields: &[
        opt("lastTransitionTime", Time),
        opt("message", String),
        opt("reason", String),
        req("status", String),
        req("type", String),
    ] },
    /* 655 */ TypeRow { name: "APIServiceSpec", id: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec", fields: &[
        opt("caBundle", Bytes),
        opt("group", String),
        req("groupPriorityMinimum", Int32),
        opt("insecureSkipTLSVerify", Bool),
        opt("service", Object(657)), // ServiceReference
        opt("version", String),
        req("versionPriority", Int32),
    ] },
    /* 656 */ TypeRow { name: "APIServiceStatus", id: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus", fields: &[
        opt("conditions", List(&Object(654))), // APIServiceCondition
    ] },
    /* 657 */ TypeRow { name: "ServiceReference", id: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference", fields: &[
        opt("name", String),
        opt("namespace", String),
        opt("port", Int32),
    ] },
];

/// All kinds, sorted by group, version and kind.
#[rustfmt::skip]
pub static KINDS: &[KindRow] = &[
    KindRow { group: "", version: "v1", kind: "Binding", ty: 179, namespaced: true, subresource: false, plural: "bindings" },
    KindRow { group: "", version: "v1", kind: "ComponentStatus", ty: 190, namespaced: false, subresource: false, plural: "componentstatuses" },
    KindRow { group: "", version: "v1", kind: "ConfigMap", ty: 191, namespaced: true, subresource: false, plural: "configmaps" },
    KindRow { group: "", version: "v1", kind: "Endpoints", ty: 218, namespaced: true, subresource: false, plural: "endpoints" },
    KindRow { group: "", version: "v1", kind: "Event", ty: 224, namespaced: true, subresource: false, plural: "events" },
    KindRow { group: "", version: "v1", kind: "LimitRange", ty: 250, namespaced: true, subresource: false, plural: "limitranges" },
    KindRow { group: "", version: "v1", kind: "Namespace", ty: 260, namespaced: false, subresource: false, plural: "namespaces" },
    KindRow { group: "", version: "v1", kind: "Node", ty: 264, namespaced: false, subresource: false, plural: "nodes" },
    KindRow { group: "", version: "v1", kind: "PersistentVolume", ty: 284, namespaced: false, subresource: false, plural: "persistentvolumes" },
    KindRow { group: "", version: "v1", kind: "PersistentVolumeClaim", ty: 285, namespaced: true, subresource: false, plural: "persistentvolumeclaims" },
    KindRow { group: "", version: "v1", kind: "Pod", ty: 294, namespaced: true, subresource: false, plural: "pods" },
    KindRow { group: "", version: "v1", kind: "PodTemplate", ty: 313, namespaced: true, subresource: false, plural: "podtemplates" },
    KindRow { group: "", version: "v1", kind: "ReplicationController", ty: 323, namespaced: true, subresource: false, plural: "replicationcontrollers" },
    KindRow { group: "", version: "v1", kind: "ResourceQuota", ty: 330, namespaced: true, subresource: false, plural: "resourcequotas" },
    KindRow { group: "", version: "v1", kind: "Secret", ty: 341, namespaced: true, subresource: false, plural: "secrets" },
    KindRow { group: "", version: "v1", kind: "Service", ty: 348, namespaced: true, subresource: false, plural: "services" },
    KindRow { group: "", version: "v1", kind: "ServiceAccount", ty: 349, namespaced: true, subresource: false, plural: "serviceaccounts" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1", kind: "MutatingAdmissionPolicy", ty: 6, namespaced: false, subresource: false, plural: "mutatingadmissionpolicies" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1", kind: "MutatingAdmissionPolicyBinding", ty: 7, namespaced: false, subresource: false, plural: "mutatingadmissionpolicybindings" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1", kind: "MutatingWebhookConfiguration", ty: 11, namespaced: false, subresource: false, plural: "mutatingwebhookconfigurations" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingAdmissionPolicy", ty: 19, namespaced: false, subresource: false, plural: "validatingadmissionpolicies" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingAdmissionPolicyBinding", ty: 20, namespaced: false, subresource: false, plural: "validatingadmissionpolicybindings" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1", kind: "ValidatingWebhookConfiguration", ty: 25, namespaced: false, subresource: false, plural: "validatingwebhookconfigurations" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1alpha1", kind: "MutatingAdmissionPolicy", ty: 33, namespaced: false, subresource: false, plural: "mutatingadmissionpolicies" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1alpha1", kind: "MutatingAdmissionPolicyBinding", ty: 34, namespaced: false, subresource: false, plural: "mutatingadmissionpolicybindings" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1beta1", kind: "MutatingAdmissionPolicy", ty: 46, namespaced: false, subresource: false, plural: "mutatingadmissionpolicies" },
    KindRow { group: "admissionregistration.k8s.io", version: "v1beta1", kind: "MutatingAdmissionPolicyBinding", ty: 47, namespaced: false, subresource: false, plural: "mutatingadmissionpolicybindings" },
    KindRow { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition", ty: 626, namespaced: false, subresource: false, plural: "customresourcedefinitions" },
    KindRow { group: "apiregistration.k8s.io", version: "v1", kind: "APIService", ty: 653, namespaced: false, subresource: false, plural: "apiservices" },
    KindRow { group: "apps", version: "v1", kind: "ControllerRevision", ty: 60, namespaced: true, subresource: false, plural: "controllerrevisions" },
    KindRow { group: "apps", version: "v1", kind: "DaemonSet", ty: 61, namespaced: true, subresource: false, plural: "daemonsets" },
    KindRow { group: "apps", version: "v1", kind: "Deployment", ty: 66, namespaced: true, subresource: false, plural: "deployments" },
    KindRow { group: "apps", version: "v1", kind: "ReplicaSet", ty: 71, namespaced: true, subresource: false, plural: "replicasets" },
    KindRow { group: "apps", version: "v1", kind: "StatefulSet", ty: 78, namespaced: true, subresource: false, plural: "statefulsets" },
    KindRow { group: "authentication.k8s.io", version: "v1", kind: "SelfSubjectReview", ty: 86, namespaced: false, subresource: false, plural: "selfsubjectreviews" },
    KindRow { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", ty: 88, namespaced: true, subresource: true, plural: "token" },
    KindRow { group: "authentication.k8s.io", version: "v1", kind: "TokenReview", ty: 91, namespaced: false, subresource: false, plural: "tokenreviews" },
    KindRow { group: "authorization.k8s.io", version: "v1", kind: "LocalSubjectAccessReview", ty: 97, namespaced: true, subresource: false, plural: "localsubjectaccessreviews" },
    KindRow { group: "authorization.k8s.io", version: "v1", kind: "SelfSubjectAccessReview", ty: 102, namespaced: false, subresource: false, plural: "selfsubjectaccessreviews" },
    KindRow { group: "authorization.k8s.io", version: "v1", kind: "SelfSubjectRulesReview", ty: 104, namespaced: false, subresource: false, plural: "selfsubjectrulesreviews" },
    KindRow { group: "authorization.k8s.io", version: "v1", kind: "SubjectAccessReview", ty: 106, namespaced: false, subresource: false, plural: "subjectaccessreviews" },
    KindRow { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler", ty: 111, namespaced: true, subresource: false, plural: "horizontalpodautoscalers" },
    KindRow { group: "autoscaling", version: "v1", kind: "Scale", ty: 114, namespaced: true, subresource: true, plural: "scale" },
    KindRow { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler", ty: 124, namespaced: true, subresource: false, plural: "horizontalpodautoscalers" },
    KindRow { group: "batch", version: "v1", kind: "CronJob", ty: 140, namespaced: true, subresource: false, plural: "cronjobs" },
    KindRow { group: "batch", version: "v1", kind: "Job", ty: 143, namespaced: true, subresource: false, plural: "jobs" },
    KindRow { group: "certificates.k8s.io", version: "v1", kind: "CertificateSigningRequest", ty: 155, namespaced: false, subresource: false, plural: "certificatesigningrequests" },
    KindRow { group: "certificates.k8s.io", version: "v1alpha1", kind: "ClusterTrustBundle", ty: 159, namespaced: false, subresource: false, plural: "clustertrustbundles" },
    KindRow { group: "certificates.k8s.io", version: "v1beta1", kind: "ClusterTrustBundle", ty: 161, namespaced: false, subresource: false, plural: "clustertrustbundles" },
    KindRow { group: "certificates.k8s.io", version: "v1beta1", kind: "PodCertificateRequest", ty: 163, namespaced: true, subresource: false, plural: "podcertificaterequests" },
    KindRow { group: "coordination.k8s.io", version: "v1", kind: "Lease", ty: 166, namespaced: true, subresource: false, plural: "leases" },
    KindRow { group: "coordination.k8s.io", version: "v1alpha2", kind: "LeaseCandidate", ty: 168, namespaced: true, subresource: false, plural: "leasecandidates" },
    KindRow { group: "coordination.k8s.io", version: "v1beta1", kind: "LeaseCandidate", ty: 170, namespaced: true, subresource: false, plural: "leasecandidates" },
    KindRow { group: "discovery.k8s.io", version: "v1", kind: "EndpointSlice", ty: 382, namespaced: true, subresource: false, plural: "endpointslices" },
    KindRow { group: "events.k8s.io", version: "v1", kind: "Event", ty: 385, namespaced: true, subresource: false, plural: "events" },
    KindRow { group: "flowcontrol.apiserver.k8s.io", version: "v1", kind: "FlowSchema", ty: 389, namespaced: false, subresource: false, plural: "flowschemas" },
    KindRow { group: "flowcontrol.apiserver.k8s.io", version: "v1", kind: "PriorityLevelConfiguration", ty: 398, namespaced: false, subresource: false, plural: "prioritylevelconfigurations" },
    KindRow { group: "internal.apiserver.k8s.io", version: "v1alpha1", kind: "StorageVersion", ty: 56, namespaced: false, subresource: false, plural: "storageversions" },
    KindRow { group: "networking.k8s.io", version: "v1", kind: "IPAddress", ty: 410, namespaced: false, subresource: false, plural: "ipaddresses" },
    KindRow { group: "networking.k8s.io", version: "v1", kind: "Ingress", ty: 413, namespaced: true, subresource: false, plural: "ingresses" },
    KindRow { group: "networking.k8s.io", version: "v1", kind: "IngressClass", ty: 415, namespaced: false, subresource: false, plural: "ingressclasses" },
    KindRow { group: "networking.k8s.io", version: "v1", kind: "NetworkPolicy", ty: 426, namespaced: true, subresource: false, plural: "networkpolicies" },
    KindRow { group: "networking.k8s.io", version: "v1", kind: "ServiceCIDR", ty: 434, namespaced: false, subresource: false, plural: "servicecidrs" },
    KindRow { group: "networking.k8s.io", version: "v1beta1", kind: "IPAddress", ty: 437, namespaced: false, subresource: false, plural: "ipaddresses" },
    KindRow { group: "networking.k8s.io", version: "v1beta1", kind: "ServiceCIDR", ty: 440, namespaced: false, subresource: false, plural: "servicecidrs" },
    KindRow { group: "node.k8s.io", version: "v1", kind: "RuntimeClass", ty: 444, namespaced: false, subresource: false, plural: "runtimeclasses" },
    KindRow { group: "policy", version: "v1", kind: "Eviction", ty: 446, namespaced: true, subresource: true, plural: "eviction" },
    KindRow { group: "policy", version: "v1", kind: "PodDisruptionBudget", ty: 447, namespaced: true, subresource: false, plural: "poddisruptionbudgets" },
    KindRow { group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRole", ty: 451, namespaced: false, subresource: false, plural: "clusterroles" },
    KindRow { group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRoleBinding", ty: 452, namespaced: false, subresource: false, plural: "clusterrolebindings" },
    KindRow { group: "rbac.authorization.k8s.io", version: "v1", kind: "Role", ty: 454, namespaced: true, subresource: false, plural: "roles" },
    KindRow { group: "rbac.authorization.k8s.io", version: "v1", kind: "RoleBinding", ty: 455, namespaced: true, subresource: false, plural: "rolebindings" },
    KindRow { group: "resource.k8s.io", version: "v1", kind: "DeviceClass", ty: 473, namespaced: false, subresource: false, plural: "deviceclasses" },
    KindRow { group: "resource.k8s.io", version: "v1", kind: "ResourceClaim", ty: 488, namespaced: true, subresource: false, plural: "resourceclaims" },
    KindRow { group: "resource.k8s.io", version: "v1", kind: "ResourceClaimTemplate", ty: 492, namespaced: true, subresource: false, plural: "resourceclaimtemplates" },
    KindRow { group: "resource.k8s.io", version: "v1", kind: "ResourceSlice", ty: 495, namespaced: false, subresource: false, plural: "resourceslices" },
    KindRow { group: "resource.k8s.io", version: "v1alpha3", kind: "DeviceTaintRule", ty: 498, namespaced: false, subresource: false, plural: "devicetaintrules" },
    KindRow { group: "resource.k8s.io", version: "v1alpha3", kind: "ResourcePoolStatusRequest", ty: 503, namespaced: false, subresource: false, plural: "resourcepoolstatusrequests" },
    KindRow { group: "resource.k8s.io", version: "v1beta1", kind: "DeviceClass", ty: 522, namespaced: false, subresource: false, plural: "deviceclasses" },
    KindRow { group: "resource.k8s.io", version: "v1beta1", kind: "ResourceClaim", ty: 536, namespaced: true, subresource: false, plural: "resourceclaims" },
    KindRow { group: "resource.k8s.io", version: "v1beta1", kind: "ResourceClaimTemplate", ty: 540, namespaced: true, subresource: false, plural: "resourceclaimtemplates" },
    KindRow { group: "resource.k8s.io", version: "v1beta1", kind: "ResourceSlice", ty: 543, namespaced: false, subresource: false, plural: "resourceslices" },
    KindRow { group: "resource.k8s.io", version: "v1beta2", kind: "DeviceClass", ty: 560, namespaced: false, subresource: false, plural: "deviceclasses" },
    KindRow { group: "resource.k8s.io", version: "v1beta2", kind: "DeviceTaintRule", ty: 570, namespaced: false, subresource: false, plural: "devicetaintrules" },
    KindRow { group: "resource.k8s.io", version: "v1beta2", kind: "ResourceClaim", ty: 579, namespaced: true, subresource: false, plural: "resourceclaims" },
    KindRow { group: "resource.k8s.io", version: "v1beta2", kind: "ResourceClaimTemplate", ty: 583, namespaced: true, subresource: false, plural: "resourceclaimtemplates" },
    KindRow { group: "resource.k8s.io", version: "v1beta2", kind: "ResourceSlice", ty: 586, namespaced: false, subresource: false, plural: "resourceslices" },
    KindRow { group: "scheduling.k8s.io", version: "v1", kind: "PriorityClass", ty: 588, namespaced: false, subresource: false, plural: "priorityclasses" },
    KindRow { group: "scheduling.k8s.io", version: "v1alpha2", kind: "PodGroup", ty: 591, namespaced: true, subresource: false, plural: "podgroups" },
    KindRow { group: "scheduling.k8s.io", version: "v1alpha2", kind: "Workload", ty: 602, namespaced: true, subresource: false, plural: "workloads" },
    KindRow { group: "storage.k8s.io", version: "v1", kind: "CSIDriver", ty: 605, namespaced: false, subresource: false, plural: "csidrivers" },
    KindRow { group: "storage.k8s.io", version: "v1", kind: "CSINode", ty: 607, namespaced: false, subresource: false, plural: "csinodes" },
    KindRow { group: "storage.k8s.io", version: "v1", kind: "CSIStorageCapacity", ty: 610, namespaced: true, subresource: false, plural: "csistoragecapacities" },
    KindRow { group: "storage.k8s.io", version: "v1", kind: "StorageClass", ty: 611, namespaced: false, subresource: false, plural: "storageclasses" },
    KindRow { group: "storage.k8s.io", version: "v1", kind: "VolumeAttachment", ty: 613, namespaced: false, subresource: false, plural: "volumeattachments" },
    KindRow { group: "storage.k8s.io", version: "v1", kind: "VolumeAttributesClass", ty: 617, namespaced: false, subresource: false, plural: "volumeattributesclasses" },
    KindRow { group: "storage.k8s.io", version: "v1beta1", kind: "VolumeAttributesClass", ty: 620, namespaced: false, subresource: false, plural: "volumeattributesclasses" },
    KindRow { group: "storagemigration.k8s.io", version: "v1beta1", kind: "StorageVersionMigration", ty: 621, namespaced: false, subresource: false, plural: "storageversionmigrations" },
];
