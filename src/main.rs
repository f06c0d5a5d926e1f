//! The `rop` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    rop::cli::main()
}
