//! The type checker: the type of each expression, and the declarations that names and calls refer to.

mod calls;
mod literals;
mod reference;
mod unify;

pub(crate) use reference::Reference;

use crate::Type;
use crate::environment::Environment;
use crate::syntax::{Comprehension, Entry, Expr, Kind, SourceError, StructField};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use unify::Unifier;

/// The result of a check, by expression id.
pub(crate) struct Checked {
    pub(crate) types: Vec<Type>,
    /// The declarations that names and calls refer to.
    pub(crate) references: Vec<Reference>,
}

/// Checks an expression with `count` subexpressions.
pub(crate) fn check(
    environment: &Environment,
    expr: &Expr,
    count: usize,
) -> Result<Checked, Vec<SourceError>> {
    let mut checker = Checker {
        environment,
        types: vec![Type::Error; count],
        references: vec![Reference::None; count],
        scopes: Vec::new(),
        unifier: Unifier::default(),
        errors: Vec::new(),
    };
    checker.check(expr);
    let Checker { mut types, references, unifier, mut errors, .. } = checker;
    for ty in &mut types {
        *ty = unifier.substitute(ty, true);
    }
    if errors.is_empty() {
        literals::check(expr, &types, environment.version(), &mut errors);
    }
    if errors.is_empty() { Ok(Checked { types, references }) } else { Err(errors) }
}

struct Checker<'e> {
    environment: &'e Environment,
    types: Vec<Type>,
    references: Vec<Reference>,
    /// Loop variables in scope, the innermost last.
    scopes: Vec<(String, Type)>,
    unifier: Unifier,
    errors: Vec<SourceError>,
}

impl Checker<'_> {
    fn check(&mut self, expr: &Expr) {
        let ty = match &expr.kind {
            Kind::Literal(value) => value.type_of(),
            Kind::Ident(name) => self.ident(expr, name),
            Kind::Select { operand, field, test } => self.select(expr, operand, field, *test),
            Kind::Call { target, function, arguments } => {
                self.call(expr, target.as_deref(), function, arguments)
            }
            Kind::List(items) => self.list(items),
            Kind::Map(entries) => self.map(entries),
            Kind::Struct { name, fields } => self.message(expr, name, fields),
            Kind::Comprehension(fold) => self.fold(fold),
        };
        self.set(expr, ty);
    }

    fn set(&mut self, expr: &Expr, ty: Type) {
        if let Some(slot) = self.types.get_mut(expr.id) {
            *slot = ty;
        }
    }

    fn set_reference(&mut self, expr: &Expr, reference: Reference) {
        if let Some(slot) = self.references.get_mut(expr.id) {
            *slot = reference;
        }
    }

    fn type_of(&self, expr: &Expr) -> Type {
        self.types.get(expr.id).cloned().unwrap_or(Type::Error)
    }

    fn report(&mut self, expr: &Expr, message: String) {
        self.errors.push(SourceError { at: Some(expr.at), message });
    }

    fn undeclared(&mut self, expr: &Expr, name: &str) -> Type {
        self.report(expr, format!("undeclared reference to '{name}' (in container '')"));
        Type::Error
    }

    fn mismatch(&mut self, expr: &Expr, expected: &Type, actual: &Type) {
        self.report(expr, format!("expected type '{expected}' but found '{actual}'"));
    }

    /// The type and the declaration of a name; `None` if it is undeclared.
    fn lookup(&self, name: &str) -> Option<(Type, Reference)> {
        let plain = name.strip_prefix('.').unwrap_or(name);
        if let Some((_, ty)) = self.scopes.iter().rev().find(|(declared, _)| declared == plain) {
            return Some((ty.clone(), Reference::Variable(plain.into())));
        }
        self.environment.lookup(plain)
    }

    fn ident(&mut self, expr: &Expr, name: &str) -> Type {
        match self.lookup(name) {
            Some((ty, reference)) => {
                self.set_reference(expr, reference);
                ty
            }
            None => self.undeclared(expr, name),
        }
    }

    fn select(&mut self, expr: &Expr, operand: &Expr, field: &str, test: bool) -> Type {
        if !test
            && let Some(name) = expr.qualified_name()
            && let Some((ty, reference)) = self.lookup(&name)
        {
            self.set_reference(expr, reference);
            return ty;
        }
        let ty = self.field(expr, operand, field, false);
        if test { Type::Bool } else { self.unifier.substitute(&ty, false) }
    }

    fn field(&mut self, expr: &Expr, operand: &Expr, field: &str, optional: bool) -> Type {
        self.check(operand);
        let operand = self.unifier.substitute(&self.type_of(operand), false);
        let (target, wrapped) = match &operand {
            Type::Optional(inner) => (inner.as_ref().clone(), true),
            other => (other.clone(), false),
        };
        let field_type = match &target {
            Type::Map(_, value) => value.as_ref().clone(),
            Type::Object(name) => match self.environment.field(name, field) {
                Some(ty) => ty,
                None => {
                    self.report(expr, format!("undefined field '{field}'"));
                    Type::Error
                }
            },
            Type::Var(_) => {
                self.unifier.assignable(&Type::Dyn, &target);
                Type::Dyn
            }
            Type::Dyn | Type::Error => Type::Dyn,
            other => {
                self.report(expr, format!("type '{other}' does not support field selection"));
                Type::Dyn
            }
        };
        if wrapped || optional { Type::optional(field_type) } else { field_type }
    }

    fn list(&mut self, items: &[(Expr, bool)]) -> Type {
        let mut joined = None;
        for (item, optional) in items {
            self.check(item);
            let ty = self.unwrapped(item, *optional);
            joined = Some(self.join(joined, ty));
        }
        Type::list(joined.unwrap_or_else(|| self.unifier.fresh()))
    }

    fn map(&mut self, entries: &[Entry]) -> Type {
        let mut joined: (Option<Type>, Option<Type>) = (None, None);
        for entry in entries {
            self.check(&entry.key);
            let key = self.type_of(&entry.key);
            joined.0 = Some(self.join(joined.0.take(), key));
            self.check(&entry.value);
            let value = self.unwrapped(&entry.value, entry.optional);
            joined.1 = Some(self.join(joined.1.take(), value));
        }
        let key = joined.0.unwrap_or_else(|| self.unifier.fresh());
        let value = joined.1.unwrap_or_else(|| self.unifier.fresh());
        Type::map(key, value)
    }

    /// The type of an item; one marked with `?` must be an optional.
    fn unwrapped(&mut self, item: &Expr, optional: bool) -> Type {
        let ty = self.type_of(item);
        if !optional {
            return ty;
        }
        match ty {
            Type::Optional(inner) => inner.as_ref().clone(),
            Type::Dyn => ty,
            other => {
                self.mismatch(item, &Type::optional(other.clone()), &other);
                other
            }
        }
    }

    /// The type that items share; that they share one is checked later.
    fn join(&mut self, before: Option<Type>, ty: Type) -> Type {
        let Some(before) = before else { return ty };
        if self.unifier.assignable(&before, &ty) {
            return unify::most_general(&before, &ty).clone();
        }
        Type::Dyn
    }

    fn message(&mut self, expr: &Expr, name: &str, fields: &[StructField]) -> Type {
        let ty = match self.lookup(name) {
            None => return self.undeclared(expr, name),
            Some((Type::TypeOf(inner), _)) if matches!(*inner, Type::Object(_)) => {
                inner.as_ref().clone()
            }
            Some((Type::TypeOf(inner), _)) => {
                self.report(expr, format!("'{}' is not a message type", inner.full_name()));
                Type::Error
            }
            Some((other, _)) => {
                self.report(expr, format!("'{}' is not a type", other.full_name()));
                Type::Error
            }
        };
        for field in fields {
            self.check(&field.value);
            let provided = self.unwrapped(&field.value, field.optional);
            if let Type::Object(message) = &ty {
                self.message_field(message, field, &provided);
            }
        }
        ty
    }

    /// Checks the type that a literal provides for a field of a message.
    fn message_field(&mut self, message: &str, field: &StructField, provided: &Type) {
        let name = &field.name;
        let (declared, fits) = match self.environment.message_field(message, name) {
            Some(declared) => {
                let fits = self.unifier.assignable(&declared, provided);
                (alloc::string::ToString::to_string(&declared), fits)
            }
            // The reference has the field, but no type for it.
            None => (String::new(), matches!(provided, Type::Dyn | Type::Error)),
        };
        if !fits {
            let provided = self.unifier.substitute(provided, true);
            let message = format!(
                "expected type of field '{name}' is '{declared}' but provided type is '{provided}'"
            );
            self.errors.push(SourceError { at: Some(field.at), message });
        }
    }

    fn fold(&mut self, fold: &Comprehension) -> Type {
        self.check(&fold.range);
        self.check(&fold.start);
        let range = self.unifier.substitute(&self.type_of(&fold.range), false);
        let accumulator = self.type_of(&fold.start);
        let depth = self.scopes.len();
        self.scopes.push((fold.accumulator.clone(), accumulator.clone()));
        let two = fold.second.is_some();
        let (item, second) = match &range {
            Type::List(item) if two => (Type::Int, item.as_ref().clone()),
            Type::List(item) => (item.as_ref().clone(), Type::Error),
            Type::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.unifier.assignable(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension \
                     (must be list, map, or dynamic)"
                );
                self.report(&fold.range, message);
                (Type::Error, Type::Error)
            }
        };
        self.scopes.push((fold.item.clone(), item));
        if let Some(name) = &fold.second {
            self.scopes.push((name.clone(), second));
        }
        self.check(&fold.condition);
        self.expect_type(&fold.condition, &Type::Bool);
        self.check(&fold.step);
        self.expect_type(&fold.step, &accumulator);
        self.scopes.truncate(depth + 1);
        self.check(&fold.result);
        self.scopes.truncate(depth);
        self.unifier.substitute(&self.type_of(&fold.result), false)
    }

    fn expect_type(&mut self, expr: &Expr, expected: &Type) {
        let actual = self.type_of(expr);
        if !self.unifier.assignable(expected, &actual) {
            self.mismatch(expr, expected, &actual);
        }
    }
}
