//! `ratchet check -o html`.

use crate::harness::{BAD_SERVICE, Folder, GOOD_SERVICE, WARNED_SERVICE};
use crate::with_page;

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn check_writes_a_page_that_leads_to_the_line() {
    let hostile = BAD_SERVICE.replace("name: web", "name: \"</script><script>pwned=1</script>\"");
    let stream = [BAD_SERVICE, WARNED_SERVICE, GOOD_SERVICE, &hostile].join("---\n");
    let folder = Folder::with(&[("all.yaml", &stream)]);
    let output = folder.check(&["-o", "html", "all.yaml"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_eq!(folder.check(&["-o", "html", "all.yaml"]).stdout, output.stdout);
    with_page(&output.stdout, "", |page| {
        assert_eq!(page.text("document.querySelector('.verdict h2').innerText.trim()"), "No");
        page.click("#states [data-state=error]");
        page.eval(
        "[...document.querySelectorAll('#rows .row:not(.group)')].find((row) => \
         row.querySelector('.name').textContent === 'web' && row.textContent.includes('192.0.2.010')).click()",
    );
        page.wait_for("document.getElementById('detail').open");
        let place = page.text("document.querySelector('.place').innerText");
        assert!(place.contains("192.0.2.010") && place.contains("+   - 192.0.2.10"), "{place}");
        assert!(page.text("document.getElementById('detail').innerText").contains("all.yaml:9"));
    });
}
