//! The size of a release of a chart: Helm stores the chart and its manifests in a Secret.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::plan::Tree;

/// The most bytes that a Secret holds.
const MOST: usize = 1 << 20;

/// Templates of fewer bytes always fit: they are stored twice, and four bytes become three or less.
const SMALL: usize = 256 << 10;

/// What is to be said if a release is near the limit.
pub(super) fn note(tree: &Tree) -> Option<String> {
    let texts: Vec<&str> = tree.files().map(crate::plan::File::text).collect();
    if texts.iter().map(|text| text.len()).sum::<usize>() < SMALL {
        return None;
    }
    let size = estimate(&texts)?;
    (size > MOST / 5 * 4).then(|| {
        format!(
            "a release of the chart takes about {} of the 1024 KiB that Helm can store: `--crds separate` moves the CRDs \
             to a chart of their own",
            format_args!("{} KiB", size >> 10)
        )
    })
}

/// The size of a release: the files as Base64 and the manifests as text, compressed and again as Base64.
fn estimate(texts: &[&str]) -> Option<usize> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    for text in texts {
        compressed
            .write_all(STANDARD.encode(text).as_bytes())
            .ok()?;
        compressed.write_all(text.as_bytes()).ok()?;
    }
    Some(compressed.finish().ok()?.len().div_ceil(3) * 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_chart_is_noted() {
        let tree = |text: String| {
            let mut tree = Tree::default();
            tree.insert(crate::plan::File::shared("a.yaml", text));
            tree
        };
        let random = (0..600_000_u64).map(|i| {
            let i = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            char::from(
                b'a' + u8::try_from((i ^ (i >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 59)
                    .expect("5 bits"),
            )
        });
        assert_eq!(note(&tree("a: b\n".repeat(100_000))), None);
        let note = note(&tree(random.collect())).expect("a note");
        assert!(note.contains("`--crds separate`"), "{note}");
    }
}
