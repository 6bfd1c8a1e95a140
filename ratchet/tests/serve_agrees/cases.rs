//! Every case in `cases/`, sent to a server with the case's configuration, gets the expected verdict.

use crate::case::Case;
use crate::server::Ground;
use ratchet_object::{Limits, decode};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Number of cases that cannot be sent to a server, by reason; a new one must be reviewed.
const BEYOND: [(&str, usize); 4] = [
    ("is about a manifest beside what is stored", 1),
    ("is about a text", 17),
    ("is about another release", 33),
    ("is about what a server does before it asks the rules", 2),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_says_what_the_cases_want() {
    let mut groups: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    let mut beyond: BTreeMap<&str, usize> = BTreeMap::new();
    let all = cases();
    let count = all.len();
    for case in all {
        match case.is_beyond() {
            Some(why) => *beyond.entry(why).or_default() += 1,
            None => groups.entry(case.rules()).or_default().push(case),
        }
    }
    let mut requested = 0;
    let mut wrong = Vec::new();
    for cases in groups.values() {
        requested += cases.len();
        wrong.extend(disagreements(cases).await);
    }
    assert!(wrong.is_empty(), "{} of {requested} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(beyond, BEYOND.into_iter().collect());
    assert_eq!(requested + beyond.values().sum::<usize>(), count);
    assert!(requested >= 640, "only {requested} of {count} cases were brought to the server");
}

/// The disagreements of a server with the configuration of these cases.
async fn disagreements(cases: &[Case]) -> Vec<String> {
    let ground = Ground::new();
    let judge = ground.open(cases[0].policy()).await;
    let lenient = ground.open_lenient().await;
    let before = ground.snapshot().await;
    let mut wrong = Vec::new();
    for case in cases {
        if let Err(why) = case.agrees(&ground, &lenient, &judge).await {
            wrong.push(format!("{}: {why}", case.name));
        }
        ground.restore(&before).await;
    }
    wrong
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let folders = entries(&root).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    files
        .map(|file| {
            let text = std::fs::read_to_string(&file).unwrap();
            let node = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
            Case::new(file.strip_prefix(&root).unwrap().display().to_string(), node)
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
