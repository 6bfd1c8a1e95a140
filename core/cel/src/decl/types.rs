//! Types of declared data for the checker: a type's name is its path, as in `selfType.spec.ports.@idx`.

use super::{DeclKind, DeclType};
use crate::{Type, Types};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

/// The name of the type of `self`; the reference appends a number.
const SELF: &str = "selfType";
/// Path element: the items of a list.
const ITEM: &str = "@idx";
/// Path element: the values of a map.
const VALUE: &str = "@elem";

/// The types of `self`, and of all that is below it.
#[derive(Clone, Debug)]
pub struct SelfTypes {
    root: Arc<DeclType>,
    name: Cow<'static, str>,
}

impl SelfTypes {
    /// The types of a declaration.
    pub fn new(root: Arc<DeclType>) -> Self {
        Self { root, name: Cow::Borrowed(SELF) }
    }

    /// The same where the root has a name of its own, such as that of a kind.
    pub fn named(root: Arc<DeclType>, name: String) -> Self {
        Self { root, name: Cow::Owned(name) }
    }

    /// The type of `self`; `None` if expressions cannot name such values.
    pub fn self_type(&self) -> Option<Type> {
        self.root.is_exposed().then(|| cel_type(&self.root, &self.name))
    }

    fn find(&self, path: &str) -> Option<&DeclType> {
        let mut steps = path.split('.');
        steps.next().filter(|root| *root == self.name)?;
        steps.try_fold(&*self.root, |ty, step| match (&ty.kind, step) {
            (DeclKind::List { items, .. }, ITEM) => Some(&**items),
            (DeclKind::Map { values }, VALUE) => Some(&**values),
            (DeclKind::Object(fields), name) => fields.identified(name).map(|field| &*field.ty),
            _ => None,
        })
    }
}

impl Types for SelfTypes {
    fn field(&self, object: &str, field: &str) -> Option<Type> {
        let DeclKind::Object(fields) = &self.find(object)?.kind else { return None };
        let declared = fields.identified(field)?;
        declared.ty.is_exposed().then(|| {
            let identifier = declared.identifier.as_deref().unwrap_or(field);
            cel_type(&declared.ty, &format!("{object}.{identifier}"))
        })
    }
}

/// The CEL type of a declared type at a path.
fn cel_type(ty: &DeclType, path: &str) -> Type {
    match &ty.kind {
        DeclKind::Bool => Type::Bool,
        DeclKind::Int => Type::Int,
        DeclKind::Double => Type::Double,
        DeclKind::String => Type::String,
        DeclKind::Bytes => Type::Bytes,
        DeclKind::Duration => Type::Duration,
        DeclKind::Date | DeclKind::DateTime => Type::Timestamp,
        DeclKind::IntOrString | DeclKind::Preserved => Type::Dyn,
        DeclKind::List { items, .. } => Type::list(cel_type(items, &format!("{path}.{ITEM}"))),
        DeclKind::Map { values } => {
            Type::map(Type::String, cel_type(values, &format!("{path}.{VALUE}")))
        }
        DeclKind::Object(_) => Type::object(path),
    }
}
