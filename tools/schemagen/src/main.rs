//! Prints the table of the kinds built into Kubernetes as one Rust file.

mod descriptions;
mod kinds;
mod render;
mod schema;

use std::io::Write;

/// Whatever stops the generator: a schema it cannot read, or a closed pipe.
type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let (kinds, definitions) = kinds::all();
    if std::env::args().nth(1).as_deref() == Some("descriptions") {
        std::io::stdout().write_all(descriptions::file(&definitions)?.as_bytes())?;
        return Ok(());
    }
    let types = schema::types(&definitions)?;
    // Printed at once and only when complete, so that an error never leaves half a file.
    std::io::stdout().write_all(render::file(&kinds, &types)?.as_bytes())?;
    Ok(())
}
