//! Pattern syntax errors, with Go's messages.

use core::fmt;

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    CharRange,
    Escape,
    NamedCapture,
    PerlOp,
    RepeatOp,
    RepeatSize,
    MissingBracket,
    MissingParen,
    MissingRepeatArgument,
    TrailingBackslash,
    UnexpectedParen,
    NestingDepth,
    Large,
}

impl Reason {
    const fn message(self) -> &'static str {
        match self {
            Self::CharRange => "invalid character class range",
            Self::Escape => "invalid escape sequence",
            Self::NamedCapture => "invalid named capture",
            Self::PerlOp => "invalid or unsupported Perl syntax",
            Self::RepeatOp => "invalid nested repetition operator",
            Self::RepeatSize => "invalid repeat count",
            Self::MissingBracket => "missing closing ]",
            Self::MissingParen => "missing closing )",
            Self::MissingRepeatArgument => "missing argument to repetition operator",
            Self::TrailingBackslash => "trailing backslash at end of expression",
            Self::UnexpectedParen => "unexpected )",
            Self::NestingDepth => "expression nests too deeply",
            Self::Large => "expression too large",
        }
    }
}

/// An error and the part of the pattern that caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatternError<'p> {
    pub(crate) reason: Reason,
    pub(crate) part: &'p str,
}

impl fmt::Display for PatternError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.reason.message(), self.part)
    }
}
