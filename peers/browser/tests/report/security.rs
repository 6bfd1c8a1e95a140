//! Hostile names: text everywhere, script and markup nowhere, and nothing leaves the page.

use crate::sample;
use crate::with_page;
use browser_peer::{Browser, required_program};
use ratchet_report::render;

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn hostile_names_are_text() {
    with_page(&sample::hostile(), "", |page| {
        assert_eq!(page.eval("typeof window.pwned"), "undefined");
        assert_eq!(page.eval("document.querySelectorAll('img, iframe, object').length"), 0);
        assert_eq!(page.eval("document.querySelectorAll('script').length"), 2);
        // One after the other is opened in full.
        page.eval("document.querySelector('#rows .row:not(.group)').click()");
        for _ in sample::HOSTILE {
            page.wait_for("document.getElementById('detail').open");
            page.eval("document.getElementById('next').click()");
        }
        let links = page.eval(
            "[...document.querySelectorAll('a')].filter((one) => !one.getAttribute('href').startsWith('#')).length",
        );
        assert_eq!(links, 0);
        assert_eq!(page.eval("typeof window.pwned"), "undefined");
        assert_eq!(
            page.eval("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)"),
            false
        );
        assert!(page.text("document.body.innerText").contains("\\u{202e}gnp.exe"));
        page.press("Escape");
        page.wait_for("!document.getElementById('detail').open");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn a_link_to_hostile_names_filters_by_them() {
    with_page(&sample::hostile(), "", |page| {
        for name in sample::HOSTILE {
            let name = serde_json::Value::from(*name).to_string();
            page.eval("document.getElementById('clear').click()");
            page.eval(&format!("location.hash = '#findings?rule=' + encodeURIComponent({name})"));
            page.wait_for(
                "document.getElementById('count').textContent === '1 of 11 findings in 1 group'",
            );
        }
        assert_eq!(page.eval("typeof window.pwned"), "undefined");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn the_security_policy_stops_what_would_slip_in() {
    let html = render(&sample::cluster()).replace(
        "<footer>",
        "<script>window.pwned = 1</script><img src=\"http://127.0.0.1:1/x.png\" onerror=\"window.pwned = 1\"><footer>",
    );
    let mut browser = Browser::start(&required_program());
    let mut page = browser.open(&html);
    page.wait_for("document.documentElement.dataset.ready === 'true'");
    assert_eq!(page.eval("typeof window.pwned"), "undefined");
    let complaints = page.complaints().join("\n");
    assert!(complaints.contains("Content Security Policy"), "{complaints}");
}
