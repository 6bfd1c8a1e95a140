//! Look-ups of host names, a few at once: the system's resolver takes a thread, which no caller that gives up gets back.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::net::lookup_host;
use tokio::sync::Semaphore;

/// The threads are those of the whole process, and others wait for the system on them, too.
static LOOKUPS: Semaphore = Semaphore::const_new(8);

/// The addresses of a host, which is an address or a name.
///
/// # Errors
///
/// The resolver's own.
pub async fn lookup(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let permit = LOOKUPS.acquire().await.map_err(io::Error::other)?;
    let host = host.to_owned();
    // The permit ends with the look-up, not with who waits for it.
    let looked_up = tokio::spawn(async move {
        let _permit = permit;
        Ok(lookup_host((host.as_str(), port)).await?.collect())
    });
    looked_up.await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_need_no_look_up_and_names_end_theirs() {
        let all = LOOKUPS.acquire_many(8).await.unwrap();
        let found = lookup("fd00::1", 80).await.unwrap();
        assert_eq!(found, ["[fd00::1]:80".parse().unwrap()]);
        let name = tokio::spawn(lookup("localhost", 80));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        assert!(!name.is_finished(), "there is no thread for it");
        drop(all);
        assert!(name.await.unwrap().unwrap().iter().all(|address| address.ip().is_loopback()));
        assert_eq!(lookup("no.such.name.invalid", 1).await.ok(), None);
        while LOOKUPS.available_permits() < 8 {
            tokio::task::yield_now().await;
        }
    }
}
