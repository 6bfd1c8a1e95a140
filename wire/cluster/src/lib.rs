//! A live cluster, read through its kubeconfig.
