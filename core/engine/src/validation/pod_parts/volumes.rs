//! Validation of pod volumes and their sources, and of volume mounts and devices.

use super::{PodValidationOptions, check_descending, check_no_backsteps};
use crate::field_errors::{FieldErrors, has, quoted};
use crate::name_format::NameFormat;
use crate::quantity::Quantity;
use alloc::vec::Vec;
use ratchet_object::At;

/// Volume sources in the order in which the API checks them, and the name in the error about a second source.
const SOURCES: [(&str, &str); 31] = [
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
    ("local", "local"),
];

/// Required fields of sources.
const REQUIRED: [(&str, &str); 16] = [
    ("awsElasticBlockStore", "volumeID"),
    ("azureDisk", "diskName"),
    ("azureFile", "secretName"),
    ("azureFile", "shareName"),
    ("cinder", "volumeID"),
    ("configMap", "name"),
    ("flexVolume", "driver"),
    ("gcePersistentDisk", "pdName"),
    ("gitRepo", "repository"),
    ("nfs", "path"),
    ("nfs", "server"),
    ("persistentVolumeClaim", "claimName"),
    ("photonPersistentDisk", "pdID"),
    ("portworxVolume", "volumeID"),
    ("secret", "secretName"),
    ("vsphereVolume", "volumePath"),
];

const MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";
const HIGHEST_MODE: i64 = 0o777;

const HOST_PATHS: [&str; 8] = [
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

/// Checks the volumes; returns the names of the valid ones, which mounts can refer to.
pub(super) fn check<'a>(
    volumes: &At<'a>,
    options: PodValidationOptions<'a>,
    errs: &mut FieldErrors<'_, '_>,
) -> Vec<&'a str> {
    let mut known: Vec<&'a str> = options.claims.to_vec();
    let mut names: Vec<&str> = Vec::new();
    for volume in volumes.items() {
        let name = volume.field("name");
        let text = name.text_or_empty();
        // A claim template of the same name replaces the volume.
        if options.claims.contains(&text) {
            continue;
        }
        let before = errs.verdict.errors.len();
        check_source(&volume, options, errs);
        errs.needs_form(&name, NameFormat::Label);
        if names.contains(&text) {
            errs.duplicate(&name, quoted(text));
        }
        if errs.verdict.errors.len() == before {
            names.push(text);
            known.push(text);
        }
    }
    known
}

fn check_source(
    volume: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let mut found = false;
    for (name, name_in_error) in SOURCES.iter().filter(|row| row.0 != "local" && has(volume, row.0))
    {
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
        check_one(name, &source, options, errs);
    }
    // A volume without a source defaults to an `emptyDir`.
}

fn check_one(
    name: &str,
    source: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    for (_, field) in REQUIRED.iter().filter(|row| row.0 == name) {
        errs.needs_text(&source.field(field));
    }
    let mode = source.field("defaultMode");
    check_mode(&mode, errs);
    match name {
        "emptyDir" => {
            let limit = source.field("sizeLimit");
            if Quantity::at(&limit).is_some_and(|size| size.sign().is_lt()) {
                errs.forbidden(&limit, "SizeLimit field must be a valid resource quantity");
            }
        }
        "hostPath" => {
            let path = source.field("path");
            if errs.needs_text(&path) {
                check_no_backsteps(&path, path.text_or_empty(), errs);
                errs.one_of(&source.field("type"), &HOST_PATHS);
            }
        }
        "secret" | "configMap" => check_items(&source.field("items"), errs),
        "nfs" if !source.field("path").text_or_empty().starts_with('/') => {
            let path = source.field("path");
            errs.invalid_as(&path, quoted(path.text_or_empty()), "must be an absolute path");
        }
        "csi" => errs.needs_form(&source.field("driver"), NameFormat::Subdomain),
        "ephemeral" if !source.field("volumeClaimTemplate").is_set() => {
            errs.required(&source.field("volumeClaimTemplate"), "");
        }
        "image" => {
            if options.is_pod {
                errs.needs_text(&source.field("reference"));
            }
            errs.one_of(&source.field("pullPolicy"), &["Always", "IfNotPresent", "Never"]);
        }
        _ => {}
    }
}

fn check_mode(mode: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if mode.int().is_some_and(|number| !(0..=HIGHEST_MODE).contains(&number)) {
        errs.invalid(mode, MODE);
    }
}

fn check_items(items: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for item in items.items() {
        errs.needs_text(&item.field("key"));
        let path = item.field("path");
        errs.needs_text(&path);
        check_descending(&path, path.text_or_empty(), errs);
        if path.text_or_empty().starts_with("..")
            && !path.text_or_empty().split('/').any(|step| step == "..")
        {
            errs.invalid(&path, "must not start with '..'");
        }
        check_mode(&item.field("mode"), errs);
    }
}

/// Checks the mounts and devices of a container.
pub(super) fn check_mounts(container: &At<'_>, known: &[&str], errs: &mut FieldErrors<'_, '_>) {
    if has(container, "volumeDevices") {
        check_devices(container, known, errs);
    }
    if !has(container, "volumeMounts") {
        return;
    }
    let mounts = container.field("volumeMounts");
    let mut paths: Vec<&str> = Vec::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        errs.needs_text(&name);
        if !known.contains(&name.text_or_empty()) {
            errs.not_found(&name, name.text_or_empty());
        }
        errs.needs_text(&path);
        if paths.contains(&path.text_or_empty()) {
            errs.invalid_as(&path, quoted(path.text_or_empty()), "must be unique");
        }
        paths.push(path.text_or_empty());
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

fn check_propagation(container: &At<'_>, mode: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.one_of(mode, &["Bidirectional", "HostToContainer", "None"]);
    let privileged = container.field("securityContext").field("privileged");
    if mode.text_or_empty() == "Bidirectional" && !privileged.is_true() {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        errs.forbidden(mode, detail);
    }
}

fn check_read_only(mount: &At<'_>, mode: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.one_of(mode, &["Disabled", "Enabled", "IfPossible"]);
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

fn check_devices(container: &At<'_>, known: &[&str], errs: &mut FieldErrors<'_, '_>) {
    for device in container.field("volumeDevices").items() {
        let name = device.field("name");
        errs.needs_text(&name);
        if !known.contains(&name.text_or_empty()) {
            errs.not_found(&name, name.text_or_empty());
        }
        errs.needs_text(&device.field("devicePath"));
    }
}

/// Whether a field of a PersistentVolume's spec is a volume source.
pub(crate) fn is_source(name: &str) -> bool {
    SOURCES.iter().any(|row| row.0 == name)
}
