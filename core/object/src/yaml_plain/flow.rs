//! Flow collections (`[...]` and `{...}`) on a single line.

use super::Parser;

impl Parser<'_> {
    /// Parses the collection that opens at `at` and returns the offset behind it.
    pub(super) fn flow(&mut self, mut at: usize) -> Option<usize> {
        let floor = self.open.len();
        loop {
            at = match self.source.byte(at) {
                b'[' => {
                    self.open(false, 0, at)?;
                    at = self.source.blanks(at + 1);
                    if self.source.byte(at) != b']' {
                        continue;
                    }
                    at
                }
                b'{' => {
                    self.open(true, 0, at)?;
                    at = self.source.blanks(at + 1);
                    if self.source.byte(at) != b'}' {
                        at = self.flow_key(at)?;
                        continue;
                    }
                    at
                }
                b'"' | b'\'' => self.quoted_value(at)?,
                _ => {
                    let (end, stop) = self.source.plain_in_flow(at)?;
                    self.plain_value(at, end)?;
                    stop
                }
            };
            at = self.after_flow_value(at, floor)?;
            if self.open.len() == floor {
                return Some(at);
            }
        }
    }

    /// Closes the collections that end behind a value; returns the start of the next value, or the offset
    /// behind the last bracket.
    fn after_flow_value(&mut self, mut at: usize, floor: usize) -> Option<usize> {
        loop {
            at = self.source.blanks(at);
            let is_map = self.open.last()?.is_map;
            match (self.source.byte(at), is_map) {
                (b',', _) => {
                    at = self.source.blanks(at + 1);
                    match (self.source.byte(at), is_map) {
                        // A trailing comma is allowed.
                        (b']', false) | (b'}', true) => {}
                        (_, true) => return self.flow_key(at),
                        (_, false) => return Some(at),
                    }
                }
                (b']', false) | (b'}', true) => {
                    at += 1;
                    self.close(Some(at))?;
                    if self.open.len() == floor {
                        return Some(at);
                    }
                }
                _ => return None,
            }
        }
    }

    /// Parses a key and returns the start of its value.
    fn flow_key(&mut self, at: usize) -> Option<usize> {
        let colon = if matches!(self.source.byte(at), b'"' | b'\'') {
            let (name, end) = self.source.quoted(at)?;
            let colon = self.source.blanks(end);
            self.key(name, at, end, colon)?;
            colon
        } else {
            let (end, colon) = self.source.plain_in_flow(at)?;
            // Behind a plain key, the colon is an indicator only before a blank.
            if self.source.byte(colon + 1) != b' ' {
                return None;
            }
            self.plain_key(at, end, colon)?;
            colon
        };
        (self.source.byte(colon) == b':').then(|| self.source.blanks(colon + 1))
    }
}
