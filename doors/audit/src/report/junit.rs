//! The JUnit XML report: a test case for each finding, one for what could not be seen, and one for what is fine.

use crate::collector::Collected;
use crate::{Finding, State};
use ratchet_formats::{count, xml_escape as escape};
use std::io::{self, Write};

pub(crate) fn write(audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    let (mut findings, mut failures) = (0, 0);
    for counts in &audit.owners.names {
        findings += counts.findings;
        failures += counts.frozen + counts.refused;
    }
    let unreadable = &audit.inventory.unreadable;
    // What is not listed is one case.
    let rest = u64::from(unreadable.omitted() > 0);
    let errors = audit.summary.unseen - unreadable.omitted() + rest;
    let numbers =
        format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", findings + errors + 1);
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ratchet audit\" {numbers}>\n  <testsuite name=\"stored objects\" {numbers}>"
    )?;
    audit.for_each_finding(|finding, counts| {
        let Finding { object, field, rule, target, message, state, .. } = finding;
        let name = escape(&format!("{} {field} {rule} {target}", object.title()));
        write!(out, "    <testcase classname=\"{}\" name=\"{name}\">", escape(&object.path()))?;
        let text =
            escape(&format!("{}: {message} (owner: {})", state.as_str(), counts.owner.title()));
        match state {
            State::Warns => write!(out, "<system-out>{text}</system-out>")?,
            State::RefusedOnCreate | State::Frozen => {
                write!(out, "<failure message=\"{}\">{text}</failure>", escape(message))?;
            }
        }
        writeln!(out, "</testcase>")
    })?;
    for missing in &audit.missing {
        let (name, text) = (escape(&missing.resource), escape(&missing.sentence()));
        writeln!(
            out,
            "    <testcase classname=\"access\" name=\"{name}\"><error message=\"{text}\"/></testcase>"
        )?;
    }
    for why in audit.inventory.unreadable.rows() {
        let text = escape(why);
        writeln!(
            out,
            "    <testcase classname=\"input\" name=\"{text}\"><error message=\"cannot be read\"/></testcase>"
        )?;
    }
    let omitted = audit.inventory.unreadable.omitted();
    if omitted > 0 {
        writeln!(
            out,
            "    <testcase classname=\"input\" name=\"{omitted} more\"><error message=\"cannot be read\"/></testcase>"
        )?;
    }
    let fine = count(audit.summary.states.fine, "object");
    writeln!(
        out,
        "    <testcase classname=\"summary\" name=\"{fine} without findings\"></testcase>\n  </testsuite>\n</testsuites>"
    )
}
