//! Messages on a stream: headers, an empty line, and as many bytes of JSON as the headers say.
//!
//! The reader of `lsp-server` ends at the first message that it cannot read. This one says what is wrong and goes on behind
//! it, or with the next line that looks like a header.

use lsp_server::Message;
use std::io::{self, BufRead, Read};

/// Longer messages are skipped.
pub const MAX_MESSAGE_BYTES: u64 = 64 << 20;
/// Longer header lines are cut.
const MAX_HEADER_BYTES: u64 = 4096;

/// What was received.
#[derive(Debug)]
pub enum Received {
    /// A message.
    Message(Message),
    /// Something that is not a message, and why.
    Garbage(String),
}

/// Receives the next message; nothing at the end of the stream.
pub fn receive(input: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut length: Option<u64> = None;
    let mut garbage: Option<String> = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(garbage.map(Received::Garbage));
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        match (text.is_empty(), length) {
            (true, Some(length)) => return body(input, length).map(Some),
            // An empty line before any header belongs to nothing.
            (true, None) => {
                if let Some(garbage) = garbage {
                    return Ok(Some(Received::Garbage(garbage)));
                }
            }
            (false, _) => match text.split_once(':') {
                Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                    match value.trim().parse::<u64>() {
                        Ok(number) => length = Some(number),
                        Err(_) => garbage = Some(format!("`{}` is not a length", shown(value))),
                    }
                }
                Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
                _ => garbage = Some(format!("`{}` is not a header of a message", shown(text))),
            },
        }
    }
}

fn shown(text: &str) -> String {
    text.trim().chars().take(60).collect()
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Received> {
    if length > MAX_MESSAGE_BYTES {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        return Ok(Received::Garbage(format!("a message of {length} bytes is too long")));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(Received::Garbage("the last message is cut off".to_owned()));
    }
    Ok(match serde_json::from_slice::<Message>(&bytes) {
        Ok(message) => Received::Message(message),
        Err(error) => Received::Garbage(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = io::BufReader::new(bytes);
        let mut found = Vec::new();
        while let Some(received) = receive(&mut input).expect("a slice can be read") {
            found.push(match received {
                Received::Message(Message::Notification(notification)) => notification.method,
                Received::Message(_) => "other".to_owned(),
                Received::Garbage(why) => format!("garbage: {why}"),
            });
        }
        found
    }

    #[test]
    fn garbage_is_said_and_passed() {
        let ok = |name: &str| {
            let body = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{name}\"}}");
            format!("Content-Length: {}\r\n\r\n{body}", body.len())
        };
        let broken = "Content-Length: 7\r\n\r\n{\"a\":1x";
        let text = [ok("one"), broken.to_owned(), ok("two"), "rubbish\r\n\r\n".to_owned(), ok("three")].concat();
        let found = all(text.as_bytes());
        assert_eq!(found.len(), 5, "{found:?}");
        assert_eq!((found[0].as_str(), found[2].as_str(), found[4].as_str()), ("one", "two", "three"));
        assert!(found[1].starts_with("garbage: ") && found[3].contains("`rubbish` is not a header"), "{found:?}");
        // Not UTF-8, a length that is none, an end in the middle.
        let found = all(b"Content-Length: 3\r\n\r\n\xff\xfe\xfd");
        assert!(found.len() == 1 && found[0].starts_with("garbage"), "{found:?}");
        assert_eq!(all(b"Content-Length: -1\r\n\r\n"), ["garbage: `-1` is not a length"]);
        assert_eq!(all(b"Content-Length: 10\r\n\r\n{}"), ["garbage: the last message is cut off"]);
        assert!(all(b"\r\n\r\n\r\n").is_empty());
    }
}
