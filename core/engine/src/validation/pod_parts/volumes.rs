//! Validation of pod volumes and their sources, and of volume mounts and devices.

use super::PodValidationOptions;
use super::paths::check_descending;
use super::source_holder::Holder;
use super::sources;
use crate::field_errors::{FieldErrors, has, quoted};
use crate::format_value;
use crate::name_format::{self, NameFormat};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use ratchet_object::At;

/// Volume sources in the order in which the API checks them, and the name in the error about a second source.
const SOURCES: [(&str, &str); 30] = [
    ("emptyDir", "emptyDir"),
    ("hostPath", "hostPath"),
    ("gitRepo", "gitRepo"),
    ("gcePersistentDisk", "gcePersistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore"),
    ("secret", "secret"),
    ("nfs", "nfs"),
    ("iscsi", "iscsi"),
    ("glusterfs", "glusterfs"),
    ("flocker", "flocker"),
    ("persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd"),
    ("cinder", "cinder"),
    ("cephfs", "cephFS"),
    ("quobyte", "quobyte"),
    ("downwardAPI", "downwarAPI"),
    ("fc", "fc"),
    ("flexVolume", "flexVolume"),
    ("configMap", "configMap"),
    ("azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk"),
    ("storageos", "storageos"),
    ("projected", "projected"),
    ("scaleIO", "scaleIO"),
    ("csi", "csi"),
    ("ephemeral", "ephemeral"),
    ("image", "image"),
];

/// The names of valid volumes, and whether each is a claim, which can be a block device.
pub(super) type KnownVolumes<'a> = BTreeMap<&'a str, bool>;

/// Checks the volumes; returns those that are valid, which mounts can refer to.
pub(super) fn check<'a>(
    volumes: &At<'a>,
    options: PodValidationOptions<'a>,
    errs: &mut FieldErrors<'_, '_>,
) -> KnownVolumes<'a> {
    let mut known = check_claims(volumes, options, errs);
    let mut claims = options.claims.to_vec();
    claims.sort_unstable();
    claims.dedup();
    let pod = if options.is_pod { pod_name(volumes) } else { "" };
    let ephemeral: BTreeSet<&str> = volumes
        .items()
        .filter(|at| !pod.is_empty() && at.field("ephemeral").is_set())
        .map(|at| at.field("name").text_or_empty())
        .collect();
    let is_claim = |text: &str| claims.binary_search(&text).is_ok();
    // A claim template of the same name replaces the volume; the others are numbered behind the templates.
    let others = volumes.items().filter(|at| !is_claim(at.field("name").text_or_empty()));
    for (index, volume) in others.enumerate() {
        let volume = match claims.len() {
            0 => volume,
            count => volume.with_path(volumes.path().index(count + index)),
        };
        let name = volume.field("name");
        let text = name.text_or_empty();
        let before = errs.verdict.errors.len();
        check_source(&volume, options, errs);
        if !pod.is_empty() && !text.is_empty() && volume.field("ephemeral").is_set() {
            check_created_claim(&name, pod, errs);
        }
        errs.needs_form(&name, NameFormat::Label);
        if known.contains_key(text) {
            errs.duplicate(&name, quoted(text));
        }
        let claim = volume.field("persistentVolumeClaim");
        if errs.verdict.errors.len() == before {
            let is_claim = claim.is_set() || volume.field("ephemeral").is_set();
            known.entry(text).or_insert(is_claim);
        }
        let claim_name = claim.field("claimName");
        if !pod.is_empty() && is_created(&ephemeral, pod, claim_name.text_or_empty()) {
            let detail = "must not reference a PVC that gets created for an ephemeral volume";
            errs.invalid(&claim_name, detail);
        }
    }
    known
}

/// Checks the volumes that the claim templates of a StatefulSet become.
fn check_claims<'a>(
    volumes: &At<'a>,
    options: PodValidationOptions<'a>,
    errs: &mut FieldErrors<'_, '_>,
) -> KnownVolumes<'a> {
    let mut known = KnownVolumes::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for name in options.claims.iter().copied() {
        let path = volumes.path().index(seen.len());
        if !seen.insert(name) {
            continue;
        }
        let before = errs.verdict.errors.len();
        let at = volumes.with_path(path.field("name"));
        if name.is_empty() {
            let claim = path.field("persistentVolumeClaim").field("claimName");
            errs.required(&volumes.with_path(claim), "");
            errs.required(&at, "");
        } else {
            errs.form_of(&at, name, NameFormat::Label);
        }
        if errs.verdict.errors.len() == before {
            known.insert(name, true);
        }
    }
    known
}

/// The name of the pod that has these volumes.
fn pod_name<'a>(volumes: &At<'a>) -> &'a str {
    volumes.object().map(|pod| pod.text_at(&["metadata", "name"])).unwrap_or_default()
}

/// Checks the name of the claim that a pod creates for an ephemeral volume.
fn check_created_claim(name: &At<'_>, pod: &str, errs: &mut FieldErrors<'_, '_>) {
    let text = name.text_or_empty();
    let claim = format!("{pod}-{text}");
    name_format::faults(NameFormat::Subdomain, &claim, |detail| {
        let detail = format!("PVC name {}: {detail}", quoted(&claim));
        errs.invalid_as(name, quoted(text), detail);
    });
}

/// Whether a pod creates the claim for one of its `ephemeral` volumes.
fn is_created(ephemeral: &BTreeSet<&str>, pod: &str, claim: &str) -> bool {
    let volume = claim.strip_prefix(pod).and_then(|rest| rest.strip_prefix('-'));
    volume.is_some_and(|volume| ephemeral.contains(volume))
}

fn check_source(
    volume: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let mut found = false;
    for (name, name_in_error) in SOURCES.iter().filter(|row| has(volume, row.0)) {
        let source = volume.field(name);
        if !source.is_set() {
            continue;
        }
        if found {
            let at = source.with_path(volume.path().field(name_in_error));
            errs.forbidden(&at, "may not specify more than 1 volume type");
            continue;
        }
        found = true;
        sources::check(name, volume, &source, Holder::Pod { is_pod: options.is_pod }, errs);
    }
    // A volume without a source defaults to an `emptyDir`.
}

/// Checks the mounts and devices of a container.
pub(super) fn check_mounts(
    container: &At<'_>,
    known: &KnownVolumes<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    if has(container, "volumeMounts") {
        check_volume_mounts(container, known, errs);
    }
    if has(container, "volumeDevices") {
        check_devices(container, known, errs);
    }
}

fn check_volume_mounts(
    container: &At<'_>,
    known: &KnownVolumes<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let (mounts, devices) = (container.field("volumeMounts"), container.field("volumeDevices"));
    let [device_names, device_paths] = ["name", "devicePath"].map(|name| texts_of(&devices, name));
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        errs.needs_text(&name);
        if !known.contains_key(name.text_or_empty()) {
            errs.not_found(&name, name.text_or_empty());
        }
        errs.needs_text(&path);
        if !paths.insert(path.text_or_empty()) {
            errs.invalid_as(&path, quoted(path.text_or_empty()), "must be unique");
        }
        if device_names.contains(name.text_or_empty()) {
            errs.invalid(&name, "must not already exist in volumeDevices");
        }
        if device_paths.contains(path.text_or_empty()) {
            errs.invalid(&path, "must not already exist as a path in volumeDevices");
        }
        let (sub, expression) = (mount.field("subPath"), mount.field("subPathExpr"));
        // The API reports the path of the list here, not of the mount.
        if !sub.text_or_empty().is_empty() {
            check_descending(&under_list(&mounts, &mount, "subPath"), sub.text_or_empty(), errs);
        }
        if !expression.text_or_empty().is_empty() {
            if !sub.text_or_empty().is_empty() {
                errs.invalid(&expression, "subPathExpr and subPath are mutually exclusive");
            }
            check_descending(
                &under_list(&mounts, &mount, "subPathExpr"),
                expression.text_or_empty(),
                errs,
            );
        }
        if has(&mount, "mountPropagation") {
            check_propagation(container, &under_list(&mounts, &mount, "mountPropagation"), errs);
        }
        if has(&mount, "recursiveReadOnly") {
            check_read_only(&mount, &under_list(&mounts, &mount, "recursiveReadOnly"), errs);
        }
    }
}

/// A field of a mount, with its path under the list.
fn under_list<'a>(list: &At<'a>, mount: &At<'a>, name: &'static str) -> At<'a> {
    mount.field(name).with_path(list.path().field(name))
}

/// Checks a mode, which may be unset but not empty.
fn check_mode(mode: &At<'_>, modes: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let text = mode.text_or_empty();
    if mode.is_set() && !modes.contains(&text) {
        errs.unsupported(mode, format_value::typed_string(text, errs.ctx.config.release), modes);
    }
}

fn check_propagation(container: &At<'_>, mode: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_mode(mode, &["Bidirectional", "HostToContainer", "None"], errs);
    let privileged = container.field("securityContext").field("privileged");
    if mode.text_or_empty() == "Bidirectional" && !privileged.is_true() {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        errs.forbidden(mode, detail);
    }
}

fn check_read_only(mount: &At<'_>, mode: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_mode(mode, &["Disabled", "Enabled", "IfPossible"], errs);
    if matches!(mode.text_or_empty(), "Enabled" | "IfPossible") {
        if !mount.field("readOnly").is_true() {
            errs.forbidden(mode, "may only be specified when readOnly is true");
        }
        if !matches!(mount.field("mountPropagation").text_or_empty(), "" | "None") {
            let detail = "may only be specified when mountPropagation is None or not specified";
            errs.forbidden(mode, detail);
        }
    }
}

/// The texts that the items of a list have in a field.
fn texts_of<'a>(list: &At<'a>, field: &'a str) -> BTreeSet<&'a str> {
    list.items().map(|at| at.field(field).text_or_empty()).collect()
}

fn check_devices(container: &At<'_>, known: &KnownVolumes<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mounts = container.field("volumeMounts");
    let [mounted, mount_paths] = ["name", "mountPath"].map(|name| texts_of(&mounts, name));
    let (mut names, mut paths): (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    for device in container.field("volumeDevices").items() {
        let (name, path) = (device.field("name"), device.field("devicePath"));
        let (text, path_text) = (name.text_or_empty(), path.text_or_empty());
        errs.needs_text(&name);
        if !text.is_empty() && !names.insert(text) {
            errs.invalid(&name, "must be unique");
        }
        match known.get(text) {
            None => errs.not_found(&name, text),
            Some(true) => {}
            Some(false) => {
                let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errs.invalid(&name, detail);
            }
        }
        errs.needs_text(&path);
        if paths.contains(path_text) {
            errs.invalid_as(&path, quoted(path_text), "must be unique");
        }
        if path_text.split('/').any(|step| step == "..") {
            errs.invalid(&path, "can not contain backsteps ('..')");
        } else {
            paths.insert(path_text);
        }
        if mounted.contains(text) {
            errs.invalid_as(&name, quoted(text), "must not already exist in volumeMounts");
        }
        if mount_paths.contains(path_text) {
            let detail = "must not already exist as a path in volumeMounts";
            errs.invalid_as(&path, quoted(path_text), detail);
        }
    }
}
