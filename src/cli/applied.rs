//! Objects that a command applies one part after the other.

use std::time::Duration;

use crate::cli::args::target::Reached;
use crate::cli::invocation::Invocation;
use crate::cli::report;
use crate::cluster::{self, Action, Effect, Mode, Say};
use crate::error::Result;
use crate::lifecycle::{Place, Served, wait_until_served};
use crate::objects::{ObjectId, Objects};

/// What a command has applied so far.
pub(in crate::cli) struct Applied<'a> {
    pub(in crate::cli) reached: &'a Reached,
    pub(in crate::cli) invocation: &'a Invocation,
    mode: Mode,
    effects: Vec<Effect>,
}

impl<'a> Applied<'a> {
    pub(in crate::cli) fn new(reached: &'a Reached, invocation: &'a Invocation) -> Self {
        Self {
            reached,
            invocation,
            mode: Mode::default(),
            effects: Vec::new(),
        }
    }

    /// Applies in another mode.
    pub(in crate::cli) fn with(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Plans to create objects that the API server cannot be asked for yet.
    pub(in crate::cli) fn expect(&mut self, objects: &Objects) {
        if self.invocation.dry_run {
            self.effects.extend(objects.iter().map(|object| Effect {
                id: ObjectId::of(object),
                action: Action::Create,
            }));
        }
    }

    /// Asks the API server for all parts, so that nothing is changed if it rejects one. With `--dry-run`, reports them.
    pub(in crate::cli) fn plan(&mut self, parts: &[&Objects]) -> Result<()> {
        let all: Objects = parts.iter().flat_map(|part| part.iter()).cloned().collect();
        let planned = cluster::dry_run(&self.reached.kubectl, &all, self.mode)
            .map_err(|e| e.context("the cluster rejected an object, so nothing was changed"))?;
        if self.invocation.dry_run {
            self.effects = planned;
        }
        Ok(())
    }

    /// Applies a part, and lists what changed.
    pub(in crate::cli) fn apply(&mut self, objects: &Objects) -> Result<()> {
        let kubectl = &self.reached.kubectl;
        let effects = cluster::dry_run(kubectl, objects, self.mode)?;
        if effects.is_empty() {
            return Ok(());
        }
        for warning in cluster::apply(kubectl, objects, self.mode)? {
            let ui = &self.invocation.ui;
            ui.note(&format!("warning from the API server: {warning}"));
        }
        if !self.invocation.json {
            self.invocation.ui.list(&report::effects(&effects));
        }
        self.effects.extend(effects);
        Ok(())
    }

    /// Applies a catalog, and what serves it before that.
    pub(in crate::cli) fn serve(
        &mut self,
        served: &Served,
        place: &Place,
        timeout: Duration,
    ) -> Result<()> {
        let kubectl = &self.reached.kubectl;
        served.remove_ended(kubectl, place)?;
        self.apply(&served.server)?;
        let address = if served.server.is_empty() {
            None
        } else {
            self.wait("until the catalog is served", |say| {
                wait_until_served(kubectl, place, served, timeout, say)
            })?
        };
        self.apply(&served.source(address.as_deref()))
    }

    /// Waits, and shows for what.
    pub(in crate::cli) fn wait<T>(
        &self,
        what: &str,
        wait: impl FnOnce(Say<'_>) -> Result<T>,
    ) -> Result<T> {
        let progress = self.invocation.ui.progress("waiting", what, None);
        let mut say = |text: &str| progress.say(text);
        wait(&mut say)
    }

    /// Reports all changes: as JSON, or if nothing but a plan was made.
    pub(in crate::cli) fn report(&self, command: &str) -> Result<()> {
        let Self {
            reached,
            invocation,
            effects,
            ..
        } = self;
        if invocation.json || invocation.dry_run {
            reached.report(command, effects, invocation)?;
        }
        Ok(())
    }
}
