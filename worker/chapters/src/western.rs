//! The western chapters.

use gristmill_almanac::{
    Aspect, AspectKind, Body, Chart, CrossAspect, Mode, Quality, Sign, ZodiacElement, across,
};

use crate::Chapter;
use crate::builder::{Builder, count, degrees, ordinal, vars};
use crate::facts::Person;

const BODIES: [Body; 10] = [
    Body::Sun,
    Body::Moon,
    Body::Mercury,
    Body::Venus,
    Body::Mars,
    Body::Jupiter,
    Body::Saturn,
    Body::Uranus,
    Body::Neptune,
    Body::Pluto,
];
const ELEMENTS: [ZodiacElement; 4] = [
    ZodiacElement::Fire,
    ZodiacElement::Earth,
    ZodiacElement::Air,
    ZodiacElement::Water,
];

pub(crate) fn person(mut b: Builder<'_>, mine: &Person, others: &Person) -> Option<Chapter> {
    let chart = mine.western.as_ref()?;
    let (sun, moon) = (
        chart.get(Body::Sun).spot.sign,
        chart.get(Body::Moon).spot.sign,
    );
    let title = b.words(
        "title.western",
        &vars![sun = sun.name(), moon = moon.name()],
    );
    glance(&mut b, mine, chart);
    lights(&mut b, chart);
    quick(&mut b, chart, others.western.as_ref());
    slow(&mut b, chart, others.western.as_ref());
    conversations(&mut b, chart);
    balance(&mut b, chart);
    Some(b.finish(title))
}

fn glance(b: &mut Builder<'_>, mine: &Person, chart: &Chart) {
    let date = mine.date();
    b.section("heading.glance", &vars![date = date]);
    let rows = chart.placed.iter().map(|placed| {
        let mut row = vec![
            placed.body.name().to_owned(),
            format!(
                "{}{}",
                placed.spot,
                if placed.retrograde {
                    ", retrograde"
                } else {
                    ""
                }
            ),
        ];
        row.extend(
            placed
                .house
                .map(|house| format!("{} house", ordinal(house.into()))),
        );
        row
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if let Some(angles) = &chart.angles {
        rows.push(vec![
            "Ascendant".into(),
            angles.ascendant.to_string(),
            String::new(),
        ]);
        rows.push(vec![
            "Midheaven".into(),
            angles.midheaven.to_string(),
            String::new(),
        ]);
        b.table(&["Body", "Place", "House"], rows);
    } else {
        b.table(&["Body", "Place"], rows);
    }
    let place = mine
        .birth
        .place
        .as_ref()
        .and_then(|place| place.name.clone());
    let said = match mine.birth.time {
        Some(time) => {
            let place = place
                .map(|place| format!(" in {place}"))
                .unwrap_or_default();
            b.say(
                "timed",
                &vars![time = time.format("%H:%M"), date = date, where = place],
            )
        }
        None => b.say("untimed", &vars![date = date]),
    };
    b.paragraph([said]);
}

fn lights(b: &mut Builder<'_>, chart: &Chart) {
    b.section("heading.lights", &vars![]);
    let (sun, moon) = (chart.get(Body::Sun), chart.get(Body::Moon));
    let house = |b: &mut Builder<'_>, key: &str, house: Option<u8>| match house {
        Some(house) => {
            let house = b.words(&format!("house.{house}"), &vars![]);
            b.say(key, &vars![house = house])
        }
        None => String::new(),
    };
    let parts = [
        b.say("lead.sun", &vars![spot = sun.spot]),
        b.say(&format!("sun.{}", key(sun.spot.sign)), &vars![]),
        house(b, "in_house.sun", sun.house),
    ];
    b.paragraph(parts);
    let reserve = if chart.moon_is_certain {
        String::new()
    } else {
        b.say("moon_uncertain", &vars![])
    };
    let parts = [
        reserve,
        b.say("lead.moon", &vars![spot = moon.spot]),
        b.say(&format!("moon.{}", key(moon.spot.sign)), &vars![]),
        house(b, "in_house.moon", moon.house),
    ];
    b.paragraph(parts);
    let (one, other) = (sun.spot.sign, moon.spot.sign);
    let met = b.say(
        &format!("sunmoon.{}", quality(one, other)),
        &vars![
            element = one.element().name(),
            sun_element = one.element().name(),
            moon_element = other.element().name()
        ],
    );
    let phase = b.say(&format!("phase.{}", chart.phase.key()), &vars![]);
    b.paragraph([met, phase]);
    if let Some(angles) = &chart.angles {
        let rising = angles.ascendant;
        let parts = [
            b.say(
                "lead.rising",
                &vars![spot = rising, sign = rising.sign.name()],
            ),
            b.say(&format!("rising.{}", key(rising.sign)), &vars![]),
            b.say("lead.midheaven", &vars![spot = angles.midheaven]),
        ];
        b.paragraph(parts);
    }
}

fn quick(b: &mut Builder<'_>, chart: &Chart, other: Option<&Chart>) {
    b.section("heading.quick", &vars![]);
    let [mercury, venus, mars] =
        [Body::Mercury, Body::Venus, Body::Mars].map(|body| chart.get(body).spot);
    let mut parts = vec![b.say(
        "lead.three",
        &vars![mercury = mercury, venus = venus, mars = mars],
    )];
    for body in [Body::Mercury, Body::Venus, Body::Mars] {
        parts.push(in_sign(b, chart, other, body));
    }
    let own = if mercury.sign == chart.get(Body::Sun).spot.sign {
        "own"
    } else {
        "other"
    };
    parts.extend([
        b.say(&format!("link.mercury.{own}"), &vars![]),
        b.say(
            &format!("link.three.{}", quality(venus.sign, mars.sign)),
            &vars![],
        ),
    ]);
    b.paragraph(parts);
}

// Of a slow planet both may well have the same sign: then that is what is said of the second.
fn in_sign(b: &mut Builder<'_>, chart: &Chart, other: Option<&Chart>, body: Body) -> String {
    let sign = chart.get(body).spot.sign;
    let said = b.say(&format!("{}.{}", body.key(), key(sign)), &vars![]);
    match other {
        Some(other) if said.is_empty() && other.get(body).spot.sign == sign => {
            b.say("shared", &vars![planet = body.name(), sign = sign.name()])
        }
        _ => said,
    }
}

fn slow(b: &mut Builder<'_>, chart: &Chart, other: Option<&Chart>) {
    b.section("heading.slow", &vars![]);
    let [jupiter, saturn] = [Body::Jupiter, Body::Saturn].map(|body| chart.get(body).spot);
    let mut parts = vec![b.say("lead.slow", &vars![jupiter = jupiter, saturn = saturn])];
    for body in [Body::Jupiter, Body::Saturn, Body::NorthNode] {
        parts.push(in_sign(b, chart, other, body));
    }
    b.paragraph(parts);
    let mut back = Vec::new();
    for body in [
        Body::Mercury,
        Body::Venus,
        Body::Mars,
        Body::Jupiter,
        Body::Saturn,
    ] {
        if chart.get(body).retrograde {
            back.push(b.say(&format!("retrograde.{}", body.key()), &vars![]));
        }
    }
    b.paragraph(back);
}

fn conversations(b: &mut Builder<'_>, chart: &Chart) {
    b.section("heading.aspects", &vars![]);
    let is_slow = |body| {
        matches!(
            body,
            Body::Uranus | Body::Neptune | Body::Pluto | Body::NorthNode
        )
    };
    let personal = |aspect: &&Aspect| !(is_slow(aspect.one) && is_slow(aspect.other));
    let told: Vec<Aspect> = chart
        .aspects
        .iter()
        .filter(personal)
        .take(4)
        .copied()
        .collect();
    for pair in told.chunks(2) {
        let mut parts = Vec::new();
        for aspect in pair {
            let names = vars![
                body = aspect.one.in_sentence(),
                second = aspect.other.in_sentence(),
                kind = aspect.kind.name(),
                a_kind = with_article(aspect.kind),
                orb = degrees(aspect.orb)
            ];
            parts.push(b.say("aspect_lead", &names));
            let (one, other) = (domain(b, aspect.one), domain(b, aspect.other));
            parts.push(b.say(
                &format!("aspect.{}", aspect.kind.tone()),
                &vars![one = one, other = other],
            ));
        }
        b.paragraph(parts);
    }
}

fn balance(b: &mut Builder<'_>, chart: &Chart) {
    b.section("heading.balance", &vars![]);
    let counted = ELEMENTS.map(|element| {
        BODIES
            .iter()
            .filter(|body| chart.get(**body).spot.sign.element() == element)
            .count()
    });
    let most = leading(chart);
    let mut parts = vec![b.say(
        &format!("element.{}", most.name()),
        &vars![count = count(counted[most as usize])],
    )];
    for element in ELEMENTS
        .into_iter()
        .filter(|element| counted[*element as usize] == 0)
    {
        parts.push(b.say(&format!("lacking.{}", element.name()), &vars![]));
    }
    let modes = [Mode::Cardinal, Mode::Fixed, Mode::Mutable];
    let of_mode = |mode: Mode| {
        BODIES
            .iter()
            .filter(|body| chart.get(**body).spot.sign.mode() == mode)
            .count()
    };
    if let Some(mode) = modes.into_iter().find(|mode| of_mode(*mode) > 5) {
        parts.push(b.say(&format!("mode.{}", mode.name()), &vars![]));
    }
    b.paragraph(parts);
}

/// The element with the most bodies; of equals the one of the Sun or the first.
pub(crate) fn leading(chart: &Chart) -> ZodiacElement {
    let weight = |element: &ZodiacElement| {
        let bodies = BODIES
            .iter()
            .filter(|body| chart.get(**body).spot.sign.element() == *element)
            .count();
        (bodies, chart.get(Body::Sun).spot.sign.element() == *element)
    };
    ELEMENTS
        .into_iter()
        .rev()
        .max_by_key(weight)
        .unwrap_or(ZodiacElement::Fire)
}

pub(crate) fn both(mut b: Builder<'_>, one: &Person, other: &Person) -> Option<Chapter> {
    let (first, second) = (one.western.as_ref()?, other.western.as_ref()?);
    let title = b.words("title.western_both", &vars![]);
    let ties = ties(first, second);
    let spots = |body: Body| (first.get(body).spot, second.get(body).spot);
    for (heading, key, body) in [
        ("heading.meet", "sun", Body::Sun),
        ("heading.moons", "moon", Body::Moon),
    ] {
        b.section(heading, &vars![]);
        let (mine, theirs) = spots(body);
        let said = b.say(
            &format!("both.{key}.{}", quality(mine.sign, theirs.sign)),
            &vars![
                spot_a = mine,
                spot_b = theirs,
                element_a = mine.sign.element().name(),
                element_b = theirs.sign.element().name()
            ],
        );
        b.paragraph([said]);
    }
    b.section("heading.talk", &vars![]);
    let (mine, theirs) = spots(Body::Mercury);
    let names = vars![
        spot_a = mine,
        spot_b = theirs,
        element_a = mine.sign.element().name()
    ];
    let said = b.say(
        &format!("both.mercury.{}", quality(mine.sign, theirs.sign)),
        &names,
    );
    b.paragraph([said]);
    b.section("heading.attraction", &vars![]);
    let ((venus_a, venus_b), (mars_a, mars_b)) = (spots(Body::Venus), spots(Body::Mars));
    let names = vars![
        venus_a = venus_a,
        venus_b = venus_b,
        mars_a = mars_a,
        mars_b = mars_b
    ];
    let parts = [
        b.say(
            &format!("both.venusmars.{}", quality(venus_a.sign, mars_b.sign)),
            &names,
        ),
        b.say(
            &format!("both.return.{}", quality(venus_b.sign, mars_a.sign)),
            &names,
        ),
    ];
    b.paragraph(parts);
    cross(&mut b, &ties);
    b.section("heading.use", &vars![]);
    let (mine, theirs) = (leading(first), leading(second));
    let lean = if mine == theirs {
        "both.lean.same"
    } else {
        "both.lean.different"
    };
    let said = b.say(
        lean,
        &vars![element_a = mine.name(), element_b = theirs.name()],
    );
    b.paragraph([said]);
    let (easy, tense) = tones(&ties);
    let advice = match easy.cmp(&tense) {
        std::cmp::Ordering::Greater => "advice.easy",
        std::cmp::Ordering::Less => "advice.tense",
        std::cmp::Ordering::Equal => "advice.even",
    };
    let said = b.say(advice, &vars![easy = count(easy), tense = count(tense)]);
    b.paragraph([said]);
    Some(b.finish(title))
}

fn cross(b: &mut Builder<'_>, ties: &[CrossAspect]) {
    b.section("heading.cross", &vars![]);
    let rows = ties.iter().map(|tie| {
        vec![
            tie.first.name().into(),
            tie.kind.name().into(),
            tie.second.name().into(),
            degrees(tie.orb),
        ]
    });
    b.table(&["From", "Aspect", "To", "Off by"], rows.collect());
    let intro = b.say("both.intro", &vars![]);
    b.paragraph([intro]);
    for pair in ties[..ties.len().min(6)].chunks(2) {
        let mut parts = Vec::new();
        for tie in pair {
            let names = vars![
                body = tie.first.name(),
                second = tie.second.name(),
                kind = tie.kind.name(),
                a_kind = with_article(tie.kind),
                orb = degrees(tie.orb)
            ];
            parts.push(b.say("cross_lead", &names));
            let (one, other) = (domain(b, tie.first), domain(b, tie.second));
            let plain = |words: &str| words.strip_prefix("the ").unwrap_or(words).to_owned();
            parts.push(b.say(
                &format!("cross.{}", tie.kind.tone()),
                &vars![
                    one_plain = plain(&one),
                    other_plain = plain(&other),
                    one = one,
                    other = other
                ],
            ));
        }
        b.paragraph(parts);
    }
}

/// The ten closest ties between two charts, without those that a whole generation shares.
pub(crate) fn ties(first: &Chart, second: &Chart) -> Vec<CrossAspect> {
    let is_slow = |body| {
        matches!(
            body,
            Body::Uranus | Body::Neptune | Body::Pluto | Body::NorthNode
        )
    };
    across(first, second)
        .into_iter()
        .filter(|tie| !(is_slow(tie.first) && is_slow(tie.second)))
        .take(10)
        .collect()
}

/// How many ties are easy, and how many tense.
pub(crate) fn tones(ties: &[CrossAspect]) -> (usize, usize) {
    let tense = ties.iter().filter(|tie| tie.kind.tone() == "tense").count();
    (ties.len() - tense, tense)
}

fn with_article(kind: AspectKind) -> String {
    let article = if kind == AspectKind::Opposition {
        "an"
    } else {
        "a"
    };
    format!("{article} {}", kind.name())
}

fn domain(b: &mut Builder<'_>, body: Body) -> String {
    b.words(&format!("domain.{}", body.key()), &vars![])
}

pub(crate) fn key(sign: Sign) -> String {
    sign.name().to_lowercase()
}

pub(crate) fn quality(one: Sign, other: Sign) -> &'static str {
    match one.quality(other) {
        Quality::Same => "same",
        Quality::Kindred => "kindred",
        Quality::Strange => "strange",
    }
}
