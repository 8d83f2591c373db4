#!/bin/sh
set -eu

target=${1:-production}

# Prints a message.
say() {
  printf '%s: %s\n' "$target" "$*"
}

function build {
  case $target in
    production) say "building" ;;
    *) say "not building {" ;;
  esac
}

say start
build
