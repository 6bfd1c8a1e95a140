//! Cluster IPs and node ports: what a Service is given, and what it gives back.

use crate::app::App;
use crate::refusal::Refusal;
use ratchet_object::{Kind, Node};
use ratchet_store::Write;

/// What a Service takes when it is committed.
#[derive(Default)]
pub struct Claims {
    /// The keys that it takes and gives back, in the same commit.
    pub writes: Vec<Write>,
    /// What was chosen for it, so that another choice can be made.
    pub chosen: Vec<String>,
}

/// Fills in what an update leaves out and the server knows.
pub fn prepare(_app: &App, _kind: &Kind<'_>, _new: &mut Node<'static>, _old: Option<&Node<'_>>) {}

/// Chooses addresses and ports.
pub fn claim(
    _app: &App,
    _kind: &Kind<'_>,
    _new: &mut Node<'static>,
    _old: Option<&Node<'_>>,
) -> Result<Claims, Refusal> {
    Ok(Claims::default())
}

/// Takes back what was chosen, so that another choice can be made.
pub fn release_unfixed(_node: &mut Node<'static>, _chosen: &[String]) {}

/// Gives back what a deleted Service had.
pub fn release(_app: &App, _kind: &Kind<'_>, _old: &Node<'_>) -> Vec<Write> {
    Vec::new()
}
