use std::collections::HashSet;

/// The most lines that are of use to somebody.
const MOST: usize = 100;

/// kubectl's words without repetitions. Its log lines count if there is nothing else: some builds of kubectl report
/// errors that way.
pub(super) fn lines(stderr: &str) -> Vec<String> {
    let (mut plain, mut logged) = (Vec::new(), Vec::new());
    let mut rest = stderr.lines();
    while let Some(line) = rest.next() {
        match Log::of(line) {
            None => plain.extend(some(line)),
            Some(log) => {
                let text = log.text(&mut rest);
                if log.is_error {
                    logged.extend(text.lines().filter_map(some));
                }
            }
        }
    }
    let mut lines = if plain.is_empty() { logged } else { plain };
    let mut seen = HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    if lines.len() > MOST {
        let more = lines.len() - MOST;
        lines.truncate(MOST);
        lines.push(format!("… and {more} more lines"));
    }
    lines
}

fn some(line: &str) -> Option<String> {
    let line = line.trim_end();
    let line = ["error: ", "Error: "]
        .into_iter()
        .find_map(|prefix| line.strip_prefix(prefix))
        .unwrap_or(line);
    (!line.is_empty()).then(|| line.to_owned())
}

/// A line of klog, such as `E1121 10:00:00.000000    1 memcache.go:265] "Unhandled Error" err="EOF"`.
struct Log<'a> {
    is_error: bool,
    message: &'a str,
}

impl<'a> Log<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (head, message) = line.split_once("] ")?;
        let severity = head.chars().next().filter(|c| "IWEF".contains(*c))?;
        let date = head.get(1..5)?;
        let is_log = date.bytes().all(|c| c.is_ascii_digit()) && head[5..].starts_with(' ');
        is_log.then_some(Self {
            is_error: "EF".contains(severity),
            message,
        })
    }

    /// The error that it is about: a quoted one, one that takes the next lines, or else the message.
    fn text(&self, rest: &mut std::str::Lines<'_>) -> String {
        let text = match self.message.split_once("err=") {
            Some((_, error)) if error.trim_end() == "<" => {
                let block = rest
                    .take_while(|line| !line.trim_start().starts_with('>'))
                    .map(|line| line.strip_prefix('\t').unwrap_or(line));
                block.collect::<Vec<_>>().join("\n")
            }
            Some((_, error)) => unquoted(error).unwrap_or_else(|| error.to_owned()),
            None => self.message.to_owned(),
        };
        let about = "couldn't get current server API group list: ";
        text.strip_prefix(about).unwrap_or(&text).to_owned()
    }
}

/// The string that a text begins with in quotes: Go's are mostly those of JSON.
fn unquoted(text: &str) -> Option<String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    values.next()?.ok()
}
