//! What was seen: in pictures, in the theatre, at the bedside. A finding is a noun of a short list with the words before it.

use gristmill_dictionary::{self as dictionary, Section};

use crate::context;
use crate::model::{FactKind, Status};
use crate::passage::Passage;
use crate::reader::{Reader, fact};

const SEEN: &str = "nodule|nodules|mass|masses|effusion|effusions|consolidation|opacity|opacities|infiltrate|infiltrates|fracture|\
    fractures|lesion|lesions|cyst|cysts|cardiomegaly|atelectasis|pneumothorax|hernia|stone|stones|calculus|calculi|\
    thickening|stenosis|oedema|edema|lymphadenopathy|adenopathy|hydronephrosis|calcification|calcifications|dilatation|\
    dilation|haemorrhage|hemorrhage|haematoma|hematoma|aneurysm|ascites|hepatomegaly|splenomegaly|steatosis|polyp|polyps|\
    ulcer|ulcers|adhesions|abscess|collection|perforation|tear|herniation|protrusion|bulge|spondylosis|scoliosis|\
    pneumoperitoneum|emphysema|bronchiectasis|fluid|murmur|wheeze|crackles|rash|swelling|enlargement|stranding|metastases|\
    ischemia|ischaemia|leak|infection|loss|hydrocephalus|shift|infarct|infarction|bleeding|tumor|tumour|obstruction|\
    stricture|erosion|erosions|atrophy|sac|inflammation|erythema|necrosis|pus|dislocation|degeneration|narrowing|\
    displacement|deformity|gallstones|gallstone|congestion|air|diverticulosis|diverticula";
/// Words that a finding's name does without: how large, which side, how old.
const MEASURES: &str = "small|large|mild|mildly|moderate|severe|right|left|bilateral|new|stable|subtle|tiny|minimal|trace|marked|extensive|\
    acute|chronic|old|focal|diffuse|patchy|multiple|several|few|scattered|mm|cm|other|significant|suspicious|visible|any|\
    definite|obvious|right-sided|left-sided|solitary|single";
/// Words that stand before a finding and are no part of it.
const BREAKS: &str = "a|an|the|no|is|are|was|were|of|in|with|without|and|or|there|evidence|for|to|has|have|shows|showed|demonstrates|\
    demonstrated|reveals|revealed|seen|noted|identified|consistent|likely|possible|probable|suspected|on|at|by|from|this|\
    that|these|contains|measuring|negative|positive|nor|neither|not|free|suggestive|suggesting|representing|compatible|\
    than|shown|unchanged|known|found|sign|signs|as|exclude";

pub(crate) fn find(reader: &mut Reader) {
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        let is_there = matches!(
            item.section(),
            Section::Findings | Section::Impression | Section::Assessment
        ) || says(item.text());
        if item.is_heading || !is_there {
            continue;
        }
        let passage = item.passage.clone();
        let mut last = 0;
        for token in passage.token_from(item.body)..passage.tokens.len() {
            let word = passage.token(token).to_lowercase();
            // "Pleural effusion" is found by its noun; a noun that another follows is a part of its name.
            let next = (token + 1 < passage.tokens.len() && passage.unbroken(token, 2) == 2)
                .then(|| passage.token(token + 1).to_lowercase());
            let is_part = next.is_some_and(|next| crate::among(SEEN, next.as_str()));
            if crate::among(SEEN, word.as_str()) && !is_part {
                one(reader, at, &passage, token, last);
                last = token + 1;
            }
        }
    }
}

// Outside of their sections findings are told with these verbs.
fn says(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        " showed ",
        " shows ",
        " demonstrated ",
        " demonstrates ",
        " revealed ",
        " reveals ",
        "on examination",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

fn one(reader: &mut Reader, at: usize, passage: &Passage, token: usize, last: usize) {
    let mut first = token;
    let before = token
        .checked_sub(1)
        .map(|before| passage.token(before).to_lowercase());
    if passage.token(token).eq_ignore_ascii_case("loss")
        && before.is_some_and(|before| matches!(before.as_str(), "blood" | "weight" | "of"))
    {
        return;
    }
    let begins_cell = |token: usize| {
        reader.items[at]
            .cells
            .iter()
            .any(|cell| cell.0 == passage.tokens[token].0)
    };
    while first > last
        && !begins_cell(first)
        && token - first < 5
        && passage.unbroken(first - 1, 2) == 2
        && !passage.text[passage.tokens[first - 1].1..passage.tokens[first].0].contains('.')
    {
        let word = passage.token(first - 1).to_lowercase();
        let is_word = word.chars().all(|c| c.is_alphabetic() || c == '-');
        if crate::among(BREAKS, word.as_str()) || !is_word {
            break;
        }
        first -= 1;
    }
    if let Some((count, condition)) =
        dictionary::condition(&passage.ahead(first, passage.tokens[token].1))
        && condition.is_exact
        && first + count > token
    {
        return;
    }
    let core = (first..token)
        .find(|own| !crate::among(MEASURES, passage.token(*own).to_lowercase().as_str()))
        .unwrap_or(token);
    let (from, to) = (passage.tokens[first].0, passage.tokens[token].1);
    if reader.is_taken(at, from, to) {
        return;
    }
    let judged = context::judge(passage, from, to);
    if judged.is_hypothetical {
        return;
    }
    let name = passage.text[passage.tokens[core].0..to].to_lowercase();
    let mut own = fact(FactKind::Finding, passage, from, to, name, 0.85);
    own.status = if judged.status == Status::Planned {
        Status::Current
    } else {
        judged.status
    };
    own.certainty = judged.certainty;
    own.decided_by = judged.by;
    reader.take(at, from, to);
    reader.facts.push(own);
}
