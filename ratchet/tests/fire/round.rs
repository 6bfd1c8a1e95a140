//! One round: clients and watchers in a namespace of its own while the cluster is disturbed, then the check.

use crate::api;
use crate::clients::Caller;
use crate::cluster::Cluster;
use crate::hostile::flood::Dice;
use crate::recorder::Recorder;
use crate::watchers;
use histories::{Action, Outcome};
use std::time::{Duration, Instant};

/// Who takes part in a round.
pub(crate) struct Round<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) clients: usize,
    pub(crate) watchers: usize,
}

/// What happened in a round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) calls: usize,
    pub(crate) acknowledged: usize,
    pub(crate) unknown: usize,
    pub(crate) events: usize,
    /// How often watches were cut off and resumed.
    pub(crate) resumed: usize,
}

impl Tally {
    /// The sum of two.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            acknowledged: self.acknowledged + other.acknowledged,
            unknown: self.unknown + other.unknown,
            events: self.events + other.events,
            resumed: self.resumed + other.resumed,
        }
    }
}

impl Round<'_> {
    /// Runs the round, in which `disturb` does what is to be done to the cluster; panics unless the history is linearizable
    /// and every watch complete.
    pub(crate) fn run(
        &self,
        cluster: &mut Cluster,
        dice: &mut Dice,
        disturb: impl FnOnce(&mut Cluster, &mut Dice, &Recorder),
    ) -> Tally {
        let recorder = Recorder::new();
        let entrance = cluster.entrance.clone();
        let fork = |dice: &mut Dice| Dice::new(dice.below(usize::MAX) as u64);
        let mut main = Caller::new(0, self.namespace, &entrance, &recorder, fork(dice));
        create_namespace(cluster, self.namespace);
        let Outcome::Listed { revision: first, .. } = until_answered(&mut main, &list()) else {
            panic!("no list");
        };
        let resumed = std::thread::scope(|scope| {
            let _ends = EndOnPanic(&recorder);
            let clients: Vec<_> = (1..=self.clients)
                .map(|number| {
                    let dice = fork(dice);
                    let caller = Caller::new(number, self.namespace, &entrance, &recorder, dice);
                    scope.spawn(move || caller.run())
                })
                .collect();
            let watchers: Vec<_> = (1..=self.watchers)
                .map(|number| {
                    let (dice, entrance, recorder) = (fork(dice), &entrance, &recorder);
                    let namespace = self.namespace;
                    scope.spawn(move || {
                        watchers::run(number, namespace, first, entrance, recorder, dice)
                    })
                })
                .collect();
            disturb(cluster, dice, &recorder);
            recorder.end();
            clients.into_iter().for_each(|client| client.join().unwrap());
            until_answered(&mut main, &list());
            // Each attempt is another object: one without an answer may be there.
            let mut number = 0;
            let last = loop {
                number += 1;
                let name = format!("last{number}");
                let create = Action::Create { key: name.clone(), value: name };
                if let Some(Outcome::Written(revision)) = main.call(create) {
                    break revision;
                }
                assert!(number < 100, "nothing can be written");
                std::thread::sleep(Duration::from_millis(50));
            };
            recorder.end_watches(last);
            wake(cluster, self.namespace);
            watchers.into_iter().map(|watcher| watcher.join().unwrap()).sum()
        });
        drop(main);
        judge(recorder, resumed)
    }
}

/// Lets the clients and watchers end when the round fails: the scope waits for them, however it is left.
struct EndOnPanic<'r>(&'r Recorder);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
            self.0.end_watches(0);
        }
    }
}

fn list() -> Action {
    Action::List { prefix: String::new() }
}

/// Calls until there is an answer.
fn until_answered(caller: &mut Caller<'_>, action: &Action) -> Outcome {
    let begun = Instant::now();
    loop {
        match caller.call(action.clone()) {
            Some(outcome) if !matches!(outcome, Outcome::Unknown | Outcome::Refused) => {
                return outcome;
            }
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no answer to {action:?}");
    }
}

fn create_namespace(cluster: &Cluster, name: &str) {
    create(cluster, "/api/v1/namespaces", name);
}

/// Creates an object that no history contains. An etcd that has just lost a member may need another attempt, whose object
/// may be there already.
fn create(cluster: &Cluster, path: &str, name: &str) {
    let body = format!(r#"{{"metadata":{{"name":"{name}"}}}}"#);
    let begun = Instant::now();
    loop {
        let mut client = cluster.servers[0].connect().unwrap();
        let made = client.post(path, &body);
        match made.code {
            201 | 409 => return,
            500.. if begun.elapsed() < Duration::from_secs(60) => {
                std::thread::sleep(Duration::from_millis(100));
            }
            code => panic!("{code}: {}", made.text()),
        }
    }
}

/// Causes one more event, which no history contains, so that watches see that they have seen everything.
fn wake(cluster: &Cluster, namespace: &str) {
    create(cluster, &api::collection(namespace), api::WAKE);
}

fn judge(recorder: Recorder, resumed: usize) -> Tally {
    let history = recorder.into_history();
    let violations = histories::check(&history);
    let texts: Vec<String> = violations.iter().take(20).map(ToString::to_string).collect();
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), texts.join("\n"));
    let count = |is_counted: fn(&Outcome) -> bool| {
        history.calls.iter().filter(|call| is_counted(&call.outcome)).count()
    };
    Tally {
        calls: history.calls.len(),
        acknowledged: count(|outcome| matches!(outcome, Outcome::Written(_) | Outcome::Deleted)),
        unknown: count(|outcome| matches!(outcome, Outcome::Unknown)),
        events: history.watches.iter().map(|watch| watch.events.len()).sum(),
        resumed,
    }
}
