//! The command `ratchet check`: converts arguments into a `Config` and runs the check.

use crate::args::{CheckArgs, Output, Validate};
use crate::color_arg::When;
use crate::command_result::CommandResult;
use crate::{api_config, requester};
use ratchet_check::{Against, Config, FieldValidation, OutputFormat};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

pub(crate) fn run(args: Box<CheckArgs>, out: &mut dyn Write) -> CommandResult {
    let config = config(*args)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let summary = ratchet_check::run(&config, &mut out, &mut io::stderr())?;
    match out.flush() {
        // A reader that closes the pipe does not change the result.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(summary.exit_code(config.warnings_as_errors)),
    }
}

/// The configuration that the arguments describe.
fn config(args: CheckArgs) -> Result<Config, String> {
    let CheckArgs {
        paths,
        filename,
        recursive,
        against,
        crds,
        policy: policy_args,
        policies,
        requester: requester_args,
        namespace,
        validate,
        output,
        warnings_as_errors,
        baseline,
        write_baseline,
        color,
        jobs,
    } = args;
    let inputs: Vec<PathBuf> = paths.into_iter().chain(filename).collect();
    if inputs.is_empty() {
        return Err("nothing to check: name files or directories, or - for standard input".into());
    }
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colour = match color {
        When::Always => true,
        When::Never => false,
        When::Auto => io::stdout().is_terminal() && !no_color && !is_dumb,
    };
    let against = against.map(|text| match text.strip_prefix("git:") {
        Some(revision) => Against::Git(revision.to_owned()),
        None => Against::Path(text.into()),
    });
    let disabled_plugins = policy_args.gates.disable_admission_plugins.clone();
    Ok(Config {
        inputs,
        recursive,
        against,
        api_config: api_config::of(policy_args)?,
        crds,
        policies,
        disabled_plugins,
        requester: requester::of(requester_args),
        namespace,
        field_validation: match validate {
            Validate::Strict => FieldValidation::Strict,
            Validate::Warn => FieldValidation::Warn,
            Validate::Ignore => FieldValidation::Ignore,
        },
        output: match output {
            Output::Human => OutputFormat::Human,
            Output::Json => OutputFormat::Json,
            Output::Yaml => OutputFormat::Yaml,
            Output::Sarif => OutputFormat::Sarif,
            Output::Junit => OutputFormat::Junit,
            Output::Github => OutputFormat::Github,
            Output::Markdown => OutputFormat::Markdown,
            Output::Html => OutputFormat::Html,
        },
        warnings_as_errors,
        baseline,
        write_baseline,
        colour,
        progress: io::stderr().is_terminal() && !is_dumb,
        workers: jobs.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            std::num::NonZero::get,
        ),
    })
}
