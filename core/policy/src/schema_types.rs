//! Types of built-in objects for the checker: a type's name is its path, as in `Pod.spec.containers.@idx`.

use alloc::format;
use alloc::string::String;
use ratchet_cel::{Type, Types};
use ratchet_object::schema::{KindRow, Shape, type_of};

/// Path element: the items of a list.
const ITEM: &str = "@idx";
/// Path element: the values of a map.
const VALUE: &str = "@elem";
/// Prefix of the parameters' type where the objects are of another kind of the same name.
const PARAMETERS: &str = "params:";
/// Fields without a type in these schemas do not exist for the reference; elsewhere they are objects without fields.
const UNTYPED: &str = "io.k8s.apiextensions-apiserver.";

/// The types of objects and parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaTypes {
    pub(crate) object: &'static KindRow,
    pub(crate) params: Option<&'static KindRow>,
}

impl SchemaTypes {
    /// The type of a kind's objects.
    pub(crate) fn root(&self, row: &'static KindRow) -> Type {
        match row.kind == self.object.kind && !core::ptr::eq(row, self.object) {
            true => Type::object(&format!("{PARAMETERS}{}", row.kind)),
            false => Type::object(row.kind),
        }
    }

    /// The field at a path.
    fn shape(&self, path: &str) -> Option<FieldShape> {
        let mut steps = path.split('.');
        let root = steps.next()?;
        let row = if root == self.object.kind { self.object } else { self.params? };
        let start = FieldShape { shape: Shape::Object(row.ty), owner: "" };
        steps.try_fold(start, FieldShape::down)
    }
}

/// A shape, and the type that has it as a field.
#[derive(Clone, Copy)]
struct FieldShape {
    shape: Shape,
    owner: &'static str,
}

impl FieldShape {
    fn down(self, step: &str) -> Option<Self> {
        let inner = match (self.shape, step) {
            (Shape::List(inner), ITEM) | (Shape::Map(inner), VALUE) => *inner,
            (Shape::Object(type_index), name) => {
                let row = type_of(type_index);
                return Some(Self { shape: row.field(name)?.shape, owner: row.id });
            }
            _ => return None,
        };
        Some(Self { shape: inner, ..self })
    }

    /// Its CEL type; none where the reference knows no type.
    fn ty(self, path: &str) -> Option<Type> {
        let below = |step: &str| self.down(step)?.ty(&format!("{path}.{step}"));
        Some(match self.shape {
            Shape::String => Type::String,
            Shape::Bytes => Type::Bytes,
            Shape::Int32 | Shape::Int64 => Type::Int,
            Shape::Float => Type::Double,
            Shape::Bool => Type::Bool,
            Shape::Time | Shape::MicroTime => Type::Timestamp,
            Shape::IntOrString => Type::Dyn,
            // Its schema is one of two, and the reference uses neither.
            Shape::Quantity => return None,
            Shape::Any if self.owner.starts_with(UNTYPED) => return None,
            Shape::Any | Shape::OneOf(_) | Shape::Object(_) => Type::object(path),
            Shape::List(_) => Type::list(below(ITEM)?),
            Shape::Map(_) => Type::map(Type::String, below(VALUE)?),
        })
    }
}

/// A field's name without the escapes that expressions use for reserved identifiers.
fn unescaped(name: &str) -> &str {
    let inner = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(name)
}

impl Types for SchemaTypes {
    fn field(&self, object: &str, field: &str) -> Option<Type> {
        let at = self.shape(object)?;
        let name = unescaped(field);
        let path: String = format!("{object}.{name}");
        match at.shape {
            Shape::Object(_) => at.down(name)?.ty(&path),
            _ => None,
        }
    }
}
