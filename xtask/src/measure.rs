//! `cargo xtask measure`: speed and memory use of `ratchet check`.

use crate::tree;
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RESOURCES: usize = 50_000;
const ROUNDS: usize = 5;

/// Generates the inputs, runs the binary of a profile on them and prints the figures.
pub(crate) fn run(profile: &str) -> Result<bool> {
    let build = ["build", "--profile", profile, "--locked", "-p", "ratchet"];
    ensure!(Command::new("cargo").args(build).status()?.success(), "the build failed");
    let program = PathBuf::from("target").join(profile).join("ratchet");
    let report = |what: &str, flags: &[&str], input: &Path, resources| {
        report(&program, what, flags, input, resources)
    };
    let folder = PathBuf::from("target/measure");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let files = folder.join("tree");
    println!("tree: {}", tree::run(&files, RESOURCES)?);
    report("a tree of files", &["-R"], &files, RESOURCES)?;

    let stream = folder.join("stream.yaml");
    let copies = join(&files, &stream, 8)?;
    report("one YAML stream of 8 trees", &[], &stream, copies)?;

    let list = folder.join("list.json");
    let items = json_list(&list, 400_000)?;
    report("one JSON List", &[], &list, items)?;
    report(
        "the tree against itself",
        &["-R", "--against", "target/measure/tree"],
        &files,
        RESOURCES,
    )?;
    Ok(true)
}

/// Runs the check a few times; the best round counts, because the machine may be busy.
fn report(
    program: &Path,
    what: &str,
    flags: &[&str],
    input: &Path,
    resources: usize,
) -> Result<()> {
    let size = if input.is_file() { std::fs::metadata(input)?.len() >> 20 } else { 0 };
    let mut best = Duration::MAX;
    let mut peak = 0;
    for _ in 0..ROUNDS {
        let (time, memory) = once(program, flags, input)?;
        best = best.min(time);
        peak = peak.max(memory);
    }
    let rate = resources as f64 / best.as_secs_f64();
    let size = if size > 0 { format!(", {size} MiB") } else { String::new() };
    println!(
        "{what}: {resources} resources{size} in {:.2} s, {rate:.0} a second, at most {:.1} MiB",
        best.as_secs_f64(),
        peak as f64 / 1024.0
    );
    Ok(())
}

/// One run: its duration and peak memory in KiB.
fn once(program: &Path, flags: &[&str], input: &Path) -> Result<(Duration, u64)> {
    let begin = Instant::now();
    let mut child = Command::new(program)
        .arg("check")
        .args(flags)
        .args(["-o", "json"])
        .arg(input)
        .stdout(Stdio::null())
        .spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0;
    loop {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            peak = number.unwrap_or(0).max(peak);
        }
        if let Some(ended) = child.try_wait()? {
            ensure!(ended.code() == Some(1), "the check ended with {ended}, not with findings");
            return Ok((begin.elapsed(), peak));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Writes all files of a tree into one stream, several times over.
fn join(tree: &Path, stream: &Path, times: usize) -> Result<usize> {
    let mut out = std::io::BufWriter::new(File::create(stream)?);
    for _ in 0..times {
        let mut folders = vec![tree.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    out.write_all(&std::fs::read(&path)?)?;
                    out.write_all(b"---\n")?;
                }
            }
        }
    }
    out.flush().context("the stream could not be written")?;
    Ok(RESOURCES * times)
}

fn json_list(path: &Path, count: usize) -> Result<usize> {
    let mut out = std::io::BufWriter::new(File::create(path)?);
    write!(out, "{{\"apiVersion\":\"v1\",\"items\":[")?;
    for number in 0..count {
        let comma = if number > 0 { "," } else { "" };
        let zero = if number % 50 == 0 { "0" } else { "" };
        write!(
            out,
            "{comma}\n{{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{{\"name\":\"s{number}\",\"namespace\":\"shop\"}},\"spec\":{{\"ports\":[{{\"port\":80}}],\"externalIPs\":[\"192.{zero}0.2.{}\"]}}}}",
            number % 250
        )?;
    }
    writeln!(out, "],\"kind\":\"List\"}}")?;
    out.flush()?;
    Ok(count)
}
