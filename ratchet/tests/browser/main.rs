//! `-o html` of the commands in a real browser, and the pictures of the documents.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod audit;
mod check;
mod cluster;
mod kubelet_certs;
mod many;
mod pictures;

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../kubelets/mod.rs"]
#[allow(dead_code, reason = "only a part of it is needed here")]
mod kubelets;
#[path = "../server/mod.rs"]
#[allow(dead_code, reason = "only a part of it is needed here")]
mod server;

use browser_peer::{Browser, Page, required_program};

/// Opens a page of a command, and asserts that it runs no script of strangers, complains of nothing and fetches nothing.
fn with_page(html: &str, fragment: &str, look: impl FnOnce(&mut Page<'_>)) {
    let mut browser = Browser::start(&required_program());
    let mut page = browser.open_at(html, fragment);
    page.wait_for("document.documentElement.dataset.ready === 'true'");
    look(&mut page);
    assert_eq!(page.eval("typeof window.pwned"), "undefined");
    assert_eq!(page.complaints(), Vec::<String>::new());
    assert_eq!(page.requests(), Vec::<String>::new());
}

/// Waits until the list says how many findings it has.
fn wait_for_count(page: &mut Page<'_>, words: &str) {
    page.wait_for(&format!("document.getElementById('count').textContent.startsWith({words:?})"));
}
