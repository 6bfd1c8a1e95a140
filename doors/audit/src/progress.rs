//! The progress bar: what was judged, of what lists say that there is.

use crate::{Config, Source};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// How often the bar is drawn while nothing happens, so that it is seen to be alive.
const TICK: Duration = Duration::from_millis(200);

/// The bar of an audit, on standard error; a hidden one if none is wanted.
pub(crate) fn bar(config: &Config) -> ProgressBar {
    if !config.progress {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    let template = match config.source {
        Source::Live(_) => "{bar:40} {pos}/{len} objects {per_sec} {eta}",
        Source::Dumps(_) => "{bar:40} {pos}/{len} files {eta}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    bar
}

/// The part of the bar that belongs to one list: pages tell how many objects are left.
pub(crate) struct ListProgress {
    bar: ProgressBar,
    judged: u64,
    /// Objects of this list that the length of the bar has.
    announced: u64,
}

impl ListProgress {
    pub(crate) fn new(bar: &ProgressBar) -> Self {
        Self { bar: bar.clone(), judged: 0, announced: 0 }
    }

    /// Counts a page of `judged` objects, after which the list has `left` more.
    pub(crate) fn advance(&mut self, judged: u64, left: u64) {
        self.judged += judged;
        let total = self.judged + left;
        if total > self.announced {
            self.bar.inc_length(total - self.announced);
            self.announced = total;
        }
        self.bar.inc(judged);
    }
}

impl Drop for ListProgress {
    /// What the list had announced and did not have is no longer waited for.
    fn drop(&mut self) {
        self.bar.dec_length(self.announced - self.judged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_add_up_and_what_never_comes_is_taken_back() {
        let bar = ProgressBar::hidden();
        bar.set_length(0);
        let (mut pods, mut services) = (ListProgress::new(&bar), ListProgress::new(&bar));
        let numbers = || (bar.position(), bar.length());
        pods.advance(250, 500);
        services.advance(3, 0);
        assert_eq!(numbers(), (253, Some(753)));
        // A server that does not say how many are left, and one that had said too few.
        pods.advance(250, 0);
        pods.advance(250, 100);
        assert_eq!(numbers(), (753, Some(853)));
        drop((pods, services));
        assert_eq!(numbers(), (753, Some(753)));
    }
}
