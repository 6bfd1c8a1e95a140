//! Modules of a crate: what each file defines, imports and names, read from its source.

use crate::tokens::{self, Token};
use std::collections::{BTreeMap, BTreeSet};

/// Source texts by their paths below `src/`.
pub(super) type Sources = BTreeMap<String, String>;

/// A module; several may stand in one file.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The path below `src/`.
    pub(super) file: String,
    /// The index of the parent; none for the root.
    pub(super) parent: Option<usize>,
    pub(super) children: BTreeMap<String, usize>,
    /// The names that it defines.
    pub(super) items: BTreeSet<String>,
    pub(super) imports: Vec<Import>,
    /// The paths in its code, which have at least two segments.
    pub(super) paths: Vec<Path>,
    /// The first words of all names in its code.
    pub(super) words: BTreeSet<String>,
    /// The folder of the files of its children.
    folder: String,
}

/// One name that a `use` declaration imports.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) path: Path,
    /// The name in the importing module; none for a glob.
    pub(super) alias: Option<String>,
    /// Whether it is a re-export.
    pub(super) is_public: bool,
}

/// A path in source code.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) segments: Vec<String>,
    pub(super) line: usize,
}

/// The modules of a crate, the root first. A module whose file does not exist below `src/` has no index.
pub(super) fn of(sources: &Sources, root: &str) -> Vec<Module> {
    let mut modules = vec![Module { file: root.to_owned(), ..Module::default() }];
    let mut next = 0;
    while let Some(module) = modules.get(next) {
        // An inline module was read together with its file.
        let is_inline = module
            .parent
            .and_then(|parent| modules.get(parent))
            .is_some_and(|parent| parent.file == module.file);
        if let Some(text) = sources.get(&module.file).filter(|_| !is_inline) {
            let tokens = tokens::without_tests(&tokens::of(text));
            ModuleParser { sources, tokens: &tokens, at: 0, modules: &mut modules }.parse(next);
        }
        next += 1;
    }
    modules
}

/// Parses the tokens of one file.
struct ModuleParser<'a, 't> {
    sources: &'a Sources,
    tokens: &'a [Token<'t>],
    at: usize,
    modules: &'a mut Vec<Module>,
}

/// Keywords before the name of an item.
const DEFINITIONS: &[&str] =
    &["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];

impl ModuleParser<'_, '_> {
    /// Parses the contents of a module, up to the bracket that closes it.
    fn parse(&mut self, module: usize) {
        let (mut depth, mut is_public) = (0_usize, false);
        while let Some(&token) = self.tokens.get(self.at) {
            let is_field = self.is_field();
            let mut was_public = false;
            if token.is("{") {
                depth += 1;
                self.at += 1;
            } else if token.is("}") {
                self.at += 1;
                if depth == 0 {
                    return;
                }
                depth -= 1;
            } else if is_field || token.identifier().is_none() {
                self.at += 1;
            } else if token.is("pub") {
                was_public = true;
                self.at += 1;
                if self.is(self.at, "(")
                    && self
                        .identifier(self.at + 1)
                        .is_some_and(|word| ["crate", "super", "self", "in"].contains(&word))
                {
                    self.at = tokens::group_end(self.tokens, self.at);
                }
            } else if token.is("mod") && self.identifier(self.at + 1).is_some() {
                self.child(module);
            } else if token.is("use") && !self.is(self.at + 1, "<") {
                self.at += 1;
                self.import(module, &Path { segments: Vec::new(), line: token.line }, is_public);
            } else if DEFINITIONS.contains(&token.text) {
                self.definition(module, depth);
            } else {
                self.path(module);
            }
            is_public = was_public;
        }
    }

    /// Whether the word here belongs to what stands before it: `x.word`, `>::word`; not `..word`.
    fn is_field(&self) -> bool {
        let is_before = |distance: usize, text: &str| {
            self.at.checked_sub(distance).is_some_and(|before| self.is(before, text))
        };
        is_before(1, "::") || (is_before(1, ".") && !is_before(2, "."))
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn identifier(&self, at: usize) -> Option<&str> {
        self.tokens.get(at).and_then(Token::identifier)
    }

    /// Reads `mod name;` or `mod name { … }`.
    fn child(&mut self, parent: usize) {
        let name = self.identifier(self.at + 1).unwrap_or_default().to_owned();
        let Some(module) = self.modules.get(parent) else { return };
        let is_inline = self.is(self.at + 2, "{");
        let below = match module.folder.is_empty() {
            true => name.clone(),
            false => format!("{}/{name}", module.folder),
        };
        let files = [format!("{below}.rs"), format!("{below}/mod.rs")];
        let file = match is_inline {
            true => Some(module.file.clone()),
            false => files.into_iter().find(|file| self.sources.contains_key(file)),
        };
        self.at += 3;
        let Some(file) = file else { return };
        let index = self.modules.len();
        self.modules.push(Module {
            file,
            parent: Some(parent),
            folder: below,
            ..Module::default()
        });
        if let Some(module) = self.modules.get_mut(parent) {
            module.children.insert(name, index);
        }
        if is_inline {
            self.parse(index);
        }
    }

    /// Reads the name of an item, which belongs to the module unless it stands in a block.
    fn definition(&mut self, module: usize, depth: usize) {
        self.at += if self.is(self.at, "macro_rules") { 2 } else { 1 };
        if self
            .identifier(self.at)
            .is_none_or(|word| ["fn", "unsafe", "async", "extern", "mut"].contains(&word))
        {
            return;
        }
        let name = self.identifier(self.at).unwrap_or_default().to_owned();
        if let Some(module) = self.modules.get_mut(module).filter(|_| depth == 0) {
            module.items.insert(name);
        }
        self.at += 1;
    }

    /// Reads a tree of imports, up to and with its `;`, `,` or before its `}`.
    fn import(&mut self, module: usize, prefix: &Path, is_public: bool) {
        let mut path = prefix.clone();
        let mut alias = None;
        while let Some(token) = self.tokens.get(self.at).copied() {
            self.at += 1;
            if token.is("{") {
                while self.at < self.tokens.len() && !self.is(self.at, "}") {
                    self.import(module, &path, is_public);
                }
                self.at += 1;
                if self.is(self.at, ";") || self.is(self.at, ",") {
                    self.at += 1;
                }
                return;
            } else if token.is(";") || token.is(",") {
                break;
            } else if token.is("}") {
                self.at -= 1;
                break;
            } else if token.is("as") {
                alias = self.identifier(self.at).map(str::to_owned);
                self.at += 1;
            } else if token.is("*") {
                alias = Some(token.text.to_owned());
            } else if let Some(word) = token.identifier() {
                if word != "self" || path.segments.is_empty() {
                    path.segments.push(word.to_owned());
                }
                path.line = token.line;
            }
        }
        let alias = alias.or_else(|| path.segments.last().cloned()).filter(|alias| alias != "*");
        if let Some(module) = self.modules.get_mut(module).filter(|_| !path.segments.is_empty()) {
            module.imports.push(Import { path, alias, is_public });
        }
    }

    /// Reads a name or a path in code.
    fn path(&mut self, module: usize) {
        let line = self.tokens.get(self.at).map_or(1, |token| token.line);
        let mut segments: Vec<String> =
            self.identifier(self.at).map(str::to_owned).into_iter().collect();
        self.at += 1;
        while self.is(self.at, "::") && self.identifier(self.at + 1).is_some() {
            segments.extend(self.identifier(self.at + 1).map(str::to_owned));
            self.at += 2;
        }
        let Some(module) = self.modules.get_mut(module) else { return };
        module.words.extend(segments.first().cloned());
        if segments.len() > 1 {
            module.paths.push(Path { segments, line });
        }
    }
}
