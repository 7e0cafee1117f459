//! Labels and their values: beside a colon, in the next cell, or in the row below.

use crate::lines::Item;

/// What a label means.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) enum Label {
    Patient,
    Birth,
    Sex,
    Record,
    Provider(&'static str),
    Date(&'static str),
    /// Somebody of the family, or who is to be called.
    Relative,
    /// Known, and of no use but to end the value before it.
    Other,
}

/// A label, and where its value stands in an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) label: Label,
    pub(crate) key: (usize, usize),
    /// The item of the value: the label's own, or the next.
    pub(crate) item: usize,
    pub(crate) value: (usize, usize),
}

/// What these words mean as a label.
pub(crate) fn label(key: &str) -> Option<Label> {
    let lower = key
        .to_lowercase()
        .replace(['.', '#', '(', ')', '*'], "")
        .replace('/', " ");
    let words: Vec<&str> = lower
        .split([' ', ',', '\t'])
        .filter(|word| !word.is_empty())
        .collect();
    let key = words.join(" ");
    exact(&key).or_else(|| exact(key.trim_end_matches('s').trim_end_matches('\'')))
}

/// Labels, and what they mean. Dots are left out, and an s at the end.
static LABELS: &[(Label, &str)] = &[
    (
        Label::Patient,
        "patient|patient name|name|name of patient|pt|pt name|full name|patient' name|patient'|client|client name|re|\
        resident|regarding|patient full name|surname given name|surname forename|last name first name|\
        surname and forename|name of the patient|forename surname|patient details|surname and given name|legal name|\
        surname first name|name last first|patient name last first",
    ),
    (
        Label::Birth,
        "dob|d o b|date of birth|birth date|birthdate|born|patient dob|birth|dob mm dd yyyy|dob dd mm yyyy|age and dob|\
        date of birth and age|dob and age|dob age|date of birth age|birth date age",
    ),
    (Label::Sex, "sex|gender|sex at birth"),
    (
        Label::Record,
        "mrn|medical record number|medical record no|record number|record no|hospital no|hospital number|nhs no|\
        nhs number|urn|ur no|ur number|patient id|patient no|patient number|chart no|chart number|chart|unit number|\
        unit no|med rec no|hosp no|id no|id|record|patient record|identifier|nhi|chi|emrn|ref|your ref|our ref",
    ),
    (
        Label::Provider("prescriber"),
        "prescriber|signature of prescriber|prescriber signature|prescriber' signature|prescribed by|prescribing doctor|\
        prescribing physician|prescribing provider",
    ),
    (
        Label::Provider("ordering"),
        "ordering provider|ordering physician|ordered by|ordering|requesting physician|requesting doctor|requested by|\
        requesting clinician|requestor|requesting provider|ordering clinician|requester",
    ),
    (
        Label::Provider("referrer"),
        "referring physician|referring doctor|referred by|referrer|referring provider|referring clinician|referring gp|\
        referred from|from",
    ),
    (
        Label::Provider("recipient"),
        "to|refer to|referral to|referring to|referred to|attention|attn|cc|copy to|copie to|recipient|addressee|copy",
    ),
    (
        Label::Provider("attending"),
        "attending|attending physician|consultant|admitting physician|responsible consultant|attending provider|\
        treating doctor|treating physician|attending doctor|admitting doctor|ed physician|ed attending|\
        emergency physician|consultant in charge|attending surgeon",
    ),
    (
        Label::Provider("author"),
        "author|signed by|signature|signed|electronically signed by|electronically signed|reported by|dictated by|\
        radiologist|reporting radiologist|authored by|written by|completed by|interpreted by|read by|reporting doctor|\
        verified by|authorised by|authorized by",
    ),
    (
        Label::Provider("other"),
        "provider|physician|doctor|gp|pcp|primary care provider|primary care physician|general practitioner|clinician|\
        seen by|surgeon|anaesthetist|anesthesiologist|assistant|pathologist|administered by|given by|nurse|vaccinator|\
        assistant surgeon|primary surgeon|reviewed by|pharmacist|family doctor|family physician|usual gp|\
        operating surgeon|first assistant|anesthetist|anaesthesiologist|physician in charge|laboratory director|\
        lab director|medical director|dispensed by",
    ),
    (
        Label::Date("document"),
        "date|document date|date of visit|visit date|date of service|date of consultation|date seen|clinic date|\
        letter date|date of letter|seen on|seen|date written|date issued|issued|prescription date|date prescribed|dated|\
        visit|date of encounter|encounter date|consultation date|date of clinic|date of issue|issue date|dos|written|\
        updated|last updated|date updated|printed|list date|date of record|date printed|print date|date reviewed|\
        date of review|date prepared|prepared|prepared on|issued on|date of attendance|reviewed|reviewed on|signed on|\
        referral date|date of referral",
    ),
    (
        Label::Date("collected"),
        "collected|collection date|date collected|collected on|collection|date of collection|specimen collected|drawn|\
        sample date|sample collected|collected date|specimen date|date drawn|taken|date taken|sample taken|\
        date of sample|collection date time|coll|date time collected",
    ),
    (
        Label::Date("reported"),
        "reported|report date|date reported|date of report|reported on|reported date|final report|report issued|report|\
        resulted",
    ),
    (
        Label::Date("received"),
        "received|date received|received on|received date|specimen received|sample received",
    ),
    (
        Label::Date("admitted"),
        "admitted|admission date|date of admission|admission|admit date|date admitted|admitted on|doa",
    ),
    (
        Label::Date("discharged"),
        "discharged|discharge date|date of discharge|discharge|date discharged|discharged on|dod",
    ),
    (
        Label::Date("examined"),
        "exam date|date of exam|study date|date of study|date of examination|examination date|examined|scan date|\
        date of scan|exam performed|study performed|performed|performed on",
    ),
    (
        Label::Date("procedure"),
        "date of procedure|procedure date|date of surgery|surgery date|date of operation|operation date",
    ),
    (
        Label::Date("arrived"),
        "arrival|arrived|arrival date|date of arrival|arrival time|attended|date attended|presented",
    ),
    (
        Label::Relative,
        "next of kin|nok|mother|father|guardian|emergency contact|spouse|contact|husband|wife|parent|parent guardian|\
        daughter|son|brother|sister|carer|caregiver|responsible party|partner|accompanied by|mother' name|\
        contact person|subscriber|policy holder|guarantor",
    ),
    (
        Label::Other,
        "follow-up visit|follow up visit|next visit|next appointment|appointment|follow-up|follow up|return visit|\
        next review|review date|appointment date|next dose|due|phone|tel|telephone|fax|addres|address|page|age|ward|\
        insurance|specimen|accession|accession no|account|lab no|lab number|time|email|mobile|clinic|department|dept|\
        specialty|facility|hospital|practice|laboratory|lab id|order|order no|npi|dea|height|weight|wt|ht|bmi|location|\
        bed|room|status|fasting|race|ethnicity|occupation|language|plan|qty|quantity|refill|repeat|sig|rx|dispense|disp|\
        lot|lot no|batch|exam|examination|study|modality|technique|los|length of stay|disposition|triage|\
        triage category|los days|episode|encounter|encounter no|visit no|specimen type|sample|sample type|service|unit|\
        licence|license|registration|gmc|gmc no|provider no|licence no|license no|medicare no|medicare|group|pharmacy|\
        report statu|priority",
    ),
];

fn exact(key: &str) -> Option<Label> {
    LABELS
        .iter()
        .find(|(_, names)| crate::among(names, key))
        .map(|(label, _)| *label)
}

/// The pairs of one item.
pub(crate) fn pairs(items: &[Item], at: usize) -> Vec<Pair> {
    let item = &items[at];
    let text = item.text();
    let whole = [(0, text.len())];
    let cells: &[(usize, usize)] = if item.cells.is_empty() {
        &whole
    } else {
        &item.cells
    };
    let mut keys: Vec<(Label, usize, usize, usize)> = Vec::new();
    for (colon, _) in text.match_indices(':') {
        let begin = cells
            .iter()
            .rev()
            .find(|(from, _)| *from <= colon)
            .map_or(0, |cell| cell.0);
        let begin = keys.last().map_or(begin, |key| key.3.max(begin));
        if let Some((label, from)) = before(text, begin, colon) {
            keys.push((label, from, colon, colon + 1));
        }
    }
    for (index, (from, to)) in cells.iter().enumerate() {
        bare(item, index, (*from, *to), cells, &mut keys);
    }
    inline(text, &mut keys);
    keys.sort_by_key(|key| key.1);
    let mut found = Vec::new();
    for (index, (label, from, to, begin)) in keys.iter().enumerate() {
        let next = keys.get(index + 1).map_or(text.len(), |key| key.1);
        let end = cells
            .iter()
            .map(|cell| cell.1)
            .filter(|end| *end > *begin && !text[*begin..*end].trim().is_empty())
            .min()
            .unwrap_or(text.len())
            .min(next)
            .max(*begin);
        let is_empty = text[*begin..end]
            .trim_matches(|c: char| !c.is_alphanumeric())
            .is_empty();
        let value = if is_empty {
            below(items, at, (*from, *to))
        } else {
            Some((at, (*begin, end)))
        };
        if let Some((item, value)) = value {
            found.push(Pair {
                label: *label,
                key: (*from, *to),
                item,
                value,
            });
        }
    }
    found
}

/// The longest label that ends at a colon.
fn before(text: &str, begin: usize, colon: usize) -> Option<(Label, usize)> {
    let words: Vec<usize> = text[begin..colon]
        .char_indices()
        .filter(|(at, c)| {
            !c.is_whitespace()
                && (*at == 0
                    || text[begin..begin + at].ends_with(|c: char| c.is_whitespace() || c == '('))
        })
        .map(|(at, _)| begin + at)
        .collect();
    let starts = &words[words.len().saturating_sub(5)..];
    starts
        .iter()
        .find_map(|from| label(&text[*from..colon]).map(|label| (label, *from)))
}

// A cell that is a label and nothing else; its value is the next cell, or stands below.
fn bare(
    item: &Item,
    index: usize,
    (from, to): (usize, usize),
    cells: &[(usize, usize)],
    keys: &mut Vec<(Label, usize, usize, usize)>,
) {
    let text = &item.text()[from..to];
    if text.contains(':') {
        return;
    }
    if let Some(label) = label(text)
        && !(index + 1 == cells.len() && index > 0 && matches!(label, Label::Other))
    {
        keys.push((label, from, to, to));
    }
}

// "DOB 14/03/1958", "MRN 12345" and "Re Ann Lee" without a colon.
const INLINE: &str = "DOB|DoB|Dob|D.O.B.|D.O.B|D.o.B.|D.o.B|Date of birth|date of birth|Born|born|MRN|NHS No|Hospital No|NHS number|Collected|Reported|Received|\
    Admitted|Discharged|Reviewed|Seen|Arrived|Attended|Examined|Record|ID|Dated|Issued|Printed|Date";

fn inline(text: &str, keys: &mut Vec<(Label, usize, usize, usize)>) {
    for name in INLINE.split('|') {
        for (from, _) in text.match_indices(name) {
            let to = from + name.len();
            let rest = text[to..].trim_start_matches([' ', '.']);
            let rest = rest.strip_prefix("on ").unwrap_or(rest);
            let alone = from == 0 || text[..from].ends_with(|c: char| !c.is_alphanumeric());
            let lead: String = rest.chars().take(22).collect();
            let is_value = rest.starts_with(|c: char| c.is_ascii_digit())
                || crate::dates::dates(&lead, crate::dates::Order::Unknown)
                    .first()
                    .is_some_and(|dated| dated.from < 2);
            if alone
                && is_value
                && !keys.iter().any(|key| key.1 < to && key.2 >= from)
                && let Some(label) = label(name)
            {
                keys.push((label, from, to, text.len() - rest.len()));
            }
        }
    }
}

/// The cell under a label, when the next line has one there.
fn below(items: &[Item], at: usize, key: (usize, usize)) -> Option<(usize, (usize, usize))> {
    let (item, next) = (&items[at], items.get(at + 1)?);
    if next.stretch != item.stretch || next.gap > 1.8 || next.is_heading {
        return None;
    }
    let own = item.passage.place(key.0, key.1);
    let whole = [(0, next.text().len())];
    let cells: &[(usize, usize)] = if next.cells.is_empty() {
        &whole
    } else {
        &next.cells
    };
    let found = cells.iter().find(|cell| {
        let place = next.passage.place(cell.0, cell.1);
        (place[0] - own[0]).abs() < 0.03
    })?;
    let text = &next.text()[found.0..found.1];
    (label(text.split(':').next().unwrap_or(text)).is_none()).then_some((at + 1, *found))
}
