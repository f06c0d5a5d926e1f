//! The children of a site.

use std::collections::BTreeMap;
use std::time::SystemTime;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use rop_runtime::labels::MANAGED_BY;
use rop_runtime::{Context, Error};
use serde_json::json;

use super::site::{Mistake, Site, State, near};
use crate::kinds::{is_owned, named};
use crate::operator::IDENTITY;

/// Applies the page.
pub(super) async fn publish(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let mistake = context.state.mistake;
    let namespace = match mistake {
        Mistake::Elsewhere => "default".to_owned(),
        _ => site.namespace().unwrap_or_default(),
    };
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    let name = match mistake {
        Mistake::OnePage => "page".to_owned(),
        Mistake::RandomName => format!("{}-{}", site.name_any(), fastrand::u32(..)),
        Mistake::CutOff => site.name_any().chars().take(52).collect(),
        _ => site.name_any(),
    };
    let page = match mistake {
        Mistake::Remembered => {
            let mut pages = context.state.pages.lock().unwrap();
            let first = pages.entry(site.name_any());
            first.or_insert_with(|| site.spec.page.clone()).clone()
        }
        _ => site.spec.page.clone(),
    };
    let mut data = BTreeMap::from([("page".to_owned(), page)]);
    let more = site.spec.more.clone();
    let more = more.filter(|_| mistake != Mistake::MoreIgnored);
    data.extend(more.map(|more| ("more".to_owned(), more)));
    if mistake == Mistake::Timed {
        data.insert("time".to_owned(), rop_runtime::now().to_string());
    }
    if mistake == Mistake::WallClock {
        #[expect(clippy::disallowed_methods, reason = "it is the mistake")]
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let nanoseconds = since.unwrap_or_default().as_nanos();
        data.insert("time".to_owned(), nanoseconds.to_string());
    }
    let map = ConfigMap {
        metadata: named(&name),
        data: Some(data),
        immutable: (mistake == Mistake::Immutable).then_some(true),
        ..ConfigMap::default()
    };
    match mistake {
        Mistake::AppliedOnce if maps.get_opt(&name).await?.is_some() => Ok(()),
        Mistake::KeyKept => keep_keys(site, &maps, map).await,
        Mistake::NoOwner | Mistake::Elsewhere => force(&maps, map, None).await,
        Mistake::WrongOwner => {
            let secret = near::<Secret>(site, context).get("credentials").await?;
            force(&maps, map, kube::Resource::owner_ref(&secret, &())).await
        }
        Mistake::Forced => {
            let owner = kube::Resource::controller_owner_ref(site, &());
            force(&maps, map, owner).await
        }
        Mistake::ReplacesAll => replace(site, &maps, map).await,
        Mistake::CreatedFromCache => create_if_not_cached(site, context, &maps, map).await,
        Mistake::PrunesOthers => {
            context.apply(site, map).await?;
            let ours = ListParams::default().labels(&format!("{MANAGED_BY}={}", IDENTITY.name()));
            for other in maps.list(&ours).await? {
                if other.name_any() != name {
                    maps.delete(&other.name_any(), &DeleteParams::default())
                        .await?;
                }
            }
            Ok(())
        }
        Mistake::Unwraps => {
            context.apply(site, map).await.expect("a page");
            Ok(())
        }
        _ => context.apply(site, map).await.map(drop),
    }
}

/// Creates a map with a generated name, unless the cache has one.
async fn create_if_not_cached(
    site: &Site,
    context: &Context<State>,
    maps: &Api<ConfigMap>,
    map: ConfigMap,
) -> Result<(), Error> {
    let cached = context.cached::<ConfigMap>()?.list();
    if cached.iter().any(|there| is_owned(&**there, site)) {
        return Ok(());
    }
    let mut map = labelled(map);
    map.metadata.generate_name = map.metadata.name.take().map(|name| format!("{name}-"));
    map.metadata.owner_references =
        kube::Resource::controller_owner_ref(site, &()).map(|owner| vec![owner]);
    maps.create(&PostParams::default(), &map).await?;
    Ok(())
}

/// Copies the page into another namespace.
pub(super) async fn copy(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let copy = copy_of(site, context.state.mistake);
    context.apply(site, copy).await.map(drop)
}

pub(super) fn copy_of(site: &Site, mistake: Mistake) -> ConfigMap {
    let (name, namespace) = (site.name_any(), site.namespace().unwrap_or_default());
    let mut copy = ConfigMap {
        metadata: match mistake {
            Mistake::CopyByName => named(name),
            Mistake::Joined => named(format!("{namespace}-{name}")),
            Mistake::JoinedBehind => named(format!("{name}-{namespace}")),
            // No namespace has a dot.
            _ => named(format!("{namespace}.{name}")),
        },
        data: Some(BTreeMap::from([(
            "page".to_owned(),
            site.spec.page.clone(),
        )])),
        ..ConfigMap::default()
    };
    copy.metadata.namespace = Some("default".to_owned());
    copy
}

fn labelled(map: ConfigMap) -> ConfigMap {
    let label = (MANAGED_BY.to_owned(), IDENTITY.name().to_owned());
    ConfigMap {
        metadata: ObjectMeta {
            labels: Some(BTreeMap::from([label])),
            ..map.metadata
        },
        ..map
    }
}

/// Applies a map by force, with this owner.
async fn force(
    maps: &Api<ConfigMap>,
    map: ConfigMap,
    owner: Option<OwnerReference>,
) -> Result<(), Error> {
    let mut map = labelled(map);
    map.metadata.owner_references = owner.map(|owner| vec![owner]);
    let params = PatchParams::apply(IDENTITY.name()).force();
    maps.patch(&map.name_any(), &params, &Patch::Apply(&map))
        .await?;
    Ok(())
}

/// The map, if it exists, and not if it is another's. If it does not, it is created.
async fn existing(
    site: &Site,
    maps: &Api<ConfigMap>,
    map: &mut ConfigMap,
) -> Result<Option<ConfigMap>, Error> {
    *map = labelled(std::mem::take(map));
    map.metadata.owner_references =
        kube::Resource::controller_owner_ref(site, &()).map(|owner| vec![owner]);
    let Some(there) = maps.get_opt(&map.name_any()).await? else {
        maps.create(&PostParams::default(), map).await?;
        return Ok(None);
    };
    if !is_owned(&there, site) {
        return Err(Error::terminal("Taken", "the page is another's"));
    }
    Ok(Some(there))
}

/// Changes keys without removing others.
async fn keep_keys(site: &Site, maps: &Api<ConfigMap>, mut map: ConfigMap) -> Result<(), Error> {
    let Some(there) = existing(site, maps, &mut map).await? else {
        return Ok(());
    };
    if there.data != map.data || there.metadata.labels != map.metadata.labels {
        let patch = Patch::Merge(json!({
            "metadata": { "uid": there.metadata.uid, "labels": map.metadata.labels },
            "data": map.data,
        }));
        let name = map.name_any();
        maps.patch(&name, &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

/// Replaces the whole map.
async fn replace(site: &Site, maps: &Api<ConfigMap>, mut map: ConfigMap) -> Result<(), Error> {
    let Some(there) = existing(site, maps, &mut map).await? else {
        return Ok(());
    };
    let content = |map: &ConfigMap| {
        let ObjectMeta {
            labels,
            annotations,
            ..
        } = map.metadata.clone();
        (map.data.clone(), labels, annotations)
    };
    if content(&there) != content(&map) {
        map.metadata.resource_version = there.metadata.resource_version;
        let name = map.name_any();
        maps.replace(&name, &PostParams::default(), &map).await?;
    }
    Ok(())
}
