use super::{Image, Tag};

const DIGEST: &str = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

#[test]
fn takes_references_apart() {
    for (text, registry, repository, tag) in [
        ("nginx", "docker.io", "library/nginx", None),
        ("nginx:1.29", "docker.io", "library/nginx", Some("1.29")),
        ("example/app", "docker.io", "example/app", None),
        ("localhost/app", "localhost", "app", None),
        (
            "127.0.0.1:5000/a/b-c__d.e:V_1.x",
            "127.0.0.1:5000",
            "a/b-c__d.e",
            Some("V_1.x"),
        ),
        ("[::1]:5000/a", "[::1]:5000", "a", None),
        ("[::1]/a:b", "[::1]", "a", Some("b")),
        ("Example.com/a--b", "Example.com", "a--b", None),
    ] {
        for digest in [None, Some(DIGEST)] {
            let text = match digest {
                Some(digest) => format!("{text}@{digest}"),
                None => text.to_owned(),
            };
            let image: Image = text.parse().expect(&text);
            assert_eq!(image.registry(), registry, "{text}");
            assert_eq!(image.repository(), repository, "{text}");
            assert_eq!((image.tag(), image.digest()), (tag, digest), "{text}");
            let other = image.with_tag(&Tag::default());
            assert_eq!(other.as_str(), format!("{}:latest", image.name()));
            assert!(text.starts_with(image.name()), "{text}");
        }
    }
}

/// References, and what is said of them.
const WRONG: [(&str, &str); 22] = [
    ("", "must not be empty"),
    ("a b", "unexpected ' ' at character 2"),
    ("ä", "unexpected 'ä' at character 1"),
    ("a\"b", "unexpected '\"' at character 2"),
    ("nginx:", "missing tag after the colon at character 7"),
    ("nginx:.x", "unexpected '.' in the tag at character 7"),
    ("nginx:a+b", "unexpected '+' in the tag at character 8"),
    (
        "example.com/App",
        "unexpected capital letter in the repository at character 13",
    ),
    (
        "-x",
        "expected a letter or digit between separators in the repository at character 1",
    ),
    (
        "a/b-",
        "expected a letter or digit between separators in the repository at character 4",
    ),
    (
        "a/b..c",
        "expected a letter or digit between separators in the repository at character 4",
    ),
    ("example.com/", "missing repository name at character 13"),
    ("a//b", "missing repository name at character 3"),
    (
        "https://example.com/a",
        "unexpected URL scheme before `://` at character 6",
    ),
    ("a_b.c/d", "unexpected `_` in the registry at character 2"),
    (
        "a..b/d",
        "expected a letter or digit in the registry at character 3",
    ),
    (
        "a-.b/d",
        "unexpected `-` at the end of a registry label at character 2",
    ),
    (
        "localhost:x/d",
        "expected a registry port of at most 65535 at character 11",
    ),
    (
        "[::x]/d",
        "expected an IPv6 address in brackets as the registry at character 1",
    ),
    (
        "a@b",
        "missing digest algorithm, such as `sha256:`, at character 3",
    ),
    (
        "a@md5:00",
        "expected a sha256 or sha512 digest at character 3",
    ),
    (
        "a@sha256:0G",
        "expected lowercase hex in the digest at character 11",
    ),
];

#[test]
fn says_what_is_wrong_and_where() {
    let short = &DIGEST[..DIGEST.len() - 1];
    for (text, message) in WRONG {
        let error = text.parse::<Image>().expect_err(text);
        assert_eq!(error.rule, message, "{text}");
    }
    let error = format!("a@{short}")
        .parse::<Image>()
        .expect_err("63 digits");
    let message = "found 63 hex digits, but sha256 has 64, at character 73";
    assert_eq!(error.rule, message);
    let error = "Nginx".parse::<Image>().expect_err("a capital");
    assert_eq!(error.hint.as_deref(), Some("did you mean `nginx`?"));
    assert!("a".repeat(256).parse::<Image>().is_err());
    assert!(format!("a:{}", "b".repeat(129)).parse::<Image>().is_err());
    assert!("latest@".parse::<Tag>().is_err());
}

#[test]
fn no_password_is_printed() {
    for (text, shown) in [
        ("user:secret@r.example.com/a:v1", "***@r.example.com/a:v1"),
        ("https://user:secret@r.example.com/a", "***@r.example.com/a"),
        ("user:secret@localhost:5000", "***@localhost:5000"),
        ("user:se/cr@et@r.io/a", "***@r.io/a"),
        ("secret@r.io/a@sha256:0", "***@r.io/a@sha256:0"),
        ("user:secret@sha256:0@r.io/A", "***@r.io/A"),
        ("r.io:5000/a@latest", "r.io:5000/a@latest"),
        ("a@sha256:0", "a@sha256:0"),
    ] {
        let error = text.parse::<Image>().expect_err(text);
        assert_eq!(error.value, shown);
        let is_told = error.hint.is_some_and(|hint| hint.contains("log in with"));
        assert_eq!(is_told, shown.starts_with('*'), "{text}");
    }
}
