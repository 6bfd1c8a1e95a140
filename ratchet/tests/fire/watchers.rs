//! Watchers: each watches a namespace from its beginning to the end of the run, and resumes where it was cut off.

use crate::api::{self, Line};
use crate::cluster::Entrance;
use crate::hostile::Client;
use crate::hostile::flood::Dice;
use crate::hostile::wire::request;
use crate::recorder::Recorder;
use histories::Watch;
use std::io;
use std::time::Duration;

/// Watches until the last revision was seen; returns how often it was cut off and went on.
pub(crate) fn run(
    client: usize,
    namespace: &str,
    first: u64,
    entrance: &Entrance,
    recorder: &Recorder,
    mut dice: Dice,
) -> usize {
    let (mut from, mut begun) = (first, 0);
    loop {
        let mut watch = Watch { client, from, upto: from, ..Watch::default() };
        let ended = entrance
            .connect(&mut dice)
            .and_then(|connection| follow(connection, namespace, recorder, &mut watch, &mut begun));
        from = watch.upto;
        let is_last = recorder.is_last(watch.upto);
        if watch.upto > watch.from {
            recorder.watch(watch);
        }
        if is_last {
            return begun - 1;
        }
        if ended.is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Reads events until the watch ends, or nothing more will come.
fn follow(
    mut connection: Client,
    namespace: &str,
    recorder: &Recorder,
    watch: &mut Watch,
    begun: &mut usize,
) -> io::Result<()> {
    let path = format!(
        "{}?watch=1&resourceVersion={}&allowWatchBookmarks=true",
        api::collection(namespace),
        watch.from
    );
    connection.write(&request("GET", &path, &[], b""))?;
    let (code, head) = connection.head()?;
    assert_ne!(code, 410, "the history of the store is gone: {head}");
    if code != 200 {
        return Err(io::Error::other(format!("{code}")));
    }
    *begun += 1;
    let mut text = Vec::new();
    while !recorder.is_last(watch.upto) {
        let chunk = connection.chunk()?;
        if chunk.is_empty() {
            return Ok(());
        }
        text.extend(chunk);
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            match api::line(&line) {
                Line::Event(event) => {
                    watch.upto = event.revision;
                    watch.events.push(event);
                }
                Line::Bookmark(revision) => watch.upto = revision,
                Line::Error(text) => panic!("a watch from {} ends: {text}", watch.from),
            }
        }
    }
    Ok(())
}
