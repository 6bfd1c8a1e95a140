//! Processes on this machine, found by the port they listen on: CPU time and memory.

use std::collections::HashSet;
use std::net::{IpAddr, UdpSocket};
use std::path::Path;

/// Ticks of `/proc/PID/stat` in a second: a constant of Linux' interface, whatever the kernel's own clock.
const TICKS: f64 = 100.0;

/// The state of a listening socket in `/proc/net/tcp`.
const LISTENING: &str = "0A";

/// A process whose use of the machine is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) name: String,
}

/// What a process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ProcessUsage {
    /// CPU seconds of all threads since the process began.
    pub(crate) cpu_seconds: f64,
    /// Resident memory in megabytes.
    pub(crate) memory_mb: f64,
}

impl Process {
    /// The process that listens on a port of this machine, if it can be seen.
    pub(crate) fn listening_on(port: u16) -> Option<Self> {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
        let texts = tables.iter().filter_map(|table| std::fs::read_to_string(table).ok());
        let sockets: HashSet<String> = texts
            .flat_map(|text| listeners(&text, port))
            .map(|n| format!("socket:[{n}]"))
            .collect();
        let entries = std::fs::read_dir("/proc").ok()?;
        let mut pids: Vec<u32> =
            entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
        pids.sort_unstable();
        pids.into_iter().find(|pid| has_socket(*pid, &sockets)).and_then(Self::of)
    }

    /// A process by its id.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        Some(Self { pid, name: name.trim().to_owned() })
    }

    /// What it has used until now; nothing if it is gone.
    pub(crate) fn usage(&self) -> Option<ProcessUsage> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        Some(ProcessUsage { cpu_seconds: cpu_seconds(&stat)?, memory_mb: memory_mb(&status)? })
    }
}

/// Whether an address belongs to this machine.
pub(crate) fn is_local(address: IpAddr) -> bool {
    address.is_loopback() || UdpSocket::bind((address, 0)).is_ok()
}

/// The inodes of the sockets that listen on a port, in the text of `/proc/net/tcp`.
fn listeners(text: &str, port: u16) -> Vec<String> {
    let wanted = format!("{port:04X}");
    text.lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (_, local) = fields.get(1)?.rsplit_once(':')?;
            let is_listener = local == wanted && *fields.get(3)? == LISTENING;
            is_listener.then(|| fields.get(9).map(|inode| (*inode).to_owned())).flatten()
        })
        .collect()
}

fn has_socket(pid: u32, sockets: &HashSet<String>) -> bool {
    let Ok(files) = std::fs::read_dir(Path::new("/proc").join(pid.to_string()).join("fd")) else {
        return false;
    };
    files.flatten().any(|file| {
        std::fs::read_link(file.path())
            .is_ok_and(|link| link.to_str().is_some_and(|link| sockets.contains(link)))
    })
}

/// User and system time in the text of `/proc/PID/stat`; the name in parentheses may contain anything.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS)
}

/// Resident memory in the text of `/proc/PID/status`.
fn memory_mb(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024.0 / 1_000_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn the_process_behind_a_port_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let found = Process::listening_on(listener.local_addr().unwrap().port()).unwrap();
        assert_eq!(found.pid, std::process::id());
        assert!(found.usage().unwrap().memory_mb > 0.0);
    }

    #[test]
    fn sockets_in_another_state_or_on_another_port_are_no_listeners() {
        let text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:192B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 0100007F:192B 0100007F:8000 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
   2: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
garbage
";
        assert_eq!(listeners(text, 6443), ["4711"]);
        assert_eq!(listeners(text, 443), Vec::<String>::new());
    }

    #[test]
    fn cpu_time_is_read_behind_a_name_with_parentheses() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 4 0 12345 1 2";
        assert_eq!(cpu_seconds(stat), Some(2.0));
        assert_eq!(cpu_seconds("7 (a"), None);
    }

    #[test]
    fn memory_is_in_megabytes() {
        assert_eq!(memory_mb("Name:\ta\nVmRSS:\t    1000 kB\n"), Some(1.024));
        assert_eq!(memory_mb("Name:\ta\n"), None);
    }

    #[test]
    fn loopback_is_here_and_a_documentation_address_is_not() {
        assert!(is_local("127.0.0.1".parse().unwrap()));
        assert!(!is_local("192.0.2.1".parse().unwrap()));
    }
}
