//! `ratchet kubelet-certs -o html` of nodes behind a real server.

use crate::cluster::Cluster;
use crate::with_page;

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn every_certificate_has_its_row_and_its_reason() {
    let cluster = Cluster::filled();
    let arguments = ["--kubelet-certificate-authority=ca.crt", "-o", "html"];
    let output = cluster.run("kubelet-certs", &arguments);
    assert_eq!(output.code, 1, "{}", output.stderr);
    with_page(&output.stdout, "", |page| {
        assert_eq!(page.eval("document.querySelectorAll('#certificates tbody tr').length"), 5);
        let first = page.text("document.querySelector('#certificates tbody tr').innerText");
        assert!(first.contains("gpu-1") || first.contains("worker-4"), "{first}");
        page.click("nav a[href='#certificates']");
        page.wait_for("location.hash === '#certificates'");
        page.click("#certificates details summary");
        page.wait_for("document.querySelector('#certificates details').open");
        let section = page.text("document.querySelector('#certificates').innerText");
        for words in ["worker-4", "1 expired, 1 within the next 30 days", "RTC-CERT-"] {
            assert!(section.contains(words), "{words}: {section}");
        }
        page.prefer_dark(true);
        page.resize(360, 740, true);
        page.wait_for("document.documentElement.scrollWidth <= 360");
    });
}
