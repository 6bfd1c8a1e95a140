//! Check of the watches: each saw its part of the log, in order, without a gap or a repeat.

use crate::log::Log;
use crate::violation::{Kind, Violation};
use crate::{Event, Watch};
use std::collections::HashSet;

/// Checks all watches.
pub(crate) fn check(watches: &[Watch], log: &Log<'_>, violations: &mut Vec<Violation>) {
    for watch in watches {
        let mut last = watch.from;
        let mut seen: HashSet<(u64, &str)> = HashSet::new();
        for event in &watch.events {
            let is_new = seen.insert((event.revision, &event.key));
            if !is_new || event.revision < last || event.revision <= watch.from {
                violations.push(Violation::new(Kind::Repeat, after(watch, event, last)));
            }
            last = last.max(event.revision);
        }
        for entry in log.between(watch.from, watch.upto) {
            let is_watched = entry.key.starts_with(&watch.prefix);
            if is_watched && !seen.contains(&(entry.revision, entry.key)) {
                let text = format!(
                    "watch {} of {:?} from {} up to {} left out {entry:?}",
                    watch.client, watch.prefix, watch.from, watch.upto
                );
                violations.push(Violation::new(Kind::Gap, text));
            }
        }
    }
}

fn after(watch: &Watch, event: &Event, last: u64) -> String {
    format!("watch {} from {}: {event:?} after {last}", watch.client, watch.from)
}
