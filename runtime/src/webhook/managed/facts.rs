//! The fields of a certificate.

use std::net::IpAddr;

use k8s_openapi::jiff::Timestamp;
use rcgen::{
    CertificateParams, DistinguishedName, DnType, DnValue, KeyIdMethod, KeyPair, KeyUsagePurpose,
    PublicKeyData,
};
use x509_cert::Certificate;
use x509_cert::attr::AttributeValue;
use x509_cert::der::asn1::{PrintableStringRef, Utf8StringRef};
use x509_cert::der::{Decode, Tag, Tagged};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{SubjectAltName, SubjectKeyIdentifier};
use x509_cert::name::Name;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The fields of a certificate.
pub(super) struct Facts {
    issued: i64,
    ends: i64,
    pub(super) subject: Name,
    pub(super) issuer: Name,
    public_key: Vec<u8>,
    key_id: Option<Vec<u8>>,
    /// Sorted.
    pub(super) hosts: Vec<String>,
}

impl Facts {
    pub(super) fn of(der: &[u8]) -> Result<Self, Error> {
        let certificate = Certificate::from_der(der)?;
        let read = certificate.tbs_certificate();
        let names = read
            .get_extension::<SubjectAltName>()?
            .into_iter()
            .flat_map(|(_, names)| names.0);
        let mut hosts: Vec<_> = names.filter_map(host).collect();
        hosts.sort();
        let key_id = read.get_extension::<SubjectKeyIdentifier>()?;
        let validity = read.validity();
        let public_key = &read.subject_public_key_info().subject_public_key;
        Ok(Self {
            issued: seconds(validity.not_before),
            ends: seconds(validity.not_after),
            subject: read.subject().clone(),
            issuer: read.issuer().clone(),
            public_key: public_key.raw_bytes().to_vec(),
            key_id: key_id.map(|(_, id)| id.0.into_bytes().into()),
            hosts,
        })
    }

    /// Whether it has the public key of this key pair.
    pub(super) fn has_key(&self, key: &KeyPair) -> bool {
        key.der_bytes() == self.public_key
    }

    /// Whether two thirds of its validity have passed.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        now.as_second() >= self.issued + (self.ends - self.issued) / 3 * 2
    }

    /// Whether it is valid already. It is not if a clock that was ahead issued it.
    pub(super) fn has_begun(&self, now: Timestamp) -> bool {
        now.as_second() >= self.issued
    }

    pub(super) fn has_ended(&self, now: Timestamp) -> bool {
        now.as_second() >= self.ends
    }

    /// The parameters for signing in the name of this certificate: the issuer of signed certificates is byte for byte
    /// its name.
    ///
    /// # Errors
    /// If its name has parts of an obsolete type.
    pub(super) fn as_issuer(&self) -> Result<CertificateParams, Error> {
        let mut name = DistinguishedName::new();
        for part in self.subject.iter_rdn() {
            let mut attributes = part.iter();
            let (Some(attribute), None) = (attributes.next(), attributes.next()) else {
                return Err("a CA name has an attribute with several values".into());
            };
            let kind: Vec<_> = attribute.oid.arcs().map(u64::from).collect();
            name.push(DnType::CustomDnType(kind), text(&attribute.value)?);
        }
        let mut params = CertificateParams::default();
        params.distinguished_name = name;
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        if let Some(id) = &self.key_id {
            params.key_identifier_method = KeyIdMethod::PreSpecified(id.clone());
        }
        Ok(params)
    }
}

fn seconds(time: x509_cert::time::Time) -> i64 {
    time.to_unix_duration().as_secs().cast_signed()
}

/// The text of a part of a name, in the same encoding.
fn text(value: &AttributeValue) -> Result<DnValue, Error> {
    match value.tag() {
        Tag::Utf8String => {
            let text = value.decode_as::<Utf8StringRef<'_>>()?;
            Ok(DnValue::Utf8String(text.as_str().to_owned()))
        }
        Tag::PrintableString => {
            let text = value.decode_as::<PrintableStringRef<'_>>()?;
            Ok(DnValue::PrintableString(text.as_str().try_into()?))
        }
        tag => Err(format!("a CA name has the type {tag}").into()),
    }
}

fn host(name: GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_owned()),
        GeneralName::IpAddress(bytes) => {
            let bytes: [u8; 4] = bytes.as_bytes().try_into().ok()?;
            Some(IpAddr::from(bytes).to_string())
        }
        _ => None,
    }
}
