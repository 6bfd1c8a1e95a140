//! Decoding of typical manifests, through the fast path and through the full parser.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ratchet_object::{DecodeError, Decoded, Limits, decode, decode_without_shortcut};

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: item-7
  namespace: team-7
  labels:
    app.kubernetes.io/name: item-7
    app.kubernetes.io/part-of: shop
    app.kubernetes.io/managed-by: kustomize
spec:
  replicas: 3
  selector:
    matchLabels:
      app: item-7
  template:
    metadata:
      labels:
        app: item-7
    spec:
      serviceAccountName: item-7
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      # Names are asked of our own servers.
      dnsConfig:
        nameservers:
        - 10.0.7.7
        searches:
        - shop.svc.cluster.local
      containers:
      - name: main
        image: registry.example.com/shop/item:7
        args: [\"--listen=:8080\", \"--log=info\"]
        ports:
        - name: http
          containerPort: 8080
        livenessProbe:
          httpGet:
            path: /healthz
            port: http
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits: {memory: 256Mi}
        securityContext:
          allowPrivilegeEscalation: false
          capabilities:
            drop: [ALL]
";

const SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: item-8
  namespace: team-8
  labels:
    app.kubernetes.io/name: item-8
spec:
  type: LoadBalancer
  selector:
    app: item-8
  ports:
  - name: http
    port: 80
    targetPort: http
  loadBalancerSourceRanges:
  - 10.8.0.0/16
  - 192.168.0.0/24
";

const CONFIG_MAP: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: item-12
  namespace: team-12
data:
  application.properties: |
    server.port=8080
    shop.item=12
    shop.cache.size=1000
    shop.feature.fast=true
  LOG_LEVEL: \"info\"
  REGION: 'eu-west-1'
";

type Reader = for<'t> fn(&'t str, Limits) -> Result<Decoded<'t>, DecodeError>;

fn yaml(criterion: &mut Criterion) {
    let readers: [(&str, Reader); 2] = [("shortcut", decode), ("full", decode_without_shortcut)];
    let texts = [("deployment", DEPLOYMENT), ("service", SERVICE), ("config-map", CONFIG_MAP)];
    for (reader, decode_with) in readers {
        let mut group = criterion.benchmark_group(reader);
        for (name, text) in texts {
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(name, |bencher| {
                bencher
                    .iter(|| decode_with(black_box(text), Limits::DEFAULT).map(black_box).is_ok());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, yaml);
criterion_main!(benches);
