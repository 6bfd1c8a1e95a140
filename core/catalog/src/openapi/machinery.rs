//! Types of requests and responses that no kind refers to, and types that are not plain objects.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::types::{Field, Leaf, Ty};

pub(crate) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
pub(crate) const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
pub(crate) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
pub(crate) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
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
    Some(rows.iter().map(|(name, field_type)| field(name, *field_type)).collect())
}

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

fn field(name: &'static str, field_type: FieldType) -> Field {
    let ty = match field_type {
        FieldType::Text => Ty::STRING,
        FieldType::Flag => Ty::Plain("boolean", ""),
        FieldType::Int32 => Ty::Plain("integer", "int32"),
        FieldType::Int64 => Ty::Plain("integer", "int64"),
        FieldType::Texts => Ty::STRING.list(),
        FieldType::One(id) => Ty::Ref(Cow::Borrowed(id)),
        FieldType::Many(id) => Ty::List(Box::new(Ty::Ref(Cow::Borrowed(id)))),
    };
    Field { name, ty, description: Cow::Borrowed(""), required: name == "selector", merge: None }
}

type Rows = &'static [(&'static str, FieldType)];

static ROWS: &[(&str, Rows)] = &[
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
