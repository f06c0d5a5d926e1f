//! What to say of a resource that is not there.

use super::super::catalog::{Catalog, Resource};
use super::super::fault::Fault;
use super::super::suggest;
use super::called;

/// Says that none of `groups` has a resource `name`, and which was probably meant.
pub(super) fn fault(name: &str, groups: &[&str], catalog: &Catalog) -> Fault {
    let places: Vec<String> = groups.iter().copied().map(called).collect();
    let place = places.join(" or ");
    let elsewhere = catalog.groups_of(name);
    if !elsewhere.is_empty() {
        let elsewhere: Vec<String> = elsewhere.into_iter().map(called).collect();
        return Fault::new(format!("`{name}` is not in {place}"))
            .hint(format!("it is in {}", elsewhere.join(" and ")));
    }
    let hint = match meant(name, groups, catalog) {
        Some(meant) if groups.contains(&meant.group) => format!("did you mean `{}`?", meant.name),
        Some(meant) => format!("did you mean `{}` in {}?", meant.name, called(meant.group)),
        None => list(groups, catalog),
    };
    Fault::new(format!("unknown resource `{name}` in {place}")).hint(hint)
}

/// The resource that was probably meant: by its kind or singular, or by a slip; in the groups that
/// were given, or in others.
fn meant<'a>(name: &str, groups: &[&str], catalog: &'a Catalog<'a>) -> Option<&'a Resource<'a>> {
    let (here, elsewhere): (Vec<&Resource>, Vec<&Resource>) =
        catalog.all().partition(|r| groups.contains(&r.group));
    let by_kind = |resources: &[&'a Resource<'a>]| {
        let is_meant = |r: &&Resource| r.is_of(name) || suggest::is_plural(r.name, name);
        resources.iter().copied().find(is_meant)
    };
    let by_slip = |resources: &[&'a Resource<'a>]| {
        let near = suggest::nearest(name, resources.iter().map(|r| r.name))?;
        resources.iter().copied().find(|r| r.name == near)
    };
    by_kind(&here)
        .or_else(|| by_kind(&elsewhere))
        .or_else(|| by_slip(&here))
        .or_else(|| by_slip(&elsewhere))
}

/// What there is, as far as a line holds it.
fn list(groups: &[&str], catalog: &Catalog) -> String {
    let mut names: Vec<&str> = catalog
        .all()
        .filter(|resource| groups.contains(&resource.group))
        .map(|resource| resource.name)
        .collect();
    names.dedup();
    match names.len() {
        ..=8 => format!("what is there: {}", names.join(", ")),
        _ => "`kubectl api-resources` lists all".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::resource::check;
    use super::super::tests::refused;

    #[test]
    fn a_resource_of_another_group_is_found() {
        for (groups, resource, place, hint) in [
            ("core", "deployments", "the core group", "it is in `apps`"),
            ("apps", "pods/log", "`apps`", "it is in the core group"),
            ("apps", "endpoints", "`apps`", "it is in the core group"),
            (
                "apps;batch",
                "events",
                "`apps` or `batch`",
                "it is in the core group and `events.k8s.io`",
            ),
            (
                "batch",
                "appservices",
                "`batch`",
                "it is in `app.example.com`",
            ),
        ] {
            let name = resource.split('/').next().expect("a name");
            refused(
                check,
                &format!("groups={groups},resources={resource},verbs=get"),
                &format!("`{name}` is not in {place}"),
                hint,
            );
        }
    }

    fn unknown(group: &str, resource: &str, hint: &str) {
        let name = resource.split('/').next().expect("a name");
        refused(
            check,
            &format!("groups={group},resources={resource},verbs=get"),
            &format!("unknown resource `{name}` in `{group}`"),
            hint,
        );
    }

    #[test]
    fn a_slip_or_a_singular_has_its_plural() {
        for (group, resource, meant) in [
            ("apps", "deploymens", "deployments"),
            ("apps", "deployment", "deployments"),
            ("apps", "Deployment", "deployments"),
            ("apps", "Deployments/status", "deployments"),
            ("networking.k8s.io", "networkpolicy", "networkpolicies"),
            ("app.example.com", "AppService", "appservices"),
            ("app.example.com", "appservice", "appservices"),
            ("app.example.com", "Person", "people"),
        ] {
            unknown(group, resource, &format!("did you mean `{meant}`?"));
        }
    }

    #[test]
    fn what_was_meant_may_be_in_another_group() {
        for (group, resource, meant) in [
            ("apps", "person", "`people` in `app.example.com`"),
            (
                "apps",
                "NetworkPolicy",
                "`networkpolicies` in `networking.k8s.io`",
            ),
            ("apps", "pod", "`pods` in the core group"),
            ("apps", "secrts", "`secrets` in the core group"),
        ] {
            unknown(group, resource, &format!("did you mean {meant}?"));
        }
    }

    #[test]
    fn else_there_is_a_list() {
        for (group, hint) in [
            ("app.example.com", "what is there: appservices, people"),
            ("batch", "what is there: cronjobs, jobs"),
        ] {
            unknown(group, "widgets", hint);
        }
        refused(
            check,
            "groups=core,resources=widgets,verbs=get",
            "unknown resource `widgets` in the core group",
            "`kubectl api-resources` lists all",
        );
    }
}
