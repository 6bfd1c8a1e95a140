//! `cargo xtask dist`: what a release consists of, made and checked.

mod archive;
mod bom;
mod digest;
mod graph;
mod image;
mod ldd;
mod notices;
mod options;
mod pages;
mod size;
mod toolchain;

use crate::clients;
use crate::metadata::{Metadata, compiled_packages};
use anyhow::{Context, Result, ensure};
use graph::Part;
use image::Image;
use ldd::Linkage;
use options::Options;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use toolchain::Tools;

const NAME: &str = "ratchet";

/// The variable with the time of all files in archives, as reproducible builds have it.
const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// Builds the program unless one is given, checks it, and writes everything about it into one folder.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let options = Options::parse(args)?;
    let mtime = epoch(std::env::var(EPOCH).ok().as_deref())?;
    let (triple, program) = program(&options)?;
    size::check(&program)?;
    let linkage = ldd::check(&program)?;
    match &linkage {
        Linkage::Static => println!("{}: static, needs no library", program.display()),
        Linkage::Glibc(names) => println!("{}: needs {}", program.display(), names.join(", ")),
    }
    ensure!(
        linkage == Linkage::Static || !toolchain::is_musl(&triple),
        "{} was built for {triple} and is not static; RUSTFLAGS must not have -crt-static",
        program.display()
    );
    let features = toolchain::features(&triple);
    let metadata = Metadata::of_target(&triple, features)?;
    let compiled = compiled_packages(NAME, &triple, features)?;
    let parts = graph::parts(&metadata, NAME, &compiled)?;
    let release =
        Release { repository: Path::new("."), triple, program, linkage, mtime, parts: &parts };
    let output = match options.output {
        Some(folder) => folder,
        None => clients::target()?.join("dist"),
    };
    let folder = release.write(&output, options.allow_dynamic)?;
    println!("{}:", folder.display());
    for file in digest::list(&folder)? {
        println!("{:>10}  {}  {}", file.size, file.sha256, file.path);
    }
    Ok(true)
}

/// The target and the path of the program.
fn program(options: &Options) -> Result<(String, PathBuf)> {
    let tools = Tools::find()?;
    if let Some(binary) = &options.binary {
        // A bare name would be looked for in PATH when the program is run.
        let path = std::path::absolute(binary).context("cannot tell where the program is")?;
        return Ok((options.target.clone().unwrap_or(tools.host), path));
    }
    let choice = tools.choose(options.target.as_deref())?;
    if let Some(note) = choice.note {
        println!("{note}");
    }
    let program = toolchain::build(&choice.triple)?;
    Ok((choice.triple, program))
}

/// The time of files in archives: that of the variable, else 1970.
fn epoch(value: Option<&str>) -> Result<u64> {
    let seconds =
        value.map(|text| text.parse::<u64>().with_context(|| format!("{EPOCH} is no number")));
    Ok(seconds.transpose()?.unwrap_or(0))
}

/// A program, and what is known about it.
struct Release<'m> {
    /// Where `LICENSE` and `Cargo.lock` are.
    repository: &'m Path,
    triple: String,
    program: PathBuf,
    linkage: Linkage,
    mtime: u64,
    parts: &'m [Part<'m>],
}

impl Release<'_> {
    /// Writes all files into a folder of the release's own, anew; returns the folder.
    fn write(&self, output: &Path, allow_dynamic: bool) -> Result<PathBuf> {
        let root = self.parts.iter().map(|part| part.package).find(|one| one.name == NAME);
        let root = root.context("the program is not among its parts")?;
        let program = std::fs::read(&self.program)?;
        let licence =
            std::fs::read(self.repository.join("LICENSE")).context("cannot read LICENSE")?;
        let lock = std::fs::read_to_string(self.repository.join("Cargo.lock"))
            .context("cannot read Cargo.lock")?;
        let folder = output.join(format!("{NAME}-{}-{}", root.version, self.triple));
        if folder.exists() {
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;

        let path = folder.join(NAME);
        std::fs::write(&path, &program)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        std::fs::write(folder.join("LICENSE"), &licence)?;
        pages::write(&self.program, &folder)?;
        let notices = notices::text(self.parts, &self.triple)?;
        std::fs::write(folder.join("licenses.txt"), &notices)?;
        let (from, name) = notices::STANDARD_LIBRARY;
        let from = toolchain::sysroot()?.join(from);
        std::fs::copy(&from, folder.join(name)).with_context(|| {
            format!("cannot copy {}; use a toolchain of rustup's", from.display())
        })?;
        let bom = bom::document(self.parts, root, &program, &bom::checksums(&lock)?)?;
        std::fs::write(folder.join("ratchet.cdx.json"), bom)?;

        if self.linkage == Linkage::Static || allow_dynamic {
            let image = Image {
                program: &program,
                licence: &licence,
                notices: notices.as_bytes(),
                version: &root.version,
                triple: &self.triple,
                mtime: self.mtime,
            };
            std::fs::write(folder.join("ratchet-oci.tar"), image.archive()?)?;
        } else {
            println!(
                "no image: the program needs glibc, which an image from scratch lacks; build for \
                 musl, or make it anyway with --allow-dynamic, as a layer over an image with glibc"
            );
        }
        let sums = digest::sums(&digest::list(&folder)?);
        std::fs::write(folder.join("SHA256SUMS"), sums)?;
        Ok(folder)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A folder for one test, which goes with it.
    pub(crate) struct Folder(pub(crate) PathBuf);

    impl Folder {
        pub(crate) fn new(name: &str) -> Self {
            let name = format!("ratchet-xtask-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        /// A program in the folder that runs a line of shell script.
        pub(crate) fn script(&self, line: &str) -> PathBuf {
            let path = self.0.join("program");
            // Written by a process of its own: a file that another thread's child inherits cannot be run.
            let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
            let mut command = std::process::Command::new("sh");
            let status = command.args(["-c", write]).arg(&path).arg(line).status().unwrap();
            assert!(status.success());
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_release_is_the_same_each_time_and_nothing_old_stays_in_it() {
        let folder = Folder::new("release");
        let repository = folder.0.as_path();
        std::fs::write(repository.join("LICENSE"), "licence").unwrap();
        std::fs::write(repository.join("Cargo.lock"), "package = []\n").unwrap();
        let program =
            folder.script("test $1 = man && echo page > $3/ratchet.1 || echo completions");
        let mut metadata = graph::tests::fixture();
        let crates = repository.join("crates");
        std::fs::create_dir(&crates).unwrap();
        metadata.packages.iter_mut().for_each(|package| package.move_to(&crates));
        let parts = graph::parts(&metadata, NAME, &graph::tests::compiled()).unwrap();
        let linkage = Linkage::Static;
        let triple = "x86_64-unknown-linux-musl".to_owned();
        let mut release = Release { repository, triple, program, linkage, mtime: 0, parts: &parts };
        let output = repository.join("dist");
        let written = release.write(&output, false).unwrap();
        assert_eq!(written, output.join("ratchet-1.0.0-x86_64-unknown-linux-musl"));
        let first = digest::list(&written).unwrap();
        let has_image = |files: &[digest::Listed]| {
            assert!(files.iter().any(|file| file.path == "man/ratchet.1"), "{files:?}");
            files.iter().any(|file| file.path == "ratchet-oci.tar")
        };
        assert!(has_image(&first));
        // Every file is in the list, but for the list itself.
        let sums = std::fs::read_to_string(written.join("SHA256SUMS")).unwrap();
        assert_eq!(sums.lines().count() + 1, first.len());

        std::fs::write(written.join("old"), "").unwrap();
        release.write(&output, false).unwrap();
        assert_eq!(digest::list(&written).unwrap(), first);

        // A program that needs glibc is in an image only if that is asked for.
        release.linkage = Linkage::Glibc(vec!["libc.so.6".into()]);
        release.write(&output, false).unwrap();
        assert!(!has_image(&digest::list(&written).unwrap()));
        release.write(&output, true).unwrap();
        assert!(has_image(&digest::list(&written).unwrap()));
    }

    #[test]
    fn the_time_of_files_is_1970_unless_the_variable_says_otherwise() {
        assert_eq!(epoch(None).unwrap(), 0);
        assert_eq!(epoch(Some("1700000000")).unwrap(), 1_700_000_000);
        assert!(epoch(Some("yesterday")).is_err());
    }
}
