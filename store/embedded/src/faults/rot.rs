//! Damaged files: they are refused with a clear message, or their data is correct.

use ratchet_store::{Query, Store};

use super::{all, machine::Machine, open, put};

async fn sound() -> (Vec<u8>, Vec<(String, Vec<u8>)>) {
    let machine = Machine::new(Vec::new());
    let store = open(&machine, false).unwrap();
    for round in 0..400 {
        let key = format!("/k/{:03}", round % 250);
        put(&store, &key, format!("{round} ").repeat(100 + round).into_bytes()).await.unwrap();
    }
    let records = all(&store).await.unwrap();
    drop(store);
    (machine.image(), records)
}

fn rot(image: &mut Vec<u8>, random: &mut fastrand::Rng) -> String {
    // Half of the damage goes to the first pages, where the engine keeps its own header.
    let end = if random.bool() { image.len() } else { 16 << 10 };
    let at = random.usize(0..end);
    match random.u8(0..4) {
        0 => {
            image[at] ^= 1 << random.u8(0..8);
            format!("a bit at {at}")
        }
        1 => {
            let end = (at + random.usize(1..5000)).min(image.len());
            image[at..end].fill(0);
            format!("zeros from {at} to {end}")
        }
        2 => {
            let end = (at + random.usize(1..5000)).min(image.len());
            image[at..end].fill_with(|| random.u8(..));
            format!("noise from {at} to {end}")
        }
        _ => {
            image.truncate(at);
            format!("cut at {at}")
        }
    }
}

#[tokio::test]
async fn a_damaged_file_is_refused_or_true() {
    let (image, records) = sound().await;
    let mut random = fastrand::Rng::with_seed(7);
    let (mut refused, mut noticed, mut unharmed) = (0, 0, 0);
    for round in 0..300 {
        let mut image = image.clone();
        let damage = rot(&mut image, &mut random);
        let machine = Machine::new(image);
        let verify = round % 2 == 0;
        let store = match open(&machine, verify) {
            Ok(store) => store,
            Err(why) => {
                let text = why.to_string();
                assert!(text.contains("/data/state.redb") && !text.contains('\n'), "{text:?}");
                refused += 1;
                continue;
            }
        };
        for (key, value) in records.iter().step_by(17) {
            if let Ok(Some(record)) = store.get(key).await {
                assert_eq!(record.value, value, "{key} after {damage}");
            }
        }
        match store.list(Query::under("/k/")).await {
            Ok(page) => {
                for record in &page.records {
                    let right = records.iter().find(|(key, _)| **key == *record.key);
                    assert_eq!(
                        right.map(|(_, value)| &value[..]),
                        Some(&record.value[..]),
                        "{damage}"
                    );
                }
                if verify {
                    assert_eq!(page.records.len(), records.len(), "{damage}");
                }
                unharmed += 1;
            }
            Err(why) => {
                assert!(why.to_string().contains("damaged"), "{why}");
                noticed += 1;
            }
        }
    }
    assert!(
        refused > 20 && unharmed > 20,
        "{refused} refused, {noticed} noticed, {unharmed} unharmed"
    );
}
