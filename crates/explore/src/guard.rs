//! Who is answered: requests that know the token, that are meant for this server, and that no other page sends.
//!
//! The token keeps out other users of the machine and other pages. A page elsewhere that lets its own name resolve to the
//! loopback address (DNS rebinding) is kept out by the `Host` header, which then has that name.

use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use std::fmt::Write;

/// As many random bytes are in a token.
const TOKEN_BYTES: usize = 16;

/// What a request must know.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    token: String,
    port: u16,
}

impl Guard {
    /// A new one, for a server at this port. An error if the system gives no random numbers.
    pub(crate) fn new(port: u16) -> Result<Self, String> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random numbers: {error}"))?;
        let mut token = String::new();
        for byte in bytes {
            let _ = write!(token, "{byte:02x}");
        }
        Ok(Self { token, port })
    }

    /// The address of the page.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// What is asked for, behind the token; or why nothing is answered.
    pub(crate) fn admit<'r>(&self, path: &'r str, headers: &HeaderMap) -> Result<&'r str, &'static str> {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        if headers.get_all(HOST).iter().count() != 1
            || !text(HOST).is_some_and(|host| hosts.iter().any(|own| own == host))
        {
            return Err("this server is not known by that name");
        }
        if text(ORIGIN).is_some_and(|origin| !hosts.iter().any(|own| origin == format!("http://{own}"))) {
            return Err("another page asks");
        }
        // A link elsewhere may lead here; but nothing elsewhere may fetch something from here.
        let site = text(HeaderName::from_static("sec-fetch-site")).unwrap_or("none");
        let mode = text(HeaderName::from_static("sec-fetch-mode")).unwrap_or("navigate");
        if !matches!(site, "none" | "same-origin") && mode != "navigate" {
            return Err("another page asks");
        }
        let (token, rest) = path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or((path, ""));
        if is_same(token.as_bytes(), self.token.as_bytes()) {
            Ok(rest)
        } else {
            Err("the address has not the right token")
        }
    }
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |sum, (left, right)| sum | (left ^ right)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for &(name, value) in pairs {
            map.append(name, value.parse().unwrap());
        }
        map
    }

    #[test]
    fn only_the_page_itself_is_answered() {
        let guard = Guard { token: "ab12".into(), port: 8000 };
        let own = ("host", "127.0.0.1:8000");
        let admitted = |path, pairs: &[(&'static str, &'static str)]| guard.admit(path, &headers(pairs)).is_ok();
        assert_eq!(guard.admit("/ab12/walk", &headers(&[own])), Ok("walk"));
        assert_eq!(guard.admit("/ab12/", &headers(&[("host", "localhost:8000")])), Ok(""));
        for path in ["/", "", "/ab12", "/ab13/", "/ab1/", "/ab122/", "//ab12/", "/AB12/", "/ab12%2f"] {
            assert!(!admitted(path, &[own]), "{path}");
        }
        for host in
            ["127.0.0.1", "127.0.0.1:80", "evil.example", "evil.example:8000", "localhost:8000.evil.example", ""]
        {
            assert!(!admitted("/ab12/", &[("host", host)]), "{host}");
        }
        assert!(!admitted("/ab12/", &[]) && !admitted("/ab12/", &[own, own]));
        assert!(admitted(
            "/ab12/walk",
            &[own, ("origin", "http://127.0.0.1:8000"), ("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "cors")]
        ));
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001"] {
            assert!(!admitted("/ab12/walk", &[own, ("origin", origin)]), "{origin}");
        }
        assert!(!admitted("/ab12/", &[own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]));
        assert!(admitted("/ab12/", &[own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]), "a link");
    }

    #[test]
    fn tokens_differ() {
        let tokens: Vec<String> = (0..4).map(|_| Guard::new(1).unwrap().token).collect();
        assert!(tokens.iter().all(|token| token.len() == 2 * TOKEN_BYTES));
        assert!(tokens.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
