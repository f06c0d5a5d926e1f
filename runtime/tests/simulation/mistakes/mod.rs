//! Mistakes of users, put one at a time into an operator that has none: the simulation finds each without an invariant of
//! the user's.
//!
//! Not found are what processes share in a `static`, an effect on a service outside of the cluster, and a conversion that
//! loses a field, which the library keeps.

mod children;
mod program;
mod rollouts;
mod site;

use std::env;
use std::process::Command;

use rop_runtime::simulation::{Broken, Simulation};

use serde_json::json;

use site::{Mistake, Site, simulation};

/// The number of seeds in which each mistake must be found.
const SEEDS: u64 = 100;

const REPAIRED: &str = "what others change is repaired";

#[track_caller]
fn found(mistake: Mistake, invariant: &str) -> Broken {
    found_in(&format!("{mistake:?}"), &simulation(mistake), invariant)
}

/// Finds a mistake, and prints the number of seeds that this took. The cluster without faults is none.
#[track_caller]
fn found_in(mistake: &str, simulation: &Simulation, invariant: &str) -> Broken {
    let calm = simulation.calm().broken.map(|broken| (0, broken));
    let found = calm.or_else(|| {
        let (seed, broken) = simulation.first_broken(0..SEEDS)?;
        Some((seed + 1, broken))
    });
    let (seeds, broken) =
        found.unwrap_or_else(|| panic!("{mistake} is not found in {SEEDS} seeds"));
    println!("{mistake}: {seeds} seeds: {broken}");
    assert_eq!(broken.invariant, invariant, "{broken}");
    broken
}

/// A test for each mistake, with the invariant that finds it.
macro_rules! found {
    ($($name:ident: $mistake:ident, $invariant:expr;)*) => {$(
        #[test]
        fn $name() {
            found(Mistake::$mistake, $invariant);
        }
    )*};
}

found! {
    a_service_that_stays_is_found: ServiceKept, "history does not matter";
    a_type_that_is_not_watched_is_found: NotWatched, "samples get ready in a calm cluster";
    a_child_that_is_applied_once_is_found: AppliedOnce, REPAIRED;
    a_key_that_stays_is_found: KeyKept, "history does not matter";
    a_change_of_an_immutable_field_is_found: Immutable, "every shape of a spec is answered";
    a_reconcile_that_blocks_is_found: Blocks, "no reconcile keeps its thread";
    labels_of_others_that_are_removed_are_found: WipesLabels, "fields of others are kept";
    a_copy_with_the_name_alone_is_found: CopyByName, "no two objects claim one child";
    a_requeue_every_fifty_milliseconds_is_found: Restless, "no requeue within a second in silence";
    an_observed_generation_that_stays_behind_is_found: ObservedOnce, "the observed generation reaches the generation";
    a_status_that_stays_behind_is_found: ReportedOnce, "history does not matter";
    a_reason_that_is_a_sentence_is_found: Sentence, "reasons are in CamelCase";
    a_transition_time_without_a_transition_is_found: OneTime, "a transition has its time";
    a_child_that_is_always_invalid_is_found: InvalidService, "samples get ready in a calm cluster";
    an_object_that_never_gets_ready_is_found: NeverReady, "samples get ready in a calm cluster";
    a_page_that_is_remembered_is_found: Remembered, "history does not matter";
    a_reconcile_of_new_generations_only_is_found: GenerationOnly, REPAIRED;
    a_child_without_an_owner_is_found: NoOwner, REPAIRED;
    a_child_in_another_namespace_is_found: Elsewhere, REPAIRED;
    a_random_name_is_found: RandomName, REPAIRED;
    a_time_in_a_child_is_found: Timed, "all children match the specs";
    a_time_in_a_message_is_found: TimedMessage, "no busy loop";
    an_error_that_is_ignored_is_found: Swallowed, REPAIRED;
    a_finalizer_that_stays_is_found: FinalizerKept, "objects can be deleted and created again";
    a_panic_is_found: Panics, "no reconcile panics";
    a_reconcile_that_never_ends_is_found: Hangs, "every reconcile ends";
    a_secret_that_is_read_and_not_watched_is_found: SecretNotWatched, "a read that fails or is stale changes nothing";
    a_finalizer_that_is_removed_first_is_found: FinalizerFirst, "a crash at any point changes nothing";
    a_text_that_is_empty_is_found: EmptyPanics, "no reconcile panics";
    a_spec_that_is_not_answered_is_found: HighestIgnored, "every shape of a spec is answered";
    an_event_of_each_reconcile_is_found: EventEachTime, "few events in silence";
    a_child_of_another_owner_is_found: WrongOwner, REPAIRED;
    a_child_that_is_applied_by_force_is_found: Forced, "objects of other owners are not written";
    a_child_that_is_replaced_is_found: ReplacesAll, "fields of others are kept";
    a_service_of_the_pods_of_others_is_found: SelectsAll, "selectors select the pods of their owner";
    a_service_without_pods_is_found: SelectsNone, "selectors select the pods of their owner";
    a_service_of_a_port_that_no_container_has_is_found: ClosedPort, "services and probes lead to ports of containers";
    a_service_with_another_protocol_than_the_container_is_found: OtherProtocol, "services and probes lead to ports of containers";
    a_probe_of_a_port_that_the_container_does_not_have_is_found: ClosedProbe, "services and probes lead to ports of containers";
    an_ingress_to_a_port_that_the_service_does_not_have_is_found: WrongBackend, "children lead to objects that exist";
    an_autoscaler_without_a_workload_is_found: ScalesNothing, "children lead to objects that exist";
    a_condition_of_a_failure_that_is_over_is_found: StaysDegraded, "a failure that is over is no longer reported";
    a_reconcile_that_waits_for_a_rollout_is_found: WaitsForRollout, "every reconcile ends";
    a_rollout_that_is_never_complete_is_found: NeverRolledOut, "every shape of a spec is answered";
    a_cleanup_that_takes_the_services_of_others_is_found: TakesServices, "a deleted object takes no child of another";
    a_schedule_that_needs_what_nobody_creates_is_found: ScheduleWithoutSecret, "children lead to objects that exist";
    an_autoscaler_whose_replicas_the_operator_sets_is_found: Fights, "an autoscaler alone sets replicas";
    a_budget_of_no_pods_is_found: BudgetOfNone, "selectors select the pods of their owner";
    a_service_that_is_deleted_for_another_port_is_found: ServiceReplaced, "children are updated in place";
    a_name_that_is_cut_off_is_found: CutOff, "no two objects claim one child";
    a_name_that_is_joined_from_two_is_found: Joined, "no two objects claim one child";
    a_name_that_is_joined_the_other_way_is_found: JoinedBehind, "no two objects claim one child";
    a_service_of_another_number_than_the_container_is_found: ClosedNumber, "services and probes lead to ports of containers";
    a_label_of_an_old_spec_is_found: MarksPort, "history does not matter";
    a_label_that_stays_is_found: MarksNamespace, "objects can be deleted and created again";
    a_status_that_is_replaced_is_found: ReplacesStatus, "fields of others are kept";
    a_child_that_is_created_from_the_cache_is_found: CreatedFromCache, "history does not matter";
    a_cleanup_of_what_others_need_is_found: PrunesOthers, "no busy loop";
    a_panic_after_a_failed_request_is_found: Unwraps, "no reconcile panics";
    a_time_of_the_computer_is_found: WallClock, "all children match the specs";
    a_list_that_grows_is_found: ListGrows, "history does not matter";
    a_status_before_its_children_is_found: StatusFirst, "a transition has its time";
    a_cleanup_that_needs_a_status_is_found: CleanupByStatus, "a crash at any point changes nothing";
    a_service_that_gets_headless_is_found: Headless, "every shape of a spec is answered";
    a_job_that_is_created_again_is_found: JobExpires, "no writes after the faults";
    a_cleanup_that_ignores_errors_is_found: CleanupIgnores, "a read that fails or is stale changes nothing";
}

#[test]
fn an_operator_without_a_mistake_holds() {
    simulation(Mistake::None).seeds(0..12).run();
}

/// Nothing else ends such a reconcile, so the program ends, which is run once more for that.
#[test]
fn a_reconcile_that_never_gives_its_thread_back_ends_the_program() {
    const FOR_EVER: &str = "BLOCKS_FOR_EVER";
    if env::var_os(FOR_EVER).is_some() {
        simulation(Mistake::BlocksForEver).calm();
        return;
    }
    let test = "mistakes::a_reconcile_that_never_gives_its_thread_back_ends_the_program";
    let program = env::current_exe().expect("this program");
    let mut program = Command::new(program);
    let ended = program.args(["--exact", test]).env(FOR_EVER, "1").output();
    let ended = ended.expect("a program that ends");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    let expected = "replica-a0 keeps its thread for 30 s while it reconciles shop/site-a for site";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn a_field_without_an_effect_is_named() {
    for (mistake, expected) in [
        (Mistake::None, &[][..]),
        (Mistake::MoreIgnored, &["sites.spec.more"]),
    ] {
        assert_eq!(simulation(mistake).ineffective_fields(), expected);
    }
    let external = simulation(Mistake::MoreIgnored).external_fields(["sites.spec.more"]);
    assert_eq!(external.ineffective_fields(), [""; 0]);
}

/// The Service of the spec before stays, and a fresh cluster has none.
#[test]
fn a_spec_that_is_not_possible_is_no_mistake() {
    simulation(Mistake::Impossible).seeds(0..12).run();
}

/// Nor do others take the Namespace for a child, and replace it.
#[test]
fn a_label_that_the_cleanup_removes_is_no_mistake() {
    simulation(Mistake::CleansNamespace).seeds(0..12).run();
}

/// Containers need not list their ports.
#[test]
fn a_port_that_no_container_lists_is_no_mistake() {
    let calm = simulation(Mistake::MetricsPort).calm();
    assert!(calm.broken.is_none(), "{calm}");
}

/// A rule of the CRD could refuse it first.
#[test]
fn a_value_for_which_a_child_is_refused_is_named() {
    let refused = simulation(Mistake::Impossible).refused_values();
    let [port] = &*refused else {
        panic!("{refused:?}");
    };
    let expected = "sites.spec.port is 1: Service \"site-a\" is invalid: spec.ports[0].port: ";
    assert!(port.starts_with(expected), "{port}");
    assert_eq!(simulation(Mistake::None).refused_values(), [""; 0]);
}

/// A new template would roll them out.
#[test]
fn variables_of_an_old_page_are_named() {
    let calm = simulation(Mistake::OldVariables).calm();
    assert!(calm.broken.is_none(), "{calm}");
    let expected = ["more", "page"].map(|field| format!("sites.spec.{field} of deployments"));
    let outdated = simulation(Mistake::OldVariables).outdated_environments();
    assert_eq!(outdated, expected);
}

/// The others say that it has another owner.
#[test]
fn objects_can_compete_for_a_child() {
    let broken = found(Mistake::OnePage, "no two objects claim one child");
    let way_out = "if only one of them may have it, add `.competes::<Site>()` to the simulation";
    assert!(broken.message.ends_with(way_out), "{broken}");
    let calm = simulation(Mistake::OnePage).competes::<Site>().calm();
    assert!(calm.broken.is_none(), "{calm}");
}

#[test]
fn a_request_that_the_role_does_not_permit_is_found() {
    let broken = found(Mistake::Forbidden, "every request is permitted by the role");
    let marker = "add `// +kubebuilder:rbac:groups=core,resources=services,verbs=patch`";
    assert!(broken.message.ends_with(marker), "{broken}");
}

#[test]
fn a_permission_that_is_never_used_is_named() {
    for (mistake, expected) in [
        (Mistake::None, &[][..]),
        (
            Mistake::WideRole,
            &["groups=core,resources=pods,verbs=list;watch"],
        ),
    ] {
        let report = simulation(mistake).seeds(0..1).report();
        assert_eq!(report.never_used, expected);
    }
}

/// A Pod does not start without it.
#[test]
fn a_secret_that_nobody_creates_is_found() {
    let mistake = Mistake::SecretMissing;
    let broken = found(mistake, "samples get ready in a calm cluster");
    let needed = "the pods of jobs/shop/site-a need secrets/shop/settings, which does not exist";
    assert!(broken.message.contains(needed), "{broken}");
    let settings = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "settings", "namespace": "shop" },
    });
    let calm = simulation(mistake).given([settings]).calm();
    assert!(calm.broken.is_none(), "{calm}");
}

#[test]
fn every_point_of_a_crash_is_simulated() {
    let figures = simulation(Mistake::None).calm().figures;
    assert_eq!((figures.points, figures.points_found), (12, 12));
}
