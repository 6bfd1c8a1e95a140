//! Dynamic libraries of a program, as `ldd` lists them.

use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::Command;

/// What every system with glibc has: the libraries of glibc itself, the compiler's and the kernel's.
const GLIBC: &[&str] = &["linux-vdso", "libc", "libm", "libgcc_s", "libpthread", "libdl", "librt"];

/// The loader's name goes on with the architecture.
const LOADER: &str = "ld-linux";

/// What `ldd` says of a static program: in glibc, of one that may be loaded anywhere, and in musl.
const STATIC: &[&str] =
    &["not a dynamic executable", "statically linked", "Not a valid dynamic program"];

/// How a program is linked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Linkage {
    /// It needs no library.
    Static,
    /// It needs these libraries, all of them glibc's.
    Glibc(Vec<String>),
}

/// Asks `ldd` about a program; fails if it needs a library that a system with glibc may lack.
pub(super) fn check(program: &Path) -> Result<Linkage> {
    let path = program.display();
    let bytes = std::fs::read(program).with_context(|| format!("cannot read {path}"))?;
    // ldd calls a shell script static, too.
    ensure!(bytes.starts_with(b"\x7fELF"), "{path} is no program for Linux");
    let output = Command::new("ldd")
        .arg(program)
        .env("LC_ALL", "C")
        .output()
        .context("cannot run ldd, which comes with the C library (apt-get install libc-bin)")?;
    let text = [output.stdout, output.stderr].concat();
    parse(&String::from_utf8_lossy(&text)).with_context(|| format!("{path} cannot be handed out"))
}

/// Parses what `ldd` prints.
fn parse(text: &str) -> Result<Linkage> {
    if STATIC.iter().any(|phrase| text.contains(phrase)) {
        return Ok(Linkage::Static);
    }
    let mut libraries = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let path = line.split_whitespace().next().unwrap_or(line);
        let name = path.rsplit('/').next().unwrap_or(path);
        ensure!(!line.ends_with("not found"), "it needs {name}, which this machine lacks");
        let Some((stem, _)) = name.split_once(".so") else {
            bail!("ldd says something else than a list of libraries: {line}");
        };
        ensure!(
            GLIBC.contains(&stem) || stem.starts_with(LOADER),
            "it needs {name}, which is no part of glibc; link it statically, or drop the crate that needs it"
        );
        libraries.push(name.to_owned());
    }
    ensure!(!libraries.is_empty(), "ldd says nothing about it");
    Ok(Linkage::Glibc(libraries))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_GLIBC: &str = "\
\tlinux-vdso.so.1 (0x00007ffd7b5f6000)
\tlibgcc_s.so.1 => /lib/x86_64-linux-gnu/libgcc_s.so.1 (0x00007f1a2c3d0000)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f1a2c2f0000)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f1a29a1f000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f1a2c412000)
";

    #[test]
    fn a_static_program_is_told_in_three_ways() {
        for text in [
            "\tnot a dynamic executable\n",
            "\tstatically linked\n",
            "/lib/ld-musl-x86_64.so.1: ratchet: Not a valid dynamic program\n",
        ] {
            assert_eq!(parse(text).unwrap(), Linkage::Static, "{text}");
        }
    }

    #[test]
    fn libraries_of_glibc_are_listed() {
        let wanted =
            ["linux-vdso.so.1", "libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"];
        let wanted = wanted.map(str::to_owned).to_vec();
        assert_eq!(parse(OF_GLIBC).unwrap(), Linkage::Glibc(wanted));
    }

    #[test]
    fn any_other_library_fails_and_so_does_one_that_is_absent() {
        let ssl = "\tlibssl.so.3 => /lib/x86_64-linux-gnu/libssl.so.3 (0x00007f1a2c3d0000)\n";
        for (text, want) in [
            (format!("{OF_GLIBC}{ssl}"), "it needs libssl.so.3, which is no part of glibc"),
            ("\tlibmimalloc.so.2 => not found\n".into(), "it needs libmimalloc.so.2, which this"),
            ("\tlibc.so.6 => not found\n".into(), "it needs libc.so.6, which this machine lacks"),
            // A name that only begins as one of glibc's does.
            ("\tlibcrypt.so.1 => /lib/libcrypt.so.1 (0x1)\n".into(), "it needs libcrypt.so.1"),
            ("ldd: ./x: No such file or directory\n".into(), "ldd says something else"),
            (String::new(), "ldd says nothing"),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        }
    }

    #[test]
    fn a_script_is_no_program() {
        let folder = super::super::tests::Folder::new("ldd");
        let script = folder.0.join("ratchet");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(check(&script).unwrap_err().to_string().ends_with("is no program for Linux"));
    }
}
