//! The twelve signs, and what is said of each.

use super::part;

/// A twelfth of the circle.
#[derive(Debug)]
pub(super) struct Sign {
    pub(super) name: &'static str,
    pub(super) element: &'static str,
    pub(super) mode: &'static str,
    /// How it goes about things.
    pub(super) style: &'static str,
    /// What it does well: "… is good at …".
    pub(super) gift: &'static str,
    /// What it cannot do without.
    pub(super) need: &'static str,
    /// What it does too much of.
    pub(super) trap: &'static str,
}

const fn sign(
    name: &'static str,
    element: &'static str,
    mode: &'static str,
    style: &'static str,
    gift: &'static str,
    need: &'static str,
    trap: &'static str,
) -> Sign {
    Sign {
        name,
        element,
        mode,
        style,
        gift,
        need,
        trap,
    }
}

#[rustfmt::skip]
pub(super) static SIGNS: [Sign; 12] = [
    sign("Aries", "fire", "cardinal", "directness and an early start", "beginning things while others still weigh them", "a contest, or at least a deadline", "impatience with whatever needs a second attempt"),
    sign("Taurus", "earth", "fixed", "steadiness and a feeling for what lasts", "keeping a thing going long after the excitement is over", "ground that does not move", "holding on when it is time to let go"),
    sign("Gemini", "air", "mutable", "curiosity in several directions at once", "explaining one thing in the words of another", "company that answers back", "leaving a thought as soon as it asks for work"),
    sign("Cancer", "water", "cardinal", "care that remembers", "making a room feel safe without a word about it", "a door that can be closed", "taking a change of mood for a change of mind"),
    sign("Leo", "fire", "fixed", "warmth that wants to be seen", "giving courage to people who had none that morning", "an audience, of one if need be", "mistaking applause for agreement"),
    sign("Virgo", "earth", "mutable", "attention to how things really work", "finding the one screw that is loose", "work that can be finished properly", "correcting what was only meant to be enjoyed"),
    sign("Libra", "air", "cardinal", "a sense of proportion", "arguing the case of whoever is not in the room", "somebody to think with", "postponing a choice until others have made it"),
    sign("Scorpio", "water", "fixed", "intensity that prefers the whole truth", "staying with a question that frightens others away", "trust that has been tested", "keeping accounts that nobody else knows of"),
    sign("Sagittarius", "fire", "mutable", "a wide view and a taste for distance", "turning a detail into a direction", "a horizon, on a map or in a book", "promising more than the week has days for"),
    sign("Capricorn", "earth", "cardinal", "patience with long roads", "building what still stands when the plan is forgotten", "a task that deserves respect", "treating rest as something to be earned"),
    sign("Aquarius", "air", "fixed", "independence that thinks in systems", "noticing the rule that everyone else obeys by habit", "freedom to change the method", "loving people in general and missing the one at the table"),
    sign("Pisces", "water", "mutable", "imagination without a fence", "understanding what was not said", "hours that belong to no purpose", "drifting where a plain no would have helped"),
];

pub(super) fn of(longitude: f64) -> &'static Sign {
    &SIGNS[part(longitude, 12)]
}

/// "17°42′ of Leo".
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "minutes of a circle"
)]
pub(super) fn place(longitude: f64) -> String {
    let minutes = (longitude.rem_euclid(30.0) * 60.0).floor() as u32;
    format!(
        "{}°{:02}′ of {}",
        minutes / 60,
        minutes % 60,
        of(longitude).name
    )
}
