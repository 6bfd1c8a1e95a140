//! Words that Kubernetes or Rust have a better one for: none of them names anything in the code again.

use crate::tokens::Token;
use crate::violation::Violation;

/// What a word named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// Anything: a type, a variable, a field.
    Name,
    /// A function that the code defines. Calls are no concern: other crates have such functions too.
    Function,
    /// A module or its file.
    Module,
}

/// A word and the one that took its place.
struct OldWord {
    /// The word; `*` at its beginning stands for any text.
    old: &'static str,
    new: &'static str,
    named: Named,
    /// Prefixes of the paths where it is old; everywhere if empty.
    within: &'static [&'static str],
    /// Prefixes of the paths where it means something else.
    except: &'static [&'static str],
}

const fn name(old: &'static str, new: &'static str) -> OldWord {
    OldWord { old, new, named: Named::Name, within: &[], except: &[] }
}

const fn function(old: &'static str, new: &'static str) -> OldWord {
    OldWord { old, new, named: Named::Function, within: &[], except: &[] }
}

const fn module(old: &'static str, new: &'static str) -> OldWord {
    OldWord { old, new, named: Named::Module, within: &[], except: &[] }
}

const ENGINE: &[&str] = &["core/engine/"];
const SERVER: &[&str] = &["doors/server/"];

const WORDS: &[OldWord] = &[
    name("Around", "ClusterReader"),
    name("Ask", "RequestInfo"),
    name("Asked", "RequestContext"),
    name("Book", "PolicySet"),
    OldWord { within: SERVER, ..name("Call", "ResourceRequest") },
    name("ClusterView", "ClusterReader"),
    // Tests inject faults.
    OldWord {
        within: &["core/allocation/", "core/cel/"],
        ..name("Fault", "AllocationError` or `EvalError")
    },
    name("FaultKind", "EvalErrorKind"),
    // Streams of bytes flow.
    OldWord { except: &["peers/kubelet/", "ratchet/benches/"], ..name("Flow", "KindValidation") },
    OldWord { within: ENGINE, ..name("Form", "NameFormat") },
    name("Habits", "Strategy"),
    name("Happened", "EventKind"),
    name("Kept", "StoredValues"),
    name("Lent", "NamespaceIndex"),
    name("Meter", "Metrics"),
    name("Misfit", "SchemaViolation"),
    name("Moment", "CreateContext"),
    name("Oddity", "ViolationKind"),
    name("Offences", "ViolationBuilder"),
    name("Pen", "FieldErrors"),
    name("Place", "ResourcePath` or `LineColumn"),
    OldWord { within: ENGINE, ..name("Policy", "ApiConfig") },
    name("PolicyBook", "PolicySet"),
    name("Problem", "FieldError"),
    name("Reading", "FieldCheck"),
    name("Refusal", "StatusError"),
    OldWord { within: &["core/admission/"], ..name("Request", "Attributes") },
    name("Said", "Findings"),
    name("Scene", "ValidationContext"),
    // A verdict of a test on what a client got.
    OldWord { except: &["ratchet/tests/"], ..name("Served", "ServedResource") },
    name("Sheet", "DocumentRef"),
    name("Shelf", "ResourceCache"),
    name("Site", "AdmissionScope"),
    name("Spot", "Label"),
    name("Surroundings", "ClusterReader"),
    OldWord { within: &["core/"], ..name("Tally", "PodSecurityMetrics") },
    name("Told", "Warnings` or `AuditRecord"),
    name("Tried", "Attributes"),
    name("View", "ClusterReader"),
    name("Within", "LoopbackClient"),
    name("asked", "requested"),
    name("dresses", "encodings"),
    name("habits", "strategy"),
    name("misfit", "violation"),
    name("pen", "errs"),
    name("said", "message"),
    name("scene", "ctx"),
    name("shelf", "resource_cache"),
    name("shelves", "resource_caches"),
    name("shown", "format_value"),
    name("told", "warnings"),
    function("*_notes", "…_warnings"),
    function("birth", "fill_system_fields"),
    function("dress", "encode"),
    function("json_patch_oddities", "json_patch_warnings"),
    function("label_problems", "label_field_errors"),
    function("misfits", "schema_violations"),
    function("older_words", "messages_before_1_33"),
    function("read_stored", "decode_stored"),
    function("renewal", "preserve_system_fields"),
    function("respell", "canonicalize"),
    function("told_key", "etcd_key"),
    // Random words are words.
    OldWord { except: &["fuzz/"], ..function("word", "as_str") },
    module("exam", "conformance"),
    OldWord { except: &["ratchet/benches/"], ..module("flows", "validation") },
    module("habits", "strategy"),
    module("older_words", "messages_before_1_33"),
    module("respell", "canonicalize"),
    module("shelf", "resource"),
    module("surroundings", "cluster"),
];

/// Reports every old word among the identifiers of a Rust file, and in its own name; comments and texts may have them.
pub(super) fn check(path: &str, tokens: &[Token<'_>]) -> Vec<Violation> {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
    let rows: Vec<&OldWord> = WORDS
        .iter()
        .filter(|row| (row.within.is_empty() || begins(row.within)) && !begins(row.except))
        .collect();
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let Some(word) = token.identifier() else { continue };
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        found.extend(
            rows.iter().filter(|row| row.names(word, before)).map(|row| {
                Violation::new(path, token.line, format!("`{word}`: write `{}`", row.new))
            }),
        );
    }
    let steps = path.split('/').map(|step| step.strip_suffix(".rs").unwrap_or(step));
    for (step, row) in steps.flat_map(|step| rows.iter().map(move |row| (step, row))) {
        if row.named == Named::Module && row.is(step) {
            let what = format!("module `{step}`: write `{}`", row.new);
            found.push(Violation::new(path, 1, what));
        }
    }
    found
}

impl OldWord {
    /// Whether an identifier, with the token before it, is this word in its place.
    fn names(&self, word: &str, before: Option<&Token<'_>>) -> bool {
        let follows = |keyword: &str| before.is_some_and(|token| token.is(keyword));
        let is_named_so = match self.named {
            Named::Name => true,
            Named::Function => follows("fn"),
            Named::Module => follows("mod"),
        };
        is_named_so && self.is(word)
    }

    fn is(&self, word: &str) -> bool {
        match self.old.strip_prefix('*') {
            Some(end) => word.ends_with(end),
            None => word == self.old,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(path, &tokens::of(text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_old_word_fails_with_the_new_one() {
        assert_eq!(
            found("doors/server/src/cache.rs", "use a::B;\nstruct Shelf(B);\nfn birth() {}\n"),
            [
                "doors/server/src/cache.rs:2: `Shelf`: write `ResourceCache`",
                "doors/server/src/cache.rs:3: `birth`: write `fill_system_fields`"
            ]
        );
        assert_eq!(found("a.rs", "fn pod_notes() {}").len(), 1);
        assert_eq!(found("a.rs", "mod flows;").len(), 1);
        let file = found("core/engine/src/flows/pod.rs", "");
        assert_eq!(file, ["core/engine/src/flows/pod.rs:1: module `flows`: write `validation`"]);
    }

    #[test]
    fn every_row_can_fail() {
        for row in WORDS {
            let path = format!("{}a.rs", row.within.first().unwrap_or(&"core/net/"));
            let word = row.old.replace('*', "x");
            let text = match row.named {
                Named::Name => format!("let x: {word};"),
                Named::Function => format!("fn {word}() {{}}"),
                Named::Module => format!("mod {word};"),
            };
            let what = format!("`{word}`: write `{}`", row.new);
            assert!(found(&path, &text).iter().any(|found| found.ends_with(&what)), "{text}");
            for path in row.except {
                assert_eq!(
                    found(&format!("{path}a.rs"), &text),
                    Vec::<String>::new(),
                    "{path}: {text}"
                );
            }
        }
    }

    #[test]
    fn comments_texts_calls_and_other_words_are_fine() {
        for text in [
            "// a Shelf of pens\nlet x = \"Shelf\";",
            "let x = word(y);",
            "struct Bookshelf;",
            "let notes = own_notes;",
            "fn notes() {}",
        ] {
            assert_eq!(found("core/net/src/a.rs", text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_word_is_old_only_where_it_was_used_so() {
        assert_eq!(found("core/engine/src/a.rs", "struct Policy;").len(), 1);
        assert_eq!(found("core/policy/src/a.rs", "struct Policy;"), Vec::<String>::new());
        assert_eq!(found("doors/server/src/a.rs", "struct Call;").len(), 1);
        assert_eq!(found("core/cel/src/a.rs", "struct Call;"), Vec::<String>::new());
    }
}
