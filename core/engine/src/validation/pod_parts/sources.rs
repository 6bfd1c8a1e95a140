//! Validation of volume sources, in the volumes of a pod and in PersistentVolumes.

use super::files::{check_item, check_mode};
use super::iscsi;
use super::paths::{check_descending, check_no_backsteps};
use super::projections;
use super::source_holder::{HIGHEST_LUN, Holder};
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::{self, NameFormat};
use crate::rules::names;
use crate::validation::{template_metadata, volume_claim};
use crate::{FieldError, format_value};
use alloc::vec::Vec;
use ratchet_object::{At, Quantity};

/// Fields of sources that are texts or lists and must not be empty, in the order in which the API checks them.
const REQUIRED: [(&str, &str); 25] = [
    ("awsElasticBlockStore", "volumeID"),
    ("azureDisk", "diskName"),
    ("azureDisk", "diskURI"),
    ("azureFile", "secretName"),
    ("azureFile", "shareName"),
    ("cephfs", "monitors"),
    ("cinder", "volumeID"),
    ("configMap", "name"),
    ("flexVolume", "driver"),
    ("gcePersistentDisk", "pdName"),
    ("gitRepo", "repository"),
    ("glusterfs", "endpoints"),
    ("glusterfs", "path"),
    ("nfs", "server"),
    ("nfs", "path"),
    ("persistentVolumeClaim", "claimName"),
    ("photonPersistentDisk", "pdID"),
    ("portworxVolume", "volumeID"),
    ("rbd", "monitors"),
    ("rbd", "image"),
    ("scaleIO", "gateway"),
    ("scaleIO", "system"),
    ("scaleIO", "volumeName"),
    ("secret", "secretName"),
    ("vsphereVolume", "volumePath"),
];

/// Fields of a CSI source of a PersistentVolume that name a Secret.
const CSI_SECRETS: [&str; 4] = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
];

const HIGHEST_PARTITION: i64 = 255;
const LONGEST_DRIVER: usize = 63;
const LONGEST_TENANT: usize = 64;
const BAD_REGISTRY: &str = "must be a host:port pair or multiple pairs separated by commas";
const MANAGED_DISK: &str = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_DISK: &str =
    "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

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

/// Checks the source `name` of a volume; `volume` has the source, and in a pod the name of the volume.
pub(crate) fn check(
    name: &str,
    volume: &At<'_>,
    source: &At<'_>,
    holder: Holder<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    // The API calls this source by its first name.
    let source = match name {
        "gcePersistentDisk" => source.with_path(volume.path().field("persistentDisk")),
        _ => *source,
    };
    for (_, field) in REQUIRED.iter().filter(|row| row.0 == name) {
        let at = source.field(field);
        if at.text_or_empty().is_empty() && at.is_empty() {
            errs.required(&at, "");
        }
    }
    check_mode(&source.field("defaultMode"), errs);
    match name {
        "emptyDir" => {
            let limit = source.field("sizeLimit");
            if Quantity::at(&limit).is_some_and(Quantity::is_negative) {
                errs.forbidden(&limit, "SizeLimit field must be a valid resource quantity");
            }
        }
        "hostPath" | "local" => {
            let path = source.field("path");
            if errs.needs_text(&path) {
                check_no_backsteps(&path, path.text_or_empty(), errs);
                errs.one_of(&source.field("type"), &HOST_PATHS);
            }
        }
        "gitRepo" => {
            let directory = source.field("directory");
            check_descending(&directory, directory.text_or_empty(), errs);
        }
        "awsElasticBlockStore" | "gcePersistentDisk" => {
            let partition = source.field("partition");
            if partition.int().is_some_and(|number| !(0..=HIGHEST_PARTITION).contains(&number)) {
                errs.invalid(&partition, "must be between 1 and 255, inclusive");
            }
        }
        "secret" | "configMap" => {
            source.field("items").items().for_each(|item| check_item(&item, errs));
        }
        "nfs" if !source.field("path").text_or_empty().starts_with('/') => {
            let path = source.field("path");
            errs.invalid_as(&path, quoted(path.text_or_empty()), "must be an absolute path");
        }
        "iscsi" => iscsi::check(volume, &source, holder, errs),
        "glusterfs" if !holder.is_pod() => check_glusterfs(&source, errs),
        "flocker" => check_flocker(&source, errs),
        "quobyte" => check_quobyte(&source, errs),
        "downwardAPI" => projections::check_files(&source, errs),
        "fc" => check_fc(&source, errs),
        "flexVolume" => check_options(&source.field("options"), errs),
        "azureFile" if !holder.is_pod() => {
            let namespace = source.field("secretNamespace");
            if namespace.is_set() {
                errs.needs_text(&namespace);
            }
        }
        "azureDisk" => check_azure_disk(&source, errs),
        "storageos" => {
            errs.needs_form(&source.field("volumeName"), NameFormat::Label);
            errs.form_if_set(&source.field("volumeNamespace"), NameFormat::Label);
            check_secret(&source.field("secretRef"), holder, errs);
        }
        "projected" => projections::check(&source, errs),
        "cinder" => check_secret(&source.field("secretRef"), holder, errs),
        "csi" => check_csi(&source, holder, errs),
        "ephemeral" => check_ephemeral(&source.field("volumeClaimTemplate"), errs),
        "image" => {
            if matches!(holder, Holder::Pod { is_pod: true }) {
                errs.needs_text(&source.field("reference"));
            }
            errs.one_of(&source.field("pullPolicy"), &["Always", "IfNotPresent", "Never"]);
        }
        _ => {}
    }
}

/// Checks a reference to a Secret; that of a PersistentVolume has a namespace, too.
fn check_secret(secret: &At<'_>, holder: Holder<'_>, errs: &mut FieldErrors<'_, '_>) {
    if secret.is_set() {
        errs.needs_text(&secret.field("name"));
        if !holder.is_pod() {
            errs.needs_text(&secret.field("namespace"));
        }
    }
}

fn check_glusterfs(source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let namespace = source.field("endpointsNamespace");
    if !namespace.is_set() {
        return;
    }
    if namespace.text_or_empty().is_empty() {
        let detail = "if the endpointnamespace is set, it must be a valid namespace name";
        return errs.invalid(&namespace, detail);
    }
    errs.form(&namespace, NameFormat::Label);
}

fn check_flocker(source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (name, id) = (source.field("datasetName"), source.field("datasetUUID"));
    match (name.text_or_empty().is_empty(), id.text_or_empty().is_empty()) {
        (true, true) => errs.required(source, "one of datasetName and datasetUUID is required"),
        (false, false) => {
            let detail = "datasetName and datasetUUID can not be specified simultaneously";
            errs.invalid_as(source, quoted("resource"), detail);
        }
        _ => {}
    }
    if name.text_or_empty().contains('/') {
        errs.invalid(&name, "must not contain '/'");
    }
}

fn check_quobyte(source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (registry, tenant) = (source.field("registry"), source.field("tenant"));
    if registry.text_or_empty().is_empty() {
        errs.required(&registry, BAD_REGISTRY);
    } else if tenant.text_or_empty().len() > LONGEST_TENANT {
        errs.required(&tenant, "must be a UUID and may not exceed a length of 64 characters");
    } else {
        let pairs = registry.text_or_empty().split(',');
        let count = pairs.filter(|pair| !is_host_and_port(pair)).count();
        let formatted = || quoted(registry.text_or_empty());
        errs.invalid_times(count, &registry, formatted, BAD_REGISTRY);
    }
    errs.needs_text(&source.field("volume"));
}

/// Whether Go's `net.SplitHostPort` splits a text.
fn is_host_and_port(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    match host.strip_prefix('[') {
        Some(rest) => {
            let inner = rest.strip_suffix(']');
            inner.is_some_and(|inner| !inner.contains(['[', ']'])) && !port.contains(['[', ']'])
        }
        None => !host.contains([':', '[', ']']) && !port.contains(['[', ']']),
    }
}

fn check_fc(source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (names, ids, lun) =
        (source.field("targetWWNs"), source.field("wwids"), source.field("lun"));
    if names.is_empty() && ids.is_empty() {
        errs.required(&names, "must specify either targetWWNs or wwids, but not both");
    }
    if names.is_empty() {
        return;
    }
    if !ids.is_empty() {
        let texts: Vec<&str> = names.items().map(|at| at.text_or_empty()).collect();
        let formatted = format_value::list(&texts, errs.ctx.config.release);
        let detail = "targetWWNs and wwids can not be specified simultaneously";
        errs.invalid_as(&names, formatted, detail);
    }
    if !lun.is_set() {
        errs.required(&lun, "lun is required if targetWWNs is specified");
    }
    errs.between(&lun, 0, HIGHEST_LUN);
}

/// Checks that the options of a flexVolume leave the domains of Kubernetes alone.
fn check_options(options: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for (key, at) in options.entries() {
        let domain = key.split_once('/').map_or(key, |(domain, _)| domain).to_ascii_lowercase();
        let is_reserved = ["kubernetes.io", "k8s.io"].iter().any(|reserved| {
            domain.strip_suffix(reserved).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        });
        if is_reserved {
            let detail = "kubernetes.io and k8s.io namespaces are reserved";
            errs.invalid_as(&at, quoted(key), detail);
        }
    }
}

fn check_azure_disk(source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (uri, kind) = (source.field("diskURI"), source.field("kind"));
    errs.one_of(&source.field("cachingMode"), &["None", "ReadOnly", "ReadWrite"]);
    errs.one_of(&kind, &["Dedicated", "Managed", "Shared"]);
    // An unset kind has a default, which is not managed.
    let (head, example) = match kind.text_or_empty() {
        "Managed" => ("/subscriptions/", MANAGED_DISK),
        _ => ("https://", BLOB_DISK),
    };
    if !uri.text_or_empty().starts_with(head) {
        errs.unsupported(&uri, quoted(uri.text_or_empty()), &[example]);
    }
}

/// Checks the name of a driver, in which letters may be large.
pub(crate) fn check_driver(driver: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if errs.needs_text(driver) {
        check_driver_name(driver, driver.text_or_empty(), errs);
    }
}

/// Checks a text that is the name of a driver, reported at `at`.
pub(crate) fn check_driver_name(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.len() > LONGEST_DRIVER {
        errs.too_long(at, LONGEST_DRIVER);
    }
    name_format::faults(NameFormat::Subdomain, &text.to_ascii_lowercase(), |detail| {
        errs.verdict.add_error(FieldError::invalid(&names::FORMS, at, text, detail));
    });
}

fn check_csi(source: &At<'_>, holder: Holder<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_driver(&source.field("driver"), errs);
    if holder.is_pod() {
        let secret = source.field("nodePublishSecretRef");
        if secret.is_set() && errs.needs_text(&secret.field("name")) {
            let name = secret.field("name");
            errs.form(&name.with_path(source.path().field("name")), NameFormat::Subdomain);
        }
        return;
    }
    errs.needs_text(&source.field("volumeHandle"));
    for name in CSI_SECRETS {
        let secret = source.field(name);
        if secret.is_set() {
            errs.needs_form(&secret.field("name"), NameFormat::Subdomain);
            errs.needs_form(&secret.field("namespace"), NameFormat::Label);
        }
    }
}

/// Checks the template of the claim of an ephemeral volume, which has labels and annotations alone.
fn check_ephemeral(template: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !template.is_set() {
        return errs.required(template, "");
    }
    template_metadata::check(&template.field("metadata"), errs);
    volume_claim::check(&template.field("spec"), None, errs);
}

#[cfg(test)]
mod tests {
    use super::is_host_and_port;

    #[test]
    fn hosts_with_ports() {
        for good in ["a:1", ":1", "[::1]:80", "a:"] {
            assert!(is_host_and_port(good), "{good}");
        }
        for bad in ["a", "::1", "[::1]", "[a]b:1", "a:[", ""] {
            assert!(!is_host_and_port(bad), "{bad}");
        }
    }
}
