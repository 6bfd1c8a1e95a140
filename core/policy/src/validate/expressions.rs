//! Validation of a policy's expressions: each is compiled, and its error reported.

use crate::environment::{PolicyEnvironment, Use};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use ratchet_cel::{Environment, Program};
use ratchet_engine::field_validation::{FieldErrors, ValidationContext};
use ratchet_net::Quoted;
use ratchet_object::{At, Node};

/// The release whose functions stored expressions may use: everything that this server knows.
pub(crate) const STORED: (u32, u32) = (1, 36);

/// The environments of one policy's expressions.
pub(super) struct Expressions<'a> {
    /// For new expressions, which an older server must be able to compile as well.
    new: PolicyEnvironment,
    /// For stored expressions.
    stored: PolicyEnvironment,
    /// For match conditions, which have no variables.
    plain_new: PolicyEnvironment,
    plain_stored: PolicyEnvironment,
    old: Option<At<'a>>,
    /// The conditions of a stored webhook configuration.
    stored_conditions: BTreeSet<String>,
}

impl<'a> Expressions<'a> {
    /// Those of a validating policy, which has variables if it declares some.
    pub(super) fn new(spec: &At<'_>, ctx: &ValidationContext<'a>) -> Self {
        Self::composed(spec, !spec.field("variables").is_empty(), ctx)
    }

    /// Those of a policy; `composed` is whether `variables` is declared.
    pub(super) fn composed(spec: &At<'_>, composed: bool, ctx: &ValidationContext<'a>) -> Self {
        let has_params = spec.field("paramKind").is_set();
        let compatible = (1, u32::from(ctx.config.emulated.minor()).saturating_sub(1));
        let plain = |base: &Environment| PolicyEnvironment::new(base, has_params).plain();
        let policy_environment = |base: &Environment| match composed {
            true => PolicyEnvironment::new(base, has_params),
            false => plain(base),
        };
        let new = Environment::kubernetes(compatible);
        // Nothing of a new policy is stored.
        let stored = match ctx.change.is_create() {
            true => new.clone(),
            false => Environment::kubernetes(STORED),
        };
        Self {
            new: policy_environment(&new),
            stored: policy_environment(&stored),
            plain_new: plain(&new),
            plain_stored: plain(&stored),
            old: ctx.change.old_root().map(|root| root.field("spec")),
            stored_conditions: BTreeSet::new(),
        }
    }

    /// Those of a webhook configuration, which has match conditions only.
    pub(super) fn of_webhooks(root: &At<'_>, ctx: &ValidationContext<'a>) -> Self {
        let stored = ctx.change.old_root().map(|old| old.field("webhooks"));
        let hooks = stored.as_ref().and_then(At::node).map(Node::items).unwrap_or_default();
        let conditions =
            hooks.iter().filter_map(|hook| hook.get("matchConditions")).flat_map(Node::items);
        let stored_conditions =
            conditions.map(|row| row.text_at(&["expression"]).to_string()).collect();
        Self { stored_conditions, ..Self::composed(root, false, ctx) }
    }

    /// Whether a list of the stored policy has an item with this text.
    fn is_stored(&self, list: &'static str, name: &str, text: &str) -> bool {
        let Some(old) = &self.old else { return false };
        let rows = old.field(list);
        let has = |row: &Node<'_>| row.text_at(&[name]) == text;
        rows.node().is_some_and(|rows| rows.items().iter().any(has))
    }

    fn policy_environment(&self, is_stored: bool) -> &PolicyEnvironment {
        if is_stored { &self.stored } else { &self.new }
    }

    pub(super) fn condition(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let is_stored = self.is_stored("matchConditions", "expression", text)
            || self.stored_conditions.contains(text);
        let policy_environment = match is_stored {
            true => &self.plain_stored,
            false => &self.plain_new,
        };
        report_error(policy_environment.compile(text, Use::Condition), at, text, errs);
    }

    pub(super) fn variable(
        &mut self,
        name: &str,
        at: &At<'_>,
        text: &str,
        errs: &mut FieldErrors<'_, '_>,
    ) {
        let is_stored = self.is_stored("validations", "expression", text);
        let compiled = self.policy_environment(is_stored).compile(text, Use::Variable);
        let ty = compiled.as_ref().ok().map(Program::result).cloned();
        self.new.declare(name, ty.as_ref());
        self.stored.declare(name, ty.as_ref());
        report_error(compiled, at, text, errs);
    }

    pub(super) fn validation(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let is_stored = self.is_stored("validations", "expression", text);
        report_error(
            self.policy_environment(is_stored).compile(text, Use::Condition),
            at,
            text,
            errs,
        );
    }

    pub(super) fn message(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let is_stored = self.is_stored("validations", "messageExpression", text);
        report_error(
            self.policy_environment(is_stored).compile(text, Use::Message),
            at,
            text,
            errs,
        );
    }

    /// Compiles the expression of a mutation. Whether it is stored is decided as the reference does: by the apply
    /// configurations of the stored policy, for JSON patches too.
    pub(super) fn mutation(
        &self,
        at: &At<'_>,
        text: &str,
        use_: Use,
        errs: &mut FieldErrors<'_, '_>,
    ) {
        let original = at.text_or_empty();
        let has = |row: &Node<'_>| row.text_at(&["applyConfiguration", "expression"]) == original;
        let mutations = self.old.as_ref().map(|old| old.field("mutations"));
        let rows = mutations.as_ref().and_then(At::node).map(Node::items).unwrap_or_default();
        let is_stored = rows.iter().any(has);
        report_error(self.policy_environment(is_stored).compile(text, use_), at, text, errs);
    }

    /// Compiles the trimmed text, and reports the original one.
    pub(super) fn annotation(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let original = at.text_or_empty();
        let is_stored = self.is_stored("auditAnnotations", "valueExpression", original);
        report_error(
            self.policy_environment(is_stored).compile(text, Use::Annotation),
            at,
            original,
            errs,
        );
    }
}

fn report_error<T>(
    compiled: Result<T, String>,
    at: &At<'_>,
    text: &str,
    errs: &mut FieldErrors<'_, '_>,
) {
    if let Err(error) = compiled {
        errs.invalid_as(at, Quoted(text).to_string(), error);
    }
}

/// Identifiers that are reserved in expressions.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Whether a text can be an identifier in expressions.
pub(super) fn is_identifier(text: &str) -> bool {
    let is_part = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    text.bytes().next().is_some_and(|byte| is_part(byte) && !byte.is_ascii_digit())
        && text.bytes().all(is_part)
        && !RESERVED.contains(&text)
}
