//! The kinds that make pods: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job and CronJob.

use super::fill::{
    Fill, Gap, each, fill, inside, is_nil, is_text, is_zero, nil, put, within, zero,
};
use super::{core_v1, pod, volumes};
use crate::Node;

const DEPLOYMENT: &[Gap] = &[
    nil("replicas", Fill::Int(1)),
    nil("revisionHistoryLimit", Fill::Int(10)),
    nil("progressDeadlineSeconds", Fill::Int(600)),
];

const REPLICA_SET: &[Gap] = &[nil("replicas", Fill::Int(1))];
const DAEMON_SET: &[Gap] = &[nil("revisionHistoryLimit", Fill::Int(10))];

const STATEFUL_SET: &[Gap] = &[
    zero("podManagementPolicy", Fill::Text("OrderedReady")),
    nil("persistentVolumeClaimRetentionPolicy", Fill::Map),
    nil("replicas", Fill::Int(1)),
    nil("revisionHistoryLimit", Fill::Int(10)),
];

const RETENTION: &[Gap] =
    &[zero("whenDeleted", Fill::Text("Retain")), zero("whenScaled", Fill::Text("Retain"))];

const ROLLING: &[Gap] = &[zero("type", Fill::Text("RollingUpdate"))];
const ROLLING_UPDATE: &[Gap] = &[nil("rollingUpdate", Fill::Map)];
const ROLLING_DEPLOYMENT: &[Gap] =
    &[nil("maxUnavailable", Fill::Text("25%")), nil("maxSurge", Fill::Text("25%"))];
const ROLLING_DAEMON_SET: &[Gap] =
    &[nil("maxUnavailable", Fill::Int(1)), nil("maxSurge", Fill::Int(0))];
const ROLLING_STATEFUL_SET: &[Gap] = &[nil("partition", Fill::Int(0))];

const CLAIM_TYPE: [(&str, &str); 2] = [("apiVersion", "v1"), ("kind", "PersistentVolumeClaim")];

const JOB: &[Gap] = &[
    nil("parallelism", Fill::Int(1)),
    nil("completionMode", Fill::Text("NonIndexed")),
    nil("suspend", Fill::Bool(false)),
    nil("manualSelector", Fill::Bool(false)),
];

const BACKOFF: &[Gap] = &[nil("backoffLimit", Fill::Int(6))];
/// Jobs that count failures by index have no limit over all of them.
const BACKOFF_PER_INDEX: &[Gap] = &[nil("backoffLimit", Fill::Int(i32::MAX as i64))];
const REPLACE: &[Gap] = &[nil("podReplacementPolicy", Fill::Text("TerminatingOrFailed"))];
/// A policy about failures must see them before it can judge them.
const REPLACE_FAILED: &[Gap] = &[nil("podReplacementPolicy", Fill::Text("Failed"))];
const ONE_COMPLETION: &[Gap] = &[nil("completions", Fill::Int(1))];
const CONDITION: &[Gap] = &[zero("status", Fill::Text("True"))];

const CRON_JOB: &[Gap] = &[
    zero("concurrencyPolicy", Fill::Text("Allow")),
    nil("suspend", Fill::Bool(false)),
    nil("successfulJobsHistoryLimit", Fill::Int(3)),
    nil("failedJobsHistoryLimit", Fill::Int(1)),
];

/// A Deployment.
pub(super) fn deployment(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        inside(spec, "strategy", |strategy| rolling(strategy, ROLLING_DEPLOYMENT));
        fill(spec, DEPLOYMENT);
        inside(spec, "template", pod::template);
    });
}

/// A ReplicaSet.
pub(super) fn replica_set(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        fill(spec, REPLICA_SET);
        inside(spec, "template", pod::template);
    });
}

/// A DaemonSet.
pub(super) fn daemon_set(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        inside(spec, "updateStrategy", |strategy| rolling(strategy, ROLLING_DAEMON_SET));
        fill(spec, DAEMON_SET);
        inside(spec, "template", pod::template);
    });
}

fn rolling(strategy: &mut Node<'_>, gaps: &[Gap]) {
    fill(strategy, ROLLING);
    if is_text(strategy, "type", "RollingUpdate") {
        fill(strategy, ROLLING_UPDATE);
        if let Some(update) = strategy.get_mut("rollingUpdate") {
            fill(update, gaps);
        }
    }
}

/// A StatefulSet.
pub(super) fn stateful_set(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        inside(spec, "updateStrategy", stateful_strategy);
        fill(spec, STATEFUL_SET);
        within(spec, "persistentVolumeClaimRetentionPolicy", |policy| fill(policy, RETENTION));
        inside(spec, "template", pod::template);
        each(spec, "volumeClaimTemplates", |claim| {
            volumes::claim(claim);
            CLAIM_TYPE.into_iter().for_each(|(name, text)| put(claim, name, Node::string(text)));
        });
    });
}

/// Who names the strategy but not its details gets none: here, unlike elsewhere, only silence about
/// both brings them.
fn stateful_strategy(strategy: &mut Node<'_>) {
    if is_zero(strategy, "type") {
        fill(strategy, ROLLING);
        fill(strategy, ROLLING_UPDATE);
    }
    if is_text(strategy, "type", "RollingUpdate") {
        within(strategy, "rollingUpdate", |update| fill(update, ROLLING_STATEFUL_SET));
    }
}

/// A Job.
pub(super) fn job(node: &mut Node<'_>) {
    core_v1::label_as(node, core_v1::template_labels(node));
    inside(node, "spec", |spec| {
        if is_nil(spec, "completions") && is_nil(spec, "parallelism") {
            fill(spec, ONE_COMPLETION);
        }
        let by_index = !is_nil(spec, "backoffLimitPerIndex");
        fill(spec, if by_index { BACKOFF_PER_INDEX } else { BACKOFF });
        let has_policy = !is_nil(spec, "podFailurePolicy");
        fill(spec, if has_policy { REPLACE_FAILED } else { REPLACE });
        fill(spec, JOB);
        job_pods(spec);
    });
}

fn job_pods(spec: &mut Node<'_>) {
    within(spec, "podFailurePolicy", |policy| {
        each(policy, "rules", |rule| {
            each(rule, "onPodConditions", |condition| fill(condition, CONDITION));
        });
    });
    inside(spec, "template", pod::template);
}

/// A CronJob. Its jobs get their own defaults when they are made.
pub(super) fn cron_job(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        fill(spec, CRON_JOB);
        inside(spec, "jobTemplate", |template| inside(template, "spec", job_pods));
    });
}
