//! CustomResourceDefinitions and the objects that they define, as pure functions.
//!
//! [`validate_definition`] says whether a definition is accepted, [`definition`] what its writes do besides, and a
//! [`CustomResource`] is an accepted definition compiled for its objects: one [`Strategy`] for each version.
//!
//! ```
//! use ratchet_crd::{CustomResource, Environments};
//! use ratchet_engine::Verdict;
//! use ratchet_object::{Limits, decode};
//!
//! let tree = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
//! let definition = tree("{spec: {group: example.com, scope: Namespaced, names: {plural: widgets, kind: Widget},
//!     versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties:
//!     {spec: {type: object, properties: {size: {type: integer, default: 1, x-kubernetes-validations:
//!     [{rule: self < 5, message: too big}]}}}}}}}]}}");
//! let resource = CustomResource::compile(&definition, &Environments::of_release(36));
//! let strategy = resource.strategy("v1").unwrap();
//!
//! let mut object = tree("{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 7, colour: red}}");
//! assert_eq!(strategy.decode(&mut object).unwrap(), ["spec.colour"]);
//! strategy.apply_defaults(&mut object);
//! let mut verdict = Verdict::default();
//! strategy.validate(&object, &mut verdict);
//! assert_eq!(verdict.errors[0].field, "spec.size");
//! assert_eq!(verdict.errors[0].message().to_string(), "Invalid value: 7: too big");
//! ```
#![no_std]
extern crate alloc;

pub mod definition;
mod errors;
mod formats;
mod json_path;
mod names;
mod openapi;
mod path;
mod resource;
mod rules;
pub mod schema;
pub mod structural;
#[cfg(test)]
mod testing;
mod validation;
mod value;

pub use json_path::{Found, JsonPath};
pub use openapi::{OpenApi, PublishedSchemas, model_name};
pub use resource::{ConvertError, CustomResource, ScaleError, Strategy, TableColumn};
pub use rules::Environments;
pub use validation::validate as validate_definition;
