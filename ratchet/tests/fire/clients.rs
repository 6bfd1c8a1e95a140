//! Clients: each calls one thing after another, on few keys that all of them share, and records what it was answered.

use crate::api;
use crate::cluster::Entrance;
use crate::hostile::Client;
use crate::hostile::flood::Dice;
use crate::recorder::Recorder;
use histories::{Action, Outcome};
use std::collections::HashMap;
use std::time::Duration;

/// The number of keys: few enough for conflicts, many enough that most calls succeed.
const KEYS: usize = 24;

/// A client and what it knows.
pub(crate) struct Caller<'a> {
    pub(crate) number: usize,
    pub(crate) namespace: &'a str,
    pub(crate) entrance: &'a Entrance,
    pub(crate) recorder: &'a Recorder,
    pub(crate) dice: Dice,
    connection: Option<Client>,
    /// The revisions of keys that it saw last, which may be old.
    known: HashMap<String, u64>,
    calls: usize,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(
        number: usize,
        namespace: &'a str,
        entrance: &'a Entrance,
        recorder: &'a Recorder,
        dice: Dice,
    ) -> Self {
        let (connection, known) = (None, HashMap::new());
        Self { number, namespace, entrance, recorder, dice, connection, known, calls: 0 }
    }

    /// Calls at random until the run ends.
    pub(crate) fn run(mut self) {
        while !self.recorder.is_ended() {
            let action = self.choose();
            if self.call(action).is_none() {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// A random action; what it knows of the key decides which are likely to succeed.
    fn choose(&mut self) -> Action {
        let key = format!("k{}", self.dice.below(KEYS));
        self.calls += 1;
        let value = format!("{}-{}", self.number, self.calls);
        match (self.dice.below(10), self.known.get(&key).copied()) {
            (0, _) => Action::List { prefix: String::new() },
            (1, _) => Action::Get { key },
            (2..6, Some(over)) => Action::Update { key, value, over },
            (6 | 7, Some(over)) => Action::Delete { key, over },
            (8 | 9, Some(_)) => Action::Get { key },
            (_, _) => Action::Create { key, value },
        }
    }

    /// Calls and records; none if nothing could be sent.
    pub(crate) fn call(&mut self, action: Action) -> Option<Outcome> {
        if self.connection.is_none() {
            self.connection = Some(self.entrance.connect(&mut self.dice).ok()?);
        }
        let request = api::encode(self.namespace, &action);
        let begin = self.recorder.now();
        let answer = self.connection.as_mut()?.try_raw(&request, false);
        let outcome = match &answer {
            Ok(answer) => api::decode(&action, answer),
            Err(_) => Outcome::Unknown,
        };
        self.recorder.call(self.number, begin, action.clone(), outcome.clone());
        // A server that is asked to end closes connections after their answers.
        if answer.is_ok_and(|answer| answer.head.contains("connection: close"))
            || outcome == Outcome::Unknown
        {
            self.connection = None;
        }
        self.learn(&action, &outcome);
        Some(outcome)
    }

    fn learn(&mut self, action: &Action, outcome: &Outcome) {
        match outcome {
            Outcome::Written(revision) => {
                self.known.insert(action.key().to_owned(), *revision);
            }
            Outcome::Found(record) => {
                self.known.insert(record.key.clone(), record.revision);
            }
            Outcome::Listed { records, .. } => {
                let pair = |record: &histories::Record| (record.key.clone(), record.revision);
                self.known = records.iter().map(pair).collect();
            }
            Outcome::Deleted | Outcome::Absent => {
                self.known.remove(action.key());
            }
            // What it is now is not known; a read will tell, as often as a list comes.
            Outcome::Exists | Outcome::Conflict | Outcome::Refused | Outcome::Unknown => {}
        }
    }
}
