//! Lists of any length, a page at a time.

use crate::{Answer, Cluster, ClusterError};
use ratchet_object::{Limits, Node, decode_json};

/// So many objects come at once: enough to be quick, few enough to stay small.
const PAGE: &str = "250";

/// What a server answers when a list took so long that its beginning is forgotten.
const GONE: u16 = 410;

/// A list under way.
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
        let mut written = format!("limit={PAGE}");
        for (name, value) in query.iter().filter(|pair| !pair.1.is_empty()) {
            written.push_str(&format!("&{name}={}", encoded(value)));
        }
        Self { cluster, path: path.to_owned(), query: written, next: Next::First }
    }

    /// The next page, or none after the last.
    pub async fn next(&mut self) -> Result<Option<Page>, ClusterError> {
        let answer = match &self.next {
            Next::Nothing => return Ok(None),
            Next::First => self.ask("").await?,
            Next::From(token) => {
                let answer = self.ask(token).await?;
                match (answer.code == GONE).then(|| continuation(&answer.body)).flatten() {
                    // The server forgot what the list began with and offers to go on with what is there now.
                    Some(token) => self.ask(&token).await?,
                    None => answer,
                }
            }
        };
        if !(200..300).contains(&answer.code) {
            return Err(self.cluster.refused(&self.path, &answer));
        }
        let page = Page { text: answer.body };
        let list = page.read().map_err(|why| self.cluster.unreadable(&self.path, &why))?;
        self.next = match list.text_at(&["metadata", "continue"]) {
            "" => Next::Nothing,
            token => Next::From(token.to_owned()),
        };
        Ok(Some(page))
    }

    async fn ask(&self, token: &str) -> Result<Answer, ClusterError> {
        let from =
            if token.is_empty() { String::new() } else { format!("&continue={}", encoded(token)) };
        self.cluster.ask(&format!("{}?{}{from}", self.path, self.query)).await
    }
}

/// A page of a list, as it came.
#[derive(Clone, Debug)]
pub struct Page {
    text: String,
}

impl Page {
    /// The list with its items.
    pub fn read(&self) -> Result<Node<'_>, String> {
        let decoded = decode_json(&self.text, Limits::STORED).map_err(|error| error.to_string())?;
        let list = decoded.documents.into_iter().next().ok_or("it is empty")?;
        if list.get("items").is_none() {
            return Err(format!("a {:?} without items", list.text_at(&["kind"])));
        }
        Ok(list)
    }

    /// The list as it came.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Where the list goes on, if it does.
fn continuation(text: &str) -> Option<String> {
    let decoded = decode_json(text, Limits::STORED).ok()?;
    let token = decoded.documents.first()?.text_at(&["metadata", "continue"]).to_owned();
    (!token.is_empty()).then_some(token)
}

/// A value as a query holds it.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_hold_any_text() {
        assert_eq!(encoded("a=b,c in (d)"), "a%3Db%2Cc%20in%20%28d%29");
        assert_eq!(encoded("grün-._~0"), "gr%C3%BCn-._~0");
    }

    #[test]
    fn a_page_is_a_list() {
        let page = |text: &str| Page { text: text.to_owned() };
        assert_eq!(
            page(r#"{"items":[{},{}]}"#).read().unwrap().get("items").unwrap().items().len(),
            2
        );
        assert!(page(r#"{"kind":"Node"}"#).read().unwrap_err().contains("without items"));
        assert!(page("<html>").read().is_err() && page("").read().is_err());
        assert_eq!(continuation(r#"{"metadata":{"continue":"x"}}"#).as_deref(), Some("x"));
        assert_eq!(continuation(r#"{"metadata":{"continue":""}}"#), None);
        assert_eq!(continuation("{}"), None);
    }
}
