//! Connections that only send data while this process is the leader.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};

use super::{Leadership, NotLeading};
use crate::breakage::{Breakage, broken};

/// A stream below TLS and HTTP that checks the clock right before each call that passes bytes to the
/// system. What was about to be sent when the process was stopped stays in the process: the API server
/// gets an incomplete request at most, and drops it.
pub(super) struct Gate<S> {
    pub(super) stream: S,
    pub(super) leadership: Leadership,
}

impl<S> Gate<S> {
    fn check(&self) -> io::Result<()> {
        let is_broken = broken(Breakage::NoGate) || broken(Breakage::NoGuard);
        if self.leadership.may_write() || is_broken {
            Ok(())
        } else {
            Err(io::Error::other(NotLeading))
        }
    }
}

impl<S: Write + Unpin> Write for Gate<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S: Read + Unpin> Read for Gate<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: Connection> Connection for Gate<S> {
    fn connected(&self) -> Connected {
        self.stream.connected()
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use futures::task::noop_waker;
    use tokio::time::Instant;

    use super::{Gate, Leadership, Write};

    /// A stream that accepts anything.
    struct Sink;

    impl Write for Sink {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn bytes_leave_while_this_process_leads() {
        let leadership = Leadership::none();
        let mut gate = Gate {
            stream: Sink,
            leadership: leadership.clone(),
        };
        let waker = noop_waker();
        let mut write = || {
            let context = &mut Context::from_waker(&waker);
            Pin::new(&mut gate).poll_write(context, b"PUT")
        };
        leadership.extend(Instant::now() + Duration::from_secs(60));
        assert!(matches!(write(), Poll::Ready(Ok(3))));
        leadership.extend(Instant::now() + Duration::from_millis(20));
        // Stopped, as by SIGSTOP: no timer has fired yet.
        std::thread::sleep(Duration::from_millis(30));
        assert!(matches!(write(), Poll::Ready(Err(_))));
    }
}
