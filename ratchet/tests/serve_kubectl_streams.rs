//! Logs, commands, ports and copies: the real kubectl, `ratchet serve` that enforces names, and kubelets that answer.

mod kubectl_streams;
