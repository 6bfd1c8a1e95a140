//! Shell commands of Markdown pages: `sh` blocks line by line, `console` blocks with the output that they show.

/// One command of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellCommand {
    /// Its line in the page, counted from one.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The output that the page shows, for commands of `console` blocks.
    pub(crate) output: Option<String>,
}

/// The commands of a page, in order.
pub(crate) fn commands(page: &str) -> Vec<ShellCommand> {
    let mut found = Vec::new();
    let mut lines = page.lines().enumerate().map(|(index, line)| (index + 1, line));
    while let Some((_, line)) = lines.next() {
        let block = lines.by_ref().take_while(|(_, line)| line.trim() != "```");
        match line.trim().strip_prefix("```") {
            Some("sh") => found.extend(of_sh(&block.collect::<Vec<_>>())),
            Some("console") => found.extend(of_console(&block.collect::<Vec<_>>())),
            Some(_) => block.for_each(drop),
            None => {}
        }
    }
    found
}

/// Commands of a script: one a line, unless a line goes on, or the block has a loop or a here-document.
fn of_sh(block: &[(usize, &str)]) -> Vec<ShellCommand> {
    let is_whole = block.iter().any(|(_, line)| line.contains("<<") || line.starts_with("done"));
    let mut found: Vec<ShellCommand> = Vec::new();
    let mut goes_on = false;
    for (number, line) in block {
        let is_comment = line.trim_start().starts_with('#') || line.trim().is_empty();
        match found.last_mut().filter(|_| goes_on || is_whole) {
            Some(last) => last.text = format!("{}\n{line}", last.text),
            None if is_comment => continue,
            None => {
                let text = (*line).to_owned();
                found.push(ShellCommand { line: *number, text, output: None });
            }
        }
        goes_on = line.ends_with('\\');
    }
    for command in &mut found {
        if !command.text.contains('\n') {
            let end = command.text.find("  #").unwrap_or(command.text.len());
            command.text.truncate(end);
            command.text.truncate(command.text.trim_end().len());
        }
    }
    found
}

/// Commands after `$ `, each with the lines below it as its output.
fn of_console(block: &[(usize, &str)]) -> Vec<ShellCommand> {
    let mut found: Vec<ShellCommand> = Vec::new();
    for (number, line) in block {
        if let Some(text) = line.strip_prefix("$ ") {
            let (text, output) = (text.to_owned(), Some(String::new()));
            found.push(ShellCommand { line: *number, text, output });
        } else if let Some(output) = found.last_mut().and_then(|last| last.output.as_mut()) {
            output.push_str(line);
            output.push('\n');
        }
    }
    found
}

#[test]
fn blocks_of_the_shell_are_commands_and_others_are_not() {
    let page = "\
# A page
```sh
# a comment
first --flag   # and why
second \\
  --more
```
```text
not a command
```
```console
$ ask 'x'
answer
  more
$ ask 'y'
```
```sh
for x in a; do
  echo $x
done
cat <<'EOF'
EOF
```
";
    let found = commands(page);
    let texts: Vec<(usize, &str, Option<&str>)> = found
        .iter()
        .map(|command| (command.line, command.text.as_str(), command.output.as_deref()))
        .collect();
    assert_eq!(
        texts,
        [
            (4, "first --flag", None),
            (5, "second \\\n  --more", None),
            (12, "ask 'x'", Some("answer\n  more\n")),
            (15, "ask 'y'", Some("")),
            (18, "for x in a; do\n  echo $x\ndone\ncat <<'EOF'\nEOF", None),
        ]
    );
}
