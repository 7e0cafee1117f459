//! A picture in shades of gray.

/// Eight bits a pixel, row by row, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gray {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

/// A pixel is dark where it has less than this share of the paper's brightness.
const DARK: f32 = 0.62;

impl Gray {
    /// None where there are not as many pixels as width and height say.
    pub(crate) fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        (width > 0 && height > 0 && pixels.len() == width.checked_mul(height)?).then_some(Self {
            width,
            height,
            pixels,
        })
    }

    /// The brightness of the paper: what nine of ten pixels do not surpass.
    pub(crate) fn paper(&self) -> u8 {
        let mut counts = [0_usize; 256];
        for pixel in &self.pixels {
            counts[usize::from(*pixel)] += 1;
        }
        let most = self.pixels.len() * 9 / 10;
        let mut seen = 0;
        for (shade, count) in counts.iter().enumerate() {
            seen += count;
            if seen > most {
                return shade as u8;
            }
        }
        255
    }

    /// Below this a pixel is dark.
    pub(crate) fn dark_below(&self) -> u8 {
        (f32::from(self.paper()) * DARK) as u8
    }

    /// Turned clockwise by a multiple of 90 degrees.
    pub(crate) fn turned(self, quarters: u32) -> Self {
        let Self {
            width,
            height,
            pixels,
        } = self;
        let read = |x: usize, y: usize| pixels[y * width + x];
        match quarters % 4 {
            1 => Self::drawn(height, width, |x, y| read(y, height - 1 - x)),
            2 => Self::drawn(width, height, |x, y| read(width - 1 - x, height - 1 - y)),
            3 => Self::drawn(height, width, |x, y| read(width - 1 - y, x)),
            _ => Self {
                width,
                height,
                pixels,
            },
        }
    }

    /// As the EXIF orientation 1 to 8 asks for.
    pub(crate) fn oriented(self, orientation: u8) -> Self {
        let quarters = match orientation {
            3 | 4 => 2,
            5 | 6 => 1,
            7 | 8 => 3,
            _ => 0,
        };
        let turned = self.turned(quarters);
        match orientation {
            2 | 4 | 5 | 7 => turned.mirrored(),
            _ => turned,
        }
    }

    fn mirrored(mut self) -> Self {
        for row in self.pixels.chunks_exact_mut(self.width) {
            row.reverse();
        }
        self
    }

    /// Turned clockwise by a few degrees, on a sheet that is large enough for all of it.
    pub(crate) fn rotated(&self, degrees: f32) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (width, height) = (self.width as f32, self.height as f32);
        let wide = (width * cos.abs() + height * sin.abs()).ceil() as usize;
        let high = (width * sin.abs() + height * cos.abs()).ceil() as usize;
        let paper = self.paper();
        let (from_x, from_y) = ((width - 1.0) / 2.0, (height - 1.0) / 2.0);
        let (to_x, to_y) = ((wide as f32 - 1.0) / 2.0, (high as f32 - 1.0) / 2.0);
        Self::drawn(wide, high, |x, y| {
            let (x, y) = (x as f32 - to_x, y as f32 - to_y);
            self.between(
                x * cos + y * sin + from_x,
                y * cos - x * sin + from_y,
                paper,
            )
        })
    }

    /// Larger or smaller. Smaller ones are means of what they cover.
    pub(crate) fn scaled(&self, by: f32) -> Self {
        let size = |side: usize| ((side as f32 * by).round() as usize).max(1);
        let (wide, high) = (size(self.width), size(self.height));
        if by >= 1.0 {
            let paper = self.paper();
            return Self::drawn(wide, high, |x, y| {
                let at = |to: usize| (to as f32 + 0.5) / by - 0.5;
                let edge = |at: f32, side: usize| at.clamp(0.0, side as f32 - 1.0);
                self.between(edge(at(x), self.width), edge(at(y), self.height), paper)
            });
        }
        let span = |to: usize, of: usize, side: usize| {
            let begin = to * side / of;
            begin..((to + 1) * side / of).clamp(begin + 1, side)
        };
        Self::drawn(wide, high, |x, y| {
            let (columns, rows) = (span(x, wide, self.width), span(y, high, self.height));
            let count = (columns.len() * rows.len()) as u32;
            let sum: u32 = rows
                .flat_map(|row| {
                    &self.pixels[row * self.width + columns.start..row * self.width + columns.end]
                })
                .map(|pixel| u32::from(*pixel))
                .sum();
            (sum / count) as u8
        })
    }

    /// Black and white: each pixel against the mean of its neighbourhood, so that a shadow across a photo stays paper.
    pub(crate) fn binarized(&self) -> Self {
        let (width, height) = (self.width, self.height);
        let reach = (width.max(height) / 40).max(8);
        let mut sums = vec![0_u64; (width + 1) * (height + 1)];
        for y in 0..height {
            let mut row = 0;
            for x in 0..width {
                row += u64::from(self.pixels[y * width + x]);
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row;
            }
        }
        Self::drawn(width, height, |x, y| {
            let (left, right) = (x.saturating_sub(reach), (x + reach + 1).min(width));
            let (top, bottom) = (y.saturating_sub(reach), (y + reach + 1).min(height));
            let at = |x: usize, y: usize| sums[y * (width + 1) + x];
            let sum = at(right, bottom) + at(left, top) - at(right, top) - at(left, bottom);
            let count = ((right - left) * (bottom - top)) as u64;
            // A fifth darker than what is around it.
            let is_dark = u64::from(self.pixels[y * width + x]) * count * 100 < sum * 82;
            if is_dark { 0 } else { 255 }
        })
    }

    /// The share of pixels that are dark.
    pub(crate) fn ink(&self) -> f32 {
        let below = self.dark_below();
        let dark = self.pixels.iter().filter(|pixel| **pixel < below).count();
        dark as f32 / self.pixels.len() as f32
    }

    fn drawn(width: usize, height: usize, pixel: impl Fn(usize, usize) -> u8) -> Self {
        let pixel = &pixel;
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| pixel(x, y)));
        Self {
            width,
            height,
            pixels: pixels.collect(),
        }
    }

    // Bilinear; beyond the edges is paper.
    fn between(&self, x: f32, y: f32, paper: u8) -> u8 {
        if x <= -1.0 || y <= -1.0 || x >= self.width as f32 || y >= self.height as f32 {
            return paper;
        }
        let (left, top) = (x.floor(), y.floor());
        let (right_share, bottom_share) = (x - left, y - top);
        let (left, top) = (left as isize, top as isize);
        let read = |x: isize, y: isize| {
            let is_inside = x >= 0 && y >= 0 && x < self.width as isize && y < self.height as isize;
            let pixel = if is_inside {
                self.pixels[y as usize * self.width + x as usize]
            } else {
                paper
            };
            f32::from(pixel)
        };
        let row = |y: isize| read(left, y) * (1.0 - right_share) + read(left + 1, y) * right_share;
        (row(top) * (1.0 - bottom_share) + row(top + 1) * bottom_share + 0.5) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Gray {
        Gray::new(3, 2, vec![1, 2, 3, 4, 5, 6]).unwrap()
    }

    #[test]
    fn a_quarter_turn_is_clockwise() {
        assert_eq!(picture().turned(1).pixels, [4, 1, 5, 2, 6, 3]);
        assert_eq!(picture().turned(2).pixels, [6, 5, 4, 3, 2, 1]);
        assert_eq!(picture().turned(3).pixels, [3, 6, 2, 5, 1, 4]);
        assert_eq!(picture().turned(1).turned(3), picture());
    }

    #[test]
    fn each_exif_orientation_is_undone() {
        // How a camera stores the picture under each orientation, by the EXIF standard: where row 0 and column 0 are.
        let stored: [(u8, usize, Vec<u8>); 8] = [
            (1, 3, vec![1, 2, 3, 4, 5, 6]),
            (2, 3, vec![3, 2, 1, 6, 5, 4]),
            (3, 3, vec![6, 5, 4, 3, 2, 1]),
            (4, 3, vec![4, 5, 6, 1, 2, 3]),
            (5, 2, vec![1, 4, 2, 5, 3, 6]),
            (6, 2, vec![3, 6, 2, 5, 1, 4]),
            (7, 2, vec![6, 3, 5, 2, 4, 1]),
            (8, 2, vec![4, 1, 5, 2, 6, 3]),
        ];
        for (orientation, width, pixels) in stored {
            let stored = Gray::new(width, 6 / width, pixels).unwrap();
            assert_eq!(stored.oriented(orientation), picture(), "{orientation}");
        }
    }

    #[test]
    fn a_rotation_keeps_every_corner_on_the_sheet() {
        let mut black = Gray::new(200, 100, vec![255; 20_000]).unwrap();
        black.pixels[0] = 0;
        let turned = black.rotated(10.0);
        assert!(turned.width > 200 && turned.height > 100);
        let darkest = turned.pixels.iter().min().unwrap();
        assert!(*darkest < 200, "the corner is still there");
    }

    #[test]
    fn a_shadow_becomes_paper_and_letters_stay() {
        let lit = |x: usize| if x < 100 { 240_u8 } else { 90 };
        let mut page = Gray::new(200, 50, (0..10_000).map(|at| lit(at % 200)).collect()).unwrap();
        page.pixels[25 * 200 + 30] = 60;
        page.pixels[25 * 200 + 170] = 20;
        let black: Vec<_> = page.binarized().pixels;
        assert_eq!((black[25 * 200 + 30], black[25 * 200 + 170]), (0, 0));
        assert_eq!((black[10 * 200 + 30], black[10 * 200 + 170]), (255, 255));
    }
}
