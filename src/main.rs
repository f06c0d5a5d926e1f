//! The `rop` command.

use std::process::ExitCode;
use std::thread;

use rop::cli;

fn main() -> ExitCode {
    // What others wrote may be nested deep, and parsers call themselves for each level.
    let thread = thread::Builder::new().stack_size(cli::STACK);
    match thread.spawn(cli::main) {
        // A panic has ended the process.
        Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
        Err(_) => cli::main(),
    }
}
