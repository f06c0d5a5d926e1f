//! Temporary faults of connections and requests.

use std::collections::BTreeMap;
use std::time::Duration;

use hyper::StatusCode;
use tokio::time::{Instant, sleep};

use super::World;
use crate::simulation::fault::Fault;
use crate::simulation::network::fate::{Connecting, Deed, Fate, Fates, Kind, Reply};
use crate::simulation::process::{Process, outside};
use crate::simulation::target::Target;

/// Temporary faults of connections and requests.
#[derive(Default)]
pub(super) struct Weather {
    /// The API server is down until this time.
    down: Option<Instant>,
    /// The API server is overloaded until this time.
    overloaded: Option<Instant>,
    /// A resource that the operator is forbidden to use until this time.
    forbidden: Option<(String, Instant)>,
    /// Processes that are disconnected until this time.
    cut_off: BTreeMap<String, Instant>,
}

fn lasts(until: Option<Instant>) -> bool {
    until.is_some_and(|until| until > Instant::now())
}

impl World {
    pub(in crate::simulation) fn fates<T>(&self, draw: impl FnOnce(&mut Fates) -> T) -> T {
        draw(&mut self.state().fates)
    }

    pub(in crate::simulation) fn fate_of_connection(&self, process: &Process) -> Connecting {
        let mut fate = self.fates(Fates::connecting);
        let is_down = lasts(self.state().weather.down);
        fate.is_refused |=
            is_down || process.is_dead() || self.cut_off_until(process.name()).is_some();
        if fate.is_refused {
            self.state().figures.faults += 1;
        }
        fate
    }

    pub(in crate::simulation) fn fate_of_request(
        &self,
        process: &Process,
        target: &Target,
        kind: Kind,
    ) -> Fate {
        let mut fate = self.fates(|fates| fates.request(kind));
        let is_spared = self.fates(|fates| fates.rng.u8(..4) == 0);
        let mut state = self.state();
        let weather = &state.weather;
        let forbidden = weather.forbidden.as_ref();
        if lasts(weather.down) {
            (fate.deed, fate.reply) = (Deed::Nothing, Reply::Broken);
        } else if lasts(weather.cut_off.get(process.name()).copied()) {
            (fate.deed, fate.reply) = (Deed::Nothing, Reply::Never);
        } else if lasts(weather.overloaded) && !is_spared {
            fate.deed = Deed::Refuse(StatusCode::TOO_MANY_REQUESTS);
        } else if forbidden
            .is_some_and(|(what, until)| *what == target.resource() && lasts(Some(*until)))
        {
            fate.deed = Deed::Refuse(StatusCode::FORBIDDEN);
        }
        if fate.deed != Deed::Act || fate.reply != Reply::Whole {
            state.figures.faults += 1;
        }
        fate
    }

    /// Until when a process is disconnected.
    pub(in crate::simulation) fn cut_off_until(&self, process: &str) -> Option<Instant> {
        let until = self.state().weather.cut_off.get(process).copied();
        until.filter(|until| *until > Instant::now())
    }

    pub(in crate::simulation) fn cut_off(&self, process: &str, length: Duration) {
        let until = Instant::now() + length;
        self.state()
            .weather
            .cut_off
            .insert(process.to_owned(), until);
        self.fault(Fault::CutOff, &format!("{process} for {length:.1?}"));
    }

    /// Pauses a process, and resumes it after a while.
    pub(in crate::simulation) fn stop(&self, process: &Process, length: Duration) {
        self.fault(Fault::Stop, &format!("{} for {length:.1?}", process.name()));
        process.stop();
        let process = process.clone();
        outside(async move {
            sleep(length).await;
            process.wake();
        });
    }

    /// Restarts the API server.
    pub(in crate::simulation) fn restart_server(&self, length: Duration) {
        self.state().weather.down = Some(Instant::now() + length);
        self.fault(Fault::ServerRestart, &format!("down for {length:.1?}"));
        let connections = std::mem::take(&mut self.state().connections);
        for (_, connection) in connections {
            connection.abort();
        }
    }

    pub(in crate::simulation) fn overload(&self, length: Duration) {
        self.state().weather.overloaded = Some(Instant::now() + length);
        self.fault(Fault::Overload, &format!("for {length:.1?}"));
    }

    pub(in crate::simulation) fn forbid(&self, resource: &str, length: Duration) {
        self.state().weather.forbidden = Some((resource.to_owned(), Instant::now() + length));
        self.fault(Fault::Forbidden, &format!("{resource} for {length:.1?}"));
    }

    /// Runs the API server's end of a connection.
    pub(in crate::simulation) fn spawn_connection(
        &self,
        process: &str,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        let task = outside(connection);
        let mut state = self.state();
        state.connections.retain(|(_, task)| !task.is_finished());
        state.connections.push((process.to_owned(), task));
    }
}
