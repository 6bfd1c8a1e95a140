//! Manual pages and shell completions, which the program itself writes.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Shells, and the names under which they look for completions.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "ratchet.bash"),
    ("elvish", "ratchet.elv"),
    ("fish", "ratchet.fish"),
    ("powershell", "_ratchet.ps1"),
    ("zsh", "_ratchet"),
];

/// Writes manual pages into `man` and completions into `completions` of a folder.
pub(super) fn write(program: &Path, folder: &Path) -> Result<()> {
    let man = folder.join("man");
    std::fs::create_dir_all(&man)?;
    let man = man.to_str().context("the folder's path is no UTF-8")?;
    run(program, &["man", "--directory", man])?;
    let completions = folder.join("completions");
    std::fs::create_dir_all(&completions)?;
    for (shell, name) in SHELLS {
        let script = run(program, &["completion", shell])?;
        ensure!(!script.is_empty(), "{} completion {shell} prints nothing", program.display());
        std::fs::write(completions.join(name), script)?;
    }
    Ok(())
}

/// Runs the program; returns what it prints.
fn run(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let command = format!("{} {}", program.display(), arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("cannot run {command}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command} failed: {}", stderr.trim_end());
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_gets_its_file_and_the_program_the_folder_for_pages() {
        let folder = super::super::tests::Folder::new("pages");
        let script = "case $1 in man) echo page > $3/ratchet.1;; completion) echo for $2;; esac";
        write(&folder.script(script), &folder.0).unwrap();
        let read = |path: &str| std::fs::read_to_string(folder.0.join(path)).unwrap();
        assert_eq!(read("man/ratchet.1"), "page\n");
        for (shell, name) in SHELLS {
            assert_eq!(read(&format!("completions/{name}")), format!("for {shell}\n"));
        }
    }

    #[test]
    fn a_program_that_fails_or_is_silent_is_no_release() {
        let folder = super::super::tests::Folder::new("pages-fail");
        let failing = write(&folder.script("echo why >&2; exit 2"), &folder.0);
        assert!(failing.unwrap_err().to_string().ends_with("failed: why"));
        let silent = write(&folder.script("exit 0"), &folder.0);
        assert!(silent.unwrap_err().to_string().ends_with("prints nothing"));
    }
}
