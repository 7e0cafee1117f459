//! Tells cargo that the binary carries `sql/`, which include_dir! cannot say by itself.

fn main() {
    println!("cargo::rerun-if-changed=../sql");
}
