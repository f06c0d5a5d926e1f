// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The operator's library: the controllers, and the machinery that runs them.

pub mod controller;
pub mod runtime;
