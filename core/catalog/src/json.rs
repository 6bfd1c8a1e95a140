//! Streaming JSON writer, so that no document has to be a tree in memory.

use alloc::string::String;

use ratchet_object::write_text;

/// A JSON text under construction; commas are inserted automatically.
pub(crate) struct Json {
    out: String,
}

impl Json {
    /// Writes one object from its members.
    pub(crate) fn document(members: impl FnOnce(&mut Self)) -> String {
        let mut json = Self { out: String::new() };
        json.braces('{', '}', members);
        json.out
    }

    /// Writes members without the braces around them.
    pub(crate) fn members(members: impl FnOnce(&mut Self)) -> String {
        let mut json = Self { out: String::new() };
        members(&mut json);
        json.out
    }

    /// The same with a newline, which the API server appends to all but the OpenAPI documents.
    pub(crate) fn line(members: impl FnOnce(&mut Self)) -> String {
        let mut text = Self::document(members);
        text.push('\n');
        text
    }

    /// Writes a comma, unless this is the first in its object or list, or the value of a member.
    fn gap(&mut self) {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(',');
        }
    }

    fn braces(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) {
        self.gap();
        self.out.push(open);
        inside(self);
        self.out.push(close);
    }

    /// Writes the name of a member; its value comes next.
    pub(crate) fn key(&mut self, name: &str) -> &mut Self {
        self.text(name);
        self.out.push(':');
        self
    }

    /// Writes a string.
    pub(crate) fn text(&mut self, text: &str) {
        self.gap();
        // Writing to a String cannot fail.
        let _ = write_text(&mut self.out, text);
    }

    /// Writes a value that is JSON already.
    pub(crate) fn raw(&mut self, text: &str) {
        self.gap();
        self.out.push_str(text);
    }

    /// Writes a boolean.
    pub(crate) fn flag(&mut self, truth: bool) {
        self.gap();
        self.out.push_str(if truth { "true" } else { "false" });
    }

    /// Writes an object.
    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.braces('{', '}', members);
    }

    /// Writes a list.
    pub(crate) fn list(&mut self, items: impl FnOnce(&mut Self)) {
        self.braces('[', ']', items);
    }

    /// Writes a string member.
    pub(crate) fn pair(&mut self, name: &str, text: &str) {
        self.key(name).text(text);
    }

    /// Writes a string member, unless it is empty.
    pub(crate) fn pair_if_any(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.pair(name, text);
        }
    }

    /// Writes a string list member.
    pub(crate) fn texts(&mut self, name: &str, texts: &[&str]) {
        self.key(name).list(|json| texts.iter().for_each(|text| json.text(text)));
    }

    /// Writes a string list member, unless it is empty.
    pub(crate) fn texts_if_any(&mut self, name: &str, texts: &[&str]) {
        if !texts.is_empty() {
            self.texts(name, texts);
        }
    }
}
