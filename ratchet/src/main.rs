//! `ratchet`: arguments become a configuration, the configuration goes to one door.

mod args;
mod cel;
mod check;
mod explain;
mod fields;
mod kubelet_certs;
mod manual;
mod policy;
mod requester;
mod serve;

use args::{Args, Command};
use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

/// Requests move between threads, and what one thread allocates another frees. The system's allocator keeps an arena for
/// each thread and gives little of it back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command ends with when it could not do its work: bad usage, unreadable input.
const COULD_NOT_TELL: u8 = 2;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        // kube-apiserver's flags are refused as kube-apiserver refuses them: in one line.
        Err(error)
            if error.use_stderr()
                && std::env::args_os().nth(1).is_some_and(|word| word == "serve") =>
        {
            let _ = writeln!(io::stderr(), "Error: {}", serve::usage(&error));
            return ExitCode::from(serve::DID_NOT_START);
        }
        Err(error) => error.exit(),
    };
    let mut out = io::stdout().lock();
    let done = match args.command {
        Command::Cel(args) => cel::run(*args, &mut out),
        Command::Check(args) => check::run(args, &mut out),
        Command::Completions { shell } => manual::completions(shell, &mut out),
        Command::Explain { id } => explain::run(id.as_deref(), &mut out),
        Command::Fields => fields::run(&mut out),
        Command::KubeletCerts(args) => kubelet_certs::run(*args, &mut out),
        Command::Serve(args) => serve::run(*args, &mut out),
        Command::Man { command } => manual::man(command.as_deref(), &mut out),
    };
    let code = match done {
        Ok(code) => match out.flush() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => COULD_NOT_TELL,
            _ => code,
        },
        Err(error) if is_broken_pipe(&*error) => 0,
        Err(error) => {
            let _ = writeln!(io::stderr(), "ratchet: {error}");
            COULD_NOT_TELL
        }
    };
    ExitCode::from(code)
}

/// Whoever read our output has read enough.
fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// What a command gives back: its exit status, or why it could not be done.
type Done = Result<u8, Box<dyn std::error::Error>>;
