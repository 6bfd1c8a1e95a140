//! `UnknownType`: the type of objects whose definition nobody has given; all that can be said of them is their syntax.

use crate::field_owners::ReplicasField;
use crate::fields::FieldReport;
use crate::object_type::ObjectType;
use alloc::boxed::Box;
use alloc::vec::Vec;
use ratchet_apply::{BuiltInKind, ConvertObject, Converter, ResetFields};
use ratchet_engine::{ApiConfig, Change, Facts, Verdict};
use ratchet_object::schema::TypeRow;
use ratchet_object::{GroupVersionKind, Kind, Node, Repeated};

/// A kind without a schema. Only duplicate fields are reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnknownType;

impl ObjectType for UnknownType {
    fn gvk(&self) -> GroupVersionKind<'_> {
        GroupVersionKind { group: "", version: "", kind: "" }
    }

    fn kind(&self) -> Option<Kind<'_>> {
        None
    }

    fn decode(&self, _: &mut Node<'_>, repeated: &[Repeated]) -> FieldReport {
        let mut report = FieldReport::default();
        report.add_repeated(repeated);
        report
    }

    fn apply_defaults(&self, _: &mut Node<'_>) {}

    fn complete(&self, _: &mut Node<'static>) {}

    fn canonicalize(&self, _: &mut Node<'static>) {}

    fn validate(&self, _: &Change<'_>, _: &Facts<'_>, _: &ApiConfig) -> Verdict {
        Verdict::default()
    }

    fn merge_type(&self) -> Option<&'static TypeRow> {
        None
    }

    fn converter<'a>(&'a self, convert: &'a ConvertObject<'a>) -> Box<dyn Converter + 'a> {
        Box::new(BuiltInKind { group: "", kind: "", convert })
    }

    fn reset_fields<'a>(&self, _: &str, _: &'a str) -> Option<ResetFields<'a>> {
        None
    }

    fn replicas_fields(&self) -> Vec<ReplicasField> {
        Vec::new()
    }
}
