//! Parsing of requests: verb and target, query parameters, content negotiation.

pub(crate) mod accept;
pub(crate) mod info;
mod percent;
pub(crate) mod query;

pub(crate) use accept::{Form, Media, Output};
pub(crate) use info::{PathVerb, RequestInfo, ResourcePath, Target, Unreadable};
pub(crate) use query::Params;
