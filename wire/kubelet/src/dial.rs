//! TCP dialing with happy eyeballs: all addresses of a host race, and the first connection wins.

use std::net::SocketAddr;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

use crate::lookup::lookup;
use crate::{KubeletError, Timing};

/// The head start of each address before the next one is tried as well.
const HEAD_START: Duration = Duration::from_millis(300);

/// Connects to a host, which is an address or a name.
pub(crate) async fn tcp(host: &str, port: u16, timing: &Timing) -> Result<TcpStream, KubeletError> {
    let deadline = Instant::now() + timing.dial;
    let addresses = addresses(host, port, deadline).await?;
    let stream = connect_any(addresses, host, deadline).await?;
    // Small frames must not wait for one another; a failure to set this is no reason to fail.
    let _ = stream.set_nodelay(true);
    let keep_alive =
        TcpKeepalive::new().with_time(timing.keep_alive).with_interval(timing.keep_alive);
    let _ = SockRef::from(&stream).set_tcp_keepalive(&keep_alive);
    Ok(stream)
}

async fn addresses(
    host: &str,
    port: u16,
    deadline: Instant,
) -> Result<Vec<SocketAddr>, KubeletError> {
    let timed_out =
        || KubeletError::Lookup { host: host.to_owned(), why: "i/o timeout".to_owned() };
    let resolved = timeout_at(deadline, lookup(host, port))
        .await
        .map_err(|_| timed_out())?
        .map_err(|error| KubeletError::lookup(host, &error))?;
    Ok(interleave_families(resolved))
}

/// Alternates the families, beginning with the one that the resolver prefers.
fn interleave_families(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first_is_6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (preferred, others): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv6() == first_is_6);
    let mut turns: Vec<(usize, SocketAddr)> = preferred.into_iter().enumerate().collect();
    turns.extend(others.into_iter().enumerate());
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, address)| address).collect()
}

async fn connect_any(
    addresses: Vec<SocketAddr>,
    host: &str,
    deadline: Instant,
) -> Result<TcpStream, KubeletError> {
    let no_such_host =
        || KubeletError::Lookup { host: host.to_owned(), why: "no such host".to_owned() };
    let first = *addresses.first().ok_or_else(no_such_host)?;
    let racing = race(addresses);
    timeout_at(deadline, racing).await.unwrap_or_else(|_| Err(KubeletError::dial_timeout(first)))
}

async fn race(addresses: Vec<SocketAddr>) -> Result<TcpStream, KubeletError> {
    let mut untried = addresses.into_iter();
    let mut attempts = JoinSet::new();
    let mut first_error = None;
    let attempt = |address: SocketAddr| async move {
        TcpStream::connect(address).await.map_err(|error| KubeletError::dial(address, &error))
    };
    loop {
        if let Some(address) = untried.next() {
            attempts.spawn(attempt(address));
        }
        let has_more = untried.len() > 0;
        tokio::select! {
            result = attempts.join_next() => match result {
                Some(Ok(Ok(stream))) => return Ok(stream),
                Some(Ok(Err(error))) => first_error = first_error.or(Some(error)),
                Some(Err(_)) => {}
                None => return Err(first_error.unwrap_or_else(no_attempt)),
            },
            () = sleep(HEAD_START), if has_more => {}
        }
    }
}

fn no_attempt() -> KubeletError {
    KubeletError::Exchange("dial tcp: no address could be tried".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let all = ["10.0.0.1:1", "10.0.0.2:1", "[::1]:1", "[::2]:1", "10.0.0.3:1"];
        let all = all.map(|text| text.parse().unwrap()).to_vec();
        let turns: Vec<String> = interleave_families(all).iter().map(ToString::to_string).collect();
        assert_eq!(turns, ["10.0.0.1:1", "[::1]:1", "10.0.0.2:1", "[::2]:1", "10.0.0.3:1"]);
        assert!(interleave_families(Vec::new()).is_empty());
    }

    #[tokio::test]
    async fn one_address_that_answers_is_enough() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let good = listener.local_addr().unwrap();
        let bad: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        for addresses in [vec![good, bad], vec![bad, good], vec![bad, bad, good]] {
            let stream = connect_any(addresses, "x", deadline).await.unwrap();
            assert_eq!(stream.peer_addr().unwrap(), good);
        }
        let error = connect_any(vec![bad], "x", deadline).await.unwrap_err();
        assert_eq!(error.to_string(), "dial tcp 127.0.0.1:1: connect: connection refused");
        let error = connect_any(vec![], "x", deadline).await.unwrap_err();
        assert_eq!(error.to_string(), "dial tcp: lookup x: no such host");
    }

    #[tokio::test]
    async fn waiting_ends() {
        let timing = Timing { dial: Duration::from_millis(100), ..Timing::default() };
        // An address that is never routed: packets are dropped, or refused at once where there is
        // no network.
        let error = tcp("192.0.2.1", 10250, &timing).await.unwrap_err().to_string();
        assert!(error.starts_with("dial tcp 192.0.2.1:10250: "), "{error}");
        let error = tcp("nope.invalid", 1, &timing).await.unwrap_err().to_string();
        assert!(error.starts_with("dial tcp: lookup nope.invalid: "), "{error}");
    }
}
