//! Twenty thousand findings of a real audit open in a second.

use crate::harness::{Folder, run_in};
use crate::{wait_for_count, with_page};
use std::fmt::Write as _;

/// How long a page may take from its first byte until its list can be used.
const MOST_MILLISECONDS: f64 = 1000.0;

#[test]
#[ignore = "needs RATCHET_CHROMIUM"]
fn a_page_with_twenty_thousand_findings_opens_in_a_second() {
    let mut dump = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for number in 0..10_500 {
        writeln!(
            dump,
            "- {{apiVersion: v1, kind: Service, metadata: {{name: s{number}, namespace: n{}, annotations: {{meta.helm.sh/release-name: r{}}}}}, spec: {{ports: [{{port: 80}}], externalIPs: [192.0.2.010]}}}}",
            number % 40,
            number % 300
        )
        .unwrap();
    }
    let folder = Folder::with(&[("dump.yaml", &dump)]);
    let output = run_in(&folder.path(""), &["audit", "-f", "dump.yaml", "-o", "html"], b"", &[]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    // The best of some: other programs on the machine are not what is measured.
    let mut best = f64::MAX;
    for _ in 0..5 {
        with_page(&output.stdout, "", |page| {
            wait_for_count(page, "20,000 findings");
            let timing = "performance.getEntriesByType('navigation')[0]";
            let ready =
                page.eval(&format!("{timing}.domContentLoadedEventEnd - {timing}.responseStart"));
            best = best.min(ready.as_f64().unwrap());
        });
        if best < MOST_MILLISECONDS {
            break;
        }
    }
    assert!(best < MOST_MILLISECONDS, "it takes {best} ms");
}
