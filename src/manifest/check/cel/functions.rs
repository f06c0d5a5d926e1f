//! The functions that rules can call.

use super::kind::{Kind, Typed};

/// Functions without a target.
const FUNCTIONS: [&str; 23] = [
    "bool",
    "bytes",
    "cidr",
    "double",
    "duration",
    "dyn",
    "format",
    "has",
    "int",
    "ip",
    "isCIDR",
    "isIP",
    "isQuantity",
    "isSemver",
    "isURL",
    "matches",
    "quantity",
    "semver",
    "size",
    "string",
    "timestamp",
    "type",
    "uint",
];

/// `url`, and functions of the time in days to come, are asked by their names too.
const METHODS: [&str; 85] = [
    "add",
    "asApproximateFloat",
    "asInteger",
    "charAt",
    "compareTo",
    "contains",
    "containsCIDR",
    "containsIP",
    "distinct",
    "endsWith",
    "family",
    "find",
    "findAll",
    "first",
    "flatten",
    "format",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getEscapedPath",
    "getFullYear",
    "getHost",
    "getHostname",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getPort",
    "getQuery",
    "getScheme",
    "getSeconds",
    "hasValue",
    "includes",
    "indexOf",
    "ip",
    "isCanonical",
    "isGlobalUnicast",
    "isGreaterThan",
    "isInteger",
    "isLessThan",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isLoopback",
    "isSorted",
    "isUnspecified",
    "join",
    "last",
    "lastIndexOf",
    "lowerAscii",
    "major",
    "masked",
    "matches",
    "max",
    "min",
    "minor",
    "optFlatMap",
    "optMap",
    "or",
    "orValue",
    "patch",
    "prefixLength",
    "replace",
    "reverse",
    "sign",
    "size",
    "slice",
    "sort",
    "sortBy",
    "split",
    "startsWith",
    "sub",
    "substring",
    "sum",
    "transformList",
    "transformMap",
    "transformMapEntry",
    "trim",
    "unwrapOpt",
    "upperAscii",
    "url",
    "validate",
    "value",
    "named",
    "optional",
];

/// Names before functions, as in `sets.contains(…)`.
const NAMESPACES: [&str; 16] = [
    "base64",
    "cidr",
    "format",
    "google",
    "ip",
    "json",
    "jsonpatch",
    "lists",
    "math",
    "net",
    "optional",
    "quantity",
    "regex",
    "semver",
    "sets",
    "strings",
];

/// Names of types.
const TYPES: [&str; 14] = [
    "bool",
    "bytes",
    "double",
    "dyn",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
    "duration",
    "timestamp",
];

/// Methods of texts alone, whose first argument, if they have one, is a text or a number.
const OF_TEXTS: [&str; 12] = [
    "startsWith",
    "endsWith",
    "matches",
    "lowerAscii",
    "upperAscii",
    "charAt",
    "replace",
    "split",
    "substring",
    "trim",
    "find",
    "findAll",
];

/// Functions of CEL itself, and the one that OLM adds.
const OLM_FUNCTIONS: [&str; 14] = [
    "bool",
    "bytes",
    "double",
    "duration",
    "dyn",
    "has",
    "int",
    "matches",
    "semver_compare",
    "size",
    "string",
    "timestamp",
    "type",
    "uint",
];

/// Methods of CEL itself.
const OLM_METHODS: [&str; 15] = [
    "contains",
    "endsWith",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
    "matches",
    "size",
    "startsWith",
];

/// Where an expression runs, which says what it can call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Language {
    /// In an API server, as a rule of a schema.
    Schema,
    /// In OLM, as a constraint of a bundle.
    Constraint,
}

impl Language {
    pub(super) fn has_function(self, name: &str) -> bool {
        match self {
            Self::Schema => FUNCTIONS.contains(&name) || name == "url",
            Self::Constraint => OLM_FUNCTIONS.contains(&name),
        }
    }

    pub(super) fn has_method(self, name: &str) -> bool {
        match self {
            Self::Schema => METHODS.contains(&name),
            Self::Constraint => OLM_METHODS.contains(&name),
        }
    }

    pub(super) fn has_namespace(self, name: &str) -> bool {
        matches!(self, Self::Schema) && NAMESPACES.contains(&name)
    }

    /// The variables that it begins with, in words.
    pub(super) fn variables(self) -> &'static str {
        match self {
            Self::Schema => "`self` and `oldSelf`",
            Self::Constraint => "`properties`",
        }
    }
}

pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}

pub(super) fn is_of_texts(name: &str) -> bool {
    OF_TEXTS.contains(&name)
}

/// What a function returns of a target or first argument.
pub(super) fn result<'a>(name: &str, of: &Typed<'a>) -> Typed<'a> {
    let text = |size| Typed::new(Kind::Text, size);
    match name {
        "contains" | "startsWith" | "endsWith" | "matches" | "bool" | "isCIDR" | "isIP"
        | "isQuantity" | "isSemver" | "isURL" | "isSorted" | "isGreaterThan" | "isLessThan"
        | "isInteger" | "hasValue" | "containsIP" | "containsCIDR" => Typed::new(Kind::Bool, 1),
        "size" | "int" | "semver_compare" | "indexOf" | "lastIndexOf" | "compareTo"
        | "asInteger" | "getFullYear" | "getMonth" | "getDate" | "getDayOfMonth"
        | "getDayOfWeek" | "getDayOfYear" | "getHours" | "getMinutes" | "getSeconds"
        | "getMilliseconds" => Typed::new(Kind::Int, 1),
        "uint" => Typed::new(Kind::Uint, 1),
        "double" | "asApproximateFloat" => Typed::new(Kind::Double, 1),
        "duration" => Typed::new(Kind::Duration, 1),
        "timestamp" => Typed::new(Kind::Timestamp, 1),
        "lowerAscii" | "upperAscii" | "substring" | "trim" => text(of.size),
        "charAt" | "replace" | "find" | "join" | "string" => text(0),
        "split" | "findAll" => Typed::new(Kind::List(Box::new(text(0))), of.size),
        "type" => Typed::new(Kind::Type, 0),
        _ => Typed::new(Kind::Dyn, 0),
    }
}

/// A tenth of a size, rounded up: what it costs to read so much of a text.
pub(super) fn reading(size: u64) -> u64 {
    size.div_ceil(10)
}

/// What a function costs beside its arguments; at least, if it is one of the rarer ones.
pub(super) fn cost(name: &str, of: &Typed<'_>, argument: Option<&Typed<'_>>) -> u64 {
    let argument = argument.map_or(0, |argument| argument.size);
    match name {
        "startsWith" | "endsWith" => reading(argument),
        "contains" => reading(of.size).saturating_mul(reading(argument)),
        "matches" | "find" | "findAll" => {
            reading(of.size.saturating_add(1)).saturating_mul(argument.div_ceil(4))
        }
        "lowerAscii" | "upperAscii" | "substring" | "trim" | "quantity" | "isQuantity" | "url"
        | "ip" | "isIP" | "cidr" | "isCIDR" => reading(of.size),
        "replace" | "split" => of.size.div_ceil(5),
        _ => 1,
    }
}
