//! Damage: addresses planted into the text of manifests, once as everybody spells them and once not.

/// A text with planted addresses, in both spellings.
pub(super) struct Planted {
    pub(super) canonical: String,
    pub(super) damaged: String,
    /// Number of values that differ.
    pub(super) values: usize,
}

impl Planted {
    pub(super) fn nothing(text: &str) -> Self {
        Self { canonical: text.to_owned(), damaged: text.to_owned(), values: 0 }
    }

    fn both(&mut self, text: &str) {
        self.canonical.push_str(text);
        self.damaged.push_str(text);
    }
}

/// Spellings of a value: the canonical one, and one that denotes the same.
const SPELLINGS: [(&str, &str); 5] = [
    ("192.0.2.7", "192.0.2.07"),
    ("198.51.100.20", "198.051.100.020"),
    ("2001:db8::7", "2001:DB8:0::7"),
    ("203.0.113.9", "::ffff:203.0.113.9"),
    ("2001:db8:1::a", "2001:0db8:1::000A"),
];

/// How a value is written.
const QUOTES: [&str; 3] = ["", "'", "\""];

/// Kinds with a pod in them, into whose spec host aliases are planted.
const WORKLOADS: [&str; 7] =
    ["Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob"];

/// Plants an address into every document that can have one; `number` chooses among the spellings.
pub(super) fn plant(text: &str, number: usize) -> Planted {
    let mut out = Planted { canonical: String::new(), damaged: String::new(), values: 0 };
    let mut lines: Vec<&str> = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            document(&lines, number, &mut out);
            lines.clear();
        }
        lines.push(line);
    }
    document(&lines, number, &mut out);
    out
}

/// The value of a member at the left margin.
fn top<'t>(lines: &[&'t str], name: &str) -> &'t str {
    let value = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value.unwrap_or_default().split('#').next().unwrap_or_default().trim().trim_matches(['"', '\''])
}

fn indent(line: &str) -> &str {
    let text = line.trim_start_matches(' ');
    line.get(..line.len() - text.len()).unwrap_or_default()
}

fn document(lines: &[&str], number: usize, out: &mut Planted) {
    let kind = top(lines, "kind");
    let has = |word: &str| lines.iter().any(|line| line.contains(word));
    // Templates may have the member in another branch.
    let is_plain = !has("{{");
    for (at, line) in lines.iter().enumerate() {
        let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let (canonical, damaged) =
            SPELLINGS.get((number + out.values) % SPELLINGS.len()).copied().unwrap_or_default();
        let quote = QUOTES.get((number / 2 + out.values) % QUOTES.len()).copied().unwrap_or("'");
        let is_spec = line.trim_end() == "spec:" && line.ends_with('\n');
        let is_block = !indent(next).is_empty() && !next.trim_start().starts_with(['-', '#', '{']);
        if kind == "Service" && top(lines, "apiVersion") == "v1" && is_plain && is_spec && is_block
        {
            out.both(line);
            if has("externalIPs") {
                continue;
            }
            let pad = indent(next);
            out.both(&format!("{pad}externalIPs:{end}{pad}- {quote}"));
            out.canonical.push_str(canonical);
            out.damaged.push_str(damaged);
            out.both(&format!("{quote} # ours{end}"));
            out.values += 1;
            continue;
        }
        let is_pod = WORKLOADS.contains(&kind) && is_plain && !has("hostAliases");
        let is_first =
            lines.iter().position(|line| line.trim_end().ends_with(" containers:")) == Some(at);
        if is_pod && is_first && line.trim() == "containers:" {
            let pad = indent(line);
            out.both(&format!("{pad}hostAliases:{end}{pad}- ip: {quote}"));
            out.canonical.push_str(canonical);
            out.damaged.push_str(damaged);
            out.both(&format!("{quote}{end}{pad}  hostnames: [ours.example]{end}"));
            out.values += 1;
        }
        match network(kind, line) {
            Some((before, address, length, after)) => {
                out.both(&format!("{before}{address}/"));
                out.canonical.push_str(length);
                out.damaged.push_str(&format!("0{length}"));
                out.both(after);
                out.values += 1;
            }
            None => out.both(line),
        }
    }
}

/// A line with a network of a NetworkPolicy: what is before it, its address and length, and what is after it.
fn network<'l>(kind: &str, line: &'l str) -> Option<(&'l str, &'l str, &'l str, &'l str)> {
    let key = "cidr: ";
    let at = line.find(key).filter(|_| kind == "NetworkPolicy")? + key.len();
    let is_comment = line.find('#').is_some_and(|comment| comment < at);
    let quoted = line.get(at..)?;
    let value = quoted.trim_start_matches(['"', '\'']);
    let before = line.get(..line.len() - value.len())?;
    let size = value.find(|c: char| !(c.is_ascii_hexdigit() || ".:/".contains(c)))?;
    let (network, after) = value.split_at_checked(size)?;
    let (address, length) = network.split_once('/')?;
    let is_network = address.parse::<std::net::IpAddr>().is_ok() && length.parse::<u8>().is_ok();
    (is_network && !is_comment).then_some((before, address, length, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_where_addresses_are_and_nowhere_else() {
        let service = "# a\r\napiVersion: v1\r\nkind: Service\r\nspec:\r\n    ports: []\r\n";
        let planted = plant(service, 0);
        assert_eq!(planted.values, 1);
        let wanted = "spec:\r\n    externalIPs:\r\n    - 192.0.2.7 # ours\r\n    ports: []\r\n";
        assert!(planted.canonical.ends_with(wanted), "{}", planted.canonical);
        assert_eq!(planted.damaged, planted.canonical.replace("192.0.2.7", "192.0.2.07"));
        let policy = "kind: NetworkPolicy\nspec:\n  ingress:\n  - from: [{ipBlock: {cidr: '10.0.0.0/8'}}]\n  # cidr: 10.0.0.0/8\n";
        let planted = plant(policy, 1);
        assert_eq!((planted.values, planted.canonical.as_str()), (1, policy));
        assert_eq!(planted.damaged, policy.replacen("/8", "/08", 1));
        let pod = "kind: Pod\nspec:\n  containers:\n  - name: a\n---\nkind: ConfigMap\ndata: {containers: b}\n";
        let planted = plant(pod, 2);
        assert_eq!(planted.values, 1);
        assert!(
            planted.damaged.contains("  - ip: '2001:DB8:0::7'\n    hostnames: [ours.example]\n")
        );
        for text in [
            "",
            "kind: ConfigMap\nspec:\n  a: 1\n",
            "kind: Service\nspec: {}\n",
            "a: {{ b }}\nkind: Pod\n",
        ] {
            assert_eq!(plant(text, 0).damaged, text);
        }
    }
}
