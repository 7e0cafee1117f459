//! The language of a page: what it is to be read as, what it seems to be written in, and what tesseract has.

use whatlang::{Detector, Lang, Script};

/// Fewer words say little about their language: a table of results is names and figures.
const FEWEST_WORDS: usize = 30;
/// Below this the letters fit several languages.
const SURE: f64 = 0.9;

/// Those whose letters are told apart well. The shorter the list, the surer the answer.
const KNOWN: [Lang; 24] = [
    Lang::Eng,
    Lang::Deu,
    Lang::Fra,
    Lang::Spa,
    Lang::Ita,
    Lang::Por,
    Lang::Nld,
    Lang::Pol,
    Lang::Swe,
    Lang::Dan,
    Lang::Fin,
    Lang::Ces,
    Lang::Hun,
    Lang::Tur,
    Lang::Ron,
    Lang::Rus,
    Lang::Ukr,
    Lang::Ell,
    Lang::Ara,
    Lang::Heb,
    Lang::Hin,
    Lang::Kor,
    Lang::Jpn,
    Lang::Cmn,
];

/// The name of a text's language as tesseract has it, where its words leave no doubt.
pub(super) fn of_text(text: &str) -> Option<&'static str> {
    let words = |text: &str| {
        let letters = text.split_whitespace();
        letters
            .filter(|word| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1)
            .filter(|word| !word.chars().any(|letter| letter.is_ascii_digit()))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let words = words(text);
    if words.len() < FEWEST_WORDS {
        return None;
    }
    // In lower case: names of drugs in capitals are of no language.
    let text = words.join(" ").to_lowercase();
    let found = Detector::with_allowlist(KNOWN.to_vec()).detect(&text)?;
    let is_sure = found.is_reliable() && found.confidence() >= SURE;
    // English is written in Latin letters like most others: little words decide.
    let is_english = found.script() == Script::Latin && has_little_words(&text);
    is_sure.then(|| {
        if is_english {
            "eng"
        } else {
            name(found.lang())
        }
    })
}

// One word in twelve of an English text is one of these; in a list of medications none may be, and then nothing else decides either.
fn has_little_words(text: &str) -> bool {
    const LITTLE: [&str; 14] = [
        "the", "of", "and", "with", "was", "for", "is", "by", "at", "to", "daily", "no", "on",
        "were",
    ];
    let count = text.split(' ').count();
    let little = text.split(' ').filter(|word| LITTLE.contains(word)).count();
    little * 20 > count
}

fn name(lang: Lang) -> &'static str {
    match lang {
        Lang::Cmn => "chi_sim",
        other => other.code(),
    }
}

/// What tesseract has for a script that it has recognised, the best first.
pub(super) fn of_script(script: &str) -> &'static [&'static str] {
    match script {
        "Cyrillic" => &["script/Cyrillic", "rus", "ukr", "bul", "srp"],
        "Greek" => &["script/Greek", "ell"],
        "Arabic" => &["script/Arabic", "ara", "fas"],
        "Hebrew" => &["script/Hebrew", "heb"],
        "Devanagari" => &["script/Devanagari", "hin"],
        "Han" => &["script/HanS", "chi_sim", "chi_tra", "jpn"],
        "Japanese" => &["script/Japanese", "jpn"],
        "Korean" | "Hangul" => &["script/Hangul", "kor"],
        "Thai" => &["script/Thai", "tha"],
        _ => &[],
    }
}

/// What is wanted, as deu+eng, in what is installed and what is missing.
pub(super) fn chosen(wanted: &str, installed: &[String]) -> (Option<String>, Vec<String>) {
    let (found, missing): (Vec<&str>, Vec<&str>) = wanted
        .split('+')
        .partition(|name| installed.iter().any(|one| one == name));
    let english = || {
        installed
            .iter()
            .any(|one| one == "eng")
            .then(|| "eng".to_owned())
    };
    let found = (!found.is_empty())
        .then(|| found.join("+"))
        .or_else(english);
    (found, missing.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_tells_its_language_and_a_list_of_medications_none() {
        let german = "Sehr geehrte Frau Kollegin, wir berichten über die oben genannte Patientin, die sich wegen zunehmender Atemnot \
            in unserer Ambulanz vorstellte. Die Untersuchung ergab keinen Hinweis auf eine Entzündung, und die Werte waren im Bereich des Üblichen.";
        assert_eq!(of_text(german), Some("deu"));
        let english = "Thank you for referring this pleasant woman with a history of asthma and hypertension. She was admitted with shortness of \
            breath for three days. The chest was clear and there was no evidence of infection. We have stopped the antibiotic.";
        assert_eq!(of_text(english), Some("eng"));
        let list = "Metformin Lisinopril Atorvastatin Amlodipine Omeprazole Levothyroxine Gabapentin Hydrochlorothiazide Losartan Sertraline \
            Simvastatin Montelukast Escitalopram Rosuvastatin Bupropion Furosemide Trazodone Pantoprazole Duloxetine Prednisone Tamsulosin Meloxicam \
            Clopidogrel Citalopram Carvedilol Warfarin Allopurinol Clonazepam Glipizide Venlafaxine Zolpidem";
        assert!(
            !matches!(of_text(list), Some(other) if other != "eng"),
            "{:?}",
            of_text(list)
        );
        assert_eq!(of_text("Glucose 142 mg/dL"), None);
    }

    #[test]
    fn a_language_that_is_not_installed_is_named_and_the_others_are_used() {
        let installed = ["eng", "osd", "deu"].map(str::to_owned);
        assert_eq!(
            chosen("deu+eng", &installed),
            (Some("deu+eng".into()), vec![])
        );
        assert_eq!(
            chosen("rus+deu", &installed),
            (Some("deu".into()), vec!["rus".into()])
        );
        assert_eq!(
            chosen("rus", &installed),
            (Some("eng".into()), vec!["rus".into()])
        );
        assert_eq!(chosen("rus", &[]), (None, vec!["rus".into()]));
    }
}
