//! How much is measured.

/// The amounts of one measurement.
pub(super) struct Amounts {
    pub(super) seconds: &'static str,
    /// Pods at which memory is measured: two for the parameters, one for the point.
    pub(super) few_pods: u32,
    pub(super) some_pods: u32,
    pub(super) many_pods: u32,
    /// Watches for the cost of an event: so few that each event goes out alone, and a crowd that gets several together.
    pub(super) few: Watching,
    pub(super) crowd: Watching,
    /// Two more for points: between one and the few, and between the few and the crowd.
    pub(super) points: [Watching; 2],
}

/// So many watchers, and changes a second.
#[derive(Clone, Copy)]
pub(super) struct Watching {
    pub(super) watchers: u32,
    pub(super) rate: u32,
}

pub(super) const FULL: Amounts = Amounts {
    seconds: "5",
    few_pods: 3000,
    // A pod takes less than a kilobyte: some thousands of them are lost among buffers.
    some_pods: 25_000,
    many_pods: 60_000,
    few: Watching { watchers: 120, rate: 40 },
    crowd: Watching { watchers: 1000, rate: 100 },
    points: [Watching { watchers: 50, rate: 60 }, Watching { watchers: 400, rate: 80 }],
};

pub(super) const QUICK: Amounts = Amounts {
    seconds: "1",
    few_pods: 200,
    some_pods: 1200,
    many_pods: 3000,
    few: Watching { watchers: 40, rate: 40 },
    crowd: Watching { watchers: 200, rate: 300 },
    points: [Watching { watchers: 10, rate: 60 }, Watching { watchers: 100, rate: 300 }],
};
