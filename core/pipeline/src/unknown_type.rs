//! `UnknownType`: the type of objects whose definition is missing; only their syntax is checked.

use crate::field_owners::ReplicasField;
use crate::fields::FieldReport;
use crate::object_type::ObjectType;
use crate::type_meta::{self, TypeMetaError};
use alloc::boxed::Box;
use alloc::vec::Vec;
use ratchet_apply::{BuiltInKind, ConvertObject, Converter, ResetFields};
use ratchet_engine::{ApiConfig, Change, Facts, Verdict};
use ratchet_object::schema::TypeRow;
use ratchet_object::{GroupVersionKind, Kind, Node, Repeated};

/// A kind without a schema, by its name. Only duplicate fields are reported.
#[derive(Clone, Copy, Debug)]
pub struct UnknownType<'a>(pub GroupVersionKind<'a>);

impl ObjectType for UnknownType<'_> {
    fn gvk(&self) -> GroupVersionKind<'_> {
        self.0
    }

    fn kind(&self) -> Option<Kind<'_>> {
        None
    }

    fn check_type_meta(&self, object: &mut Node<'_>) -> Result<bool, TypeMetaError> {
        type_meta::complete(object, self.0).map(|()| true)
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
        Box::new(BuiltInKind { group: self.0.group, kind: self.0.kind, convert })
    }

    fn reset_fields<'a>(&self, _: &str, _: &'a str) -> Option<ResetFields<'a>> {
        None
    }

    fn replicas_fields(&self) -> Vec<ReplicasField> {
        Vec::new()
    }
}
