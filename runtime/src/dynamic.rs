//! Objects whose type is known only at run time.

/// Implements `Resource` for a type with a field `metadata`, whatever kind of object it stands for.
macro_rules! dynamic {
    ($type:ty) => {
        impl kube::Resource for $type {
            type DynamicType = kube::api::ApiResource;
            type Scope = kube::core::DynamicResourceScope;

            fn kind(kind: &kube::api::ApiResource) -> std::borrow::Cow<'_, str> {
                (&*kind.kind).into()
            }

            fn group(kind: &kube::api::ApiResource) -> std::borrow::Cow<'_, str> {
                (&*kind.group).into()
            }

            fn version(kind: &kube::api::ApiResource) -> std::borrow::Cow<'_, str> {
                (&*kind.version).into()
            }

            fn plural(kind: &kube::api::ApiResource) -> std::borrow::Cow<'_, str> {
                (&*kind.plural).into()
            }

            fn meta(&self) -> &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &self.metadata
            }

            fn meta_mut(
                &mut self,
            ) -> &mut k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &mut self.metadata
            }
        }
    };
}

pub(crate) use dynamic;
