//! Tables of addresses and networks in expressions.
#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

mod rows;

#[test]
fn addresses() {
    rows::check("ip", include_str!("net/ip.txt"));
}

#[test]
fn networks() {
    rows::check("cidr", include_str!("net/cidr.txt"));
}

#[test]
fn addresses_and_networks_among_other_values() {
    rows::check("together", include_str!("net/together.txt"));
}
