//! Connects a process to the API server.

use std::io;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::duplex;
use tokio::time::sleep;
use tower::Service;

use super::answer::answer;
use super::stream::Stream;
use crate::simulation::process::Process;
use crate::simulation::world::World;

/// Opens connections of a process to the API server.
#[derive(Clone)]
pub(crate) struct Dial {
    pub(in crate::simulation) world: World,
    pub(in crate::simulation) process: Process,
}

impl Service<Uri> for Dial {
    type Response = Stream;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Stream>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let Self { world, process } = self.clone();
        Box::pin(async move {
            let fate = world.fate_of_connection(&process);
            if let Some(length) = fate.stops_for {
                // Between the check of the Lease and the bytes.
                world.stop(&process, length);
            }
            // The process itself waits: if it is paused in the meantime, it sends its request when it resumes.
            sleep(fate.after).await;
            if fate.is_refused {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            Ok(open(world, process, fate.capacity))
        })
    }
}

/// Opens a connection whose buffer has `capacity` bytes.
fn open(world: World, process: Process, capacity: usize) -> Stream {
    let (near, far) = duplex(capacity);
    let (server, name) = (world.clone(), process.name().to_owned());
    let service = service_fn(move |request: Request<Incoming>| {
        answer(server.clone(), process.clone(), request)
    });
    let connection = http1::Builder::new()
        .auto_date_header(false)
        .serve_connection(TokioIo::new(far), service);
    world.spawn_connection(&name, async move {
        // The process notices how it ended.
        let _ = connection.await;
    });
    Stream(TokioIo::new(near))
}
