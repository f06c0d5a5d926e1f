use crate::support::World;

#[test]
fn names_what_it_generates_for() {
    insta::assert_snapshot!(World::new().rop("version").ok(), @"");
    insta::assert_snapshot!(World::new().rop("version --json").ok(), @"");
}
