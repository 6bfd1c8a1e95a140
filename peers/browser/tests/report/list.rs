//! The list of findings: filters, search, order, groups, links and keys.

use crate::sample;
use crate::{count, with_page};
use browser_peer::Page;

/// Sets a control as a person would, with its event.
fn choose(page: &mut Page<'_>, id: &str, value: &str) {
    page.eval(&format!(
        "(() => {{ const one = document.getElementById('{id}'); one.value = {value:?}; \
         one.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
    ));
}

fn names(page: &mut Page<'_>) -> String {
    page.text(
        "[...document.querySelectorAll('#rows .row:not(.group) .name')].map((one) => one.textContent).join(' ')",
    )
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn filters_narrow_the_list_and_can_be_cleared() {
    with_page(&sample::cluster(), "", |page| {
        assert_eq!(count(page), "26 findings in 6 groups");
        page.click("#states [data-state=frozen]");
        page.wait_for(
            "document.getElementById('count').textContent === '5 of 26 findings in 3 groups'",
        );
        assert_eq!(page.eval("document.querySelector('[data-state=frozen]').ariaPressed"), "true");
        assert_eq!(page.text("location.hash"), "#findings?state=frozen");
        choose(page, "namespace", "shop");
        assert_eq!(count(page), "3 of 26 findings in 1 group");
        choose(page, "rule", "RTC-CIDR-001");
        assert_eq!(count(page), "1 of 26 findings in 1 group");
        assert_eq!(names(page), "allow-warehouse");
        choose(page, "kind", "Service");
        assert_eq!(count(page), "0 of 26 findings");
        assert_eq!(page.eval("!document.getElementById('empty').hidden"), true);
        page.click("#clear");
        page.wait_for("document.getElementById('count').textContent === '26 findings in 6 groups'");
        choose(page, "target", "1.35");
        assert_eq!(count(page), "12 of 26 findings in 6 groups");
        choose(page, "owner", "Argo CD application:payments");
        assert_eq!(count(page), "3 of 26 findings in 1 group");
        choose(page, "group", "");
        assert_eq!(count(page), "3 of 26 findings");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn the_search_finds_all_words_anywhere() {
    with_page(&sample::cluster(), "", |page| {
        page.click("#findings-title");
        page.press("/");
        page.wait_for("document.activeElement.id === 'q'");
        page.insert_text("STOREFRONT 203.0.113");
        page.wait_for(
            "document.getElementById('count').textContent === '2 of 26 findings in 1 group'",
        );
        assert_eq!(page.text("location.hash"), "#findings?q=STOREFRONT%20203.0.113");
        page.eval("document.getElementById('q').select()");
        page.insert_text("nothing has this");
        page.wait_for("!document.getElementById('empty').hidden");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn columns_sort_both_ways() {
    with_page(&sample::cluster(), "#findings?target=1.36", |page| {
        choose(page, "group", "");
        page.click("[data-sort=object]");
        page.wait_for(
            "document.querySelector('[data-sort=object]').parentElement.ariaSort === 'ascending'",
        );
        let first = names(page);
        assert!(first.starts_with("edge runner edge edge mainframe"), "{first}");
        page.click("[data-sort=object]");
        page.wait_for(
            "document.querySelector('[data-sort=object]').parentElement.ariaSort === 'descending'",
        );
        let last = names(page);
        assert!(last.starts_with("storefront storefront storefront allow-warehouse"), "{last}");
        assert_eq!(
            page.text(
                "[...document.querySelectorAll('[aria-sort]')].map((one) => one.ariaSort).join()"
            ),
            "none,descending,none,none,none,none"
        );
        page.click("[data-sort=value]");
        page.wait_for("document.querySelector('#rows .old').textContent === '010.001.002.003'");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn groups_fold_and_follow_the_choice() {
    with_page(&sample::cluster(), "", |page| {
        let first = page.text("document.querySelector('#rows .group .name').textContent");
        assert_eq!(first, "shop/storefront");
        page.click("#rows .group");
        page.wait_for("document.querySelector('#rows .group').ariaExpanded === 'false'");
        assert_eq!(page.text("document.getElementById('grid').ariaRowCount"), "25");
        choose(page, "group", "namespace");
        assert_eq!(count(page), "26 findings in 7 groups");
        choose(page, "group", "rule");
        assert_eq!(count(page), "26 findings in 5 groups");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn every_finding_has_a_link_that_opens_it() {
    let report = sample::cluster();
    let mut hash = String::new();
    with_page(&report, "", |page| {
        page.click("#rows .row[data-at='2']");
        page.wait_for("document.getElementById('detail').open");
        hash = page.text("location.hash");
        assert!(hash.starts_with("#f-"), "{hash}");
        let place = page.text("document.querySelector('.place').innerText");
        assert!(place.contains("externalIPs:  # item 0"), "{place}");
        assert!(place.contains("− ") && place.contains("- 010.20.0.7"), "{place}");
        assert!(place.contains("+ ") && place.contains("- 10.20.0.7"), "{place}");
        page.click("#next");
        page.wait_for(&format!("location.hash !== {hash:?}"));
        page.press("Escape");
        page.wait_for("!document.getElementById('detail').open");
        assert_eq!(page.text("location.hash"), "#findings");
        // The focus is on the row of the finding that was open.
        assert_eq!(page.text("document.activeElement.dataset.at"), "3");
    });
    with_page(&report, &hash, |page| {
        page.wait_for("document.getElementById('detail').open");
        assert_eq!(
            page.text("document.getElementById('detail-title').textContent"),
            "Service storefront"
        );
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn links_of_the_summary_lead_to_their_findings() {
    with_page(&sample::cluster(), "", |page| {
        page.click(".tile.frozen a");
        page.wait_for(
            "document.getElementById('count').textContent === '5 of 26 findings in 3 groups'",
        );
        assert_eq!(page.eval("document.activeElement.id"), "findings-title");
        page.click(".owners a");
        page.wait_for("document.getElementById('owner').value === 'Helm release:shop/storefront'");
        page.click(".chart td a");
        page.wait_for("document.getElementById('rule').value === 'RTC-IP-001'");
        page.click(".versions td a");
        page.wait_for("document.getElementById('target').value === '1.35'");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn the_keyboard_reaches_everything() {
    with_page(&sample::cluster(), "", |page| {
        page.tab(false);
        page.wait_for("document.activeElement.className === 'skip'");
        page.press("Enter");
        page.wait_for("location.hash === '#main'");
        page.eval("document.querySelector('[data-sort=target]').focus()");
        page.tab(false);
        page.wait_for("document.activeElement.dataset.at === '0'");
        page.press("ArrowDown");
        page.press("ArrowDown");
        page.wait_for("document.activeElement.dataset.at === '2'");
        page.press("Enter");
        page.wait_for("document.getElementById('detail').open");
        page.press("Escape");
        page.wait_for("document.activeElement.dataset.at === '2'");
        page.press("ArrowLeft");
        page.wait_for("document.activeElement.dataset.at === '0'");
        page.press("ArrowLeft");
        page.wait_for("document.activeElement.ariaExpanded === 'false'");
        page.press("ArrowRight");
        page.wait_for("document.activeElement.ariaExpanded === 'true'");
        page.press("End");
        page.wait_for(
            "document.activeElement.ariaRowIndex === document.getElementById('grid').ariaRowCount",
        );
        page.press("Home");
        page.wait_for("document.activeElement.dataset.at === '0'");
        page.tab(true);
        page.wait_for("document.activeElement.dataset.sort === 'target'");
    });
}

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn twenty_thousand_findings_are_listed_with_few_rows() {
    let report = sample::many(20_000);
    with_page(&report, "", |page| {
        let ready = page.text("Math.round(performance.now()) + ' ms, of which the page needed ' + Math.round(performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd)");
        println!("20,000 findings: ready after {ready} ms");
        assert_eq!(count(page), "20,000 findings in 300 groups");
        let rows = "document.querySelectorAll('#rows .row').length";
        assert!(page.eval(rows).as_u64().unwrap() < 120);
        page.eval("document.querySelector('#rows [tabindex=\"0\"]').focus()");
        page.press("End");
        page.wait_for(
            "document.activeElement.ariaRowIndex === document.getElementById('grid').ariaRowCount",
        );
        assert!(page.eval(rows).as_u64().unwrap() < 120);
        // What is in sight is drawn, wherever the page is scrolled to.
        for share in ["0.25", "0.5", "0.9"] {
            page.eval(&format!("window.scrollTo({{top: document.body.scrollHeight * {share}, behavior: 'instant'}})"));
            page.wait_for("!!document.elementFromPoint(600, 450).closest('[data-at]')");
        }
        page.eval("document.getElementById('q').focus()");
        page.insert_text("backend-19999");
        page.wait_for(
            "document.getElementById('count').textContent === '1 of 20,000 findings in 1 group'",
        );
        page.click("#clear");
        page.click("[data-sort=object]");
        page.wait_for(
            "document.querySelector('[data-sort=object]').parentElement.ariaSort === 'ascending'",
        );
    });
}
