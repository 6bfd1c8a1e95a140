//! Parsing of requests: verb and target, query parameters, content negotiation.

pub(crate) mod accept;
mod context;
pub(crate) mod info;
mod percent;
pub(crate) mod query;
mod source;

pub(crate) use accept::{Form, Media, Output};
pub(crate) use context::{AUDIT_ID, RequestContext};
pub(crate) use info::{PathVerb, RequestInfo, ResourcePath, Target, Unreadable, connects};
pub(crate) use query::Params;
pub(crate) use source::{Caller, Source};
