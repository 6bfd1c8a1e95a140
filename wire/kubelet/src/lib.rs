//! Connections to kubelets, each asked for by the name of its node and verified for that node.
