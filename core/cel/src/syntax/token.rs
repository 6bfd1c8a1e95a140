//! `TokenKind`: the tokens of the language.

/// What the lexer found: an operator, a bracket, a literal, a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Equal,
    NotEqual,
    In,
    Less,
    LessEqual,
    GreaterEqual,
    Greater,
    And,
    Or,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    Dot,
    Comma,
    Minus,
    Not,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    Text,
    Bytes,
    Ident,
    EscapedIdent,
    End,
}

/// Punctuation, the longer ones first.
pub(super) const SIGNS: &[(&str, TokenKind)] = &[
    ("==", TokenKind::Equal),
    ("!=", TokenKind::NotEqual),
    ("<=", TokenKind::LessEqual),
    (">=", TokenKind::GreaterEqual),
    ("&&", TokenKind::And),
    ("||", TokenKind::Or),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("[", TokenKind::OpenBracket),
    ("]", TokenKind::CloseBracket),
    ("{", TokenKind::OpenBrace),
    ("}", TokenKind::CloseBrace),
    ("(", TokenKind::OpenParen),
    (")", TokenKind::CloseParen),
    (".", TokenKind::Dot),
    (",", TokenKind::Comma),
    ("-", TokenKind::Minus),
    ("!", TokenKind::Not),
    ("?", TokenKind::Question),
    (":", TokenKind::Colon),
    ("+", TokenKind::Plus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
];

/// Literals that look like identifiers.
pub(super) const KEYWORDS: &[(&str, TokenKind)] = &[
    ("in", TokenKind::In),
    ("true", TokenKind::True),
    ("false", TokenKind::False),
    ("null", TokenKind::Null),
];

/// Identifiers that are reserved.
pub(crate) const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// The tokens that can begin an expression, as the reference lists them.
pub(super) const BEGINNINGS: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
     NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// The same, where a key may also be optional.
pub(super) const BEGINNINGS_OR_OPTIONAL: &str = "{'[', '{', '(', '.', '-', '!', '?', 'true', \
     'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// The same, where a call may also end.
pub(super) const BEGINNINGS_OR_CLOSE: &str = "{'[', '{', '(', ')', '.', '-', '!', 'true', \
     'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
