//! Tests of logs, commands, ports and copies with the real kubectl, `ratchet serve` that enforces names, and kubelets.

mod kubectl_streams;
