//! Tests of queue sets: seats are conserved, nobody waits without need, and flows are served fairly.

use super::*;
use alloc::collections::BTreeMap;
use alloc::vec;
use proptest::prelude::*;

const QUEUES: Queuing = Queuing::Queue { queues: 16, hand_size: 3, length_limit: 10 };
const MILLISECOND: u64 = 1_000_000;

fn arrival(now: u64, hash: u64, seats: u32) -> Arrival {
    Arrival { now, hash, seats }
}

/// A request of which the test knows whether it has its seats.
#[derive(Clone, Debug)]
struct Job {
    flow: u64,
    id: usize,
}

#[test]
fn a_level_that_rejects_has_a_limit_and_no_queues() {
    let mut set = QueueSet::new(Queuing::Reject, 2, 0);
    let Started::Executing(first) = set.start(arrival(1, 0, 1), ()) else { panic!("it is empty") };
    assert!(matches!(set.start(arrival(2, 0, 1), ()), Started::Executing(_)));
    let rejected = Started::Rejected(Rejection::ConcurrencyLimit);
    assert_eq!(set.start(arrival(3, 0, 1), ()), rejected);
    set.release(4, first, |()| panic!("nobody waits"));
    assert!(matches!(set.start(arrival(5, 0, 1), ()), Started::Executing(_)));
    assert_eq!((set.totals().dispatched, set.totals().rejected), (3, 1));
}

#[test]
fn an_exempt_level_has_no_limit() {
    let mut set = QueueSet::new(Queuing::Exempt, 0, 0);
    for now in 0..1000 {
        assert!(matches!(set.start(arrival(now, 0, 3), ()), Started::Executing(_)));
    }
    assert_eq!(set.totals().executing_seats, 3000);
}

#[test]
fn a_queue_has_a_length_and_a_wait_has_an_end() {
    let queuing = Queuing::Queue { queues: 1, hand_size: 1, length_limit: 2 };
    let mut set = QueueSet::new(queuing, 1, 0);
    let Started::Executing(first) = set.start(arrival(0, 7, 1), 0) else { panic!("it is empty") };
    let Started::Waiting(second) = set.start(arrival(1, 7, 1), 1) else { panic!("it is full") };
    let Started::Waiting(third) = set.start(arrival(2, 7, 1), 2) else { panic!("it is full") };
    assert_eq!(set.start(arrival(3, 7, 1), 3), Started::Rejected(Rejection::QueueFull));
    assert_eq!(set.time_out(4, second, |_| panic!("the seat is taken")), None);
    let mut woken = vec![];
    set.release(5, first, |job| woken.push(*job));
    assert_eq!(woken, [2]);
    let third = set.time_out(6, third, |_| ()).expect("it was woken before its time was over");
    set.release(7, third, |_| panic!("nobody waits"));
    assert!(set.is_idle());
    assert_eq!((set.totals().rejected, set.totals().cancelled), (2, 1));
}

#[test]
fn a_wide_request_has_its_turn_and_is_not_overtaken() {
    let queuing = Queuing::Queue { queues: 1, hand_size: 1, length_limit: 9 };
    let mut set = QueueSet::new(queuing, 4, 0);
    let Started::Executing(narrow) = set.start(arrival(0, 0, 1), "narrow") else { panic!() };
    let Started::Waiting(wide) = set.start(arrival(1, 0, 9), "wide") else { panic!() };
    let Started::Waiting(_) = set.start(arrival(2, 0, 1), "late") else { panic!("overtaken") };
    let mut woken = vec![];
    set.release(3, narrow, |job| woken.push(*job));
    assert_eq!(woken, ["wide"], "it is wider than the limit, and alone");
    set.release(4, wide, |job| woken.push(*job));
    assert_eq!(woken, ["wide", "late"]);
}

#[test]
fn a_higher_limit_wakes_and_fewer_queues_lose_nobody() {
    let mut set = QueueSet::new(QUEUES, 1, 0);
    let mut tickets = vec![];
    for hash in 0..12 {
        match set.start(arrival(hash, hash * 977, 1), hash) {
            Started::Executing(ticket) | Started::Waiting(ticket) => tickets.push(ticket),
            Started::Rejected(why) => panic!("{why:?}"),
        }
    }
    let one = Queuing::Queue { queues: 1, hand_size: 1, length_limit: 1 };
    let mut woken = 0;
    set.configure(20, one, 5, |_| woken += 1);
    assert_eq!(woken, 4);
    set.configure(21, Queuing::Reject, 5, |_| woken += 1);
    for ticket in tickets {
        set.release(30, ticket, |_| woken += 1);
    }
    assert!(set.is_idle());
    assert_eq!(set.queues().count(), 0, "empty queues are gone");
}

/// Runs a set whose seats are taken all the time: each flow keeps as many requests open as it is said to, and each
/// request takes so many milliseconds. Returns the number of finished requests of each flow.
fn simulate(queuing: Queuing, limit: u32, flows: &[(u64, usize, u64)], rounds: u64) -> Vec<usize> {
    let mut set = QueueSet::new(queuing, limit, 0);
    let mut finished = vec![0; flows.len()];
    let mut executing: BTreeMap<(u64, usize), (usize, Ticket)> = BTreeMap::new();
    let mut waiting: BTreeMap<usize, (usize, Ticket)> = BTreeMap::new();
    let mut open = vec![0; flows.len()];
    let mut next_id = 0;
    let mut now = 0;
    for _ in 0..rounds {
        for (index, (hash, most, length)) in flows.iter().enumerate() {
            while open[index] < *most {
                let job = Job { flow: index as u64, id: next_id };
                match set.start(arrival(now, *hash, 1), job) {
                    Started::Executing(ticket) => {
                        executing.insert((now + length * MILLISECOND, next_id), (index, ticket));
                    }
                    Started::Waiting(ticket) => {
                        waiting.insert(next_id, (index, ticket));
                    }
                    Started::Rejected(_) => break,
                }
                next_id += 1;
                open[index] += 1;
            }
        }
        let Some(((ends, _), (flow, ticket))) = executing.pop_first() else { break };
        now = ends;
        finished[flow] += 1;
        open[flow] -= 1;
        let mut woken = vec![];
        set.release(now, ticket, |job| woken.push((job.id, job.flow)));
        for (id, flow) in woken {
            let waited = waiting.remove(&id).expect("it waited");
            let length = flows[flow as usize].2;
            executing.insert((now + length * MILLISECOND, id), waited);
        }
    }
    finished
}

#[test]
fn a_greedy_flow_leaves_a_modest_one_its_share() {
    let queuing = Queuing::Queue { queues: 64, hand_size: 6, length_limit: 50 };
    for seed in 0..20 {
        let greedy = crate::flow_hash(seed, "s", "greedy");
        let modest = crate::flow_hash(seed, "s", "modest");
        let finished = simulate(queuing, 4, &[(greedy, 300, 5), (modest, 2, 5)], 4000);
        // Greed fills six queues; two requests at a time have two others. Each queue is served alike.
        assert!(finished[1] * 4 >= finished[0] / 2, "{finished:?}");
        assert!(finished[1] > 600, "{finished:?}");
    }
}

#[test]
fn long_requests_count_for_what_they_take() {
    let queuing = Queuing::Queue { queues: 2, hand_size: 1, length_limit: 50 };
    // Flow 0 asks for requests that take ten times as long.
    let finished = simulate(queuing, 2, &[(0, 20, 50), (1, 20, 5)], 4000);
    let ratio = finished[1] * 10 / finished[0].max(1);
    assert!((80..=125).contains(&ratio), "equal time, not equal numbers: {finished:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever happens, in whichever order: seats add up, no limit is passed, and nobody waits without need.
    #[test]
    fn seats_are_conserved(
        limit in 0_u32..12,
        steps in proptest::collection::vec((0_u8..10, any::<u64>(), 1_u32..6, 0_u64..3_000_000), 1..200),
    ) {
        let mut set = QueueSet::new(QUEUES, limit, 0);
        let mut tickets: Vec<Ticket> = vec![];
        let mut now = 0;
        let (mut arrived, mut rejected, mut ended) = (0, 0, 0);
        for (step, number, seats, passed) in steps {
            now += passed;
            let pick = usize::try_from(number).unwrap_or_default();
            match step {
                0..=5 => {
                    arrived += 1;
                    match set.start(arrival(now, number % 5, seats), ()) {
                        Started::Executing(ticket) | Started::Waiting(ticket) => tickets.push(ticket),
                        Started::Rejected(_) => rejected += 1,
                    }
                }
                6 | 7 if !tickets.is_empty() => {
                    set.release(now, tickets.swap_remove(pick % tickets.len()), |()| ());
                    ended += 1;
                }
                8 if !tickets.is_empty() => {
                    let ticket = tickets.swap_remove(pick % tickets.len());
                    match set.time_out(now, ticket, |()| ()) {
                        Some(ticket) => tickets.push(ticket),
                        None => ended += 1,
                    }
                }
                _ => {
                    let queues = if pick % 2 == 0 { QUEUES } else {
                        Queuing::Queue { queues: 4, hand_size: 2, length_limit: 3 }
                    };
                    set.configure(now, queues, u32::try_from(pick % 12).unwrap_or(1), |()| ());
                }
            }
            let totals = set.totals();
            let queues: Vec<_> = set.queues().collect();
            let (_, limit) = set.configuration();
            prop_assert_eq!(totals.executing + totals.waiting + rejected + ended, arrived);
            prop_assert_eq!(totals.executing + totals.waiting, tickets.len());
            let executing: u32 = set.executing().map(|state| state.seats).sum();
            prop_assert_eq!(executing, totals.executing_seats);
            prop_assert_eq!(queues.iter().map(|queue| queue.executing_seats).sum::<u32>(), executing);
            prop_assert_eq!(queues.iter().map(|queue| queue.waiting).sum::<usize>(), totals.waiting);
            prop_assert_eq!(queues.iter().map(|queue| queue.waiting_seats).sum::<u32>(), totals.waiting_seats);
            let active = queues.iter().filter(|queue| queue.waiting + queue.executing > 0).count();
            prop_assert_eq!(active, set.active_queues);
            if totals.waiting > 0 && totals.executing_seats < limit {
                let next = set.next_queue().expect("somebody waits");
                let seats = set.waiting(next).next().expect("it is not empty").seats;
                prop_assert!(!set.has_room_for(seats), "somebody waits without need");
            }
        }
        while let Some(ticket) = tickets.pop() {
            set.release(now, ticket, |()| ());
        }
        prop_assert!(set.is_idle());
        prop_assert_eq!((set.totals().executing_seats, set.totals().waiting_seats, set.active_queues), (0, 0, 0));
    }

    /// Flows of any appetite that never share a queue get equal shares of the seats.
    #[test]
    fn flows_with_a_queue_of_their_own_get_equal_shares(
        appetites in proptest::collection::vec(8_usize..60, 2..6),
        limit in 1_u32..6,
    ) {
        let queues = appetites.len();
        let queuing = Queuing::Queue { queues, hand_size: 1, length_limit: 50 };
        let flows: Vec<_> = appetites.iter().enumerate()
            .map(|(index, most)| (index as u64, *most, 5)).collect();
        let finished = simulate(queuing, limit, &flows, 3000);
        let (least, most) = (finished.iter().min().expect("some"), finished.iter().max().expect("some"));
        prop_assert!(most - least <= 40, "{:?}", finished);
    }
}
