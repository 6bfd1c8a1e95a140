//! Light and dark, window and phone, paper, and a browser without script.

use crate::contrast::faint_texts;
use crate::sample;
use crate::with_page;

const BACKGROUND: &str = "getComputedStyle(document.body).backgroundColor";

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn dark_follows_the_system_until_the_reader_decides() {
    with_page(&sample::cluster(), "", |page| {
        page.prefer_dark(false);
        let light = page.text(BACKGROUND);
        page.prefer_dark(true);
        let dark = page.text(BACKGROUND);
        assert_ne!(light, dark);
        assert_eq!(page.text("document.getElementById('theme').textContent"), "Theme: auto");
        page.click("#theme");
        assert_eq!(page.text(BACKGROUND), light);
        page.click("#theme");
        page.prefer_dark(false);
        assert_eq!(page.text(BACKGROUND), dark);
        page.click("#theme");
        assert_eq!(page.text(BACKGROUND), light);
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn every_text_stands_out_in_both_themes() {
    for report in [sample::cluster(), sample::manifests(), sample::kubelets()] {
        with_page(&report, "", |page| {
            page.eval(
                "document.querySelectorAll('details').forEach((one) => { one.open = true; })",
            );
            for is_dark in [false, true] {
                page.prefer_dark(is_dark);
                assert_eq!(faint_texts(page), Vec::<String>::new(), "dark: {is_dark}");
                if !report.findings.is_empty() {
                    page.eval("document.querySelector('#rows .row:not(.group)').click()");
                    page.wait_for("document.getElementById('detail').open");
                    assert_eq!(faint_texts(page), Vec::<String>::new(), "detail, dark: {is_dark}");
                    page.press("Escape");
                    page.wait_for("!document.getElementById('detail').open");
                }
            }
        });
    }
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn a_phone_scrolls_in_one_direction() {
    for report in [sample::cluster(), sample::kubelets(), sample::hostile()] {
        with_page(&report, "", |page| {
            page.resize(360, 740, true);
            page.wait_for("window.innerWidth === 360");
            page.wait_for("document.documentElement.scrollWidth <= 360");
            if !report.findings.is_empty() {
                page.wait_for(
                    "document.querySelector('#rows .row:not(.group)').getBoundingClientRect().height > 100",
                );
                page.click("#rows .row:not(.group)");
                page.wait_for("document.getElementById('detail').open");
                page.wait_for("document.getElementById('detail-body').scrollWidth <= 360");
            }
        });
    }
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn paper_has_the_findings_of_the_view_and_no_controls() {
    with_page(&sample::cluster(), "#findings?state=frozen", |page| {
        let pdf = page.pdf();
        assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 10_000, "{} bytes", pdf.len());
        // Afterwards the page is as it was.
        page.wait_for("document.getElementById('paper').childElementCount === 0");
        page.eval(
            "window.addEventListener('beforeprint', () => { \
             window.printed = document.querySelectorAll('#paper tbody tr').length; })",
        );
        page.pdf();
        page.wait_for("window.printed === 5");
        page.emulate_print(true);
        page.wait_for("document.querySelectorAll('#paper tbody tr').length === 5");
        for hidden in ["nav", "#filters", "#grid", ".tools"] {
            let style = format!("getComputedStyle(document.querySelector({hidden:?})).display");
            assert_eq!(page.text(&style), "none", "{hidden}");
        }
        assert_eq!(
            page.text("getComputedStyle(document.getElementById('paper')).display"),
            "block"
        );
        assert_eq!(faint_texts(page), Vec::<String>::new());
        page.emulate_print(false);
        page.wait_for("document.getElementById('paper').childElementCount === 0");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn without_script_the_summary_and_a_table_are_there() {
    with_page(&sample::many(1_000), "", |page| {
        page.reload_without_script();
        assert_eq!(page.eval("document.querySelectorAll('noscript tbody tr').length"), 300);
        assert!(page.text("document.querySelector('.verdict').innerText").contains("Not yet"));
        assert!(page.text("document.body.innerText").contains("1,000 findings; the first 300"));
        assert_eq!(page.eval("document.getElementById('filters').hidden"), true);
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn long_tables_show_the_rest_on_demand() {
    let mut report = sample::kubelets();
    let one = report.certificates[0].clone();
    let more =
        (0..300).map(|at| ratchet_report::Certificate { node: format!("n{at:03}"), ..one.clone() });
    report.certificates.extend(more);
    with_page(&report, "", |page| {
        assert_eq!(
            page.text("document.querySelector('.show-rest').textContent"),
            "Show 109 nodes more"
        );
        assert_eq!(page.eval("document.querySelector('tbody.rest').hidden"), true);
        page.click(".show-rest");
        page.wait_for("!document.querySelector('tbody.rest').hidden");
    });
}
