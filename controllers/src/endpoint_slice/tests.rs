//! Plans, behaviour by behaviour.

mod behaviour;
mod packing;
mod spreading;
