//! The commands `ratchet completions` and `ratchet man`, generated from the clap definitions.

use crate::args::Args;
use crate::command_result::CommandResult;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

pub(crate) fn completions(shell: Shell, out: &mut dyn Write) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "ratchet", &mut script);
    out.write_all(&script)?;
    Ok(0)
}

pub(crate) fn man(command: Option<&str>, out: &mut dyn Write) -> CommandResult {
    let root = Args::command();
    let page = match command {
        None => root,
        Some(name) => {
            let Some(found) = root.find_subcommand(name) else {
                return Err(format!("no command is called {name:?}").into());
            };
            let full = format!("ratchet {name}");
            found.clone().display_name(full.replace(' ', "-")).bin_name(full)
        }
    };
    clap_mangen::Man::new(page).render(&mut *out)?;
    Ok(0)
}
