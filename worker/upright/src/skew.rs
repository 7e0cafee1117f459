//! The skew of a page, by its projection profile.
//!
//! The lower edges of letters lie on lines. Seen along the lines they fall into few rows, seen at any other angle into many: the angle at
//! which the counts of neighbouring rows differ most is that of the lines (Postl 1986; leptonica's pixFindSkew maximises the same sum).

use super::gray::Gray;

/// Beyond this a page counts as turned by a right angle, or as no page.
const MOST: f32 = 8.0;
const COARSE: f32 = 0.5;
const FINE: f32 = 0.05;
/// The sum at the best angle is this many times that of a usual one, or the page has no lines.
const PEAK: f32 = 1.35;
/// A page is looked at in about this many pixels a side: a tenth of a degree is then two rows.
const LOOKED_AT: usize = 1200;
/// Fewer edges are no lines.
const FEWEST: usize = 400;
/// More are thinned out: the sum is a statistic.
const MOST_EDGES: usize = 60_000;

/// Degrees, clockwise, by which the lines of the page fall. Zero where it has none.
pub(crate) fn skew(page: &Gray) -> f32 {
    let longest = page.width.max(page.height);
    let small = (longest > LOOKED_AT).then(|| page.scaled(LOOKED_AT as f32 / longest as f32));
    let edges = edges(small.as_ref().unwrap_or(page));
    if edges.len() < FEWEST {
        return 0.0;
    }
    let steps = (MOST / COARSE) as i32;
    let coarse: Vec<(f32, f32)> = (-steps..=steps)
        .map(|step| step as f32 * COARSE)
        .map(|angle| (angle, sum(&edges, angle)))
        .collect();
    let mut usual: Vec<f32> = coarse.iter().map(|(_, sum)| *sum).collect();
    usual.sort_by(f32::total_cmp);
    let usual = usual[usual.len() / 2];
    let near = best(coarse);
    let steps = (COARSE / FINE) as i32;
    let fine = (-steps..=steps)
        .map(|step| near.0 + step as f32 * FINE)
        .map(|angle| (angle, sum(&edges, angle)));
    let found = best(fine);
    if found.1 < usual * PEAK || found.0.abs() > MOST {
        return 0.0;
    }
    found.0
}

fn best(sums: impl IntoIterator<Item = (f32, f32)>) -> (f32, f32) {
    let better = |best: (f32, f32), one: (f32, f32)| if one.1 > best.1 { one } else { best };
    sums.into_iter().fold((0.0, 0.0), better)
}

// Dark pixels above light ones.
fn edges(page: &Gray) -> Vec<(f32, f32)> {
    let below = page.dark_below();
    let is_dark = |at: usize| page.pixels[at] < below;
    let found: Vec<(f32, f32)> = (0..page.pixels.len() - page.width)
        .filter(|at| is_dark(*at) && !is_dark(at + page.width))
        .map(|at| ((at % page.width) as f32, (at / page.width) as f32))
        .collect();
    let every = found.len().div_ceil(MOST_EDGES).max(1);
    found.into_iter().step_by(every).collect()
}

fn sum(edges: &[(f32, f32)], angle: f32) -> f32 {
    let slope = angle.to_radians().tan();
    let row = |(x, y): &(f32, f32)| y - x * slope;
    let top = edges.iter().map(row).fold(f32::INFINITY, f32::min);
    let bottom = edges.iter().map(row).fold(f32::NEG_INFINITY, f32::max);
    let mut counts = vec![0.0_f32; (bottom - top) as usize + 2];
    for edge in edges {
        counts[(row(edge) - top) as usize] += 1.0;
    }
    counts
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).powi(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of lines of little bars, as letters are from afar.
    fn page() -> Gray {
        let (width, height) = (1000, 1400);
        let is_ink = |x: usize, y: usize| {
            (100..900).contains(&x)
                && (100..1300).contains(&y)
                && y % 30 < 12
                && (x * 7 + (y / 30) * 13) % 11 < 6
        };
        let pixels = (0..width * height)
            .map(|at| {
                if is_ink(at % width, at / width) {
                    20
                } else {
                    240
                }
            })
            .collect();
        Gray::new(width, height, pixels).unwrap()
    }

    #[test]
    fn every_angle_is_found_within_a_tenth_of_a_degree() {
        for angle in [-5.0, -3.0, -1.0, -0.4, 0.0, 0.7, 2.0, 4.0, 5.0_f32] {
            let found = skew(&page().rotated(angle));
            assert!((found - angle).abs() < 0.1, "{angle} was taken for {found}");
        }
    }

    #[test]
    fn a_page_without_lines_has_no_skew() {
        let blank = Gray::new(600, 800, vec![250; 480_000]).unwrap();
        assert_eq!(skew(&blank), 0.0);
        // A checkerboard of noise: edges everywhere and no line.
        let mut seed = 1_u32;
        let noise = (0..480_000).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if seed >> 24 < 40 { 0 } else { 255 }
        });
        assert_eq!(skew(&Gray::new(600, 800, noise.collect()).unwrap()), 0.0);
    }
}
