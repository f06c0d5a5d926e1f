#!/usr/bin/env bash
# Builds a crate of a generated project by clippy, which is rustc with more to say; cargo names rustc first. The
# library is not the user's code. And what clippy builds is built again with every new Cargo.toml of the workspace.
# A shell that keeps variables such as `CARGO_BIN_EXE_app-operator`, which sh does not.
case " $* " in *" --crate-name rop_runtime "*) exec "$@" ;; esac
exec clippy-driver "$@"
