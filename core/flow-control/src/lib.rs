//! API Priority and Fairness as pure functions: FlowSchemas classify a request, its priority level seats, queues or
//! rejects it.
//!
//! ```
//! use ratchet_access::{Attributes, Target, User};
//! use ratchet_flow_control::{Arrival, Configuration, QueueSet, Started};
//!
//! let configuration = Configuration::new([], []);
//! let user = User { name: "ann".into(), groups: vec!["system:masters".into()], ..User::default() };
//! let request = Attributes { user: &user, verb: "get", target: Target::Path("/version") };
//! let schema = configuration.classify(&request);
//! assert_eq!(schema.name, "exempt", "the mandatory objects are in force without being stored");
//!
//! let level = configuration.level_of(schema);
//! let mut queues = QueueSet::new(level.queuing, 0, 0);
//! let arrival = Arrival { now: 1, hash: 0, seats: 1 };
//! assert!(matches!(queues.start(arrival, "a request"), Started::Executing(_)));
//! ```
#![no_std]
extern crate alloc;

mod bootstrap;
mod borrowing;
mod concurrency;
mod configuration;
mod dangling;
mod demand;
mod ensure;
mod flow_schema;
mod priority_level;
mod queue;
mod queue_set;
mod requests;
mod retry_after;
mod rule;
mod shuffle;
mod work;

pub use bootstrap::{Bootstrap, bootstrap_objects};
pub use borrowing::{Adjusted, Load, adjust};
pub use concurrency::{Limits, divide};
pub use configuration::Configuration;
pub use dangling::DanglingCondition;
pub use demand::{Demand, DemandStats, Observed};
pub use ensure::{is_unwanted, revise};
pub use flow_schema::{Distinguisher, FlowSchema};
pub use priority_level::{PriorityLevel, Queuing};
pub use queue::QueueState;
pub use queue_set::{Arrival, QueueSet, Rejection, Started, Totals};
pub use requests::{RequestState, Ticket};
pub use retry_after::RetryAfter;
pub use shuffle::flow_hash;
pub use work::{ListWork, MAX_LIST_SEATS, MAX_SEATS, Work};
