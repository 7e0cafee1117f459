//! Where spans are sent and which of them: the environment variables of OpenTelemetry, by their standard names.

use std::time::Duration;

use hyper::Uri;
use hyper::header::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

/// What cannot be used as it is. Exporting then stays off: a wrong setting of it must not keep a gateway from serving.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    #[error("{0} is not an http:// or https:// address")]
    Endpoint(&'static str),
    #[error("OTEL_EXPORTER_OTLP_PROTOCOL is {0:?}; spans are sent as http/json only")]
    Protocol(String),
    #[error("{0} is not a list of NAME=VALUE, separated by commas")]
    Headers(&'static str),
    #[error("{0} is not a number that can be used")]
    Number(&'static str),
    #[error("OTEL_TRACES_SAMPLER {0:?} is not known")]
    Sampler(String),
}

/// Everything that the exporter goes by.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) endpoint: Uri,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) resource: Vec<(String, String)>,
    pub(super) sampler: Sampler,
    /// How long one request may take.
    pub(super) timeout: Duration,
    /// How long spans wait for others to be sent with.
    pub(super) delay: Duration,
    pub(super) batch: usize,
    /// Spans that wait at the most; further ones are dropped.
    pub(super) queue: usize,
}

/// Which traces are exported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sampler {
    /// The producer's own decision, where there is one, goes before the share.
    follows_parent: bool,
    share: f64,
}

impl Sampler {
    pub(super) fn takes(&self, trace: &[u8; 16], parent_is_sampled: Option<bool>) -> bool {
        match parent_is_sampled {
            Some(is_sampled) if self.follows_parent => is_sampled,
            // By the trace's own random end, so that all programs decide alike.
            _ => {
                let random = trace[8..]
                    .iter()
                    .fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
                self.share >= 1.0 || ((random >> 1) as f64) < self.share * (1_u64 << 63) as f64
            }
        }
    }
}

impl Settings {
    /// None where nothing is to be exported.
    pub(super) fn read(
        service: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, Unusable> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
            || variable("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none")
        {
            return Ok(None);
        }
        let of_traces = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let (name, endpoint) = match (of_traces, variable("OTEL_EXPORTER_OTLP_ENDPOINT")) {
            // Used as it is; the general one is the root of all signals.
            (Some(endpoint), _) => ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint),
            (None, Some(root)) => {
                let endpoint = format!("{}/v1/traces", root.trim().trim_end_matches('/'));
                ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
            }
            (None, None) => return Ok(None),
        };
        let endpoint = endpoint.trim().parse::<Uri>().ok();
        let endpoint = endpoint
            .filter(|uri| {
                uri.host().is_some() && matches!(uri.scheme_str(), Some("http" | "https"))
            })
            .ok_or(Unusable::Endpoint(name))?;
        let protocol = variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
            .or_else(|| variable("OTEL_EXPORTER_OTLP_PROTOCOL"));
        if let Some(protocol) = protocol.filter(|protocol| protocol != "http/json") {
            return Err(Unusable::Protocol(protocol));
        }

        let mut resource = vec![(
            "service.version".to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        )];
        if let Some(given) = variable("OTEL_RESOURCE_ATTRIBUTES") {
            resource.extend(pairs("OTEL_RESOURCE_ATTRIBUTES", &given)?);
        }
        let named = resource.iter().any(|(key, _)| key == "service.name");
        match variable("OTEL_SERVICE_NAME") {
            Some(given) => {
                resource.retain(|(key, _)| key != "service.name");
                resource.push(("service.name".to_owned(), given));
            }
            None if named => {}
            None => resource.push(("service.name".to_owned(), service.to_owned())),
        }

        let mut headers = Vec::new();
        for name in [
            "OTEL_EXPORTER_OTLP_HEADERS",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
        ] {
            for (key, value) in
                variable(name).map_or(Ok(Vec::new()), |given| pairs(name, &given))?
            {
                let header = key.parse().ok().zip(HeaderValue::try_from(value).ok());
                headers.push(header.ok_or(Unusable::Headers(name))?);
            }
        }
        let number = |name: &'static str, standard: u64| match variable(name) {
            None => Ok(standard),
            Some(given) => match given.trim().parse() {
                Ok(number) if number > 0 => Ok(number),
                _ => Err(Unusable::Number(name)),
            },
        };
        let size = |name, standard| number(name, standard).map(|size| size.min(100_000) as usize);
        Ok(Some(Self {
            endpoint,
            headers,
            resource,
            sampler: sampler(
                variable("OTEL_TRACES_SAMPLER"),
                variable("OTEL_TRACES_SAMPLER_ARG"),
            )?,
            timeout: Duration::from_millis(number("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000)?),
            delay: Duration::from_millis(number("OTEL_BSP_SCHEDULE_DELAY", 5000)?),
            batch: size("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)?,
            queue: size("OTEL_BSP_MAX_QUEUE_SIZE", 2048)?,
        }))
    }
}

fn sampler(named: Option<String>, share: Option<String>) -> Result<Sampler, Unusable> {
    let named = named.unwrap_or_else(|| "parentbased_always_on".to_owned());
    let (follows_parent, way) = match named.strip_prefix("parentbased_") {
        Some(way) => (true, way),
        None => (false, named.as_str()),
    };
    let share = match way {
        "always_on" => 1.0,
        "always_off" => 0.0,
        "traceidratio" => match share.map(|share| share.trim().parse::<f64>()) {
            None => 1.0,
            Some(Ok(share)) if (0.0..=1.0).contains(&share) => share,
            Some(_) => return Err(Unusable::Number("OTEL_TRACES_SAMPLER_ARG")),
        },
        _ => return Err(Unusable::Sampler(named)),
    };
    Ok(Sampler {
        follows_parent,
        share,
    })
}

/// `a=b,c=d`, percent-encoded.
fn pairs(name: &'static str, given: &str) -> Result<Vec<(String, String)>, Unusable> {
    let each = given
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty());
    each.map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        Some((key.trim().to_owned(), value.into_owned()))
    })
    .collect::<Option<_>>()
    .ok_or(Unusable::Headers(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Settings>, Unusable> {
        Settings::read("gristmill-test", |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    const HERE: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318/");

    #[test]
    fn without_an_endpoint_nothing_is_exported() {
        assert!(read(&[]).unwrap().is_none());
        assert!(
            read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")])
                .unwrap()
                .is_none()
        );
        assert!(
            read(&[HERE, ("OTEL_SDK_DISABLED", "true")])
                .unwrap()
                .is_none()
        );
        assert!(
            read(&[HERE, ("OTEL_TRACES_EXPORTER", "none")])
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn the_general_endpoint_is_a_root_and_that_of_traces_is_used_as_it_is() {
        let endpoint =
            |variables: &[(&str, &str)]| read(variables).unwrap().unwrap().endpoint.to_string();
        assert_eq!(endpoint(&[HERE]), "http://127.0.0.1:4318/v1/traces");
        let of_traces = (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "https://collector.test/in",
        );
        assert_eq!(endpoint(&[HERE, of_traces]), "https://collector.test/in");
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "no pair"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
            ("OTEL_TRACES_SAMPLER", "xray"),
        ] {
            let refused = read(&[(name, value), HERE]).unwrap_err();
            assert!(refused.to_string().contains(name), "{name}: {refused}");
        }
    }

    #[test]
    fn names_attributes_and_headers_are_taken_from_the_environment() {
        let settings = read(&[
            HERE,
            ("OTEL_SERVICE_NAME", "mine"),
            (
                "OTEL_RESOURCE_ATTRIBUTES",
                "service.name=other, deployment.environment.name=a%20b",
            ),
            (
                "OTEL_EXPORTER_OTLP_HEADERS",
                "authorization=Basic%20abc=,x-a=1",
            ),
        ]);
        let settings = settings.unwrap().unwrap();
        assert!(
            settings
                .resource
                .contains(&("service.name".into(), "mine".into()))
        );
        assert!(!settings.resource.iter().any(|(_, value)| value == "other"));
        assert!(settings.resource.iter().any(|(_, value)| value == "a b"));
        assert_eq!(settings.headers[0].1, "Basic abc=");
        let plain = read(&[HERE]).unwrap().unwrap();
        assert!(
            plain
                .resource
                .contains(&("service.name".into(), "gristmill-test".into()))
        );
    }

    #[test]
    fn a_parent_s_decision_is_followed_and_a_share_is_taken_by_the_trace() {
        let of = |name: &str, share: &str| {
            let variables = [
                HERE,
                ("OTEL_TRACES_SAMPLER", name),
                ("OTEL_TRACES_SAMPLER_ARG", share),
            ];
            read(&variables).unwrap().unwrap().sampler
        };
        let (low, high) = ([0x01; 16], [0xfe; 16]);
        let half = of("parentbased_traceidratio", "0.5");
        assert!(half.takes(&low, None) && !half.takes(&high, None));
        assert!(half.takes(&high, Some(true)) && !half.takes(&low, Some(false)));
        let all = read(&[HERE]).unwrap().unwrap().sampler;
        assert!(all.takes(&high, None) && !all.takes(&high, Some(false)));
        assert!(of("always_on", "").takes(&high, Some(false)));
        assert!(!of("always_off", "").takes(&low, Some(true)));
    }
}
