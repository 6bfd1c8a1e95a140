//! Function libraries as tables: each overload has a name, a signature, an implementation and a cost.

mod arguments;
pub mod authz;
mod cidr;
mod context;
mod declaration;
mod format;
mod ip;
mod json_patch;
mod lists;
mod lists_ext;
mod optional;
mod overload;
pub(crate) mod pattern;
mod quantity;
mod re2;
mod regex;
mod semver;
mod sets;
mod signature;
pub(crate) mod standard;
mod standard_compare;
mod standard_convert;
mod standard_numbers;
mod standard_text;
mod standard_time;
pub(crate) mod string_format;
pub(crate) mod string_format_check;
mod strings;
#[cfg(test)]
mod tests;
pub mod url;
mod zone;

pub use cidr::Cidr;
pub use context::Context;
pub(crate) use context::Prepared;
pub(crate) use declaration::OverloadDecl;
pub use ip::Ip;
pub(crate) use json_patch::JSON_PATCH;
pub use overload::{Constant, Cost, FunctionOp, Library, Overload, size_of, tenths};
pub use pattern::Regex;
pub use signature::Signature;
pub(crate) use signature::parse_type;
pub use url::{Url, check as check_url, parse as parse_url};

/// All libraries, in the order of declaration.
pub static LIBRARIES: &[&Library] = &[
    &standard::STANDARD,
    &standard::CROSS_TYPE,
    &optional::OPTIONAL,
    &url::URL,
    &regex::REGEX,
    &lists::LISTS,
    &authz::AUTHZ,
    &quantity::QUANTITY,
    &strings::STRINGS,
    &strings::STRINGS_2,
    &sets::SETS,
    &ip::IP,
    &cidr::CIDR,
    &format::FORMAT,
    &authz::AUTHZ_SELECTORS,
    &semver::SEMVER,
    &lists_ext::LISTS_EXT,
];
