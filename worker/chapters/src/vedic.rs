//! The vedic chapters.

use gristmill_almanac::{Body, Gana, Nadi, Period, SiderealChart, SiderealPlace, Sign, kutas};

use crate::Chapter;
use crate::builder::{Builder, count, degrees, list, ordinal, vars};
use crate::facts::Person;
use crate::western::quality;

pub(crate) fn person(mut b: Builder<'_>, mine: &Person) -> Option<Chapter> {
    let chart = mine.vedic.as_ref()?;
    let title = b.words(
        "title.vedic",
        &vars![nakshatra = chart.moon().nakshatra_name()],
    );
    stars(&mut b, mine, chart);
    birthstar(&mut b, chart);
    purpose(&mut b, chart);
    company(&mut b, chart);
    periods(&mut b, mine, chart);
    let said = b.say(
        "close.vedic",
        &vars![
            nakshatra = chart.moon().nakshatra_name(),
            spot = chart.moon().spot
        ],
    );
    b.paragraph([said]);
    Some(b.finish(title))
}

fn stars(b: &mut Builder<'_>, mine: &Person, chart: &SiderealChart) {
    let date = mine.date();
    b.section("heading.stars", &vars![date = date]);
    let row = |place: &SiderealPlace| {
        vec![
            place.bare_name().to_owned(),
            place.spot.to_string(),
            format!("{}, quarter {}", place.nakshatra_name(), place.pada),
        ]
    };
    b.table(
        &["Body", "Place by the stars", "Nakshatra"],
        chart.places.iter().map(row).collect(),
    );
    let said = b.say(
        "intro",
        &vars![date = date, ayanamsha = degrees(chart.ayanamsha)],
    );
    let reserve = if mine.birth.time.is_none() {
        b.say("untimed.vedic", &vars![])
    } else {
        String::new()
    };
    b.paragraph([said, reserve]);
}

fn birthstar(b: &mut Builder<'_>, chart: &SiderealChart) {
    b.section("heading.birthstar", &vars![]);
    let moon = chart.moon();
    let reserve = if chart.moon_is_certain {
        String::new()
    } else {
        b.say("uncertain.vedic", &vars![])
    };
    let quarter = ["first", "second", "third", "fourth"][usize::from(moon.pada.clamp(1, 4)) - 1];
    let parts = [
        b.say(
            "lead.birthstar",
            &vars![
                nakshatra = moon.nakshatra_name(),
                pada = quarter,
                spot = moon.spot
            ],
        ),
        reserve,
        of_star(b, moon),
        b.say(&format!("pada.{}", moon.pada), &vars![]),
    ];
    b.paragraph(parts);
    let sign = moon.spot.sign;
    let parts = [
        b.say(
            "lead.ruler",
            &vars![ruler = with_article(moon.ruler_name())],
        ),
        b.say(
            &format!("moonrashi.{}", sign.element().name()),
            &vars![sign = sign.name()],
        ),
    ];
    b.paragraph(parts);
    // Ketu stands opposite Rahu; the others have places of their own.
    let ruler = moon.ruler_name();
    let lord = chart.places.iter().find(|place| place.bare_name() == ruler);
    if let Some(lord) = lord.filter(|lord| lord.body != Body::Moon) {
        let parts = [
            b.say(
                "lord",
                &vars![ruler = with_article(ruler), spot = lord.spot],
            ),
            b.say(
                &format!("lord.{}", lord.spot.sign.element().name()),
                &vars![],
            ),
        ];
        b.paragraph(parts);
    }
}

// What a nakshatra means, or a word to the effect that it was said before.
fn of_star(b: &mut Builder<'_>, place: &SiderealPlace) -> String {
    let said = b.say(&star(place), &vars![]);
    match said.is_empty() {
        true => b.say("star_again", &vars![nakshatra = place.nakshatra_name()]),
        false => said,
    }
}

// The key of a nakshatra's passages.
fn star(place: &SiderealPlace) -> String {
    format!("star.{}", place.nakshatra_name().replace(' ', "_"))
}

fn purpose(b: &mut Builder<'_>, chart: &SiderealChart) {
    b.section("heading.sunstar", &vars![]);
    let sun = &chart.places[0];
    let parts = [
        b.say(
            "lead.sunstar",
            &vars![nakshatra = sun.nakshatra_name(), spot = sun.spot],
        ),
        of_star(b, sun),
        b.say(&format!("soul.{}", chart.soul_planet.key()), &vars![]),
    ];
    b.paragraph(parts);
    let half = if chart.tithi <= 15 {
        "waxing"
    } else {
        "waning"
    };
    let day = (chart.tithi - 1) % 15 + 1;
    let names = vars![tithi = ordinal(day.into()), half = half];
    let parts = [
        b.say("lead.tithi", &names),
        b.say(&format!("tithi.{}", (day - 1) % 5 + 1), &names),
        b.say(half, &vars![]),
    ];
    b.paragraph(parts);
    if let Some(lagna) = chart.lagna {
        let parts = [
            b.say("lagna", &vars![spot = lagna, sign = lagna.sign.name()]),
            b.say(&format!("lagna.{}", lagna.sign.element().name()), &vars![]),
        ];
        b.paragraph(parts);
    }
}

fn company(b: &mut Builder<'_>, chart: &SiderealChart) {
    b.section("heading.company", &vars![]);
    let sign = |body: Body| {
        chart
            .places
            .iter()
            .find(|place| place.body == body)
            .map_or(Sign::Aries, |place| place.spot.sign)
    };
    let mut combined = Vec::new();
    if (sign(Body::Jupiter).index() + 12 - sign(Body::Moon).index()) % 3 == 0 {
        combined.push(b.say("yoga.gajakesari", &vars![]));
    }
    for (one, other, yoga) in [
        (Body::Sun, Body::Mercury, "yoga.budhaditya"),
        (Body::Moon, Body::Mars, "yoga.chandramangala"),
        (Body::Jupiter, Body::NorthNode, "yoga.guruchandala"),
    ] {
        if sign(one) == sign(other) {
            combined.push(b.say(yoga, &vars![sign = sign(one).name()]));
        }
    }
    if combined.is_empty() {
        combined.push(b.say("yoga.none", &vars![]));
    }
    b.paragraph(combined);
    let mut parts = Vec::new();
    for place in &chart.places[2..7] {
        let key = format!(
            "graha.{}.{}",
            place.body.key(),
            place.spot.sign.element().name()
        );
        parts.push(b.say(&key, &vars![spot = place.spot]));
    }
    b.paragraph(parts);
    let mut parts: Vec<String> = Vec::new();
    for place in &chart.places[..7] {
        if let Some(strength) = strength(place.body, place.spot.sign) {
            parts.push(b.say(
                &format!("strong.{strength}"),
                &vars![planet = place.name(), sign = place.spot.sign.name()],
            ));
        }
    }
    let gathered = |sign: &Sign| {
        chart
            .places
            .iter()
            .filter(|place| place.spot.sign == *sign)
            .count()
    };
    let fullest = Sign::ALL
        .into_iter()
        .rev()
        .max_by_key(gathered)
        .unwrap_or(Sign::Aries);
    parts.push(match gathered(&fullest) {
        0..=2 => b.say("companions.few", &vars![]),
        many => b.say(
            "companions.many",
            &vars![count = count(many), sign = fullest.name()],
        ),
    });
    let rahu = &chart.places[7];
    parts.push(b.say(
        &format!("rahu.{}", rahu.spot.sign.element().name()),
        &vars![spot = rahu.spot],
    ));
    b.paragraph(parts);
}

// Own signs, and the signs of exaltation and fall of the seven.
fn strength(body: Body, sign: Sign) -> Option<&'static str> {
    use Sign::{
        Aquarius, Aries, Cancer, Capricorn, Gemini, Leo, Libra, Pisces, Sagittarius, Scorpio,
        Taurus, Virgo,
    };
    let (own, exalted, fallen): (&[Sign], Sign, Sign) = match body {
        Body::Sun => (&[Leo], Aries, Libra),
        Body::Moon => (&[Cancer], Taurus, Scorpio),
        Body::Mercury => (&[Gemini], Virgo, Pisces),
        Body::Venus => (&[Taurus, Libra], Pisces, Virgo),
        Body::Mars => (&[Aries, Scorpio], Capricorn, Cancer),
        Body::Jupiter => (&[Sagittarius, Pisces], Cancer, Capricorn),
        Body::Saturn => (&[Capricorn, Aquarius], Libra, Aries),
        _ => return None,
    };
    match sign {
        sign if sign == exalted => Some("exalted"),
        sign if sign == fallen => Some("fallen"),
        sign if own.contains(&sign) => Some("own"),
        _ => None,
    }
}

fn periods(b: &mut Builder<'_>, mine: &Person, chart: &SiderealChart) {
    if chart.periods.is_empty() {
        return order(b, chart);
    }
    b.section("heading.periods", &vars![]);
    let born = mine.birth.date;
    let row = |period: &Period| {
        let (begins, ends) = (period.begins.format("%B %Y"), period.ends.format("%B %Y"));
        vec![
            period.ruler_name().to_owned(),
            begins.to_string(),
            ends.to_string(),
            period.age_at_begin(born).to_string(),
        ]
    };
    b.table(
        &["Ruler", "From", "Until", "Age"],
        chart.periods.iter().map(row).collect(),
    );
    let first = chart.periods[0].ruler_name();
    let parts = [
        b.say("period_lead", &vars![ruler = with_article(first)]),
        b.say(&format!("period.{first}"), &vars![]),
    ];
    b.paragraph(parts);
    for pair in chart.periods[1..5.min(chart.periods.len())].chunks(2) {
        let mut parts = Vec::new();
        for period in pair {
            let names = vars![
                ruler = with_article(period.ruler_name()),
                begin = period.begins.format("%Y"),
                end = period.ends.format("%Y"),
                age = period.age_at_begin(born)
            ];
            parts.push(b.say("period_span", &names));
            parts.push(b.say(&format!("period.{}", period.ruler_name()), &vars![]));
        }
        b.paragraph(parts);
    }
}

// Without the hour there are no dates, but the order is known.
fn order(b: &mut Builder<'_>, chart: &SiderealChart) {
    b.section("heading.order", &vars![]);
    let rulers = chart.moon().rulers_from_here();
    let next: Vec<String> = rulers[1..4]
        .iter()
        .map(|ruler| with_article(ruler))
        .collect();
    let mut parts = vec![b.say(
        "order",
        &vars![ruler = with_article(rulers[0]), next = list(&next)],
    )];
    for ruler in &rulers[..3] {
        parts.push(b.say(&format!("period.{ruler}"), &vars![]));
    }
    b.paragraph(parts);
}

pub(crate) fn with_article(ruler: &str) -> String {
    match ruler {
        "Sun" | "Moon" => format!("the {ruler}"),
        name => name.to_owned(),
    }
}

/// How many of the five tests two Moons pass.
pub(crate) fn passed(first: &SiderealChart, second: &SiderealChart) -> usize {
    let kutas = kutas(first, second);
    let tara = |tara: u8| !matches!(tara, 3 | 5 | 7);
    [
        kutas.gana_agrees,
        kutas.nadis.0 != kutas.nadis.1,
        !kutas.yoni_enemies,
        !kutas.bhakoot_warns,
        tara(kutas.taras.0) && tara(kutas.taras.1),
    ]
    .into_iter()
    .filter(|passed| *passed)
    .count()
}

// What of one falls where for the other, counted from the Moon.
fn overlay(b: &mut Builder<'_>, first: &SiderealChart, second: &SiderealChart) {
    b.section("heading.overlay", &vars![]);
    let (a, z) = b.called();
    for (from, to, moon, planets) in [
        (&a, &z, first.moon(), &second.places),
        (&z, &a, second.moon(), &first.places),
    ] {
        let mut parts = Vec::new();
        for planet in planets
            .iter()
            .filter(|place| matches!(place.body, Body::Sun | Body::Jupiter | Body::Saturn))
        {
            let far = (planet.spot.sign.index() + 12 - moon.spot.sign.index()) % 12 + 1;
            let names = vars![
                from = from,
                to = to,
                planet = planet.body.name(),
                spot = planet.spot,
                nth = NTH[far - 1]
            ];
            parts.push(b.say("overlay_lead", &names));
            parts.push(b.say(&format!("overlay.{far}"), &vars![]));
        }
        b.paragraph(parts);
    }
}

const NTH: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];

const fn gana(gana: Gana) -> &'static str {
    ["deva", "manushya", "rakshasa"][gana as usize]
}

const fn nadi(nadi: Nadi) -> &'static str {
    ["adi", "madhya", "antya"][nadi as usize]
}

pub(crate) fn both(mut b: Builder<'_>, one: &Person, other: &Person) -> Option<Chapter> {
    let (first, second) = (one.vedic.as_ref()?, other.vedic.as_ref()?);
    let (mine, theirs) = (first.moon(), second.moon());
    let kutas = kutas(first, second);
    let yonis = kutas.yoni_names();
    let mut names = vars![
        nakshatra_a = mine.nakshatra_name(),
        nakshatra_b = theirs.nakshatra_name(),
        spot_a = mine.spot,
        spot_b = theirs.spot,
        yoni_a = yonis.0,
        yoni_b = yonis.1,
        nadi_a = nadi(kutas.nadis.0),
        nadi_b = nadi(kutas.nadis.1)
    ];
    let title = b.words("title.vedic_both", &names);
    b.section("heading.kutas", &vars![]);
    let (called_a, called_b) = b.called();
    b.table(
        &["Test", &called_a, &called_b],
        vec![
            vec![
                "Nakshatra".into(),
                mine.nakshatra_name().into(),
                theirs.nakshatra_name().into(),
            ],
            vec![
                "Temper (gana)".into(),
                gana(kutas.ganas.0).into(),
                gana(kutas.ganas.1).into(),
            ],
            vec![
                "Constitution (nadi)".into(),
                nadi(kutas.nadis.0).into(),
                nadi(kutas.nadis.1).into(),
            ],
            vec!["Animal (yoni)".into(), yonis.0.into(), yonis.1.into()],
            vec![
                "Remainder (tara)".into(),
                kutas.taras.0.to_string(),
                kutas.taras.1.to_string(),
            ],
        ],
    );
    let said = b.say("kutas.intro", &names);
    b.paragraph([said]);
    b.section("heading.stars_both", &vars![]);
    if mine.nakshatra == theirs.nakshatra {
        let parts = [b.say("stars.same", &names), b.say(&star(mine), &vars![])];
        b.paragraph(parts);
    } else {
        let parts = [
            b.say("stars.lead", &names),
            b.say(&star(mine), &vars![]),
            b.say("stars.second", &names),
            b.say(&star(theirs), &vars![]),
        ];
        b.paragraph(parts);
    }
    b.section("heading.temper", &vars![]);
    let (low, high) = if (kutas.ganas.0 as u8) <= kutas.ganas.1 as u8 {
        kutas.ganas
    } else {
        (kutas.ganas.1, kutas.ganas.0)
    };
    let said = b.say(&format!("gana.{}.{}", gana(low), gana(high)), &names);
    b.paragraph([said]);
    let yoni = match () {
        () if kutas.yonis.0 == kutas.yonis.1 => "same",
        () if kutas.yoni_enemies => "enemy",
        () => "other",
    };
    let nadis = if kutas.nadis.0 == kutas.nadis.1 {
        "same"
    } else {
        "different"
    };
    let parts = [
        b.say(&format!("nadi.{nadis}"), &names),
        b.say(&format!("yoni.{yoni}"), &names),
    ];
    b.paragraph(parts);
    b.section("heading.distance", &vars![]);
    let distance = match kutas.moon_distance {
        far @ 8..=12 => 14 - far,
        near => near,
    };
    let said = b.say(&format!("bhakoot.{distance}"), &names);
    b.paragraph([said]);
    let (a, z) = b.called();
    let mut parts = Vec::new();
    for (from, to, tara) in [(&a, &z, kutas.taras.0), (&z, &a, kutas.taras.1)] {
        let tone = if matches!(tara, 3 | 5 | 7) {
            "bad"
        } else {
            "good"
        };
        parts.push(b.say(
            &format!("tara.{tone}"),
            &vars![from = from, to = to, tara = tara],
        ));
    }
    b.paragraph(parts);
    overlay(&mut b, first, second);
    b.section("heading.counsel", &vars![]);
    let passed = passed(first, second);
    names.push((
        "passed",
        if passed == 0 {
            "none".to_owned()
        } else {
            count(passed)
        },
    ));
    let counsel = match passed {
        4.. => "good",
        3 => "mixed",
        _ => "hard",
    };
    let said = b.say(&format!("counsel.{counsel}"), &names);
    let lords = b.say(
        "lords",
        &vars![
            ruler_a = with_article(mine.ruler_name()),
            ruler_b = with_article(theirs.ruler_name())
        ],
    );
    let (mine, theirs) = (mine.spot.sign, theirs.spot.sign);
    let elements = vars![
        element_a = mine.element().name(),
        element_b = theirs.element().name()
    ];
    let moons = b.say(&format!("moons.{}", quality(mine, theirs)), &elements);
    b.paragraph([lords, moons]);
    b.paragraph([said]);
    Some(b.finish(title))
}
