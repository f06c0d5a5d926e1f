//! The command lines of operator-sdk 0.x.

mod deploy_folder;
mod words;
