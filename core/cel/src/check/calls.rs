//! Overload resolution of calls.

use super::{Checker, Reference};
use crate::Type;
use crate::library::OverloadDecl;
use crate::syntax::{Expr, Kind};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        expr: &Expr,
        target: Option<&Expr>,
        function: &str,
        arguments: &[Expr],
    ) -> Type {
        if function == "_?._" {
            return self.optional_field(expr, arguments);
        }
        for argument in arguments {
            self.check(argument);
        }
        let plain = function.strip_prefix('.').unwrap_or(function);
        let Some(target) = target else {
            return match self.environment.functions(plain) {
                None => self.undeclared(expr, function),
                Some(overloads) => self.resolve(expr, plain, &overloads, None, arguments),
            };
        };
        if let Some(space) = target.qualified_name() {
            let name = format!("{}.{function}", space.strip_prefix('.').unwrap_or(&space));
            if let Some(overloads) = self.environment.functions(&name) {
                return self.resolve_namespaced(expr, &name, &overloads, arguments);
            }
        }
        self.check(target);
        match self.environment.functions(function) {
            None => self.undeclared(expr, function),
            Some(overloads) => self.resolve(expr, function, &overloads, Some(target), arguments),
        }
    }

    fn optional_field(&mut self, expr: &Expr, arguments: &[Expr]) -> Type {
        let [operand, label] = arguments else { return Type::Error };
        let Kind::Literal(name) = &label.kind else { return Type::Error };
        let ty = self.field(expr, operand, name.as_text().unwrap_or_default(), true);
        self.unifier.substitute(&ty, false)
    }

    fn resolve_namespaced(
        &mut self,
        expr: &Expr,
        name: &str,
        overloads: &[OverloadDecl],
        arguments: &[Expr],
    ) -> Type {
        let ty = self.resolve(expr, name, overloads, None, arguments);
        if let Some(Reference::Calls { namespaced, .. }) = self.references.get_mut(expr.id) {
            *namespaced = true;
        }
        ty
    }

    fn resolve(
        &mut self,
        expr: &Expr,
        name: &str,
        candidates: &[OverloadDecl],
        target: Option<&Expr>,
        arguments: &[Expr],
    ) -> Type {
        let argument_types: Vec<Type> =
            target.into_iter().chain(arguments).map(|part| self.type_of(part)).collect();
        if matches!(name, "_&&_" | "_||_") {
            return self.logical(expr, candidates, arguments, &argument_types);
        }
        let mut result: Option<Type> = None;
        let mut overloads = Vec::new();
        for candidate in candidates {
            let signature = &candidate.signature;
            if signature.member != target.is_some() {
                continue;
            }
            let fresh = self.unifier.instantiate(signature);
            if !self.unifier.all_assignable(&argument_types, &fresh.parameters) {
                continue;
            }
            overloads.push(candidate.clone());
            let ty = self.unifier.substitute(&fresh.result, false);
            result = Some(match result {
                None => ty,
                Some(before) if before == Type::Dyn || before == ty => before,
                Some(_) => Type::Dyn,
            });
        }
        let Some(result) = result else {
            let signature = self.applied(&argument_types, target.is_some());
            let message =
                format!("found no matching overload for '{name}' applied to '{signature}'");
            self.report(expr, message);
            return Type::Error;
        };
        self.set_reference(expr, Reference::Calls { overloads, namespaced: false });
        result
    }

    /// `&&` and `||` report which of their terms is not a bool.
    fn logical(
        &mut self,
        expr: &Expr,
        candidates: &[OverloadDecl],
        arguments: &[Expr],
        argument_types: &[Type],
    ) -> Type {
        let mut result = Type::Bool;
        for (argument, ty) in arguments.iter().zip(argument_types) {
            if !self.unifier.assignable(ty, &Type::Bool) {
                self.mismatch(argument, &Type::Bool, ty);
                result = Type::Error;
            }
        }
        self.set_reference(
            expr,
            Reference::Calls { overloads: candidates.to_vec(), namespaced: false },
        );
        result
    }

    /// The types of arguments, as the reference formats them: `string.(int)`.
    fn applied(&self, argument_types: &[Type], member: bool) -> String {
        let mut signature = String::new();
        let mut types = argument_types.iter().map(|ty| self.unifier.substitute(ty, true));
        if member && let Some(receiver) = types.next() {
            let _ = write!(signature, "{receiver}.");
        }
        signature.push('(');
        for (index, ty) in types.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let _ = write!(signature, "{comma}{ty}");
        }
        signature.push(')');
        signature
    }
}
