//! The command `ratchet envtest`: makes a folder that stands in for the binaries of controller-runtime's envtest.

use crate::command_result::CommandResult;
use clap::{Args as ClapArgs, ValueEnum};
use ratchet_formats::shell_quote;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Make a directory with which envtest of controller-runtime runs ratchet.
///
/// The directory is for KUBEBUILDER_ASSETS: it gets links named kube-apiserver and etcd to this program, which behaves
/// as these under their names, and one named kubectl to the kubectl in your PATH. The command prints the line that makes
/// envtest use the directory; it can be run again at any time.
///
/// Exit status: 0 the directory is ready; 2 error (it cannot be made, or has other files of these names).
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EnvtestArgs {
    /// Directory to make. Its parent directories are made as well.
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// What to print: a line for a shell, or the path only.
    #[arg(short = 'p', long, value_enum, default_value = "env", value_name = "FORMAT")]
    print: Print,
}

const EXAMPLES: &str = "Examples:
  # Run the tests of a Go project on ratchet
  eval \"$(ratchet envtest bin/envtest)\"
  go test ./...

  # The same in one line, as in a Makefile
  KUBEBUILDER_ASSETS=\"$(ratchet envtest -p path bin/envtest)\" go test ./...";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Print {
    /// export KUBEBUILDER_ASSETS=DIR
    Env,
    /// DIR
    Path,
}

/// The programs that this one stands in for.
const OWN: &[&str] = &["kube-apiserver", "etcd"];
/// The client that envtest hands to tests that ask for one.
const KUBECTL: &str = "kubectl";

pub(crate) fn run(args: EnvtestArgs, out: &mut dyn Write) -> CommandResult {
    let directory = make(&args.directory)?;
    let own = std::env::current_exe().map_err(|why| format!("cannot find this program: {why}"))?;
    for name in OWN {
        link(&own, &directory.join(name))?;
    }
    match kubectl(&std::env::var_os("PATH").unwrap_or_default(), &directory) {
        Some(found) => link(&found, &directory.join(KUBECTL))?,
        // Only tests that call kubectl themselves need it.
        None => writeln!(
            io::stderr(),
            "note: kubectl is not in your PATH; to use it in tests, install it and run this command again"
        )?,
    }
    let path = directory.display().to_string();
    match args.print {
        Print::Env => writeln!(out, "export KUBEBUILDER_ASSETS={}", shell_quote(&path))?,
        Print::Path => writeln!(out, "{path}")?,
    }
    Ok(0)
}

/// Makes the directory; returns its absolute path, because tests run in other directories.
fn make(directory: &Path) -> Result<PathBuf, String> {
    let made = fs::create_dir_all(directory).and_then(|()| directory.canonicalize());
    made.map_err(|why| {
        format!("cannot make the directory {}: {why}: choose another one", directory.display())
    })
}

/// Makes a link, or turns an existing one; a file that is no link is left alone.
fn link(target: &Path, link: &Path) -> Result<(), String> {
    if fs::read_link(link).is_ok_and(|current| current == target) {
        return Ok(());
    }
    match fs::symlink_metadata(link) {
        Ok(file) if !file.is_symlink() => {
            return Err(format!(
                "{} is no link: remove it, or choose another directory",
                link.display()
            ));
        }
        _ => {}
    }
    // Replaced in one step, because tests that start meanwhile must find a link.
    let mut name = link.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let draft = link.with_file_name(name);
    let made = symlink(target, &draft).and_then(|()| fs::rename(&draft, link));
    made.map_err(|why| {
        let _ = fs::remove_file(&draft);
        format!("cannot make the link {}: {why}: choose another directory", link.display())
    })
}

/// The first kubectl of a search path, outside of the directory itself.
fn kubectl(path: &std::ffi::OsStr, directory: &Path) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter_map(|folder| folder.canonicalize().ok());
    let others = folders.filter(|folder| folder != directory);
    others.map(|folder| folder.join(KUBECTL)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_made_turned_and_left() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two, at) = (Path::new("/one"), Path::new("/two"), dir.path().join("etcd"));
        for target in [one, one, two] {
            link(target, &at).unwrap();
            assert_eq!(fs::read_link(&at).unwrap(), target);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        fs::remove_file(&at).unwrap();
        fs::write(&at, "the real one").unwrap();
        let refused = link(one, &at).unwrap_err();
        assert!(refused.ends_with("etcd is no link: remove it, or choose another directory"));
        assert_eq!(fs::read_to_string(&at).unwrap(), "the real one");
    }

    #[test]
    fn kubectl_is_looked_for_outside() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let folders = ["assets", "plain", "tools"].map(|name| root.join(name));
        for folder in &folders {
            fs::create_dir(folder).unwrap();
            let file = folder.join(KUBECTL);
            fs::write(&file, "").unwrap();
            let mode = if folder.ends_with("plain") { 0o644 } else { 0o755 };
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = std::env::join_paths(&folders).unwrap();
        assert_eq!(kubectl(&path, &folders[0]), Some(folders[2].join(KUBECTL)));
        assert_eq!(kubectl(std::ffi::OsStr::new(""), &folders[0]), None);
    }
}
