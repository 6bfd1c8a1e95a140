//! The `ratchet` binary: parses arguments and runs one command.

mod api_config;
mod args;
mod audit;
mod behavior_arg;
mod cel;
mod check;
mod color_arg;
mod command_result;
mod connection;
mod envtest;
mod etcd;
mod explain;
mod fields;
mod fix;
mod gate_args;
mod invoked_as;
mod kubelet_certs;
mod manual;
mod policy_args;
mod requester;
mod serve;
mod store;
mod webhook;

use args::{Args, Command};
use clap::Parser;
use invoked_as::Program;
use std::io::{self, Write};
use std::process::ExitCode;

/// Requests move between threads, so one thread frees what another allocated. The system allocator keeps an arena per
/// thread and returns little of it.
#[cfg(not(feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// It hands out what was freed last, which is still in the caches of the processor.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Exit status of a command that could not do its work: bad usage, unreadable input.
const EXIT_ERROR: u8 = 2;

fn main() -> ExitCode {
    let given = || std::env::args_os().skip(1);
    let program = Program::of(std::env::args_os().next().as_deref());
    let parsed = match program {
        Program::Etcd => return etcd::run(given()),
        Program::KubeApiserver => Args::try_parse_from(invoked_as::serve_arguments(given())),
        Program::Ratchet => Args::try_parse(),
    };
    let is_server =
        program == Program::KubeApiserver || given().next().is_some_and(|arg| arg == "serve");
    let mut args = match parsed {
        Ok(args) => args,
        // `serve` reports bad flags as kube-apiserver does: in one line.
        Err(error) if error.use_stderr() && is_server => {
            let _ = writeln!(io::stderr(), "Error: {}", serve::usage(&error));
            return ExitCode::from(serve::DID_NOT_START);
        }
        Err(error) => error.exit(),
    };
    if let Command::Serve(args) = &mut args.command {
        args.storage.is_test_server = program == Program::KubeApiserver;
    }
    let mut out = io::stdout().lock();
    let result = match args.command {
        Command::Audit(args) => audit::run(*args, &mut out),
        Command::Cel(args) => cel::run(*args, &mut out),
        Command::Check(args) => check::run(args, &mut out),
        Command::Completion { shell } => manual::completion(shell, &mut out),
        Command::Envtest(args) => envtest::run(args, &mut out),
        Command::Explain { id } => explain::run(id.as_deref(), &mut out),
        Command::Fields => fields::run(&mut out),
        Command::Fix(args) => fix::run(*args, &mut out),
        Command::KubeletCerts(args) => kubelet_certs::run(*args, &mut out),
        Command::Serve(args) => serve::run(*args, &mut out),
        Command::Store(args) => store::run(args, &mut out),
        Command::Webhook(args) => webhook::run(*args, &mut out),
        Command::Man { directory: Some(folder), .. } => manual::write_pages(&folder),
        Command::Man { command, .. } => manual::man(&command, &mut out),
    };
    let code = match result {
        Ok(code) => match out.flush() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => EXIT_ERROR,
            _ => code,
        },
        Err(error) if is_broken_pipe(&*error) => 0,
        Err(error) => {
            let _ = writeln!(io::stderr(), "ratchet: {error}");
            EXIT_ERROR
        }
    };
    ExitCode::from(code)
}

/// Whether the reader of the output closed the pipe, which is no failure.
fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
