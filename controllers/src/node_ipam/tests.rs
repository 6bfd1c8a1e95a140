//! Tests of pod CIDRs while nodes join and leave, responses are lost and the controller restarts: no two nodes share
//! one.

mod world;

use crate::{NoopMetrics, Selection, Settings, run};
use proptest::prelude::*;
use ratchet_allocation::{MaskSizes, NodeRanges};
use ratchet_net::CidrText;
use std::sync::Arc;
use std::time::Duration;
use world::{Mood, World};

/// One step of a scenario.
#[derive(Clone, Debug)]
enum Step {
    Join(u8),
    /// A node joins with a CIDR of its own, in a non-canonical form.
    Bring(u8, u8),
    Leave(u8),
    Restart,
    Mood(Mood),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let mood = prop_oneof![
        2 => Just(Mood::Good),
        1 => Just(Mood::Deaf),
        1 => Just(Mood::Forgetful),
    ];
    let step = prop_oneof![
        6 => (0_u8..12).prop_map(Step::Join),
        1 => (0_u8..12, 0_u8..8).prop_map(|(node, part)| Step::Bring(node, part)),
        3 => (0_u8..12).prop_map(Step::Leave),
        1 => Just(Step::Restart),
        2 => mood.prop_map(Step::Mood),
        3 => (0_u64..400).prop_map(Step::Wait),
    ];
    proptest::collection::vec(step, 0..50)
}

struct Running(tokio::task::JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn start(world: &Arc<World>) -> Running {
    let sizes = MaskSizes { v4: Some(24), v6: None, any: None };
    let services = ["10.0.1.0/25".to_owned()];
    let settings = Settings {
        selection: Selection::parse("node-ipam-controller").expect("known"),
        node_ranges: NodeRanges::new("10.0.0.0/21,fd00::/61", sizes, &services).ok(),
        ..Settings::default()
    };
    Running(tokio::spawn(run(
        world.clone(),
        settings,
        Arc::new(NoopMetrics),
        std::future::pending(),
    )))
}

/// A CIDR that two nodes share, if any.
fn shared(world: &World) -> Option<String> {
    let given = world.cidrs_by_node();
    for (at, (node, one)) in given.iter().enumerate() {
        let parse = |text: &str| CidrText::parse(text).expect("a network");
        for (other_node, other) in &given[at + 1..] {
            let (a, b) = (parse(one), parse(other));
            if node != other_node && (a.contains_network(&b) || b.contains_network(&a)) {
                return Some(format!("{node} and {other_node} share {one} and {other}"));
            }
        }
    }
    None
}

async fn live(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let world = Arc::new(World::default());
    let mut running = start(&world);
    for step in steps {
        match step {
            Step::Join(node) => world.join(node, &[]),
            Step::Bring(node, part) => {
                let odd = format!("010.0.0{part}.00/024");
                // A node with its own CIDR takes it from nobody.
                if !world.is_taken(&odd) {
                    world.join(node, &[odd]);
                }
            }
            Step::Leave(node) => world.leave(node),
            Step::Restart => {
                drop(running);
                running = start(&world);
            }
            Step::Mood(mood) => world.set_mood(mood),
            Step::Wait(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
        }
        prop_assert_eq!(shared(&world), None);
    }
    world.set_mood(Mood::Good);
    tokio::time::sleep(Duration::from_secs(120)).await;
    prop_assert_eq!(shared(&world), None);
    // Seven of eight CIDRs are for nodes: none waits in vain, and all are canonical.
    let (with, without) = world.counts();
    prop_assert!(without == 0 || with >= 7, "{} have some and {} wait", with, without);
    for cidr in world.written() {
        prop_assert!(CidrText::parse(&cidr).expect("a network").is_canonical_network(), "{}", cidr);
    }
    let before = world.writes();
    tokio::time::sleep(Duration::from_secs(120)).await;
    prop_assert_eq!(world.writes(), before, "all is over");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn no_two_nodes_share_a_network_whatever_happens(steps in steps()) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime");
        runtime.block_on(live(steps))?;
    }
}
