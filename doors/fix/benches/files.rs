//! Files a second that `ratchet fix` reads, rewrites, proves and writes: `cargo bench -p ratchet-fix`.
#![allow(clippy::unwrap_used, reason = "a bench may fail like a test")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use ratchet_fix::{Config, OutputFormat, run};
use ratchet_rewrite::Choices;
use tempfile::TempDir;

const FILES: u64 = 1000;

/// A folder in which every fourth file has damaged spellings.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..FILES {
        let (ip, range) = if number % 4 == 0 {
            ("192.0.2.01", "10.0.0.0/08")
        } else {
            ("192.0.2.1", "10.0.0.0/8")
        };
        let text = format!(
            "# Service {number}\napiVersion: v1\nkind: Service\nmetadata:\n  name: web-{number}\n  labels: {{app: web}}\nspec:\n  ports:\n  - {{port: 80, name: http}}\n  externalIPs:\n  - '{ip}' # ours\n  loadBalancerSourceRanges: [{range}]\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{number}}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers:\n      - name: main\n        image: registry.example/web:1\n        resources: {{requests: {{cpu: 100m, memory: 64Mi}}}}\n      dnsConfig: {{nameservers: [{ip}]}}\n"
        );
        std::fs::write(folder.path().join(format!("{number:04}.yaml")), text).unwrap();
    }
    folder
}

fn fix(folder: &TempDir) {
    let config = Config {
        inputs: vec![folder.path().into()],
        recursive: true,
        write: true,
        choices: Choices::default(),
        output: OutputFormat::Diff,
        colour: false,
        workers: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    let summary = run(&config, &mut std::io::sink(), &mut std::io::sink()).unwrap();
    assert_eq!((summary.files, summary.changed), (FILES, FILES / 4));
}

fn files(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fix");
    group.sample_size(10).throughput(Throughput::Elements(FILES));
    group.bench_function("files", |bench| {
        bench.iter_batched_ref(folder, |folder| fix(folder), BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, files);
criterion_main!(benches);
