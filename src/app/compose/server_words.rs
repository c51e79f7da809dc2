//! What a user types for a new connection: a name, and a command or an address; the name can be left
//! out. Variables before the command, headers after the address, and the line of another program
//! that adds servers (`claude mcp add …`) are read as they are in READMEs.

use crate::{
    engine::settings::{named_values::AUTHORIZATION, table::is_variable_name},
    model::numbered::numbered_names,
};

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

/// Programs that run an image, and their options that have a value.
const CONTAINERS: &[&str] = &["docker", "podman"];
const CONTAINER_OPTIONS: &[&str] = &[
    "-e",
    "-h",
    "-l",
    "-m",
    "-p",
    "-u",
    "-v",
    "-w",
    "--add-host",
    "--cap-add",
    "--cap-drop",
    "--cpus",
    "--device",
    "--dns",
    "--entrypoint",
    "--env",
    "--env-file",
    "--gpus",
    "--hostname",
    "--ipc",
    "--label",
    "--log-driver",
    "--log-opt",
    "--memory",
    "--mount",
    "--name",
    "--net",
    "--network",
    "--pid",
    "--platform",
    "--publish",
    "--pull",
    "--restart",
    "--runtime",
    "--security-opt",
    "--shm-size",
    "--tmpfs",
    "--ulimit",
    "--user",
    "--volume",
    "--workdir",
];

/// Programs with a command `mcp add`.
const ADDERS: &[&str] = &["claude", "codex", "gemini", "toolcrib"];
/// Options of it whose values a connection has no use for.
const ADD_OPTIONS: &[&str] = &[
    "-s",
    "-t",
    "--callback-port",
    "--client-id",
    "--description",
    "--exclude-tools",
    "--include-tools",
    "--scope",
    "--timeout",
    "--transport",
    "--type",
];

/// A new connection as it was typed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerWords {
    pub name: String,
    /// A command with its arguments, or an address alone.
    pub server: Vec<String>,
    /// Variables that the server gets, as they were typed.
    pub env: Vec<(String, String)>,
    /// Headers of each request to the address.
    pub headers: Vec<(String, String)>,
    /// The folder that the server runs in.
    pub dir: Option<String>,
}

/// Reads `[NAME] [VARIABLE=VALUE…] COMMAND ARGUMENT…` or `[NAME] ADDRESS [-H 'NAME: VALUE'…]`, quoted
/// as in a shell. A name that was left out is made of what is started or reached, with a number where
/// it isn't free.
///
/// # Errors
/// When a quote isn't closed, or nothing but a name is there.
pub(super) fn read_server_words(
    text: &str,
    is_free: impl Fn(&str) -> bool,
) -> Result<ServerWords, String> {
    let mut words = split_words(text)?;
    if let [program, mcp, add, rest @ ..] = &words[..]
        && ADDERS.contains(&program.as_str())
        && [mcp.as_str(), add.as_str()] == ["mcp", "add"]
    {
        return read_added(rest, is_free);
    }
    let mut env = take_values(&mut words);
    let Some((first, rest)) = words.split_first() else {
        return Err("type the server's command or its address".into());
    };
    // A command follows variables.
    if begins_server(first, rest)
        || !env.is_empty() && !rest.first().is_some_and(|next| is_server(next))
    {
        let name = free_name(&words, is_free);
        return finish(ServerWords { name, server: words, env, ..ServerWords::default() });
    }
    if let [.., last] = rest
        && rest.len() > 1
        && is_broker(last)
    {
        let name = [first].into_iter().chain(&rest[..rest.len() - 1]).map(String::as_str);
        let name = plain_name(&name.collect::<Vec<_>>().join("-"));
        return Err(format!("a name has no spaces: type {name} {last}"));
    }
    let (name, mut server) = (first.clone(), rest.to_vec());
    env.extend(take_values(&mut server));
    if server.is_empty() {
        return Err("type the server's command or its address after the name".into());
    }
    finish(ServerWords { name, server, env, ..ServerWords::default() })
}

/// The words of a line, as a shell has them; a line that goes on in the next one is one line.
pub(super) fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut text = text.trim().trim_start_matches("$ ").replace("\\\n", " ");
    while let Some(at) = text.find(" \\ ") {
        text.replace_range(at..at + 3, " ");
    }
    // A backslash is part of a path there.
    let text = if cfg!(windows) { text.replace('\\', r"\\") } else { text };
    shlex::split(&text).ok_or_else(|| "a quote isn't closed".into())
}

/// Takes `VARIABLE=VALUE` from the front, also after `env`.
fn take_values(words: &mut Vec<String>) -> Vec<(String, String)> {
    let is_env =
        matches!(&words[..], [env, next, ..] if env == "env" && value_pair(next).is_some());
    if is_env {
        words.remove(0);
    }
    let pairs: Vec<_> = words.iter().map_while(|word| value_pair(word)).collect();
    words.drain(..pairs.len());
    pairs
}

fn value_pair(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=').filter(|(name, _)| is_variable_name(name))?;
    Some((name.to_owned(), value.to_owned()))
}

/// Reads what follows `claude mcp add`: `[OPTIONS] NAME [--] COMMAND ARGUMENT…` or `… ADDRESS`.
fn read_added(words: &[String], is_free: impl Fn(&str) -> bool) -> Result<ServerWords, String> {
    let mut read = ServerWords::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (option, own) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, Some(value)),
            _ => (word.as_str(), None),
        };
        let mut value = || own.map(str::to_owned).or_else(|| rest.next().cloned());
        match option {
            "--" => {
                read.server.extend(rest.by_ref().cloned());
            }
            "-e" | "--env" => read.env.extend(value().as_deref().and_then(value_pair)),
            "-H" | "--header" => {
                let header = value().unwrap_or_default();
                read.headers.push(split_header(&header)?);
            }
            "--bearer-token-env-var" => {
                let token = value().map(|variable| format!("Bearer ${variable}"));
                read.headers.extend(token.map(|token| (AUTHORIZATION.to_owned(), token)));
            }
            "--dir" => read.dir = value(),
            "--url" => read.server.extend(value()),
            option if ADD_OPTIONS.contains(&option) => drop(value()),
            option if option.starts_with('-') => {}
            // Some take several variables after one option.
            word if value_pair(word).is_some() => {
                read.env.extend(value_pair(word));
            }
            name if read.name.is_empty() => read.name = plain_name(name),
            address if address.contains("://") => read.server.push(address.to_owned()),
            command => {
                read.server.push(command.to_owned());
                read.server.extend(rest.by_ref().cloned());
            }
        }
    }
    if read.server.is_empty() {
        return Err("type the server's command or its address after the name".into());
    }
    if read.name.is_empty() {
        read.name = free_name(&read.server, is_free);
    }
    finish(read)
}

/// The words of such a line that are no options, nor their values.
pub(super) fn without_options(words: &[String]) -> Vec<&String> {
    let (mut rest, mut plain) = (words.iter(), Vec::new());
    while let Some(word) = rest.next() {
        if ADD_OPTIONS.contains(&word.as_str()) {
            rest.next();
        } else if !word.starts_with('-') {
            plain.push(word);
        }
    }
    plain
}

/// The same with the headers behind its address, and the variables of its container, where they
/// belong.
fn finish(mut words: ServerWords) -> Result<ServerWords, String> {
    let Some(first) = words.server.first() else { return Ok(words) };
    if first.contains("://") {
        take_headers(&mut words)?;
    } else if is_container(first) {
        pass_on_values(&mut words);
    }
    Ok(words)
}

fn take_headers(words: &mut ServerWords) -> Result<(), String> {
    let mut rest = std::mem::take(&mut words.server).into_iter();
    words.server.extend(rest.next());
    while let Some(word) = rest.next() {
        let header = match word.strip_prefix("--header=") {
            Some(header) => header.to_owned(),
            None if ["-H", "--header"].contains(&word.as_str()) => rest.next().unwrap_or_default(),
            None => {
                words.server.push(word);
                continue;
            }
        };
        words.headers.push(split_header(&header)?);
    }
    Ok(())
}

fn split_header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is written -H 'NAME: VALUE'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Has a container get its variables by name, their values being where those of any server are:
/// `-e NAME=VALUE` becomes `-e NAME`.
fn pass_on_values(words: &mut ServerWords) {
    let end = image_at(&words.server).min(words.server.len());
    let mut is_value = false;
    for word in &mut words.server[..end] {
        let (option, text) = match word.strip_prefix("--env=") {
            _ if is_value => ("", word.clone()),
            Some(text) => ("--env=", text.to_owned()),
            None => {
                is_value = ["-e", "--env"].contains(&word.as_str());
                continue;
            }
        };
        is_value = false;
        let pair = value_pair(&text).unwrap_or_else(|| (text.clone(), format!("${text}")));
        if !is_variable_name(&pair.0) {
            continue;
        }
        *word = format!("{option}{}", pair.0);
        if words.env.iter().all(|(name, _)| *name != pair.0) {
            words.env.push(pair);
        }
    }
}

fn is_container(word: &str) -> bool {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    CONTAINERS.contains(&file.strip_suffix(".exe").unwrap_or(file))
}

/// Where the image is that a container runs: behind `run` and its options.
fn image_at(words: &[String]) -> usize {
    let mut at = words.iter().position(|word| word == "run").map_or(1, |run| run + 1);
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if CONTAINER_OPTIONS.contains(&word.as_str()) { 2 } else { 1 };
    }
    at
}

/// A name for what is started or reached, with a number where it isn't free.
fn free_name(server: &[String], is_free: impl Fn(&str) -> bool) -> String {
    numbered_names(&name_of_server(server)).find(|name| is_free(name)).unwrap_or_default()
}

/// A name for what is started or reached.
pub(super) fn name_of_server(server: &[String]) -> String {
    let found = server_name(server);
    if found.is_empty() { "server".to_owned() } else { found }
}

/// Whether a word begins a server: a program that starts one, or an address.
fn is_server(word: &str) -> bool {
    is_launcher(word) || word.contains("://")
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
    let is_next_server = rest.first().is_some_and(|next| is_server(next))
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
    let named = match is_launcher(first) {
        true if is_container(first) => words.get(image_at(words)),
        true => rest.iter().find(is_name),
        false => Some(first),
    };
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
            (
                "docker run -i --rm -e TOKEN=abc -v /a:/b ghcr.io/github/github-mcp-server",
                "github",
                9,
            ),
            ("TOKEN=x npx -y @a/server-shop", "shop", 3),
            ("env TOKEN=x ./run.sh", "run", 1),
            ("GREETING=hello python3 x.py", "x", 2),
            ("A=b myserver stdio", "myserver", 2),
            ("shop A=b npx x", "shop", 2),
            ("https://example.org/mcp -H 'X-Key: a' --header=Y:b", "example", 1),
            ("claude mcp add shop -e A=b C=d -s user -- npx -y x --env Z=1", "shop", 5),
            (
                "claude mcp add --transport http stripe https://mcp.stripe.com -H 'A: b'",
                "stripe",
                1,
            ),
            ("codex mcp add docs --url https://a/mcp", "docs", 1),
            ("codex mcp add docs --url https://a/mcp --bearer-token-env-var TOKEN", "docs", 1),
            ("gemini mcp add --timeout 5000 --trust --description 'my shop' shop npx x", "shop", 2),
            ("toolcrib mcp add shop --dir /srv -- npx x", "shop", 2),
            ("$ npx -y \\\n  @a/server-shop", "shop", 3),
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
    fn variables_and_headers_are_told_from_the_command() {
        let read = |text: &str| read_server_words(text, |_| true).unwrap();
        let pairs = |pairs: &[(String, String)]| -> Vec<String> {
            pairs.iter().map(|(name, value)| format!("{name}={value}")).collect()
        };
        for (text, env) in [
            ("A=b C= npx x", "A=b C="),
            ("shop A='b c' npx D=e", "A=b c"),
            ("docker run -e A=b -e C --env=D=e image F=g", "A=b C=$C D=e"),
            ("A=x docker run --env A image", "A=x"),
            ("claude mcp add -e A=b shop -e C=d -- run E=f", "A=b C=d"),
        ] {
            assert_eq!(pairs(&read(text).env).join(" "), env, "{text}");
        }
        let docker = read("docker run -i -e A=b --env=D=e image F=g").server.join(" ");
        assert_eq!(docker, "docker run -i -e A --env=D image F=g");
        let remote = read("https://h/mcp -H 'X-Key: a:b' --header=Y:c rest");
        assert_eq!(pairs(&remote.headers), ["X-Key=a:b", "Y=c"]);
        assert_eq!(remote.server, ["https://h/mcp", "rest"]);
        let codex = read("codex mcp add docs --url https://a/mcp --bearer-token-env-var TOKEN");
        assert_eq!(pairs(&codex.headers), ["authorization=Bearer $TOKEN"]);
        let own = read("toolcrib mcp add shop --dir /srv -- npx x");
        assert_eq!(own.dir.as_deref(), Some("/srv"));
    }

    #[test]
    fn what_names_no_server_is_said() {
        for (text, expected) in [
            ("", "type the server's command or its address"),
            ("new", "after the name"),
            ("python3", "after the name"),
            ("new 'x", "a quote isn't closed"),
            ("A=b", "type the server's command or its address"),
            ("claude mcp add shop", "after the name"),
            ("https://h/mcp -H", "a header is written"),
            ("my lab nats://127.0.0.1:4222", "type my-lab nats://127.0.0.1:4222"),
        ] {
            let wrong = read_server_words(text, |_| true).unwrap_err();
            assert!(wrong.contains(expected), "{text}: {wrong}");
        }
    }
}
