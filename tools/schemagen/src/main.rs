//! A generator that prints the table of the kinds built into Kubernetes, or of their protobuf numbers.

mod error;
mod go;
mod kinds;
mod numbers;
mod render;
mod schema;

use error::Error;
use std::io::Write;

fn main() -> Result<(), Error> {
    let (kinds, definitions) = kinds::all();
    let types = schema::types(&definitions)?;
    let file = match std::env::args_os().nth(1) {
        None => render::file(&kinds, &types)?,
        Some(checkout) => numbers::file(&types, &mut go::Source::new(checkout.as_ref()))?,
    };
    // Printed at once and only when complete, so that an error never leaves half a file.
    std::io::stdout().write_all(file.as_bytes())?;
    Ok(())
}
