//! A generator of tables about the types built into Kubernetes, from k8s-openapi and from Go sources.

mod error;
mod features;
mod go;
mod go_types;
mod internal_types;
mod kinds;
mod merge_keys;
mod numbers;
mod render;
mod schema;
mod time_zones;
mod topology;

use error::Error;
use go::Source;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

const USAGE: &str = "arguments: schema, or one of proto, merge-keys, go-types, topology, \
                     internal-types, features with the path of a checkout of Kubernetes, or \
                     time-zones with that of a directory of compiled time zones";

fn main() -> Result<(), Error> {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let file = match args.as_slice() {
        [] => table("schema", None)?,
        [name] => table(name.to_str().ok_or(USAGE)?, None)?,
        [name, checkout] => table(name.to_str().ok_or(USAGE)?, Some(checkout.as_ref()))?,
        _ => return Err(USAGE.into()),
    };
    // Printed at once and only when complete, so that an error never leaves half a file.
    std::io::stdout().write_all(file.as_bytes())?;
    Ok(())
}

fn table(name: &str, checkout: Option<&Path>) -> Result<String, Error> {
    let types = || {
        let (kinds, definitions) = kinds::all();
        schema::types(&definitions).map(|types| (kinds, types))
    };
    match (name, checkout) {
        ("schema", None) => types().and_then(|(kinds, types)| render::file(&kinds, &types)),
        ("proto", Some(checkout)) => numbers::file(&types()?.1, &mut Source::new(checkout)),
        ("merge-keys", Some(checkout)) => merge_keys::file(&types()?.1, &mut Source::new(checkout)),
        ("go-types", Some(checkout)) => go_types::file(&types()?.1, &mut Source::new(checkout)),
        ("topology", Some(checkout)) => topology::file(&types()?.1, checkout),
        ("internal-types", Some(checkout)) => internal_types::file(&mut Source::new(checkout)),
        ("features", Some(checkout)) => features::list(checkout),
        ("time-zones", Some(directory)) => time_zones::file(directory),
        _ => Err(USAGE.into()),
    }
}
