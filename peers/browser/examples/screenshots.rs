//! Pictures of the report for the documents: `cargo xtask screenshots` runs it with the folder as its argument.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a tool of the repository"
)]
#![allow(dead_code, reason = "the tests use more of the samples")]

#[path = "../tests/report/sample.rs"]
mod sample;

use browser_peer::{Browser, Page, required_program};
use ratchet_report::{Report, render};
use std::path::Path;

/// A picture: its file, its report, the size of the window, and what is done before it is taken.
struct Picture {
    file: &'static str,
    report: fn() -> Report,
    size: (u32, u32),
    is_dark: bool,
    prepare: fn(&mut Page<'_>),
}

/// The page of a cluster on a screen, as it opens.
const SCREEN: Picture = Picture {
    file: "report-summary.png",
    report: sample::cluster,
    size: (1200, 900),
    is_dark: false,
    prepare: |_| (),
};

const PICTURES: &[Picture] = &[
    Picture { size: (1200, 1240), ..SCREEN },
    Picture { file: "report-findings.png", prepare: |page| scroll_to(page, "#findings"), ..SCREEN },
    Picture { file: "report-finding-dark.png", is_dark: true, prepare: open_finding, ..SCREEN },
    Picture {
        file: "report-pod-security.png",
        size: (1200, 1080),
        prepare: |page| scroll_to(page, "#certificates"),
        ..SCREEN
    },
    Picture {
        file: "report-phone-findings.png",
        size: (390, 844),
        prepare: |page| scroll_to(page, ".count"),
        ..SCREEN
    },
    Picture { file: "report-kubelets.png", report: sample::kubelets, ..SCREEN },
];

fn scroll_to(page: &mut Page<'_>, selector: &str) {
    page.eval(&format!("document.querySelector({selector:?}).scrollIntoView()"));
    page.eval(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))",
    );
}

fn open_finding(page: &mut Page<'_>) {
    scroll_to(page, "#findings");
    page.eval("document.querySelector('#rows .row[data-at=\"2\"]').click()");
    page.wait_for("document.getElementById('detail').open");
}

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let only = std::env::args().nth(2).unwrap_or_default();
    let mut browser = Browser::start(&required_program());
    for picture in PICTURES.iter().filter(|picture| picture.file.contains(&only)) {
        let mut page = browser.open(&render(&(picture.report)()));
        page.wait_for("document.documentElement.dataset.ready === 'true'");
        page.prefer_dark(picture.is_dark);
        page.resize(picture.size.0, picture.size.1, picture.size.0 < 760);
        (picture.prepare)(&mut page);
        let path = Path::new(&folder).join(picture.file);
        std::fs::write(&path, page.screenshot()).unwrap();
        println!("{}", path.display());
    }
}
