//! Printers of config maps and secrets, of which only the number of keys is printed.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::printed_object::{Cells, PrintedObject};
use alloc::vec;
use ratchet_object::Node;

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "ConfigMap", columns: CONFIG_MAP, cells: config_map },
    Row { group: "", kind: "Secret", columns: SECRET, cells: secret },
];

const DATA: Column = column("Data", "How many keys it holds.");
const CONFIG_MAP: &[Column] = &[NAME, DATA, AGE];
const SECRET: &[Column] = &[NAME, column("Type", "What the secret is for."), DATA, AGE];

fn config_map(object: &PrintedObject<'_>) -> Cells {
    let keys = object.count(&["data"]).saturating_add(object.count(&["binaryData"]));
    vec![object.name(), Node::int(keys), object.age()]
}

fn secret(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.cell(&["type"]), Node::int(object.count(&["data"])), object.age()]
}

#[cfg(test)]
mod tests {
    use crate::testing::line;

    #[test]
    fn keys_are_counted() {
        let text = "{data: {a: '1', b: '2'}, binaryData: {c: eA==}}";
        assert_eq!(line("", "ConfigMap", text), "a | 3 | 5m");
        assert_eq!(line("", "ConfigMap", "{}"), "a | 0 | 5m");
        assert_eq!(line("", "Secret", "{type: Opaque, data: {a: eA==}}"), "a | Opaque | 1 | 5m");
        assert_eq!(line("", "Secret", "{data: null}"), "a |  | 0 | 5m");
    }
}
