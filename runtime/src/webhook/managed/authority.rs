//! The CA of the webhook certificate, and when both are rotated.
//!
//! Calls must not fail during a rotation. So a new CA is first trusted in addition to the old one,
//! and only signs a certificate once every API server trusts it. The old one stays trusted until it
//! expires.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use k8s_openapi::ByteString;
use k8s_openapi::jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use super::facts::Facts;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The validity of a CA.
const AUTHORITY: Duration = DAY.saturating_mul(365);

/// The validity of a certificate.
const CERTIFICATE: Duration = DAY.saturating_mul(90);

/// Because clocks differ, certificates are valid since an earlier time.
const SINCE: Duration = Duration::from_secs(60 * 60);

/// The first line of a certificate in PEM.
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";

/// The last line of a certificate in PEM.
const END: &str = "-----END CERTIFICATE-----";

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The content of the Secret in PEM, with the keys of cert-controller.
#[derive(Clone, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(super) struct Material {
    /// The trusted CAs. The first one signs.
    pub(super) authorities: String,
    authority_key: String,
    pub(super) certificate: String,
    pub(super) key: String,
}

impl Material {
    /// Reads the data of a Secret. `None` if a key is missing: it belongs to another program, or is empty.
    pub(super) fn of(data: &BTreeMap<String, ByteString>) -> Option<Self> {
        let text = |name| String::from_utf8(data.get(name)?.0.clone()).ok();
        Some(Self {
            authorities: text("ca.crt")?,
            authority_key: text("ca.key")?,
            certificate: text("tls.crt")?,
            key: text("tls.key")?,
        })
    }

    pub(super) fn data(self) -> BTreeMap<String, ByteString> {
        let fields = [
            ("ca.crt", self.authorities),
            ("ca.key", self.authority_key),
            ("tls.crt", self.certificate),
            ("tls.key", self.key),
        ];
        let bytes = |(name, text): (&str, String)| (name.to_owned(), ByteString(text.into_bytes()));
        fields.map(bytes).into()
    }

    /// A CA, and its certificate for these hosts.
    pub(super) fn new(operator: &str, hosts: &[String], now: Timestamp) -> Result<Self, Error> {
        let (authority, authority_key) = authority(operator, now)?;
        let (certificate, key) = certificate(&authority, &authority_key, hosts, now)?;
        Ok(Self {
            authorities: authority,
            authority_key,
            certificate,
            key,
        })
    }

    /// Checks that it can be used at this time.
    ///
    /// # Errors
    /// If the content cannot be parsed, a key does not match its certificate, or a clock that was ahead issued the CA:
    /// it is not valid yet.
    pub(super) fn check(&self, now: Timestamp) -> Result<(), Error> {
        let (authorities, _) = self.facts()?;
        if authorities[0].has_begun(now) {
            Ok(())
        } else {
            Err("the CA is not valid yet".into())
        }
    }

    /// The fields of the CAs, of which there is at least one, and those of the certificate.
    fn facts(&self) -> Result<(Vec<Facts>, Facts), Error> {
        let mut blocks = self.authorities.trim().split_inclusive(END);
        if !blocks.all(|block| block.trim_start().starts_with(BEGIN)) {
            return Err("the CA file contains something else than certificates".into());
        }
        let authorities: Vec<_> = pem(&self.authorities)?
            .iter()
            .map(|der| Facts::of(der))
            .collect::<Result<_, _>>()?;
        let signs = authorities.first().ok_or("there is no CA")?;
        let chain = pem(&self.certificate)?;
        let leaf = Facts::of(chain.first().ok_or("there is no certificate")?)?;
        let has_keys = signs.has_key(&KeyPair::from_pem(&self.authority_key)?)
            && leaf.has_key(&KeyPair::from_pem(&self.key)?);
        if has_keys {
            Ok((authorities, leaf))
        } else {
            Err("a key does not match its certificate".into())
        }
    }

    /// The next step of a rotation at this time, if one is due. `is_trusted` is whether all API servers have trusted
    /// all CAs for a while.
    ///
    /// # Errors
    /// If the content cannot be parsed, or a key does not match its certificate.
    pub(super) fn next(
        &self,
        operator: &str,
        hosts: &[String],
        now: Timestamp,
        is_trusted: bool,
    ) -> Result<Option<Self>, Error> {
        let (facts, leaf) = self.facts()?;
        let signs = &facts[0];
        if signs.is_due(now) {
            let (new, authority_key) = authority(operator, now)?;
            return Ok(Some(Self {
                authorities: new + &self.authorities,
                authority_key,
                ..self.clone()
            }));
        }
        let mut sorted_hosts = hosts.to_vec();
        sorted_hosts.sort();
        let is_usable = leaf.has_begun(now) && !leaf.has_ended(now) && leaf.hosts == sorted_hosts;
        let is_of_another = leaf.issuer != signs.subject;
        let can_wait = is_usable && is_of_another && !is_trusted;
        if !can_wait && (!is_usable || is_of_another || leaf.is_due(now)) {
            let (certificate, key) =
                certificate(&self.authorities, &self.authority_key, hosts, now)?;
            return Ok(Some(Self {
                certificate,
                key,
                ..self.clone()
            }));
        }
        if facts.iter().any(|facts| facts.has_ended(now)) {
            let blocks = self.authorities.split_inclusive(END).zip(&facts);
            let lasting: Vec<_> = blocks
                .filter(|(_, facts)| !facts.has_ended(now))
                .map(|(block, _)| block.trim())
                .collect();
            return Ok(Some(Self {
                authorities: lasting.join("\n") + "\n",
                ..self.clone()
            }));
        }
        Ok(None)
    }
}

fn pem(text: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    Ok(CertificateDer::pem_slice_iter(text.as_bytes()).collect::<Result<_, _>>()?)
}

/// A new CA: its certificate and its key.
fn authority(operator: &str, now: Timestamp) -> Result<(String, String), Error> {
    let key = KeyPair::generate()?;
    let mut params = valid(CertificateParams::default(), now, AUTHORITY);
    // A unique name, because a certificate refers to its CA by name.
    let id = params.key_identifier(&key);
    let id = u64::from_be_bytes(*id.first_chunk().ok_or("a key without an identifier")?);
    params
        .distinguished_name
        .push(DnType::CommonName, format!("{operator} webhooks {id:016x}"));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

/// A certificate for these hosts, signed by the first CA, and its key.
fn certificate(
    authorities: &str,
    authority_key: &str,
    hosts: &[String],
    now: Timestamp,
) -> Result<(String, String), Error> {
    let signer = CertificateDer::from_pem_slice(authorities.as_bytes())?;
    let signer = Facts::of(&signer)?.as_issuer()?;
    let issuer = Issuer::new(signer, KeyPair::from_pem(authority_key)?);
    let key = KeyPair::generate()?;
    let mut params = valid(CertificateParams::new(hosts)?, now, CERTIFICATE);
    params
        .distinguished_name
        .push(DnType::CommonName, "webhooks");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let certificate = params.signed_by(&key, &issuer)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

fn valid(mut params: CertificateParams, now: Timestamp, length: Duration) -> CertificateParams {
    let now = SystemTime::from(now);
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.not_before = (now - SINCE).into();
    params.not_after = (now + length).into();
    params
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::jiff::SignedDuration;
    use rcgen::{DnValue, KeyIdMethod};
    use tokio_rustls::rustls::RootCertStore;
    use tokio_rustls::rustls::client::WebPkiServerVerifier;
    use tokio_rustls::rustls::client::danger::ServerCertVerifier;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::{ServerName, UnixTime};

    use super::*;

    const OPERATOR: &str = "shop";

    fn hosts() -> Vec<String> {
        ["webhook-service.shop.svc", "127.0.0.1"]
            .map(str::to_owned)
            .into()
    }

    fn issued() -> (Material, Timestamp) {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        (Material::new(OPERATOR, &hosts(), now).unwrap(), now)
    }

    fn days(now: Timestamp, days: i64) -> Timestamp {
        now + SignedDuration::from_hours(days * 24)
    }

    /// Whether a client that trusts these CAs trusts this certificate for a host.
    fn trusts(authorities: &str, certificate: &str, host: &str, now: Timestamp) -> bool {
        let mut roots = RootCertStore::empty();
        for authority in pem(authorities).unwrap() {
            roots.add(authority).unwrap();
        }
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let name = ServerName::try_from(host.to_owned()).unwrap();
        let leaf = &pem(certificate).unwrap()[0];
        let since = Duration::from_secs(now.as_second().try_into().unwrap());
        let now = UnixTime::since_unix_epoch(since);
        let verified = verifier
            .build()
            .unwrap()
            .verify_server_cert(leaf, &[], &name, &[], now);
        verified.is_ok()
    }

    #[test]
    fn what_is_made_is_trusted_and_stays() {
        let (material, now) = issued();
        for host in hosts() {
            assert!(trusts(
                &material.authorities,
                &material.certificate,
                &host,
                now
            ));
        }
        assert!(!trusts(
            &material.authorities,
            &material.certificate,
            "example.com",
            now
        ));
        assert_eq!(
            Material::of(&material.clone().data()),
            Some(material.clone())
        );
        for time in [now, days(now, 59)] {
            assert_eq!(material.next(OPERATOR, &hosts(), time, true).unwrap(), None);
        }
    }

    #[test]
    fn a_certificate_is_replaced_by_one_of_the_same_authority() {
        let (material, now) = issued();
        let late = days(now, 61);
        // The CA is trusted already.
        let next = material
            .next(OPERATOR, &hosts(), late, false)
            .unwrap()
            .unwrap();
        assert_eq!(next.authorities, material.authorities);
        assert!(trusts(
            &material.authorities,
            &next.certificate,
            "127.0.0.1",
            days(now, 120)
        ));
        assert_eq!(next.next(OPERATOR, &hosts(), late, true).unwrap(), None);
    }

    /// Like a CA of another tool: its name has several parts, some of which are not UTF-8 by their type.
    #[test]
    fn an_authority_of_another_tool_signs() {
        let (material, now) = issued();
        let key = KeyPair::generate().unwrap();
        let mut params = valid(CertificateParams::default(), now, AUTHORITY);
        let organization = DnValue::PrintableString("Example".try_into().unwrap());
        params
            .distinguished_name
            .push(DnType::OrganizationName, organization);
        params
            .distinguished_name
            .push(DnType::CommonName, "shop's own");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_identifier_method = KeyIdMethod::PreSpecified(vec![1, 2, 3]);
        let theirs = Material {
            authorities: params.self_signed(&key).unwrap().pem(),
            authority_key: key.serialize_pem(),
            ..material
        };
        let next = theirs.next(OPERATOR, &hosts(), now, true).unwrap().unwrap();
        assert_eq!(next.authorities, theirs.authorities);
        let (authorities, certificate) = (&next.authorities, &next.certificate);
        assert!(trusts(authorities, certificate, "127.0.0.1", now));
        assert_eq!(next.next(OPERATOR, &hosts(), now, true).unwrap(), None);
    }

    #[test]
    fn an_authority_is_trusted_before_it_signs_and_after_it_does() {
        let (first, now) = issued();
        let late = days(now, 250);
        let old = first
            .next(OPERATOR, &hosts(), days(now, 200), true)
            .unwrap()
            .unwrap();

        let both = old.next(OPERATOR, &hosts(), late, true).unwrap().unwrap();
        assert_eq!(pem(&both.authorities).unwrap().len(), 2);
        assert_eq!(both.certificate, old.certificate);
        assert_eq!(both.next(OPERATOR, &hosts(), late, false).unwrap(), None);

        let new = both.next(OPERATOR, &hosts(), late, true).unwrap().unwrap();
        assert_eq!(new.authorities, both.authorities);
        for certificate in [&old.certificate, &new.certificate] {
            assert!(trusts(&new.authorities, certificate, "127.0.0.1", late));
        }
        assert!(!trusts(
            &old.authorities,
            &new.certificate,
            "127.0.0.1",
            late
        ));
        assert_eq!(new.next(OPERATOR, &hosts(), late, true).unwrap(), None);

        // The old CA has expired. First the certificate is replaced, which is due by then.
        let ended = days(now, 366);
        let next = new.next(OPERATOR, &hosts(), ended, true).unwrap().unwrap();
        let last = next.next(OPERATOR, &hosts(), ended, true).unwrap().unwrap();
        assert_eq!(last.certificate, next.certificate);
        assert_eq!(
            pem(&last.authorities).unwrap(),
            pem(&new.authorities).unwrap()[..1]
        );
        assert_eq!(last.next(OPERATOR, &hosts(), ended, true).unwrap(), None);
    }

    #[test]
    fn what_nobody_can_use_is_replaced_without_waiting() {
        let (material, now) = issued();
        let other = ["other.shop.svc".to_owned()];
        let next = material
            .next(OPERATOR, &other, now, false)
            .unwrap()
            .unwrap();
        assert!(trusts(
            &material.authorities,
            &next.certificate,
            &other[0],
            now
        ));

        let late = days(now, 300);
        let both = material
            .next(OPERATOR, &hosts(), late, false)
            .unwrap()
            .unwrap();
        let new = both.next(OPERATOR, &hosts(), late, false).unwrap().unwrap();
        assert!(trusts(
            &both.authorities,
            &new.certificate,
            "127.0.0.1",
            late
        ));
    }

    #[test]
    fn what_does_not_fit_together_is_an_error() {
        let (material, now) = issued();
        let (other, _) = issued();
        for broken in [
            Material {
                authorities: String::new(),
                ..material.clone()
            },
            Material {
                authorities: other.authorities.clone(),
                ..material.clone()
            },
            Material {
                authority_key: "no key".to_owned(),
                ..material.clone()
            },
            Material {
                certificate: "no certificate".to_owned(),
                ..material.clone()
            },
            Material {
                key: other.key.clone(),
                ..material.clone()
            },
        ] {
            assert!(
                broken.next(OPERATOR, &hosts(), now, true).is_err(),
                "{broken:?}"
            );
        }
        let mut data = material.data();
        data.remove("ca.key");
        assert_eq!(Material::of(&data), None);
    }

    #[test]
    fn what_is_of_a_clock_that_was_ahead_is_not_used() {
        let (material, now) = issued();
        let before = days(now, -1);
        assert!(material.check(now).is_ok());
        assert!(material.check(before).is_err());
        // Only the certificate is due: its CA is trusted already.
        let (authorities, key) = (&material.authorities, &material.authority_key);
        let (certificate, key) = certificate(authorities, key, &hosts(), days(now, 9)).unwrap();
        let later = Material {
            certificate,
            key,
            ..material.clone()
        };
        let next = later
            .next(OPERATOR, &hosts(), now, true)
            .unwrap()
            .expect("a certificate");
        assert_eq!(next.authorities, material.authorities);
        assert!(trusts(
            &next.authorities,
            &next.certificate,
            &hosts()[0],
            now
        ));
    }

    #[test]
    fn nothing_but_authorities_is_trusted() {
        let (material, now) = issued();
        for text in [
            "garbage\n".to_owned() + &material.authorities,
            material.authorities.clone() + &"x".repeat(1 << 20),
        ] {
            let other = Material {
                authorities: text,
                ..material.clone()
            };
            assert!(other.check(now).is_err());
        }
        assert!(material.check(now).is_ok());
    }
}
