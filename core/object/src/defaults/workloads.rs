//! Defaults of the workload kinds: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job and CronJob.

use super::fields::{
    DefaultValue, FieldDefault, each, is_nil, is_text, is_zero, nil, pointer_field, put,
    set_defaults, struct_field, zero,
};
use super::{core_v1, pod, volumes};
use crate::Node;

const DEPLOYMENT: &[FieldDefault] = &[
    nil("replicas", DefaultValue::Int(1)),
    nil("revisionHistoryLimit", DefaultValue::Int(10)),
    nil("progressDeadlineSeconds", DefaultValue::Int(600)),
];

const REPLICA_SET: &[FieldDefault] = &[nil("replicas", DefaultValue::Int(1))];
const DAEMON_SET: &[FieldDefault] = &[nil("revisionHistoryLimit", DefaultValue::Int(10))];

const STATEFUL_SET: &[FieldDefault] = &[
    zero("podManagementPolicy", DefaultValue::Text("OrderedReady")),
    nil("persistentVolumeClaimRetentionPolicy", DefaultValue::Map),
    nil("replicas", DefaultValue::Int(1)),
    nil("revisionHistoryLimit", DefaultValue::Int(10)),
];

const RETENTION: &[FieldDefault] = &[
    zero("whenDeleted", DefaultValue::Text("Retain")),
    zero("whenScaled", DefaultValue::Text("Retain")),
];

const ROLLING: &[FieldDefault] = &[zero("type", DefaultValue::Text("RollingUpdate"))];
const ROLLING_UPDATE: &[FieldDefault] = &[nil("rollingUpdate", DefaultValue::Map)];
const ROLLING_DEPLOYMENT: &[FieldDefault] =
    &[nil("maxUnavailable", DefaultValue::Text("25%")), nil("maxSurge", DefaultValue::Text("25%"))];
const ROLLING_DAEMON_SET: &[FieldDefault] =
    &[nil("maxUnavailable", DefaultValue::Int(1)), nil("maxSurge", DefaultValue::Int(0))];
const ROLLING_STATEFUL_SET: &[FieldDefault] = &[nil("partition", DefaultValue::Int(0))];

const CLAIM_TYPE: [(&str, &str); 2] = [("apiVersion", "v1"), ("kind", "PersistentVolumeClaim")];

const JOB: &[FieldDefault] = &[
    nil("parallelism", DefaultValue::Int(1)),
    nil("completionMode", DefaultValue::Text("NonIndexed")),
    nil("suspend", DefaultValue::Bool(false)),
    nil("manualSelector", DefaultValue::Bool(false)),
];

const BACKOFF: &[FieldDefault] = &[nil("backoffLimit", DefaultValue::Int(6))];
/// Jobs with `backoffLimitPerIndex` have no overall limit.
const BACKOFF_PER_INDEX: &[FieldDefault] =
    &[nil("backoffLimit", DefaultValue::Int(i32::MAX as i64))];
const REPLACE: &[FieldDefault] =
    &[nil("podReplacementPolicy", DefaultValue::Text("TerminatingOrFailed"))];
/// With a pod failure policy, pods are replaced only once they have failed.
const REPLACE_FAILED: &[FieldDefault] =
    &[nil("podReplacementPolicy", DefaultValue::Text("Failed"))];
const ONE_COMPLETION: &[FieldDefault] = &[nil("completions", DefaultValue::Int(1))];
const CONDITION: &[FieldDefault] = &[zero("status", DefaultValue::Text("True"))];

const CRON_JOB: &[FieldDefault] = &[
    zero("concurrencyPolicy", DefaultValue::Text("Allow")),
    nil("suspend", DefaultValue::Bool(false)),
    nil("successfulJobsHistoryLimit", DefaultValue::Int(3)),
    nil("failedJobsHistoryLimit", DefaultValue::Int(1)),
];

/// Defaults of a Deployment.
pub(super) fn deployment(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        struct_field(spec, "strategy", |strategy| rolling(strategy, ROLLING_DEPLOYMENT));
        set_defaults(spec, DEPLOYMENT);
        struct_field(spec, "template", pod::template);
    });
}

/// Defaults of a ReplicaSet.
pub(super) fn replica_set(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        set_defaults(spec, REPLICA_SET);
        struct_field(spec, "template", pod::template);
    });
}

/// Defaults of a DaemonSet.
pub(super) fn daemon_set(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        struct_field(spec, "updateStrategy", |strategy| rolling(strategy, ROLLING_DAEMON_SET));
        set_defaults(spec, DAEMON_SET);
        struct_field(spec, "template", pod::template);
    });
}

fn rolling(strategy: &mut Node<'_>, defaults: &[FieldDefault]) {
    set_defaults(strategy, ROLLING);
    if is_text(strategy, "type", "RollingUpdate") {
        set_defaults(strategy, ROLLING_UPDATE);
        if let Some(update) = strategy.get_mut("rollingUpdate") {
            set_defaults(update, defaults);
        }
    }
}

/// Defaults of a StatefulSet.
pub(super) fn stateful_set(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        struct_field(spec, "updateStrategy", stateful_strategy);
        set_defaults(spec, STATEFUL_SET);
        pointer_field(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
            set_defaults(policy, RETENTION);
        });
        struct_field(spec, "template", pod::template);
        each(spec, "volumeClaimTemplates", |claim| {
            volumes::claim(claim);
            CLAIM_TYPE.into_iter().for_each(|(name, text)| put(claim, name, Node::string(text)));
        });
    });
}

/// `rollingUpdate` is added only where `type` is unset, unlike in other kinds.
fn stateful_strategy(strategy: &mut Node<'_>) {
    if is_zero(strategy, "type") {
        set_defaults(strategy, ROLLING);
        set_defaults(strategy, ROLLING_UPDATE);
    }
    if is_text(strategy, "type", "RollingUpdate") {
        pointer_field(strategy, "rollingUpdate", |update| {
            set_defaults(update, ROLLING_STATEFUL_SET);
        });
    }
}

/// Defaults of a Job.
pub(super) fn job(node: &mut Node<'_>) {
    core_v1::label_as(node, core_v1::template_labels(node));
    struct_field(node, "spec", |spec| {
        if is_nil(spec, "completions") && is_nil(spec, "parallelism") {
            set_defaults(spec, ONE_COMPLETION);
        }
        let by_index = !is_nil(spec, "backoffLimitPerIndex");
        set_defaults(spec, if by_index { BACKOFF_PER_INDEX } else { BACKOFF });
        let has_policy = !is_nil(spec, "podFailurePolicy");
        set_defaults(spec, if has_policy { REPLACE_FAILED } else { REPLACE });
        set_defaults(spec, JOB);
        job_pods(spec);
    });
}

fn job_pods(spec: &mut Node<'_>) {
    pointer_field(spec, "podFailurePolicy", |policy| {
        each(policy, "rules", |rule| {
            each(rule, "onPodConditions", |condition| set_defaults(condition, CONDITION));
        });
    });
    struct_field(spec, "template", pod::template);
}

/// A CronJob. Its jobs get their own defaults when they are created.
pub(super) fn cron_job(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        set_defaults(spec, CRON_JOB);
        struct_field(spec, "jobTemplate", |template| struct_field(template, "spec", job_pods));
    });
}
