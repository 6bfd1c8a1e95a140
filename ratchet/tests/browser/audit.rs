//! `ratchet audit -o html` of a server with legacy values: what the page says is what `-o json` says.

use crate::cluster::Cluster;
use crate::{wait_for_count, with_page};
use browser_peer::Page;
use serde_json::Value;

/// The number of findings that something is true of.
fn number(report: &Value, is_it: impl Fn(&Value) -> bool) -> usize {
    report["findings"].as_array().unwrap().iter().filter(|row| is_it(row)).count()
}

/// Sets a control as a person would, with its event.
fn choose(page: &mut Page<'_>, id: &str, value: &str) {
    page.eval(&format!(
        "(() => {{ const one = document.getElementById('{id}'); one.value = {value:?}; \
         one.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
    ));
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn the_page_of_a_real_audit_has_its_numbers_and_its_filters_work() {
    let cluster = Cluster::filled();
    cluster.add_hostile();
    let report = cluster.audit(&["-o", "json"]).json();
    let html = cluster.audit(&["-o", "html"]);
    assert_eq!(html.code, 1, "{}", html.stderr);
    let all = number(&report, |_| true);
    let frozen = number(&report, |row| row["state"] == "frozen");
    assert!(frozen > 3 && all > frozen, "{frozen} of {all}");
    let mut link = String::new();
    with_page(&html.stdout, "", |page| {
        summary(page, &report);
        wait_for_count(page, &format!("{all} findings"));
        page.click("#states [data-state=frozen]");
        wait_for_count(page, &format!("{frozen} of {all} findings"));
        let in_shop = |row: &Value| row["object"]["namespace"] == "shop";
        let both = number(&report, |row| row["state"] == "frozen" && in_shop(row));
        assert!(both > 0 && both < frozen, "{both} of {frozen}");
        choose(page, "namespace", "shop");
        wait_for_count(page, &format!("{both} of {all} findings"));
        assert_eq!(page.text("location.hash"), "#findings?state=frozen&namespace=shop");
        page.click("#clear");
        wait_for_count(page, &format!("{all} findings"));
        page.eval("document.getElementById('q').focus()");
        page.insert_text("allow-warehouse 192.168.10.7/24");
        let policy = number(&report, |row| row["object"]["name"] == "allow-warehouse");
        wait_for_count(page, &format!("{policy} of {all} findings"));
        page.click("#clear");
        choose(page, "group", "");
        page.click("[data-sort=object]");
        page.wait_for(
            "document.querySelector('[data-sort=object]').parentElement.ariaSort === 'ascending'",
        );
        page.click("#rows .row:not(.group)");
        page.wait_for("document.getElementById('detail').open");
        link = page.text("location.hash");
    });
    assert!(link.starts_with("#f-"), "{link}");
    with_page(&html.stdout, &link, |page| {
        page.wait_for("document.getElementById('detail').open");
        assert_eq!(page.text("location.hash"), link);
    });
    everything_else(&html.stdout, &report);
}

/// The summary: the answer, the numbers, and who has to act.
fn summary(page: &mut Page<'_>, report: &Value) {
    assert_eq!(
        page.text("document.querySelector('.question').innerText"),
        "Can we upgrade to 1.36?"
    );
    assert_eq!(page.text("document.querySelector('.verdict h2').innerText.trim()"), "Not yet");
    let last = &report["summary"]["targets"][1];
    for (tile, member) in [
        ("frozen", "frozen"),
        ("refused-on-create", "refused"),
        ("warns", "warned"),
        ("passes", "fine"),
    ] {
        let number = page.text(&format!("document.querySelector('.tile.{tile} b').innerText"));
        assert_eq!(number, last[member].to_string(), "{tile}");
    }
    let owners = page.text("document.querySelector('.owners').innerText");
    for owner in ["storefront", "payments", "Helm release", "Argo CD application", "Flux"] {
        assert!(owners.contains(owner), "{owner}: {owners}");
    }
    page.click(".tile.frozen a");
    page.wait_for("document.getElementById('target').value === '1.36'");
    page.click("#clear");
    page.click(".owners a");
    page.wait_for("document.getElementById('owner').value !== ''");
    page.click("#clear");
}

/// Pod Security, certificates and topics; every link of the page leads to a part of it.
fn everything_else(html: &str, report: &Value) {
    with_page(html, "", |page| {
        let rows = |part: &str| format!("document.querySelectorAll('#{part} tbody tr').length");
        let namespaces = report["namespaces"].as_array().unwrap().len();
        assert_eq!(page.eval(&rows("pod-security")), namespaces);
        assert_eq!(page.eval(&rows("certificates")), 5);
        let lead = page.text("document.querySelector('#certificates .lead').innerText");
        assert!(lead.contains("1 expired, 1 within the next 30 days"), "{lead}");
        page.eval("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        let notes = page.text("document.getElementById('notes').innerText");
        for words in [
            "Service shop/storefront: 010.20.0.7, 203.0.113.007",
            "_ldap.example",
            "198.51.100.20/32",
        ] {
            assert!(notes.contains(words), "{words}: {notes}");
        }
        let dead = page.eval(
            "[...document.querySelectorAll('a[href^=\"#\"]')].map((one) => one.getAttribute('href')) \
             .filter((href) => !href.startsWith('#findings?') && !document.querySelector(href)).join()",
        );
        assert_eq!(dead, "");
        assert_eq!(page.eval("document.querySelectorAll('a:not([href^=\"#\"])').length"), 0);
        page.prefer_dark(true);
        page.emulate_print(true);
        assert!(page.pdf().starts_with(b"%PDF-"));
        page.emulate_print(false);
        page.resize(360, 740, true);
        page.wait_for("document.documentElement.scrollWidth <= 360");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn what_could_not_be_seen_stands_before_the_numbers() {
    let cluster = Cluster::filled();
    cluster.allow("ann", &["services", "namespaces"]);
    let arguments = ["--qps=0", "--as=ann", "-o"];
    let report = cluster.run("audit", &[&arguments[..], &["json"]].concat()).json();
    let html = cluster.run("audit", &[&arguments[..], &["html"]].concat());
    assert_eq!(html.code, 2, "{}", html.stderr);
    with_page(&html.stdout, "", |page| {
        let missing = report["missing"].as_array().unwrap().len();
        assert_eq!(page.eval("document.querySelectorAll('.gaps li').length"), missing);
        let gaps = page.text("document.querySelector('.gaps').innerText");
        assert!(gaps.contains("cannot list pods of group core"), "{gaps}");
        let reason = page.text("document.querySelector('.reason').innerText");
        assert!(reason.contains(&format!("There are {missing} gaps")), "{reason}");
    });
}
