//! Rebuilds when a template is added or removed, which `include_dir` alone does not see.

fn main() {
    println!("cargo::rerun-if-changed=templates");
}
