#!/usr/bin/env bash
# Builds the docs of a crate when `cargo test --doc` asks for its tests: with what the tests are built with. For
# `cargo doc`, cargo would check all dependencies once more.
arguments=()
for argument do
  case $argument in
    --test | --no-run) ;;
    *) arguments+=("$argument") ;;
  esac
done
exec rustdoc "${arguments[@]}"
