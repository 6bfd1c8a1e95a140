//! What was written and acknowledged, and whether it is there afterwards, in every list alike.

use crate::Findings;
use crate::attacks::Field;
use crate::hostile::Client;
use crate::hostile::flood::Dice;
use crate::hostile::wire::request;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Where calm writers write.
pub(crate) const MAPS: &str = "/api/v1/namespaces/ledger/configmaps";
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// What is known of each object: the values that it may have; nothing stands for its absence. More than one where a
/// write was not acknowledged, and may have happened or not.
#[derive(Default)]
pub(crate) struct Ledger(BTreeMap<String, BTreeSet<Option<String>>>);

impl Ledger {
    /// Adds what another writer wrote.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Notes a write and whether it was acknowledged.
    fn note(&mut self, name: &str, value: Option<String>, is_acknowledged: bool) {
        let values = self.0.entry(name.to_owned()).or_insert_with(|| BTreeSet::from([None]));
        if is_acknowledged {
            values.clear();
        }
        values.insert(value);
    }

    /// Writes an object and notes what came of it.
    pub(crate) fn put(&mut self, client: &mut Client, name: &str, value: &str) -> u16 {
        let is_new = !self.0.contains_key(name);
        let body = format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{"v":"{value}"}}}}"#);
        let bytes = match is_new {
            true => request("POST", MAPS, &[JSON], body.as_bytes()),
            false => request("PUT", &format!("{MAPS}/{name}"), &[JSON], body.as_bytes()),
        };
        let code = client.try_raw(&bytes, false).map_or(0, |answer| answer.code);
        match code {
            // Refused before it was tried.
            429 | 403 | 409 | 404 => {}
            200 | 201 => self.note(name, Some(value.to_owned()), true),
            _ => self.note(name, Some(value.to_owned()), false),
        }
        code
    }

    fn delete(&mut self, client: &mut Client, name: &str) {
        let bytes = request("DELETE", &format!("{MAPS}/{name}"), &[], b"");
        let code = client.try_raw(&bytes, false).map_or(0, |answer| answer.code);
        match code {
            429 => {}
            _ => self.note(name, None, matches!(code, 200 | 404)),
        }
    }

    /// Everything is as it was acknowledged, and all ways to read agree.
    pub(crate) fn check(&self, client: &mut Client, found: &mut Findings) {
        let list = client.get(MAPS).json();
        let items: BTreeMap<String, String> = pairs(&list);
        for (name, values) in &self.0 {
            let there = items.get(name).cloned();
            found.check(values.contains(&there), || {
                format!("{name} is {there:?} and was acknowledged as one of {values:?}")
            });
        }
        let strange: Vec<_> = items.keys().filter(|name| !self.0.contains_key(*name)).collect();
        found.check(strange.is_empty(), || format!("nobody wrote {strange:?}"));
        for (name, value) in items.iter().take(200) {
            let one = client.get(&format!("{MAPS}/{name}")).json();
            found.check(one["data"]["v"] == value.as_str(), || format!("GET of {name}: {one}"));
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
        found.check(paged == items, || "the list and its pages differ".to_owned());
        let pretty = client.get(&format!("{MAPS}?pretty=1")).json();
        found.check(pairs(&pretty) == items, || "the list and its indented form differ".to_owned());
        let accept = [("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")];
        let table = client.send("GET", MAPS, &accept, b"").json();
        let is_own = |row: &&Value| row["object"]["metadata"]["name"] != "kube-root-ca.crt";
        let rows = table["rows"].as_array().map_or(0, |rows| rows.iter().filter(is_own).count());
        found.check(rows == items.len(), || format!("{rows} rows for {} objects", items.len()));
    }
}

fn pairs(list: &Value) -> BTreeMap<String, String> {
    let mut items = list["items"].as_array().cloned().unwrap_or_default();
    // What a controller writes into every namespace.
    items.retain(|item| item["metadata"]["name"] != "kube-root-ca.crt");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items.iter().map(|item| (text(&item["metadata"]["name"]), text(&item["data"]["v"]))).collect()
}

/// Creates, changes and deletes until the time is over.
pub(crate) fn write(field: &Field, number: u64) -> Ledger {
    let mut client = field.client();
    let mut dice = Dice::new(number + 77);
    let mut ledger = Ledger::default();
    let mut count = 0;
    while !field.is_over() {
        count += 1;
        let name = format!("w{number}-{}", dice.below(400));
        match dice.below(10) {
            0 if ledger.0.contains_key(&name) => {
                // A name is used once: whoever deletes it is done with it.
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
