/* The colour of the account. It is used only where people can read it. */

/** The surfaces of the tokens, on which links stand. */
export const lightSurfaces = ['#ffffff', '#f6f7f8'];
export const darkSurfaces = ['#101315', '#0b0d0f', '#181c1f'];
const white = '#ffffff';
const black = '#000000';

/** The least contrast of a text (WCAG 2.2, 1.4.3). */
const contrastMin = 4.5;

/** The tokens that follow the colour of an account. */
export interface BrandTokens {
  '--accent': string;
  '--accent-fill': string;
  '--accent-fill-hover': string;
}

/**
 * Returns the tokens for a colour, or null if texts in this colour cannot be read. The default tokens then stay. In the dark theme, links
 * are mixed with white until they can be read.
 */
export function brandTokens(colour: string | null): BrandTokens | null {
  if (colour === null || !/^#[0-9a-f]{6}$/i.test(colour)) return null;
  const fill = colour.toLowerCase();
  if (!canBeRead(fill, [...lightSurfaces, white])) return null;
  const steps = Array.from({ length: 21 }, (_, step) => mixed(fill, white, step / 20));
  const dark = steps.find((step) => canBeRead(step, darkSurfaces)) ?? white;
  return {
    '--accent': `light-dark(${fill}, ${dark})`,
    '--accent-fill': fill,
    '--accent-fill-hover': mixed(fill, black, 0.2),
  };
}

/** Gives the page the colour of an account. */
export function applyBrand(colour: string | null): void {
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(brandTokens(colour) ?? {})) style.setProperty(name, value);
}

function canBeRead(colour: string, surfaces: readonly string[]): boolean {
  return surfaces.every((surface) => contrast(colour, surface) >= contrastMin);
}

/** Returns the contrast of two colours (WCAG 2.2), from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Mixes a colour with a share of another one. */
function mixed(colour: string, other: string, share: number): string {
  const into = channels(other);
  const parts = channels(colour).map((value, at) => Math.round(value + (into[at]! - value) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
