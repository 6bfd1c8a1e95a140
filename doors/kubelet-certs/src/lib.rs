//! The door that looks at the kubelets of a cluster and says whether their certificates bear their nodes' names.
