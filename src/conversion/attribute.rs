//! Arguments of attributes.

use syn::meta::ParseNestedMeta;

/// Passes over what an argument is given, of which nothing is needed.
///
/// # Errors
/// It is neither `= expression` nor `(…)`.
pub(super) fn skip_argument(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inner;
        syn::parenthesized!(inner in meta.input);
        inner.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}
