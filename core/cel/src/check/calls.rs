//! Which functions a call can mean.

use super::{Checker, Meaning};
use crate::Type;
use crate::environment::Known;
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
                Some(known) => self.resolve(expr, plain, &known, None, arguments),
            };
        };
        if let Some(space) = target.qualified_name() {
            let name = format!("{}.{function}", space.strip_prefix('.').unwrap_or(&space));
            if let Some(known) = self.environment.functions(&name) {
                return self.resolve_namespaced(expr, &name, &known, arguments);
            }
        }
        self.check(target);
        match self.environment.functions(function) {
            None => self.undeclared(expr, function),
            Some(known) => self.resolve(expr, function, &known, Some(target), arguments),
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
        known: &[Known],
        arguments: &[Expr],
    ) -> Type {
        let ty = self.resolve(expr, name, known, None, arguments);
        if let Some(Meaning::Calls { namespaced, .. }) = self.meanings.get_mut(expr.id) {
            *namespaced = true;
        }
        ty
    }

    fn resolve(
        &mut self,
        expr: &Expr,
        name: &str,
        known: &[Known],
        target: Option<&Expr>,
        arguments: &[Expr],
    ) -> Type {
        let found: Vec<Type> =
            target.into_iter().chain(arguments).map(|part| self.type_of(part)).collect();
        if matches!(name, "_&&_" | "_||_") {
            return self.logical(expr, known, arguments, &found);
        }
        let mut result: Option<Type> = None;
        let mut overloads = Vec::new();
        for candidate in known {
            let signature = &candidate.signature;
            if signature.member != target.is_some() {
                continue;
            }
            let fresh = self.unifier.instantiate(signature);
            if !self.unifier.all_assignable(&found, &fresh.parameters) {
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
            let shown = self.applied(&found, target.is_some());
            let message = format!("found no matching overload for '{name}' applied to '{shown}'");
            self.report(expr, message);
            return Type::Error;
        };
        self.mean(expr, Meaning::Calls { overloads, namespaced: false });
        result
    }

    /// `&&` and `||` say which of their terms is not a bool.
    fn logical(
        &mut self,
        expr: &Expr,
        known: &[Known],
        arguments: &[Expr],
        found: &[Type],
    ) -> Type {
        let mut result = Type::Bool;
        for (argument, ty) in arguments.iter().zip(found) {
            if !self.unifier.assignable(ty, &Type::Bool) {
                self.mismatch(argument, &Type::Bool, ty);
                result = Type::Error;
            }
        }
        self.mean(expr, Meaning::Calls { overloads: known.to_vec(), namespaced: false });
        result
    }

    /// The types of arguments, as the reference writes them: `string.(int)`.
    fn applied(&self, found: &[Type], member: bool) -> String {
        let mut shown = String::new();
        let mut types = found.iter().map(|ty| self.unifier.substitute(ty, true));
        if member && let Some(receiver) = types.next() {
            let _ = write!(shown, "{receiver}.");
        }
        shown.push('(');
        for (index, ty) in types.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let _ = write!(shown, "{comma}{ty}");
        }
        shown.push(')');
        shown
    }
}
