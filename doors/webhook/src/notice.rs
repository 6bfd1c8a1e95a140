//! `Notice`: what was found in a request, on its way to Events and reports.

use crate::response::Finding;
use crate::subject::Subject;

/// What was found in a request that may be stored.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) subject: Subject,
    pub(crate) findings: Vec<Finding>,
}
