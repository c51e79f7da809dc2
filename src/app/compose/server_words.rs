//! What a user types for a new connection: a name, and a command or an address; the name can be left
//! out.

use crate::model::numbered::numbered_names;

/// Programs that start something else, by the names that they have without `.exe` or a version.
const LAUNCHERS: &[&str] = &[
    "bash", "bun", "bunx", "cargo", "cmd", "deno", "docker", "dotnet", "go", "java", "node", "npm",
    "npx", "php", "pipx", "pnpm", "podman", "py", "python", "ruby", "sh", "uv", "uvx", "wsl",
    "yarn",
];
/// Their words that name nothing.
const VERBS: &[&str] = &["dlx", "exec", "jar", "run", "tool", "x"];
/// What names of servers begin or end with, which a connection's name need not say again.
const PREFIXES: &[&str] = &["mcp-server-", "server-", "mcp-"];
const SUFFIXES: &[&str] = &["-mcp-server", "-server", "-mcp"];
const ENDINGS: &[&str] =
    &[".py", ".js", ".mjs", ".cjs", ".ts", ".jar", ".sh", ".rb", ".php", ".exe"];

/// A new connection as it was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServerWords {
    pub name: String,
    /// A command with its arguments, or an address alone.
    pub server: Vec<String>,
}

/// Reads `[NAME] COMMAND ARGUMENT…` or `[NAME] ADDRESS`, quoted as in a shell. A name that was left
/// out is made of what is started or reached, with a number where it isn't free.
///
/// # Errors
/// When a quote isn't closed, or nothing but a name is there.
pub(super) fn read_server_words(
    text: &str,
    is_free: impl Fn(&str) -> bool,
) -> Result<ServerWords, String> {
    // A backslash is part of a path there.
    let text = if cfg!(windows) { text.replace('\\', r"\\") } else { text.to_owned() };
    let words = shlex::split(&text).ok_or("a quote isn't closed")?;
    let Some((first, rest)) = words.split_first() else {
        return Err("type the server's command or its address".into());
    };
    if begins_server(first, rest) {
        let found = server_name(&words);
        let name = if found.is_empty() { "server" } else { &found };
        let name = numbered_names(name).find(|name| is_free(name)).unwrap_or_default();
        return Ok(ServerWords { name, server: words });
    }
    if rest.is_empty() {
        return Err("type the server's command or its address after the name".into());
    }
    if let [.., last] = rest
        && rest.len() > 1
        && is_broker(last)
    {
        let name = [first].into_iter().chain(&rest[..rest.len() - 1]).map(String::as_str);
        let name = plain_name(&name.collect::<Vec<_>>().join("-"));
        return Err(format!("a name has no spaces: type {name} {last}"));
    }
    Ok(ServerWords { name: first.clone(), server: rest.to_vec() })
}

/// Whether a word is the address of what no command is given: commands have those of the web as
/// arguments.
fn is_broker(word: &str) -> bool {
    let web = ["http", "https", "ws", "wss"];
    word.split_once("://")
        .is_some_and(|(scheme, _)| !scheme.starts_with('-') && !web.contains(&scheme))
}

/// Whether the first word is a command or an address, and no name: a launcher starts something that
/// is none itself, what is called as servers are is one, and an option follows a command.
fn begins_server(first: &str, rest: &[String]) -> bool {
    let is_script =
        |word: &str| word.starts_with("./") || ENDINGS.iter().any(|end| word.ends_with(end));
    let is_server = |word: &String| is_launcher(word) || word.contains("://");
    let is_next_server = rest.first().is_some_and(is_server)
        || !is_launcher(first) && rest.first().is_some_and(|next| is_script(next));
    let is_path = first.contains(['/', '\\']);
    let is_before_option = rest.first().is_some_and(|next| next.starts_with('-'));
    let starts = is_launcher(first) && !rest.is_empty() || is_called_server(first);
    is_path || is_before_option || starts && !is_next_server
}

/// Whether a word is the name of a program that is a server: `mcp-server-git`, `github-mcp-server`.
fn is_called_server(word: &str) -> bool {
    let stem = package_name(word);
    let has_ending = ENDINGS.iter().any(|ending| word.ends_with(ending));
    has_ending || word.contains("mcp") && stem != word.replace('_', "-")
}

fn is_launcher(word: &str) -> bool {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let bare = file.strip_suffix(".exe").or_else(|| file.strip_suffix(".cmd")).unwrap_or(file);
    let bare = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LAUNCHERS.contains(&bare)
}

/// The name of what is started or reached.
fn server_name(words: &[String]) -> String {
    let [first, rest @ ..] = words else { return String::new() };
    if let Some((_, address)) = first.split_once("://") {
        return plain_name(host_name(address));
    }
    let is_name = |word: &&String| !word.starts_with('-') && !VERBS.contains(&word.as_str());
    let named = if is_launcher(first) { rest.iter().find(is_name) } else { Some(first) };
    named.map_or_else(String::new, |named| plain_name(&package_name(named)))
}

/// What a host is known by: of `mcp.example.com` the word before the last dot, of this machine
/// `local`.
fn host_name(address: &str) -> &str {
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(literal) => literal.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    if host == "localhost" || host == "::1" || host.starts_with("127.") {
        return "local";
    }
    let is_number = host.chars().all(|c| c.is_ascii_digit() || c == '.');
    if is_number {
        return host;
    }
    host.rsplit('.').nth(usize::from(host.contains('.'))).unwrap_or(host)
}

/// The part of a script's path or a package's name that differs from others: without its folder or
/// scope, its version, and words such as `server`.
fn package_name(word: &str) -> String {
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
    // The version of a package, the tag of an image.
    let last = last.split(['@', ':', '=', '[', '>', '<']).next().unwrap_or(last);
    let stem = ENDINGS.iter().find_map(|ending| last.strip_suffix(ending)).unwrap_or(last);
    let stem = stem.replace('_', "-");
    let short = PREFIXES.iter().find_map(|prefix| stem.strip_prefix(prefix)).unwrap_or(&stem);
    let short = SUFFIXES.iter().find_map(|suffix| short.strip_suffix(suffix)).unwrap_or(short);
    if short.is_empty() { stem } else { short.to_owned() }
}

/// Whether a connection's name may have the letter.
#[must_use]
pub(super) fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_".contains(letter)
}

/// The same with nothing but what a connection's name may have.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if is_name_letter(c) { c } else { '-' };
    name.chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_left_out() {
        for (text, name, server) in [
            ("everything npx -y @modelcontextprotocol/server-everything", "everything", 3),
            ("npx -y @modelcontextprotocol/server-everything", "everything", 3),
            ("npx -y @upstash/context7-mcp@latest", "context7", 3),
            ("uvx mcp-server-git --repository .", "git", 4),
            ("uv run server.py", "server", 3),
            ("python3 legit.py", "legit", 2),
            ("python3.12 -m mcp_server_fetch", "fetch", 3),
            ("/usr/bin/python3 -u ./legit.py", "legit", 3),
            ("./run.sh", "run", 1),
            ("/opt/bin/search-mcp --stdio", "search", 2),
            ("docker run -i --rm mcp/fetch", "fetch", 5),
            ("docker docker run -i mcp/fetch", "docker", 4),
            ("node http://127.0.0.1:1/mcp", "node", 1),
            ("shop http://127.0.0.1:1/mcp", "shop", 1),
            ("http://127.0.0.1:1/mcp", "local", 1),
            ("https://mcp.example.com/mcp", "example", 1),
            ("http://[::1]:1/mcp", "local", 1),
            ("http://10.0.0.7:1/mcp", "10-0-0-7", 1),
            ("nats://me:hush@broker:4222", "broker", 1),
            ("mcp-server-foo /data dir", "foo", 3),
            ("mcp_server_time", "time", 1),
            ("github-mcp-server stdio", "github", 2),
            ("myserver --stdio", "myserver", 2),
            ("files-mcp npx -y x", "files-mcp", 3),
            ("files-mcp ./run --stdio", "files-mcp", 2),
            ("taken npx x", "taken", 2),
            ("python3 taken.py", "taken-2", 2),
            ("mine \"/my tools/x\" 'a b'", "mine", 2),
        ] {
            let read = read_server_words(text, |name| name != "taken").unwrap();
            assert_eq!((&*read.name, read.server.len()), (name, server), "{text}");
        }
        let quoted = read_server_words("'/my tools/find.py' \"a b\"", |_| true).unwrap();
        assert_eq!(
            (&*quoted.name, quoted.server),
            ("find", vec!["/my tools/find.py".to_owned(), "a b".to_owned()])
        );
    }

    #[test]
    fn what_names_no_server_is_said() {
        for (text, expected) in [
            ("", "type the server's command or its address"),
            ("new", "after the name"),
            ("python3", "after the name"),
            ("new 'x", "a quote isn't closed"),
            ("my lab nats://127.0.0.1:4222", "type my-lab nats://127.0.0.1:4222"),
        ] {
            let wrong = read_server_words(text, |_| true).unwrap_err();
            assert!(wrong.contains(expected), "{text}: {wrong}");
        }
    }
}
