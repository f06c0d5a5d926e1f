//! The command lines of operator-sdk.

mod bundle;
mod deploy_folder;
mod words;
