//! The plan of a simulation, derived only from its seed.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use fastrand::Rng;

use super::fault::Fault;
use super::subject::Copies;

/// The fraction of the kinds of faults that a seed omits: all at once hide each other.
const LEFT_OUT: f64 = 0.4;

/// The rate of a fault that a plan names and its seed leaves out.
const NAMED: f64 = 0.5;

/// A seed whose copies refer to the first.
const SEVERAL: u64 = 2;

/// What a plan that somebody wrote may ask for: a day of faults, a copy for each letter, and a few replicas.
const MOST_SECONDS: f64 = 24.0 * 60.0 * 60.0;
const MOST_OBJECTS: u64 = 26;
const MOST_REPLICAS: u64 = 9;

/// The plan of the simulation of a seed. It can be minimized, and then remains a plan of the same
/// seed.
///
/// ```
/// # use rop_runtime::simulation::Simulation;
/// # use rop_runtime::simulation::Plan;
/// # fn test(simulation: Simulation) {
/// // The printed form of a plan, as in a failure, can be parsed again.
/// let plan = simulation.plan(7);
/// assert_eq!(plan.to_string().parse::<Plan>().unwrap().seed, plan.seed);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The seed of all random values.
    pub seed: u64,
    /// The duration of the faults.
    pub trouble: Duration,
    /// The number of copies of each object.
    pub objects: usize,
    /// The number of replicas.
    pub replicas: usize,
    /// The rate of each fault, from 0 to 1. Its meaning depends on the fault.
    pub(super) rates: BTreeMap<Fault, f64>,
}

impl Plan {
    /// The plan of a seed, with faults for up to `longest`.
    pub(super) fn draw(seed: u64, longest: Duration) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x0070_6c61_6e00);
        let has_restarts = rng.f64() > 1.0 / 3.0;
        let needs_resync = rng.bool();
        // Some bugs only show with few faults, others only with many.
        let scale = [0.1, 0.3, 0.6, 1.0][rng.usize(..4)];
        let mut rates = BTreeMap::new();
        let mut of_webhooks = Rng::with_seed(seed ^ 0x7765_6268_6f6f);
        for fault in Fault::ALL {
            // Added later, so it must not change the plans of existing seeds.
            let rng = match fault {
                Fault::WebhookFailed => &mut of_webhooks,
                _ => &mut rng,
            };
            let (is_left_out, rate) = (rng.f64() < LEFT_OUT, scale * (0.2 + 0.8 * rng.f64()));
            let is_possible =
                (has_restarts || !fault.restarts()) && (needs_resync || !fault.needs_resync());
            if !is_left_out && is_possible {
                rates.insert(fault, rate);
            }
        }
        Self {
            seed,
            trouble: whole(longest.mul_f64(0.4 + 0.6 * rng.f64())),
            objects: 1 + rng.usize(..3),
            replicas: 1 + rng.usize(..5).min(2),
            rates,
        }
    }

    /// The plan of the cluster without faults that precedes all seeds.
    pub(super) fn calm(longest: Duration) -> Self {
        Self {
            seed: 0,
            trouble: longest,
            objects: 1,
            replicas: 1,
            rates: BTreeMap::new(),
        }
    }

    /// The plan of the cluster without faults in which all copies of the objects refer to the first.
    pub(super) fn several(longest: Duration) -> Self {
        Self {
            seed: SEVERAL,
            objects: 6,
            ..Self::calm(longest)
        }
    }

    pub(super) fn has_faults(&self) -> bool {
        !self.rates.is_empty()
    }

    /// A separate generator for each `name`, so that less of one thing does not change the others.
    pub(super) fn rng(&self, name: &str) -> Rng {
        let mut seed = self.seed;
        for byte in name.bytes() {
            seed = (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Rng::with_seed(seed)
    }

    /// The rate of a fault, from 0 to 1.
    pub(super) fn rate(&self, fault: Fault) -> f64 {
        self.rates.get(&fault).copied().unwrap_or_default()
    }

    /// Whether there is a resync before the end: it repairs many errors, and so hides them.
    pub(super) fn has_resync(&self) -> bool {
        self.faults().any(Fault::needs_resync)
    }

    /// Whether the calm after the faults ends once everything has converged. In every eighth plan it does not: what has
    /// converged must stay so.
    pub(super) fn is_brief(&self) -> bool {
        self.rng("calm").u8(..8) > 0
    }

    /// Which copies of the user's objects there are. If two or more, one may be in a second namespace, and of three or
    /// more, one is. All refer to the first copy, or each to itself.
    pub(super) fn copies(&self, is_single_namespace: bool) -> Vec<Copies> {
        let has_second =
            !is_single_namespace && (self.objects > 2 || self.rng("namespaces").bool());
        let refers_to_first = self.rng("references").bool();
        let letters = ('a'..='z').take(self.objects);
        let copies = letters.map(|letter| Copies {
            letter,
            is_elsewhere: has_second && letter == 'b',
            refers_to_first,
        });
        copies.collect()
    }

    /// Returns the kinds of faults that occur.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// let plan = simulation.plan(7);
    /// let names: Vec<_> = plan.faults().map(|fault| fault.to_string()).collect();
    /// # }
    /// ```
    pub fn faults(&self) -> impl Iterator<Item = Fault> {
        self.rates.keys().copied()
    }

    /// The same plan with only some kinds of faults.
    pub(super) fn only(&self, keep: impl Fn(Fault) -> bool) -> Self {
        let mut plan = self.clone();
        plan.rates.retain(|fault, _| keep(*fault));
        plan
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, seconds) = (self.seed, self.trouble.as_secs_f64());
        let (objects, replicas) = (self.objects, self.replicas);
        let names: Vec<_> = self.faults().map(|fault| fault.to_string()).collect();
        let faults = match &*names {
            [] => "none".to_owned(),
            names => names.join(","),
        };
        write!(
            formatter,
            "seed={seed} seconds={seconds} objects={objects} replicas={replicas} faults={faults}"
        )
    }
}

/// Parses the printed form of a plan.
impl std::str::FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut values: BTreeMap<_, _> = text
            .split_whitespace()
            .filter_map(|pair| pair.split_once('='))
            .collect();
        let mut number = |name, least, most| -> Result<Option<u64>, String> {
            let Some(text) = values.remove(name) else {
                return Ok(None);
            };
            match text.parse() {
                Ok(number) if number < least => {
                    Err(format!("{name}: at least {least}, not {text}"))
                }
                Ok(number) if number <= most => Ok(Some(number)),
                Ok(_) => Err(format!("{name}: at most {most}, not {text}")),
                Err(error) => Err(format!("{name}: {error}")),
            }
        };
        let seed = number("seed", 0, u64::MAX)?.ok_or("a plan needs a `seed`")?;
        let objects = number("objects", 1, MOST_OBJECTS)?;
        let replicas = number("replicas", 1, MOST_REPLICAS)?;
        let seconds = values.remove("seconds").map(parse_seconds).transpose()?;
        let drawn = Self::draw(seed, super::TROUBLE);
        let count = |given: Option<u64>, drawn| {
            given.map_or(drawn, |given| usize::try_from(given).unwrap_or(drawn))
        };
        let plan = Self {
            trouble: seconds.unwrap_or(drawn.trouble),
            objects: count(objects, drawn.objects),
            replicas: count(replicas, drawn.replicas),
            ..drawn
        };
        let Some(faults) = values.remove("faults") else {
            return Ok(plan);
        };
        let faults: Result<Vec<Fault>, _> = match faults {
            "none" => Ok(Vec::new()),
            list => list.split(',').map(str::parse).collect(),
        };
        let faults = faults?;
        let mut plan = plan.only(|fault| faults.contains(&fault));
        for fault in faults {
            plan.rates.entry(fault).or_insert(NAMED);
        }
        Ok(plan)
    }
}

/// A duration that its printed form can express, in whole milliseconds.
fn whole(length: Duration) -> Duration {
    length.saturating_sub(Duration::from_nanos(
        u64::from(length.subsec_nanos()) % 1_000_000,
    ))
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|error| format!("seconds: {error}"))?;
    if !(0.0..=MOST_SECONDS).contains(&seconds) {
        return Err(format!("seconds: from 0 to {MOST_SECONDS}, not {text}"));
    }
    Ok(whole(
        Duration::from_secs_f64(seconds) + Duration::from_micros(500),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_copies_refer_to_the_first() {
        let copies = Plan::several(super::super::READY).copies(false);
        assert!(copies.iter().all(|copy| copy.refers_to_first));
        assert_eq!(copies.iter().filter(|copy| copy.is_elsewhere).count(), 1);
    }

    #[test]
    fn a_plan_is_that_of_its_seed_and_can_be_read_again() {
        let mut restarts = 0;
        for seed in 0..300 {
            let plan = Plan::draw(seed, super::super::TROUBLE);
            assert_eq!(plan.to_string().parse(), Ok(plan.clone()));
            restarts += u32::from(plan.faults().any(Fault::restarts));
        }
        assert!((160..240).contains(&restarts), "{restarts}");
        let less: Plan = "seed=7 seconds=60 faults=Kill".parse().unwrap();
        assert_eq!(less.trouble, Duration::from_secs(60));
        assert_eq!(less.faults().collect::<Vec<_>>(), [Fault::Kill]);
        let why = "seed=7 seconds=1e9".parse::<Plan>().unwrap_err();
        assert_eq!(why, "seconds: from 0 to 86400, not 1e9");
        assert!("seconds=1".parse::<Plan>().is_err());
        let why = "seed=7 objects=27".parse::<Plan>().unwrap_err();
        assert_eq!(why, "objects: at most 26, not 27");
        let why = "seed=7 replicas=0".parse::<Plan>().unwrap_err();
        assert_eq!(why, "replicas: at least 1, not 0");
    }
}
