//! The HTML report in a real browser: filters, order, links, keys, themes, sizes, paper, and hostile names.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod contrast;
mod list;
mod looks;
mod sample;
mod security;

use browser_peer::{Browser, Page, required_program};
use ratchet_report::{Report, render};

/// Opens a report and waits until its script is done.
fn with_page(report: &Report, fragment: &str, look: impl FnOnce(&mut Page<'_>)) {
    let mut browser = Browser::start(&required_program());
    let mut page = browser.open_at(&render(report), fragment);
    page.wait_for("document.documentElement.dataset.ready === 'true'");
    look(&mut page);
    assert_eq!(page.complaints(), Vec::<String>::new());
    assert_eq!(page.requests(), Vec::<String>::new());
}

/// The number that the live region gives.
fn count(page: &mut Page<'_>) -> String {
    page.text("document.getElementById('count').textContent")
}
