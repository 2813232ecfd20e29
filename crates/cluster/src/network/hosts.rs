//! The file that names the processes of a cluster: one `host:port` in a line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

/// More processes than this are a mistake.
pub(crate) const MOST_PROCESSES: usize = 1024;

/// The addresses in a hosts file, in the order of the processes. Empty lines and what follows on a `#` do not count.
pub fn parse_hosts(text: &str) -> Result<Vec<String>, String> {
    let mut hosts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let port =
            line.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none_or(|port| port == 0) || line.contains(char::is_whitespace) {
            return Err(format!("line {}: `{line}` is not an address like `host:7000`", number + 1));
        }
        if hosts.iter().any(|host| host == line) {
            return Err(format!("line {}: `{line}` is there twice", number + 1));
        }
        hosts.push(line.to_owned());
    }
    match hosts.len() {
        0 => Err("it names no process".to_owned()),
        1..=MOST_PROCESSES => Ok(hosts),
        many => Err(format!("it names {many} processes, and there can be {MOST_PROCESSES}")),
    }
}

/// Where the process with this address listens: at the loopback interface, unless another address is given.
pub(crate) fn listening_address(host: &str, bind: Option<IpAddr>) -> Result<SocketAddr, String> {
    let port = host.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let port = port.ok_or_else(|| format!("`{host}` has no port"))?;
    if let Some(bind) = bind {
        return Ok(SocketAddr::new(bind, port));
    }
    let own: Vec<SocketAddr> = host.to_socket_addrs().map_err(|error| format!("`{host}`: {error}"))?.collect();
    match own.iter().find(|address| address.ip().is_loopback()) {
        Some(address) => Ok(*address),
        None => Err(format!(
            "`{host}` is not a loopback address: `--bind ADDRESS` lets other machines connect, for example \
             `--bind {}`",
            own.first().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), SocketAddr::ip)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_with_ports() {
        let hosts =
            parse_hosts("# three\n127.0.0.1:7000\n\n  b.example:7001 # second\n[::1]:7002\n").expect("they are");
        assert_eq!(hosts, ["127.0.0.1:7000", "b.example:7001", "[::1]:7002"]);
        for text in ["", "a", "a:", ":7", "a:0", "a:70000", "a b:7", "a:7\na:7"] {
            assert!(parse_hosts(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn only_loopback_is_listened_at_unless_told_otherwise() {
        assert_eq!(listening_address("127.0.0.1:7000", None), Ok("127.0.0.1:7000".parse().expect("an address")));
        let refused = listening_address("192.0.2.1:7000", None).expect_err("it is not a loopback address");
        assert!(refused.contains("--bind 192.0.2.1"), "{refused}");
        let all = listening_address("192.0.2.1:7000", Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED)));
        assert_eq!(all, Ok("0.0.0.0:7000".parse().expect("an address")));
    }
}
