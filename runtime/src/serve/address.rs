//! Listen addresses of servers.

use std::io::{self, ErrorKind};
use std::net::{AddrParseError, IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket};
use tracing::debug;

/// How many connections can wait to be accepted. std uses 128: if more arrive at the same moment, some are delayed by a
/// second, and these can be probes.
const BACKLOG: u32 = 1024;

/// A port of all interfaces, for IPv6 and IPv4.
pub(crate) const fn all_interfaces(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), port)
}

/// Parses an address. A port alone, such as `:8081`, means all interfaces. Fails if the text is neither.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, AddrParseError> {
    match text.strip_prefix(':') {
        Some(port) => format!("[::]:{port}").parse(),
        None => text.parse(),
    }
}

/// Listens on an address. `[::]` accepts IPv4 as well, whatever the default of the system, and means
/// `0.0.0.0` if the system has no IPv6. Fails if the port is taken or the address is not of this machine.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    match bind(address) {
        Err(error) if address.ip() == Ipv6Addr::UNSPECIFIED && is_without_ipv6(&error) => {
            debug!(%error, "IPv6 is not available: listening on IPv4 only");
            bind((Ipv4Addr::UNSPECIFIED, address.port()).into())
        }
        listener => listener,
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        let socket = TcpSocket::new_v6()?;
        SockRef::from(&socket).set_only_v6(false)?;
        socket
    };
    // As in tokio and std. On Windows, it would let two programs use the same port.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Whether IPv6 is missing or disabled, as opposed to a port that is in use or forbidden.
fn is_without_ipv6(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied
    )
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn an_address_may_be_a_port_alone() {
        assert_eq!(parse_address(":8081"), Ok(all_interfaces(8081)));
        assert_eq!(parse_address(":8081"), parse_address("[::]:8081"));
        assert!(parse_address("127.0.0.1:80").is_ok());
        assert!(parse_address("8081").is_err());
    }

    #[tokio::test]
    async fn a_port_alone_is_one_of_both_families() {
        let listener = listen(parse_address(":0").unwrap()).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
        // A machine without IPv6 only has the other address.
        if std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
            assert!(TcpStream::connect((Ipv6Addr::LOCALHOST, port)).is_ok());
        }
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_an_error() {
        let first = listen(all_interfaces(0)).unwrap();
        let port = first.local_addr().unwrap().port();
        let second = listen(all_interfaces(port));
        assert_eq!(second.unwrap_err().kind(), ErrorKind::AddrInUse);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn without_ipv6_it_is_ipv4() {
        const EACCES: i32 = 13;
        const EAFNOSUPPORT: i32 = 97;
        const EADDRNOTAVAIL: i32 = 99;
        let is_without = |code| is_without_ipv6(&io::Error::from_raw_os_error(code));
        assert!(is_without(EAFNOSUPPORT) && is_without(EADDRNOTAVAIL));
        assert!(!is_without(EACCES));
    }
}
