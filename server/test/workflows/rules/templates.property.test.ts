import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/core/json-diff.ts';
import {
  filledIn,
  hasBrokenBraces,
  pathsIn,
  TemplateError,
  textFilledIn,
  urlFilledIn,
} from '../../../src/workflows/rules/templates.ts';

const event = {
  id: 'evt_1',
  data: { object: { id: 'ref_1', rent: { amount: 95_000 }, customers: ['cus_1'], unit: null, is_open: true } },
};
const scope = { event, steps: { check: { output: { id: 'ref_2' } } }, item: 'cus_9' };
const plainText = fc.string().filter((text) => !/[{}]/.test(text));

describe('a template', () => {
  test.each([
    ['{{event.data.object.rent.amount}}', 95_000],
    ['{{ event.data.object.customers }}', ['cus_1']],
    ['{{event.data.object.unit}}', null],
    ['{{event.data.object.is_open}}', true],
    ['{{item}}', 'cus_9'],
    ['{{steps.check.output.id}}', 'ref_2'],
  ])('keeps the type of its value when it is alone: %s', (text, value) => {
    expect(filledIn(text, scope)).toEqual(value);
  });

  test('is replaced by a text when there is text around it', () => {
    expect(filledIn('/v1/references/{{event.data.object.id}}/cancel', scope)).toBe('/v1/references/ref_1/cancel');
    expect(filledIn('{{item}}{{event.data.object.rent.amount}}', scope)).toBe('cus_995000');
  });

  test.each(['{{event.data.object.name}}', 'a {{steps.other.output.id}}', '{{event.data.object.id.length}}'])(
    'fails when its path is missing: %s',
    (text) => {
      expect(() => filledIn(text, scope)).toThrow(TemplateError);
    },
  );

  test.each(['a {{event.data.object.rent}}', 'a {{event.data.object.customers}}', 'a {{event.data.object.unit}}'])(
    'fails within a text when its value is no text: %s',
    (text) => {
      expect(() => filledIn(text, scope)).toThrow(TemplateError);
    },
  );

  test('leaves every value without templates as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('{{'));
        expect(filledIn(value as Json, scope)).toEqual(value);
      }),
    );
  });

  test('is filled in once, so that a value with braces stays a value', () => {
    fc.assert(
      fc.property(fc.string(), plainText, (value, around) => {
        const own = { event: { data: { value: `{{event.id}}${value}` } }, steps: {} };
        const filled = textFilledIn(`${around}{{event.data.value}}${around}`, own);
        expect(filled).toBe(`${around}{{event.id}}${value}${around}`);
      }),
    );
  });

  test('cannot leave its place in a URL when its value is any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed()),
          fc.stringMatching(/^[./\\%2eE]{1,4}$/),
        ),
        (value) => {
          const own = { ...scope, item: value };
          let url: URL;
          try {
            url = urlFilledIn('https://example.com/a/b/{{item}}/c?b={{item}}', own);
          } catch (error) {
            expect(error).toBeInstanceOf(TemplateError);
            expect(['.', '..']).toContain(value);
            return;
          }
          expect(url.host).toBe('example.com');
          expect(url.pathname).toMatch(/^\/a\/b\/[^/]*\/c$/);
          expect([...url.searchParams.keys()]).toEqual(['b']);
        },
      ),
    );
  });

  test.each([
    'https://example.com/a/{{item}}',
    'https://example.com/a/.{{item}}/b',
    'https://example.com/a/%2e{{item}}',
  ])('fails when its value makes a part of the path climb: %s', (url) => {
    expect(() => urlFilledIn(url, { ...scope, item: '.' })).toThrow(TemplateError);
  });

  test.each([
    ['a member', { list: Array.from({ length: 900 }, () => '{{event.data.text}}') }],
    ['a text', '{{event.data.text}} '.repeat(900)],
    ['an object', { list: Array.from({ length: 900 }, () => '{{event}}') }],
  ])('fails when the templates of a body fill in too much, in %s', (_, body) => {
    const own = { event: { data: { text: 'a'.repeat(500) } }, steps: {} };
    expect(() => filledIn(body, own)).toThrow(expect.objectContaining({ code: 'body_too_large' }));
  });

  test.each(['{{event.id}', '{event.id}}', '{{event id}}', '{{}}', '{{event-id}}'])(
    'is refused when its braces are broken: %s',
    (text) => {
      expect(hasBrokenBraces(text)).toBe(true);
    },
  );

  test('names its paths in their order', () => {
    expect(pathsIn('a {{event.id}} b {{ steps.x.output }}')).toEqual(['event.id', 'steps.x.output']);
    expect(hasBrokenBraces('a {{event.id}} b {{ steps.x.output }} {c}')).toBe(false);
  });
});
