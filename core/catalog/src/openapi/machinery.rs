//! Types of requests and responses that no kind refers to, and types that are not plain objects.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::types::{Field, Leaf, Ty};

pub(crate) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
pub(crate) const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
pub(crate) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
pub(crate) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
pub(crate) const API_GROUP: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup";
pub(crate) const API_GROUP_LIST: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList";
pub(crate) const API_RESOURCE_LIST: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList";
pub(crate) const API_VERSIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions";
pub(crate) const VERSION_INFO: &str = "io.k8s.apimachinery.pkg.version.Info";
pub(crate) const WATCH_EVENT: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent";
const API_RESOURCE: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.APIResource";
const CLIENT_ADDRESS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR";
const DISCOVERED_VERSION: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery";
const PRECONDITIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions";
const SHARD_INFO: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo";
const STATUS_CAUSE: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause";
const STATUS_DETAILS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails";

pub(crate) const FIELDS_V1: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1";
pub(crate) const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
pub(crate) const MICRO_TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
pub(crate) const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
pub(crate) const RAW: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";
pub(crate) const TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";

const JSON: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON";
const PROPS_OR_ARRAY: &str =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray";
const PROPS_OR_BOOL: &str =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool";
const PROPS_OR_STRING_ARRAY: &str =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray";

static LEAVES: &[Leaf] = &[
    Leaf { id: FIELDS_V1, ty: "object", format: "", one_of: &[] },
    Leaf {
        id: INT_OR_STRING,
        ty: "string",
        format: "int-or-string",
        one_of: &["integer", "string"],
    },
    Leaf { id: JSON, ty: "", format: "", one_of: &[] },
    Leaf { id: MICRO_TIME, ty: "string", format: "date-time", one_of: &[] },
    Leaf { id: PATCH, ty: "object", format: "", one_of: &[] },
    Leaf { id: PROPS_OR_ARRAY, ty: "", format: "", one_of: &[] },
    Leaf { id: PROPS_OR_BOOL, ty: "", format: "", one_of: &[] },
    Leaf { id: PROPS_OR_STRING_ARRAY, ty: "", format: "", one_of: &[] },
    Leaf { id: QUANTITY, ty: "string", format: "", one_of: &["string", "number"] },
    Leaf { id: RAW, ty: "object", format: "", one_of: &[] },
    Leaf { id: TIME, ty: "string", format: "date-time", one_of: &[] },
];

/// The leaf type with this id.
pub(crate) fn leaf(id: &str) -> Option<&'static Leaf> {
    LEAVES.iter().find(|leaf| leaf.id == id)
}

/// The definition of a field for which the schema has no type.
pub(crate) fn behind_any(type_id: &str, field: &str) -> &'static str {
    if type_id.starts_with("io.k8s.apiextensions-apiserver.") {
        return match field {
            "items" => PROPS_OR_ARRAY,
            "additionalItems" | "additionalProperties" => PROPS_OR_BOOL,
            "dependencies" => PROPS_OR_STRING_ARRAY,
            _ => JSON,
        };
    }
    if field == "fieldsV1" { FIELDS_V1 } else { RAW }
}

/// Whether the API's own documents call a field required, where the schema differs.
///
/// k8s-openapi makes names required so that its structs need no Option; kubectl would refuse what
/// the API accepts.
pub(crate) fn is_required(type_id: &str, field: &str) -> Option<bool> {
    let name = type_id.strip_prefix("io.k8s.api.")?;
    let row = REQUIRED.iter().find(|row| (row.0, row.1) == (name, field))?;
    Some(row.2)
}

static REQUIRED: &[(&str, &str, bool)] = &[
    ("core.v1.ConfigMapEnvSource", "name", false),
    ("core.v1.ConfigMapKeySelector", "name", false),
    ("core.v1.ConfigMapProjection", "name", false),
    ("core.v1.ConfigMapVolumeSource", "name", false),
    ("core.v1.Event", "metadata", true),
    ("core.v1.LocalObjectReference", "name", false),
    ("core.v1.SecretEnvSource", "name", false),
    ("core.v1.SecretKeySelector", "name", false),
    ("core.v1.SecretProjection", "name", false),
    ("events.v1.Event", "eventTime", true),
];

/// The fields of a type of requests and responses, without descriptions; `None` for other types.
pub(crate) fn fields(id: &str) -> Option<Vec<Field>> {
    let rows = ROWS.iter().find(|(of, _)| *of == id).map(|(_, rows)| rows)?;
    let required = MACHINERY_REQUIRED.iter().find(|(of, _)| *of == id);
    let required = required.map_or(&[][..], |(_, names)| names);
    let row = |(name, field_type): &(&'static str, FieldType)| {
        field(name, *field_type, required.contains(name))
    };
    Some(rows.iter().map(row).collect())
}

/// The kind in `v1` of a type of responses.
pub(crate) fn kind(id: &str) -> Option<&'static str> {
    let row = MACHINERY_KINDS.iter().find(|(of, _)| *of == id);
    row.map(|(_, kind)| *kind)
}

static MACHINERY_KINDS: &[(&str, &str)] = &[
    (API_GROUP, "APIGroup"),
    (API_GROUP_LIST, "APIGroupList"),
    (API_RESOURCE_LIST, "APIResourceList"),
    (API_VERSIONS, "APIVersions"),
    (STATUS, "Status"),
];

/// The required fields of these types.
static MACHINERY_REQUIRED: &[(&str, &[&str])] = &[
    (API_GROUP, &["name", "versions"]),
    (API_GROUP_LIST, &["groups"]),
    (API_RESOURCE, &["kind", "name", "namespaced", "singularName", "verbs"]),
    (API_RESOURCE_LIST, &["groupVersion", "resources"]),
    (API_VERSIONS, &["serverAddressByClientCIDRs", "versions"]),
    (CLIENT_ADDRESS, &["clientCIDR", "serverAddress"]),
    (DISCOVERED_VERSION, &["groupVersion", "version"]),
    (SHARD_INFO, &["selector"]),
    (
        VERSION_INFO,
        &[
            "buildDate",
            "compiler",
            "gitCommit",
            "gitTreeState",
            "gitVersion",
            "goVersion",
            "major",
            "minor",
            "platform",
        ],
    ),
    (WATCH_EVENT, &["object", "type"]),
];

/// The type of a field of such a type.
#[derive(Clone, Copy)]
enum FieldType {
    Text,
    Flag,
    Int32,
    Int64,
    Texts,
    One(&'static str),
    Many(&'static str),
}

fn field(name: &'static str, field_type: FieldType, required: bool) -> Field {
    let ty = match field_type {
        FieldType::Text => Ty::STRING,
        FieldType::Flag => Ty::Plain("boolean", ""),
        FieldType::Int32 => Ty::Plain("integer", "int32"),
        FieldType::Int64 => Ty::Plain("integer", "int64"),
        FieldType::Texts => Ty::STRING.list(),
        FieldType::One(id) => Ty::Ref(Cow::Borrowed(id)),
        FieldType::Many(id) => Ty::List(Box::new(Ty::Ref(Cow::Borrowed(id)))),
    };
    Field { name, ty, description: Cow::Borrowed(""), required, merge: None }
}

type Rows = &'static [(&'static str, FieldType)];

static ROWS: &[(&str, Rows)] = &[
    (
        API_GROUP,
        &[
            ("apiVersion", FieldType::Text),
            ("kind", FieldType::Text),
            ("name", FieldType::Text),
            ("preferredVersion", FieldType::One(DISCOVERED_VERSION)),
            ("serverAddressByClientCIDRs", FieldType::Many(CLIENT_ADDRESS)),
            ("versions", FieldType::Many(DISCOVERED_VERSION)),
        ],
    ),
    (
        API_GROUP_LIST,
        &[
            ("apiVersion", FieldType::Text),
            ("groups", FieldType::Many(API_GROUP)),
            ("kind", FieldType::Text),
        ],
    ),
    (
        API_RESOURCE,
        &[
            ("categories", FieldType::Texts),
            ("group", FieldType::Text),
            ("kind", FieldType::Text),
            ("name", FieldType::Text),
            ("namespaced", FieldType::Flag),
            ("shortNames", FieldType::Texts),
            ("singularName", FieldType::Text),
            ("storageVersionHash", FieldType::Text),
            ("verbs", FieldType::Texts),
            ("version", FieldType::Text),
        ],
    ),
    (
        API_RESOURCE_LIST,
        &[
            ("apiVersion", FieldType::Text),
            ("groupVersion", FieldType::Text),
            ("kind", FieldType::Text),
            ("resources", FieldType::Many(API_RESOURCE)),
        ],
    ),
    (
        API_VERSIONS,
        &[
            ("apiVersion", FieldType::Text),
            ("kind", FieldType::Text),
            ("serverAddressByClientCIDRs", FieldType::Many(CLIENT_ADDRESS)),
            ("versions", FieldType::Texts),
        ],
    ),
    (CLIENT_ADDRESS, &[("clientCIDR", FieldType::Text), ("serverAddress", FieldType::Text)]),
    (DISCOVERED_VERSION, &[("groupVersion", FieldType::Text), ("version", FieldType::Text)]),
    (
        VERSION_INFO,
        &[
            ("buildDate", FieldType::Text),
            ("compiler", FieldType::Text),
            ("emulationMajor", FieldType::Text),
            ("emulationMinor", FieldType::Text),
            ("gitCommit", FieldType::Text),
            ("gitTreeState", FieldType::Text),
            ("gitVersion", FieldType::Text),
            ("goVersion", FieldType::Text),
            ("major", FieldType::Text),
            ("minCompatibilityMajor", FieldType::Text),
            ("minCompatibilityMinor", FieldType::Text),
            ("minor", FieldType::Text),
            ("platform", FieldType::Text),
        ],
    ),
    (WATCH_EVENT, &[("object", FieldType::One(RAW)), ("type", FieldType::Text)]),
    (
        DELETE_OPTIONS,
        &[
            ("apiVersion", FieldType::Text),
            ("dryRun", FieldType::Texts),
            ("gracePeriodSeconds", FieldType::Int64),
            ("ignoreStoreReadErrorWithClusterBreakingPotential", FieldType::Flag),
            ("kind", FieldType::Text),
            ("orphanDependents", FieldType::Flag),
            ("preconditions", FieldType::One(PRECONDITIONS)),
            ("propagationPolicy", FieldType::Text),
        ],
    ),
    (
        LIST_META,
        &[
            ("continue", FieldType::Text),
            ("remainingItemCount", FieldType::Int64),
            ("resourceVersion", FieldType::Text),
            ("selfLink", FieldType::Text),
            ("shardInfo", FieldType::One(SHARD_INFO)),
        ],
    ),
    (PRECONDITIONS, &[("resourceVersion", FieldType::Text), ("uid", FieldType::Text)]),
    (SHARD_INFO, &[("selector", FieldType::Text)]),
    (
        STATUS,
        &[
            ("apiVersion", FieldType::Text),
            ("code", FieldType::Int32),
            ("details", FieldType::One(STATUS_DETAILS)),
            ("kind", FieldType::Text),
            ("message", FieldType::Text),
            ("metadata", FieldType::One(LIST_META)),
            ("reason", FieldType::Text),
            ("status", FieldType::Text),
        ],
    ),
    (
        STATUS_CAUSE,
        &[("field", FieldType::Text), ("message", FieldType::Text), ("reason", FieldType::Text)],
    ),
    (
        STATUS_DETAILS,
        &[
            ("causes", FieldType::Many(STATUS_CAUSE)),
            ("group", FieldType::Text),
            ("kind", FieldType::Text),
            ("name", FieldType::Text),
            ("retryAfterSeconds", FieldType::Int32),
            ("uid", FieldType::Text),
        ],
    ),
];
