//! The commands `ratchet completion` and `ratchet man`, generated from the clap definitions.

use crate::args::Args;
use crate::command_result::CommandResult;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::Path;

pub(crate) fn completion(shell: Shell, out: &mut dyn Write) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "ratchet", &mut script);
    out.write_all(&script)?;
    Ok(0)
}

/// Prints the page of a command or subcommand, or that of the program.
pub(crate) fn man(command: &[impl AsRef<str>], out: &mut dyn Write) -> CommandResult {
    page(command)?.render(&mut *out)?;
    Ok(0)
}

/// Writes the page of the program and those of its commands into a directory.
pub(crate) fn write_pages(directory: &Path) -> CommandResult {
    let mut names = Vec::new();
    collect_names(&Args::command(), &[], &mut names);
    for name in names {
        page(&name)?
            .generate_to(directory)
            .map_err(|error| format!("cannot write into {}: {error}", directory.display()))?;
    }
    Ok(0)
}

/// The names of a command and of its subcommands, each as its words.
fn collect_names(command: &clap::Command, name: &[String], names: &mut Vec<Vec<String>>) {
    names.push(name.to_vec());
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        let name: Vec<String> = name.iter().cloned().chain([one.get_name().to_owned()]).collect();
        collect_names(one, &name, names);
    }
}

fn page(command: &[impl AsRef<str>]) -> Result<Man, String> {
    let root = Args::command();
    let words: Vec<&str> = command.iter().map(AsRef::as_ref).collect();
    let found = words.iter().try_fold(&root, |found, word| found.find_subcommand(word));
    let Some(found) = found else {
        return Err(format!("no command is called {:?}", words.join(" ")));
    };
    let page = match words.is_empty() {
        true => root,
        false => {
            let full = format!("ratchet {}", words.join(" "));
            found.clone().display_name(full.replace(' ', "-")).bin_name(full)
        }
    };
    Ok(Man::new(page).source(concat!("ratchet ", env!("CARGO_PKG_VERSION"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    /// The commands that people read most about.
    const COMMANDS: &[&str] = &["check", "serve"];

    /// The long flags of a command that its help shows.
    fn flags(command: &str) -> Vec<String> {
        let root = Args::command();
        let command = root.find_subcommand(command).unwrap();
        let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
        visible.filter_map(|arg| arg.get_long()).map(str::to_owned).collect()
    }

    /// Whether a text has a flag, not as the beginning of a longer one.
    fn has(text: &str, flag: &str) -> bool {
        let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '-';
        text.match_indices(flag).any(|(at, _)| !text[at + flag.len()..].starts_with(goes_on))
    }

    #[test]
    fn pages_have_every_flag() {
        for command in COMMANDS {
            let mut page = Vec::new();
            man(&[command], &mut page).unwrap();
            let page = String::from_utf8(page).unwrap().replace("\\-", "-");
            let flags = flags(command);
            assert!(flags.len() > 10, "{command}: {flags:?}");
            for flag in flags {
                assert!(has(&page, &format!("--{flag}")), "{command} --{flag}");
            }
            assert!(!has(&page, "--no-such-flag"));
        }
    }

    #[test]
    fn completions_have_every_flag() {
        for shell in Shell::value_variants() {
            let mut script = Vec::new();
            completion(*shell, &mut script).unwrap();
            let script = String::from_utf8(script).unwrap();
            // Fish has names of flags without dashes.
            let prefix = if *shell == Shell::Fish { "-l " } else { "--" };
            for command in COMMANDS {
                for flag in flags(command) {
                    assert!(has(&script, &format!("{prefix}{flag}")), "{shell} {command} {flag}");
                }
            }
            assert!(!has(&script, &format!("{prefix}no-such-flag")), "{shell}");
        }
    }

    #[test]
    fn a_flag_is_not_the_beginning_of_another() {
        assert!(has("--a-b --a", "--a") && has("[--a]", "--a"));
        assert!(!has("--a-b", "--a") && !has("--ab", "--a"));
    }
}
