//! The Perl and POSIX character classes.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

type Row = (&'static str, &'static [(char, char)]);

const PERL: [Row; 3] = [
    ("d", &[('0', '9')]),
    ("s", &[('\t', '\n'), ('\x0c', '\r'), (' ', ' ')]),
    ("w", &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
];

const POSIX: [Row; 14] = [
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("ascii", &[('\0', '\x7f')]),
    ("blank", &[('\t', '\t'), (' ', ' ')]),
    ("cntrl", &[('\0', '\x1f'), ('\x7f', '\x7f')]),
    ("digit", &[('0', '9')]),
    ("graph", &[('!', '~')]),
    ("lower", &[('a', 'z')]),
    ("print", &[(' ', '~')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", &[('\t', '\r'), (' ', ' ')]),
    ("upper", &[('A', 'Z')]),
    ("word", &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

/// The class of `\d`, `\s`, `\w`, and whether its letter negates it.
pub(super) fn perl(letter: char) -> Option<(ClassUnicode, bool)> {
    let mut buf = [0; 4];
    let name = letter.to_ascii_lowercase().encode_utf8(&mut buf);
    find(&PERL, name).map(|class| (class, letter.is_ascii_uppercase()))
}

/// The class of the name in `[:name:]`, and whether a `^` before it negates it.
pub(super) fn posix(name: &str) -> Option<(ClassUnicode, bool)> {
    match name.strip_prefix('^') {
        Some(name) => find(&POSIX, name).map(|class| (class, true)),
        None => find(&POSIX, name).map(|class| (class, false)),
    }
}

fn find(rows: &[Row], name: &str) -> Option<ClassUnicode> {
    let (_, ranges) = rows.iter().find(|row| row.0 == name)?;
    Some(ClassUnicode::new(ranges.iter().map(|&(lo, hi)| ClassUnicodeRange::new(lo, hi))))
}
