//! The servers of a run: what clients need to reach them, which changes with every restart, and what is done to them.

use crate::hostile::Client;
use crate::hostile::flood::Dice;
use crate::hostile::process::Process;
use crate::recorder::Recorder;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Where the servers are, and who asks: shared by all clients.
#[derive(Clone)]
pub(crate) struct Entrance(Arc<Mutex<Vec<(SocketAddr, String)>>>);

impl Entrance {
    /// A connection of the administrator to one of the servers.
    pub(crate) fn connect(&self, dice: &mut Dice) -> io::Result<Client> {
        let (address, kubeconfig) = {
            let servers = self.0.lock().unwrap();
            servers[dice.below(servers.len())].clone()
        };
        Client::connect(address, Some(&kubeconfig), &[b"http/1.1"])
    }
}

/// The servers, which are one API. On the embedded store there is one.
pub(crate) struct Cluster {
    pub(crate) servers: Vec<Process>,
    pub(crate) entrance: Entrance,
    /// The members that the servers use, if they are on etcd.
    pub(crate) etcd: Option<etcd_peer::Cluster>,
}

/// Something that happens to a cluster while it is used; when it returns, the cluster is whole again.
pub(crate) struct Disturbance {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Cluster, &mut Dice, &Recorder),
}

/// What can happen to servers on any store.
pub(crate) const DISTURBANCES: [Disturbance; 3] = [
    Disturbance { name: "killed server", run: Cluster::kill },
    Disturbance { name: "paused server", run: Cluster::pause },
    Disturbance { name: "restarted server", run: Cluster::restart },
];

impl Cluster {
    /// One server on the embedded store.
    pub(crate) fn embedded(folder: &Path, flags: &[&str]) -> Self {
        let servers = vec![Process::start(folder, "", flags)];
        Self::of(servers, None)
    }

    /// Servers on one etcd, each with a folder of its own.
    pub(crate) fn on_etcd(folders: &[&Path], etcd: etcd_peer::Cluster, flags: &[&str]) -> Self {
        let servers = format!("--etcd-servers={}", etcd.urls().join(","));
        let flags: Vec<&str> = flags.iter().copied().chain([servers.as_str()]).collect();
        let start = |folder: &&Path| Process::start(folder, "", &flags);
        Self::of(folders.iter().map(start).collect(), Some(etcd))
    }

    fn of(servers: Vec<Process>, etcd: Option<etcd_peer::Cluster>) -> Self {
        let cluster = Self { servers, entrance: Entrance(Arc::default()), etcd };
        cluster.announce();
        cluster
    }

    /// Tells clients where the servers are.
    fn announce(&self) {
        let places = self.servers.iter();
        let places = places.map(|server| (server.address, server.kubeconfig().unwrap()));
        *self.entrance.0.lock().unwrap() = places.collect();
    }

    /// Kills a server with SIGKILL, now and then again while it starts.
    pub(crate) fn kill(&mut self, dice: &mut Dice, recorder: &Recorder) {
        let chosen = dice.below(self.servers.len());
        let only = self.servers.len() == 1;
        let server = &mut self.servers[chosen];
        server.kill();
        while dice.once_in(4) {
            server.spawn_again();
            std::thread::sleep(Duration::from_millis(dice.below(400) as u64));
            server.kill();
        }
        // What was on its way to a store of its own cannot arrive any more.
        if only {
            recorder.settle();
        }
        server.spawn_again();
        server.wait_until_ready();
        self.announce();
    }

    /// Stops a server for a while, in which its clients wait.
    fn pause(&mut self, dice: &mut Dice, _: &Recorder) {
        let chosen = dice.below(self.servers.len());
        self.servers[chosen].signal("STOP");
        std::thread::sleep(Duration::from_millis(200 + dice.below(1500) as u64));
        self.servers[chosen].signal("CONT");
    }

    /// Stops a server as an operator does, and starts it again.
    fn restart(&mut self, dice: &mut Dice, _: &Recorder) {
        let chosen = dice.below(self.servers.len());
        self.servers[chosen].terminate();
        self.servers[chosen].spawn_again();
        self.servers[chosen].wait_until_ready();
        self.announce();
    }
}
