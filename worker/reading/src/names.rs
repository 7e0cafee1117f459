//! Names of people as documents write them: "Dr. Ann Lee", "LEE, Ann M", "Ann Lee, MD".

use std::sync::LazyLock;

use regex::Regex;

use crate::labels;
use crate::pattern;

/// A name found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// First name first.
    pub(crate) name: String,
    /// "Dr", "Professor".
    pub(crate) has_title: bool,
    /// "MD", "FRCP".
    pub(crate) has_degree: bool,
    pub(crate) words: usize,
}

const TITLES: &str = "dr|dr.|mr|mr.|mrs|mrs.|ms|ms.|miss|prof|prof.|professor|doctor|sister|nurse|sir|mx|master|a/prof";
const DOCTORS: &str = "dr|dr.|prof|prof.|professor|doctor|nurse|a/prof";
const DEGREES: &str = "md|m.d.|m.d|do|d.o.|np|rn|pa|pa-c|fnp|fnp-c|fnp-bc|arnp|aprn|dnp|mbbs|mbchb|mrcp|mrcgp|frcp|frcs|frcr|fracp|fracs|\
    franzcr|facs|facc|facp|facep|phd|ph.d.|pharmd|rph|frcpath|frca|dds|dpm|cnp|crna|bsc|lpn|mph|frcog|fcap";
const PARTICLES: &str = "de|van|der|von|la|del|bin|al|da|dos|di|le|du|den|ter|ibn|el|dela";
const NO_NAMES: &str = "clinic|hospital|practice|surgery|department|road|street|phone|date|patient|dob|sex|mrn|age|male|female|medical|health|\
    laboratory|radiology|report|department|consultant|cardiologist|physician|surgeon|registrar|gp|emergency|medicine|\
    family|general|internal|signed|electronically|page|tel|fax|provider|no|born|id|number|address|ward|specialist|\
    oncology|cardiology|care|centre|center|primary|team|attending|resident|admitted|discharged|discharge|admission|gender|\
    the|who|and|for|in|on|re|dear|reported|collected|received|ordering|prescriber|nhs|with|service|services|unit|\
    institute|university|regional|pathology|imaging|associates|group|yours|thank|follow|see|office|pharmacy|records|your|\
    unknown|none|outpatient";

static DOCTOR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:Dr|DR|Prof|Professor|Doctor|A/Prof)\b\.?\s*[A-Z]"));
static DEGREE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b((?:[A-Z][A-Za-z'\u{2019}-]*\.?\s+){1,3}[A-Z][A-Za-z'\u{2019}-]+),?\s+(?:MD|M\.D\.?|DO|D\.O\.|NP|RN|PA-C|PA|FNP(?:-BC|-C)?|ARNP|APRN|DNP|MBBS|MBChB|MB BS|MRCP|MRCGP|FRCP|FRCS|FRCR|FRACP|FRACS|FRANZCR|FACS|FACC|FACP|FACEP|PharmD|RPh|FRCPath|FRCA|CRNA|LPN)\b",
    )
});

fn folded(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.')
        .to_lowercase()
}

fn is_title(word: &str) -> bool {
    crate::among(TITLES, folded(word).as_str())
}

fn is_degree(word: &str) -> bool {
    let word = folded(word);
    crate::among(DEGREES, word.as_str()) || crate::among(DEGREES, word.trim_end_matches('.'))
}

/// Whether a word may be a part of a name.
fn is_name(word: &str) -> bool {
    let core = word.trim_end_matches([',', '.', ';', ')']);
    let letters = core.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 1
        && core.starts_with(char::is_uppercase)
        && core
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '\u{2019}' | '.'))
        && !crate::among(NO_NAMES, core.to_lowercase().as_str())
        && !(core.len() > 2 && labels::label(core).is_some())
        && !is_degree(word)
}

fn cased(word: &str) -> String {
    let core = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'' && c != '\u{2019}');
    let is_loud = core.chars().filter(|c| c.is_alphabetic()).count() > 1
        && core.chars().all(|c| !c.is_lowercase());
    if !is_loud {
        return core.to_owned();
    }
    let mut starts = true;
    core.chars()
        .map(|letter| {
            let own = if starts {
                letter.to_string()
            } else {
                letter.to_lowercase().to_string()
            };
            starts = !letter.is_alphabetic();
            own
        })
        .collect()
}

/// The name that a text begins with.
pub(crate) fn name(text: &str, base: usize) -> Option<Named> {
    let words: Vec<(usize, &str)> = split(text);
    let mut at = 0;
    let mut has_title = false;
    while at < words.len()
        && (is_title(words[at].1) || words[at].1.chars().all(|c| !c.is_alphanumeric()))
    {
        has_title |= crate::among(DOCTORS, folded(words[at].1).as_str());
        at += 1;
    }
    let first = at;
    let mut parts: Vec<&str> = Vec::new();
    let mut comma: Option<usize> = None;
    let mut end = 0;
    while at < words.len() && parts.len() < 5 {
        let (start, word) = words[at];
        let is_particle = crate::among(PARTICLES, word.to_lowercase().as_str())
            && words.get(at + 1).is_some_and(|next| is_name(next.1));
        if !is_particle && !is_name(word) {
            break;
        }
        // "Follow-up" and words of prose are no names; one letter counts as an initial.
        parts.push(word);
        let core = word.trim_end_matches([',', ';', ')', '.']);
        end = start + core.len();
        at += 1;
        if word.ends_with([';', ')']) || word.ends_with('.') && core.len() > 2 {
            break;
        }
        if word.ends_with(',') {
            let next = words.get(at).map_or("", |next| next.1);
            // "Lee, Ann" is turned; "Dr Ann Lee, Ashgrove" is not.
            let surnames = parts
                .iter()
                .filter(|part| !crate::among(PARTICLES, part.to_lowercase().as_str()))
                .count();
            let is_loud = parts
                .iter()
                .all(|part| part.chars().all(|c| !c.is_lowercase()))
                && !next.chars().all(|c| !c.is_lowercase());
            if comma.is_some()
                || is_degree(next)
                || !is_name(next)
                || has_title && surnames > 1
                || surnames > 1 && !is_loud
            {
                break;
            }
            comma = Some(parts.len());
        }
    }
    let has_degree = words.get(at).is_some_and(|next| is_degree(next.1));
    let ordered: Vec<String> = match comma {
        Some(comma) if comma < parts.len() => parts[comma..]
            .iter()
            .chain(&parts[..comma])
            .map(|word| cased(word))
            .collect(),
        _ => parts.iter().map(|word| cased(word)).collect(),
    };
    let long = ordered
        .iter()
        .filter(|word| word.chars().count() > 1)
        .count();
    (long >= 1 && !ordered.is_empty()).then(|| Named {
        from: base + words.get(first).map_or(0, |word| word.0),
        to: base + end,
        words: ordered.len(),
        name: ordered.join(" "),
        has_title,
        has_degree,
    })
}

fn split(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let trimmed = word.trim();
        if !trimmed.is_empty() {
            let lead = word.len() - word.trim_start().len();
            found.push((at + lead, trimmed));
        }
        at += word.len();
    }
    // "Dr.Ann" and "Lee,Ann": a scan loses spaces.
    let mut spaced = Vec::new();
    for (start, word) in found {
        match word.find([',', '.']).filter(|cut| {
            *cut >= 2
                && word[cut + 1..].starts_with(char::is_uppercase)
                && word.len() > cut + 2
                && !is_degree(word)
        }) {
            Some(cut) => {
                spaced.push((start, &word[..=cut]));
                spaced.push((start + cut + 1, &word[cut + 1..]));
            }
            None => spaced.push((start, word)),
        }
    }
    spaced
}

/// Clinicians anywhere in a text: by a title before or a degree behind.
pub(crate) fn clinicians(text: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for title in DOCTOR.find_iter(text) {
        if let Some(named) = name(&text[title.start()..], title.start())
            && named.has_title
            && named.name.chars().count() > 2
        {
            found.push(named);
        }
    }
    for degree in DEGREE.captures_iter(text) {
        let Some(written) = degree.get(1) else {
            continue;
        };
        // What stands before the name may begin with a capital as well: "Radiologist Ann Lee".
        let mut from = written.start();
        for (start, word) in split(written.as_str()) {
            if !is_name(word) && !is_title(word) {
                from = written.start() + start + word.len();
            }
        }
        if let Some(named) = name(&text[from..], from)
            && named.words >= 2
            && !found
                .iter()
                .any(|other| named.from < other.to && named.to > other.from)
        {
            found.push(Named {
                has_degree: true,
                ..named
            });
        }
    }
    found.sort_by_key(|named| named.from);
    found
}
