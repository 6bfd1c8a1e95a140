//! Kept by hand: the protobuf types that only occur in responses and so are not in the schemas: Status, ListMeta,
//! PartialObjectMetadata.

use super::table::{Message, Tag, always, empty, none, pointer};
use super::v1_36::OBJECT_META;
use crate::schema::{FieldRow, Shape, TypeRow};

/// Indices from here on are in this table; the schema's own end long before.
const FIRST: u16 = 0xff00;
/// The index of ListMeta.
pub(super) const LIST_META: u16 = FIRST;
/// The index of Status.
pub(super) const STATUS: u16 = FIRST + 1;
const DETAILS: u16 = FIRST + 2;
const CAUSE: u16 = FIRST + 3;
const SHARD: u16 = FIRST + 4;
/// The index of PartialObjectMetadata.
pub(super) const PARTIAL: u16 = FIRST + 5;

/// The type at an index of this table; any other index gives a type without fields.
pub(super) fn message(type_index: u16) -> Message {
    const NOTHING: (TypeRow, &[Tag]) = (TypeRow { name: "", id: "", fields: &[] }, &[]);
    let at = usize::from(type_index.wrapping_sub(FIRST));
    let (row, tags) = ROWS.get(at).unwrap_or(&NOTHING);
    Message { row, tags }
}

const fn field(name: &'static str, shape: Shape) -> FieldRow {
    FieldRow::optional(name, shape)
}

static ROWS: &[(TypeRow, &[Tag])] = &[
    (
        TypeRow {
            name: "ListMeta",
            id: "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta",
            fields: &[
                field("continue", Shape::String),
                field("remainingItemCount", Shape::Int64),
                field("resourceVersion", Shape::String),
                field("selfLink", Shape::String),
                field("shardInfo", Shape::Object(SHARD)),
            ],
        },
        &[empty(3), pointer(4), empty(2), empty(1), pointer(5)],
    ),
    (
        TypeRow {
            name: "Status",
            id: "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
            fields: &[
                field("apiVersion", Shape::String),
                field("code", Shape::Int32),
                field("details", Shape::Object(DETAILS)),
                field("kind", Shape::String),
                field("message", Shape::String),
                field("metadata", Shape::Object(LIST_META)),
                field("reason", Shape::String),
                field("status", Shape::String),
            ],
        },
        &[none(), empty(6), pointer(5), none(), empty(3), empty(1), empty(4), empty(2)],
    ),
    (
        TypeRow {
            name: "StatusDetails",
            id: "io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails",
            fields: &[
                field("causes", Shape::List(&Shape::Object(CAUSE))),
                field("group", Shape::String),
                field("kind", Shape::String),
                field("name", Shape::String),
                field("retryAfterSeconds", Shape::Int32),
                field("uid", Shape::String),
            ],
        },
        &[empty(4), empty(2), empty(3), empty(1), empty(5), empty(6)],
    ),
    (
        TypeRow {
            name: "StatusCause",
            id: "io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause",
            fields: &[
                field("field", Shape::String),
                field("message", Shape::String),
                field("reason", Shape::String),
            ],
        },
        &[empty(3), empty(2), empty(1)],
    ),
    (
        TypeRow {
            name: "ShardInfo",
            id: "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo",
            fields: &[field("selector", Shape::String)],
        },
        &[always(1)],
    ),
    (
        TypeRow {
            name: "PartialObjectMetadata",
            id: "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata",
            fields: &[
                field("apiVersion", Shape::String),
                field("kind", Shape::String),
                field("metadata", Shape::Object(OBJECT_META)),
            ],
        },
        &[none(), none(), empty(1)],
    ),
];
