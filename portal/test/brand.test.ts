import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brandTokens, contrast, darkSurfaces, lightSurfaces } from '../src/brand.ts';

/* The colour of an account on the pages of its renters (WCAG 2.2, 1.4.3). */

const css = readFileSync(join(import.meta.dirname, '../../ui/src/tokens.css'), 'utf8');

describe('the colour of an account', () => {
  test.each(['#5b2a86', '#0a6b55', '#1b5aa8', '#000000', '#ad2018'])(
    'can be read in both themes when it is %s',
    (colour) => {
      const tokens = brandTokens(colour)!;
      const [, light, dark] = /light-dark\((#\w{6}), (#\w{6})\)/.exec(tokens['--accent'])!;
      for (const surface of lightSurfaces) expect(contrast(light!, surface)).toBeGreaterThanOrEqual(4.5);
      for (const surface of darkSurfaces) expect(contrast(dark!, surface)).toBeGreaterThanOrEqual(4.5);
      for (const fill of [tokens['--accent-fill'], tokens['--accent-fill-hover']])
        expect(contrast('#ffffff', fill)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test.each(['#ffdd00', '#ffffff', '#8a8a8a', 'red', '#fff', '', 'url(x)', null])(
    'gives way to the default when it is %s',
    (colour) => {
      expect(brandTokens(colour)).toBeNull();
    },
  );

  test('is judged on the surfaces of the tokens', () => {
    const surfaces = [...css.matchAll(/--surface(?:-sunken|-raised)?: light-dark\((#\w{6}), (#\w{6})\)/g)];
    expect(new Set(lightSurfaces)).toEqual(new Set(surfaces.map(([, light]) => light)));
    expect(new Set(darkSurfaces)).toEqual(new Set(surfaces.map(([, , dark]) => dark)));
  });
});
