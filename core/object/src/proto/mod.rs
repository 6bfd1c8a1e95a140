//! Kubernetes' protobuf bodies become the same trees as JSON does.
