//! `Pages`: a list request that follows `continue` tokens, page by page.

use crate::{Answer, Cluster, ClusterError};
use ratchet_object::{Limits, Node, decode_json, percent_encode};

/// The page size: large enough to be fast, small enough to save memory.
const PAGE: &str = "250";

/// The status for an expired continue token.
const GONE: u16 = 410;

/// A list in progress.
pub struct Pages<'c> {
    cluster: &'c Cluster,
    path: String,
    query: String,
    next: Next,
}

enum Next {
    First,
    From(String),
    Nothing,
}

impl<'c> Pages<'c> {
    pub(crate) fn new(cluster: &'c Cluster, path: &str, query: &[(&str, &str)]) -> Self {
        let mut query_string = format!("limit={PAGE}");
        for (name, value) in query.iter().filter(|pair| !pair.1.is_empty()) {
            query_string.push_str(&format!("&{name}={}", percent_encode(value)));
        }
        Self { cluster, path: path.to_owned(), query: query_string, next: Next::First }
    }

    /// The same list with pages of another size.
    #[must_use]
    pub fn with_limit(mut self, limit: u32) -> Self {
        let rest = self.query.split_once('&').map_or("", |(_, rest)| rest);
        let gap = if rest.is_empty() { "" } else { "&" };
        self.query = format!("limit={limit}{gap}{rest}");
        self
    }

    /// The same list from a page on, by its `continue` token.
    #[must_use]
    pub fn starting_from(mut self, token: &str) -> Self {
        self.next = Next::From(token.to_owned());
        self
    }

    /// The `continue` token of the next page; empty after the last.
    pub fn next_token(&self) -> &str {
        match &self.next {
            Next::From(token) => token,
            Next::First | Next::Nothing => "",
        }
    }

    /// The next page, or `None` after the last. After an error it can be called again for the same page.
    pub async fn next(&mut self) -> Result<Option<Page>, ClusterError> {
        let answer = match &self.next {
            Next::Nothing => return Ok(None),
            Next::First => self.request("").await?,
            Next::From(token) => {
                let answer = self.request(token).await?;
                match (answer.code == GONE).then(|| continuation(&answer.body)).flatten() {
                    // The token expired, and the server offers to continue with the current state.
                    Some(token) => self.request(&token).await?,
                    None => answer,
                }
            }
        };
        if !(200..300).contains(&answer.code) {
            return Err(self.cluster.refused_error(&self.path, &answer));
        }
        let page = Page { text: answer.body };
        let token = match head(&page.text) {
            Some(token) => token,
            None => {
                let unreadable = |why: String| self.cluster.unreadable_error(&self.path, &why);
                let list = page.decode().map_err(unreadable)?;
                list.text_at(&["metadata", "continue"]).to_owned()
            }
        };
        self.next = if token.is_empty() { Next::Nothing } else { Next::From(token) };
        Ok(Some(page))
    }

    async fn request(&self, token: &str) -> Result<Answer, ClusterError> {
        let from = if token.is_empty() {
            String::new()
        } else {
            format!("&continue={}", percent_encode(token))
        };
        self.cluster.ask(&format!("{}?{}{from}", self.path, self.query)).await
    }
}

/// A page of a list, as received.
#[derive(Clone, Debug)]
pub struct Page {
    text: String,
}

impl Page {
    /// Decodes the list with its items.
    pub fn decode(&self) -> Result<Node<'_>, String> {
        let decoded = decode_json(&self.text, Limits::STORED).map_err(|error| error.to_string())?;
        let list = decoded.documents.into_iter().next().ok_or("it is empty")?;
        if list.get("items").is_none() {
            return Err(format!("a {:?} without items", list.text_at(&["kind"])));
        }
        Ok(list)
    }

    /// The text of the list.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The continue token of a list whose metadata stands before its items, as API servers write it: a tree of all items
/// only for the token would take many times the memory of the text.
fn head(text: &str) -> Option<String> {
    let (before, _) = text.split_once("\"items\":[")?;
    let before = before.trim_end().strip_suffix(',')?;
    let decoded = decode_json(&format!("{before}}}"), Limits::DEFAULT).ok().map(|head| {
        let list = head.documents.first();
        list.and_then(|list| Some(list.get("metadata")?.text_at(&["continue"]).to_owned()))
    });
    decoded.flatten()
}

/// The continue token, if there is another page.
fn continuation(text: &str) -> Option<String> {
    let decoded = decode_json(text, Limits::STORED).ok()?;
    let token = decoded.documents.first()?.text_at(&["metadata", "continue"]).to_owned();
    (!token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_list() {
        let page = |text: &str| Page { text: text.to_owned() };
        assert_eq!(
            page(r#"{"items":[{},{}]}"#).decode().unwrap().get("items").unwrap().items().len(),
            2
        );
        assert!(page(r#"{"kind":"Node"}"#).decode().unwrap_err().contains("without items"));
        assert!(page("<html>").decode().is_err() && page("").decode().is_err());
        assert_eq!(continuation(r#"{"metadata":{"continue":"x"}}"#).as_deref(), Some("x"));
        assert_eq!(continuation(r#"{"metadata":{"continue":""}}"#), None);
        assert_eq!(continuation("{}"), None);
        let list = r#"{"kind":"List","metadata":{"continue":"x"},"items":[{}]}"#;
        assert_eq!(head(list).as_deref(), Some("x"));
        assert_eq!(head(r#"{"metadata":{},"items":[]}"#).as_deref(), Some(""));
        // Anything else is read as a whole.
        for text in [
            r#"{"items":[{"metadata":{"continue":"y"}}],"metadata":{"continue":"x"}}"#,
            r#"{"metadata":{"items":[]},"items":[]}"#,
            r#"{"kind":"\"items\":[","items":[]}"#,
            "<html>",
        ] {
            assert_eq!(head(text), None, "{text}");
        }
    }
}
