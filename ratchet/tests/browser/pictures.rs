//! The pictures of the documents, taken of a real audit: `cargo xtask screenshots` runs it with the folder in a variable.

use crate::cluster::Cluster;
use crate::harness::Folder;
use crate::server::free_port;
use browser_peer::{Browser, Page, required_program};
use std::net::TcpListener;
use std::path::PathBuf;

/// The variable with the folder for the pictures; without it they are taken and thrown away.
const FOLDER: &str = "RATCHET_PICTURES";

/// The port of API servers.
const USUAL_PORT: u16 = 6443;

/// A picture: its file, whether it is of the kubelets alone, the size of the window, and what is done before it is taken.
struct Picture {
    file: &'static str,
    is_of_kubelets: bool,
    size: (u32, u32),
    is_dark: bool,
    prepare: fn(&mut Page<'_>),
}

/// The page of a cluster on a screen, as it opens.
const SCREEN: Picture = Picture {
    file: "report-summary.png",
    is_of_kubelets: false,
    size: (1200, 900),
    is_dark: false,
    prepare: |_| (),
};

const PICTURES: &[Picture] = &[
    Picture { size: (1200, 1180), ..SCREEN },
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
    Picture { file: "report-kubelets.png", is_of_kubelets: true, ..SCREEN },
];

fn scroll_to(page: &mut Page<'_>, selector: &str) {
    page.eval(&format!("document.querySelector({selector:?}).scrollIntoView()"));
    page.eval(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))",
    );
}

fn open_finding(page: &mut Page<'_>) {
    scroll_to(page, "#findings");
    page.click("#rows .row:not(.group)");
    page.wait_for("document.getElementById('detail').open");
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn pictures_are_taken_of_a_real_audit() {
    let own = Folder::with(&[]);
    let folder = std::env::var_os(FOLDER).map_or_else(|| own.path(""), PathBuf::from);
    // The usual port, if nobody has it, because the pictures show it.
    let is_free = TcpListener::bind(("127.0.0.1", USUAL_PORT)).is_ok();
    let cluster = Cluster::filled_on(if is_free { USUAL_PORT } else { free_port() });
    let audit = cluster.audit(&["-o", "html"]);
    assert_eq!(audit.code, 1, "{}", audit.stderr);
    let arguments = ["--kubelet-certificate-authority=ca.crt", "-o", "html"];
    let kubelets = cluster.run("kubelet-certs", &arguments);
    assert_eq!(kubelets.code, 1, "{}", kubelets.stderr);
    let mut browser = Browser::start(&required_program());
    for picture in PICTURES {
        let html = if picture.is_of_kubelets { &kubelets.stdout } else { &audit.stdout };
        let mut page = browser.open(html);
        page.wait_for("document.documentElement.dataset.ready === 'true'");
        page.prefer_dark(picture.is_dark);
        page.resize(picture.size.0, picture.size.1, picture.size.0 < 760);
        (picture.prepare)(&mut page);
        let bytes = page.screenshot();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{}", picture.file);
        std::fs::write(folder.join(picture.file), bytes).unwrap();
    }
}
