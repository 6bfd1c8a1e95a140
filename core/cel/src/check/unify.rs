//! Type unification: assignability, and the inference of type variables.

use crate::Type;
use crate::library::Signature;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Type variables and their bindings.
#[derive(Default)]
pub(super) struct Unifier {
    bound: Vec<Option<Type>>,
    /// The bindings before each change, so that a failed attempt can be undone.
    trail: Vec<(usize, Option<Type>)>,
}

impl Unifier {
    /// A new type variable.
    pub(super) fn fresh(&mut self) -> Type {
        self.bound.push(None);
        Type::Var(u32::try_from(self.bound.len() - 1).unwrap_or(u32::MAX))
    }

    /// A signature with its type parameters replaced by new type variables.
    pub(super) fn instantiate(&mut self, signature: &Signature) -> Signature {
        let mut substitutions: Vec<(char, Type)> = Vec::new();
        let mut put = |ty: &Type| self.replace(ty, &mut substitutions);
        let parameters = signature.parameters.iter().map(&mut put).collect();
        let result = put(&signature.result);
        Signature { name: signature.name.clone(), member: signature.member, parameters, result }
    }

    fn replace(&mut self, ty: &Type, substitutions: &mut Vec<(char, Type)>) -> Type {
        if let Type::Param(letter) = ty {
            if let Some((_, instance)) = substitutions.iter().find(|(other, _)| other == letter) {
                return instance.clone();
            }
            let fresh = self.fresh();
            substitutions.push((*letter, fresh.clone()));
            return fresh;
        }
        rebuild(ty, &mut |inner| self.replace(inner, substitutions))
    }

    fn find(&self, ty: &Type) -> Option<&Type> {
        match ty {
            Type::Var(number) => self.bound.get(usize::try_from(*number).ok()?)?.as_ref(),
            _ => None,
        }
    }

    fn bind(&mut self, variable: &Type, ty: Type) {
        let Type::Var(number) = variable else { return };
        let Ok(index) = usize::try_from(*number) else { return };
        if let Some(slot) = self.bound.get_mut(index) {
            self.trail.push((index, slot.replace(ty)));
        }
    }

    fn undo(&mut self, mark: usize) {
        for (index, before) in self.trail.drain(mark..).rev() {
            if let Some(slot) = self.bound.get_mut(index) {
                *slot = before;
            }
        }
    }

    /// A type with its variables replaced by their bindings; unbound ones become
    /// `dyn` if `to_dyn` is set.
    pub(super) fn substitute(&self, ty: &Type, to_dyn: bool) -> Type {
        if let Some(bound_type) = self.find(ty) {
            return self.substitute(bound_type, to_dyn);
        }
        match ty {
            Type::Var(_) | Type::Param(_) if to_dyn => Type::Dyn,
            _ => rebuild(ty, &mut |inner| self.substitute(inner, to_dyn)),
        }
    }

    /// Whether `one` is assignable to `other`; if so, keeps the bindings that this implies.
    pub(super) fn assignable(&mut self, one: &Type, other: &Type) -> bool {
        let mark = self.trail.len();
        let fits = self.fits(one, other);
        if !fits {
            self.undo(mark);
        }
        fits
    }

    /// The same, for two lists of types pairwise.
    pub(super) fn all_assignable(&mut self, ones: &[Type], others: &[Type]) -> bool {
        let mark = self.trail.len();
        let fits = self.all_fit(ones, others);
        if !fits {
            self.undo(mark);
        }
        fits
    }

    fn all_fit(&mut self, ones: &[Type], others: &[Type]) -> bool {
        ones.len() == others.len()
            && ones.iter().zip(others).all(|(one, other)| self.fits(one, other))
    }

    fn fits(&mut self, one: &Type, other: &Type) -> bool {
        if is_variable(other) {
            match self.bind_variable(one, other) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if is_variable(one) {
            return self.bind_variable(other, one).0;
        }
        match (one, other) {
            (Type::Dyn | Type::Error, _) | (_, Type::Dyn | Type::Error) => true,
            (Type::Null, ty) | (ty, Type::Null) => nullable(ty),
            (Type::TypeOf(_) | Type::Meta, Type::TypeOf(_) | Type::Meta) => true,
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
                self.fits(a, b)
            }
            (Type::Map(a, b), Type::Map(c, d)) => self.fits(a, c) && self.fits(b, d),
            _ => one == other,
        }
    }

    /// Whether a variable can be bound to a type, and whether it was bound before.
    fn bind_variable(&mut self, ty: &Type, variable: &Type) -> (bool, bool) {
        if ty == variable {
            return (true, true);
        }
        if let Some(bound_type) = self.find(variable).cloned() {
            if *ty == bound_type {
                return (true, true);
            }
            if !self.fits(ty, &bound_type) {
                return (false, true);
            }
            let general = most_general(ty, &bound_type).clone();
            if self.absent(variable, &general) {
                self.bind(variable, general);
            }
            return (true, true);
        }
        if self.absent(variable, ty) {
            self.bind(variable, ty.clone());
            return (true, false);
        }
        (false, false)
    }

    /// The occurs check: whether a variable does not occur in a type.
    fn absent(&self, variable: &Type, container: &Type) -> bool {
        if variable == container {
            return false;
        }
        match container {
            Type::Var(_) => {
                self.find(container).is_none_or(|bound_type| self.absent(variable, bound_type))
            }
            Type::List(inner) | Type::Optional(inner) | Type::TypeOf(inner) => {
                self.absent(variable, inner)
            }
            Type::Map(key, value) => self.absent(variable, key) && self.absent(variable, value),
            _ => true,
        }
    }
}

fn is_variable(ty: &Type) -> bool {
    matches!(ty, Type::Var(_) | Type::Param(_))
}

/// Types that include `null`.
fn nullable(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Null
            | Type::Optional(_)
            | Type::Opaque(_)
            | Type::Object(_)
            | Type::Duration
            | Type::Timestamp
    )
}

/// The more general of two types that unify.
pub(super) fn most_general<'a>(one: &'a Type, other: &'a Type) -> &'a Type {
    if less_specific(one, other) { one } else { other }
}

fn less_specific(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Dyn | Type::Var(_) | Type::Param(_), _) => true,
        (_, Type::Dyn | Type::Var(_) | Type::Param(_)) => false,
        (Type::TypeOf(_) | Type::Meta, Type::TypeOf(_) | Type::Meta) => true,
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
            less_specific(a, b)
        }
        (Type::Map(a, b), Type::Map(c, d)) => less_specific(a, c) && less_specific(b, d),
        _ => one == other,
    }
}

/// The same type with its inner types replaced.
fn rebuild(ty: &Type, replace: &mut dyn FnMut(&Type) -> Type) -> Type {
    match ty {
        Type::List(inner) => Type::List(Arc::new(replace(inner))),
        Type::Optional(inner) => Type::Optional(Arc::new(replace(inner))),
        Type::TypeOf(inner) => Type::TypeOf(Arc::new(replace(inner))),
        Type::Map(key, value) => Type::Map(Arc::new(replace(key)), Arc::new(replace(value))),
        other => other.clone(),
    }
}
