//! The expressions of a policy that is being written: each is compiled, and told why it cannot be.

use crate::environment::{Grounds, Use};
use alloc::string::ToString;
use ratchet_cel::{Environment, Program};
use ratchet_engine::writing::{FieldErrors, ValidationContext};
use ratchet_net::Quoted;
use ratchet_object::{At, Node};

/// What stored expressions may use: everything that this server knows.
pub(crate) const STORED: (u32, u32) = (1, 36);

/// What the expressions of one policy may name.
pub(super) struct Expressions<'a> {
    /// For expressions that are new, which an older server must be able to read as well.
    new: Grounds,
    /// For those that are stored already.
    stored: Grounds,
    /// Match conditions know no variables.
    plain_new: Grounds,
    plain_stored: Grounds,
    old: Option<At<'a>>,
}

impl<'a> Expressions<'a> {
    pub(super) fn new(spec: &At<'_>, ctx: &ValidationContext<'a>) -> Self {
        let has_params = spec.field("paramKind").is_set();
        let composed = !spec.field("variables").is_empty();
        let compatible = (1, u32::from(ctx.policy.emulated.minor()).saturating_sub(1));
        let plain = |base: &Environment| Grounds::new(base, has_params).plain();
        let grounds = |base: &Environment| match composed {
            true => Grounds::new(base, has_params),
            false => plain(base),
        };
        let new = Environment::kubernetes(compatible);
        // Of a new policy nothing is stored.
        let stored = match ctx.change.is_create() {
            true => new.clone(),
            false => Environment::kubernetes(STORED),
        };
        Self {
            new: grounds(&new),
            stored: grounds(&stored),
            plain_new: plain(&new),
            plain_stored: plain(&stored),
            old: ctx.change.old_root().map(|root| root.field("spec")),
        }
    }

    /// Whether a list of the stored policy has a row with this text.
    fn is_stored(&self, list: &'static str, name: &str, text: &str) -> bool {
        let Some(old) = &self.old else { return false };
        let rows = old.field(list);
        let has = |row: &Node<'_>| row.text_at(&[name]) == text;
        rows.node().is_some_and(|rows| rows.items().iter().any(has))
    }

    fn grounds(&self, is_stored: bool) -> &Grounds {
        if is_stored { &self.stored } else { &self.new }
    }

    pub(super) fn condition(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let grounds = match self.is_stored("matchConditions", "expression", text) {
            true => &self.plain_stored,
            false => &self.plain_new,
        };
        tell(grounds.compile(text, Use::Condition), at, text, errs);
    }

    pub(super) fn variable(
        &mut self,
        name: &str,
        at: &At<'_>,
        text: &str,
        errs: &mut FieldErrors<'_, '_>,
    ) {
        let is_stored = self.is_stored("validations", "expression", text);
        let compiled = self.grounds(is_stored).compile(text, Use::Variable);
        let ty = compiled.as_ref().ok().map(Program::result).cloned();
        self.new.declare(name, ty.as_ref());
        self.stored.declare(name, ty.as_ref());
        tell(compiled, at, text, errs);
    }

    pub(super) fn validation(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let is_stored = self.is_stored("validations", "expression", text);
        tell(self.grounds(is_stored).compile(text, Use::Condition), at, text, errs);
    }

    pub(super) fn message(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let is_stored = self.is_stored("validations", "messageExpression", text);
        tell(self.grounds(is_stored).compile(text, Use::Message), at, text, errs);
    }

    /// The text is trimmed before it is compiled, and shown as it was written.
    pub(super) fn annotation(&self, at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
        let written = at.text_or_empty();
        let is_stored = self.is_stored("auditAnnotations", "valueExpression", written);
        tell(self.grounds(is_stored).compile(text, Use::Annotation), at, written, errs);
    }
}

fn tell<T>(
    compiled: Result<T, alloc::string::String>,
    at: &At<'_>,
    text: &str,
    errs: &mut FieldErrors<'_, '_>,
) {
    if let Err(why) = compiled {
        errs.invalid_as(at, Quoted(text).to_string(), why);
    }
}

/// Words that cannot be names in expressions.
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

/// Whether a text can be a name in expressions.
pub(super) fn is_identifier(text: &str) -> bool {
    let is_part = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    text.bytes().next().is_some_and(|byte| is_part(byte) && !byte.is_ascii_digit())
        && text.bytes().all(is_part)
        && !RESERVED.contains(&text)
}
