//! A full verdict on an address against the standard library's parser on the same texts.

use std::{hint::black_box, net::IpAddr};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ratchet_net::IpText;

const TEXTS: [&str; 42] = [
    // IPv4 as people write it
    "1.2.3.4",
    "10.0.0.1",
    "10.96.0.10",
    "127.0.0.1",
    "0.0.0.0",
    "172.16.254.3",
    "192.168.1.1",
    "192.168.100.200",
    "203.0.113.195",
    "255.255.255.255",
    "8.8.8.8",
    "100.64.12.7",
    // IPv6, short and long
    "::",
    "::1",
    "fe80::1",
    "fd00::a",
    "2001:db8::ffff",
    "2001:db8::1:0:0:1",
    "2001:db8:85a3::8a2e:370:7334",
    "fd12:3456:789a:1::1",
    "2001:0db8:0000:0000:0000:ff00:0042:8329",
    "2001:db8:0:1:1:1:1:1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:DB8::FFFF",
    "64:ff9b::192.0.2.33",
    "1:2:3:4:5:6:7:8",
    // leading zeros
    "010.009.008.007",
    "192.168.001.5",
    "127.0.0.01",
    "::00001",
    "2001:db8::00042",
    // mapped
    "::ffff:1.2.3.4",
    "::ffff:192.168.100.200",
    "::ffff:0102:0304",
    "0:0:0:0:0:ffff:1.2.3.4",
    "::ffff:01.2.3.4",
    // not addresses
    "",
    "None",
    "1.2.3",
    "1.2.3.256",
    "1:2:3:4:5:6:7:8:9",
    "db.example.com",
];

fn verdict(c: &mut Criterion) {
    let mut group = c.benchmark_group("ratchet");
    group.throughput(Throughput::Elements(TEXTS.len() as u64));
    group.bench_function("verdict", |b| {
        b.iter(|| {
            for text in TEXTS {
                let parsed = IpText::parse(black_box(text));
                black_box(parsed.map(|ip| (ip, ip.fault(), ip.is_canonical())).ok());
            }
        });
    });
    group.finish();

    let mut group = c.benchmark_group("std");
    group.throughput(Throughput::Elements(TEXTS.len() as u64));
    group.bench_function("parse", |b| {
        b.iter(|| {
            for text in TEXTS {
                black_box(black_box(text).parse::<IpAddr>().ok());
            }
        });
    });
    group.finish();
}

criterion_group!(benches, verdict);
criterion_main!(benches);
