//! Tests of EndpointSlice plans, one per behaviour.

mod behaviour;
mod packing;
mod spreading;
