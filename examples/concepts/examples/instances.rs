//! Creates an `Instance`, reads it, and lists all Instances.

use instance_operator_api::cloud::v1alpha1::{Instance, InstanceSpec};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client, ResourceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let instances: Api<Instance> = Api::default_namespaced(client);

    let spec = InstanceSpec {
        region_id: "eu-north".to_owned(),
        zone_id: "eu-north-b".to_owned(),
        vpc_id: "vpc-1".to_owned(),
        subnet_id: "subnet-2".to_owned(),
    };
    let database = Instance::new("database", spec);
    if instances.get_opt("database").await?.is_none() {
        instances.create(&PostParams::default(), &database).await?;
    }

    let found = instances.get("database").await?;
    println!("the database is in {}", found.spec.zone_id);
    for instance in instances.list(&ListParams::default()).await? {
        println!("{}: {}", instance.name_any(), instance.spec.subnet_id);
    }
    Ok(())
}
