//! A ledger of acknowledged writes, which must be stored afterwards and agree in every kind of list.

use crate::Findings;
use crate::attacks::Siege;
use crate::hostile::Client;
use crate::hostile::flood::Dice;
use crate::hostile::wire::request;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The collection of the ledger's writers.
pub(crate) const MAPS: &str = "/api/v1/namespaces/ledger/configmaps";
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// The possible values of each object; `None` means absent. There is more than one where a write was not acknowledged
/// and may or may not have happened.
#[derive(Default)]
pub(crate) struct Ledger(BTreeMap<String, BTreeSet<Option<String>>>);

impl Ledger {
    /// Adds the entries of another writer.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Records a write and whether it was acknowledged.
    fn record(&mut self, name: &str, value: Option<String>, is_acknowledged: bool) {
        let values = self.0.entry(name.to_owned()).or_insert_with(|| BTreeSet::from([None]));
        if is_acknowledged {
            values.clear();
        }
        values.insert(value);
    }

    /// Writes an object and records the result.
    pub(crate) fn put(&mut self, client: &mut Client, name: &str, value: &str) -> u16 {
        let is_new = !self.0.contains_key(name);
        let body = format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{"v":"{value}"}}}}"#);
        let bytes = match is_new {
            true => request("POST", MAPS, &[JSON], body.as_bytes()),
            false => request("PUT", &format!("{MAPS}/{name}"), &[JSON], body.as_bytes()),
        };
        let code = client.try_raw(&bytes, false).map_or(0, |answer| answer.code);
        match code {
            // Refused before the write.
            429 | 403 | 409 | 404 => {}
            200 | 201 => self.record(name, Some(value.to_owned()), true),
            _ => self.record(name, Some(value.to_owned()), false),
        }
        code
    }

    fn delete(&mut self, client: &mut Client, name: &str) {
        let bytes = request("DELETE", &format!("{MAPS}/{name}"), &[], b"");
        let code = client.try_raw(&bytes, false).map_or(0, |answer| answer.code);
        match code {
            429 => {}
            _ => self.record(name, None, matches!(code, 200 | 404)),
        }
    }

    /// Checks that every object has an acknowledged value, and that all kinds of reads agree.
    pub(crate) fn check(&self, client: &mut Client, findings: &mut Findings) {
        let list = client.get(MAPS).json();
        let items: BTreeMap<String, String> = pairs(&list);
        for (name, values) in &self.0 {
            let stored = items.get(name).cloned();
            findings.check(values.contains(&stored), || {
                format!("{name} is {stored:?} and was acknowledged as one of {values:?}")
            });
        }
        let unexpected: Vec<_> = items.keys().filter(|name| !self.0.contains_key(*name)).collect();
        findings.check(unexpected.is_empty(), || format!("nobody wrote {unexpected:?}"));
        for (name, value) in items.iter().take(200) {
            let one = client.get(&format!("{MAPS}/{name}")).json();
            findings.check(one["data"]["v"] == value.as_str(), || format!("GET of {name}: {one}"));
        }
        let mut paged = BTreeMap::new();
        let mut next = String::new();
        loop {
            let page = client.get(&format!("{MAPS}?limit=37&continue={next}")).json();
            paged.extend(pairs(&page));
            next = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
            if next.is_empty() {
                break;
            }
        }
        findings.check(paged == items, || "the list and its pages differ".to_owned());
        let pretty = client.get(&format!("{MAPS}?pretty=1")).json();
        findings
            .check(pairs(&pretty) == items, || "the list and its indented form differ".to_owned());
        let accept = [("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
        let table = client.send("GET", MAPS, &accept, b"").json();
        let is_own = |row: &&Value| row["object"]["metadata"]["name"] != "kube-root-ca.crt";
        let rows = table["rows"].as_array().map_or(0, |rows| rows.iter().filter(is_own).count());
        findings.check(rows == items.len(), || format!("{rows} rows for {} objects", items.len()));
    }
}

fn pairs(list: &Value) -> BTreeMap<String, String> {
    let mut items = list["items"].as_array().cloned().unwrap_or_default();
    // A controller writes this one into every namespace.
    items.retain(|item| item["metadata"]["name"] != "kube-root-ca.crt");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items.iter().map(|item| (text(&item["metadata"]["name"]), text(&item["data"]["v"]))).collect()
}

/// Creates, updates and deletes objects until the end.
pub(crate) fn write(siege: &Siege, number: u64) -> Ledger {
    let mut client = siege.client();
    let mut dice = Dice::new(number + 77);
    let mut ledger = Ledger::default();
    let mut count = 0;
    while !siege.is_over() {
        count += 1;
        let name = format!("w{number}-{}", dice.below(400));
        match dice.below(10) {
            0 if ledger.0.contains_key(&name) => {
                // A deleted name is not used again.
                let gone = ledger.0.get(&name).is_some_and(|values| values.contains(&None));
                if !gone {
                    ledger.delete(&mut client, &name);
                }
            }
            _ if ledger.0.get(&name).is_some_and(|values| values.contains(&None)) => {}
            _ => {
                if ledger.put(&mut client, &name, &format!("{number}.{count}")) == 0 {
                    client = client.again();
                }
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    ledger
}
