import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { reportPrinter, type ReportContents } from '../../../src/referencing/report/index.ts';
import { fontsOf, pagesOf, pdfToolsMissing, picturesOf } from '../../support/pdf.ts';
import { completed, contentsOf } from './contents.ts';

const printer = reportPrinter();
afterAll(() => printer.stop());

beforeEach((context) => {
  if (pdfToolsMissing) context.skip(pdfToolsMissing);
});

function contentsOfName(name: string, country = 'GB'): ReportContents {
  const { applicant } = contentsOf();
  return contentsOf({ applicant: { ...applicant!, name, currentAddress: { ...applicant!.currentAddress!, country } } });
}

/** Returns all pages as one text, without pdftotext's direction marks. */
async function textOf(contents: ReportContents): Promise<string> {
  const pages = pagesOf(await printer.print(contents));
  return pages
    .join(' ')
    .replaceAll(/[\u202A-\u202E]/g, '')
    .replace(/\s+/g, ' ');
}

/** Returns the names of the fonts, without the tag of their subset. */
async function fontNamesOf(contents: ReportContents): Promise<string[]> {
  return fontsOf(await printer.print(contents)).map(({ name }) => name.replace(/^[A-Z]{6}\+/, ''));
}

describe('names in reports', () => {
  test('makes names searchable when an accented letter was printed before the letter without its accent', async () => {
    await textOf(contentsOfName('Żaneta Ǆ Ǭ Ẃ'));
    expect(await textOf(contentsOfName('Zed Dz Wyn Oz'))).toContain('Name Zed Dz Wyn Oz Date of birth');
  });

  test.each([
    ['simplified Chinese', '陈伟'],
    ['traditional Chinese', '陳偉霖'],
    ['Japanese', '山田 太郎 やまだ'],
    ['Korean', '김민준'],
    ['Devanagari', 'राहुल क्षत्रिय निर्भर'],
    ['Bengali', 'সুমাইয়া রহমান'],
    ['Gurmukhi', 'ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ'],
    ['Gujarati', 'ગૌરવ પટેલ'],
    ['Odia', 'ଶୁଭମ୍'],
    ['Tamil', 'முத்துக்குமார்'],
    ['Telugu', 'రాజశేఖర్'],
    ['Kannada', 'ಮಂಜುನಾಥ್'],
    ['Malayalam', 'ശ്രീകുമാർ'],
    ['Sinhala', 'නිමල් ශ්‍රී'],
    ['Thai', 'สมชาย ญี่ปุ่น'],
    ['Lao', 'ສົມສັກ'],
    ['Khmer', 'សុខា ភិរុណ'],
    ['Burmese', 'မြို့ အောင်ဆန်း န္တ'],
    ['Tibetan', 'བསྟན་འཛིན'],
    ['Georgian', 'გიორგი ბერიძე'],
    ['Armenian', 'Արամ Խաչատրյան'],
    ['Ethiopic', 'አበበ ቢቂላ'],
  ])('prints a name when it is in %s', async (_, name) => {
    expect(await textOf(contentsOfName(name))).toContain(`Name ${name} Date of birth`);
  });

  test.each([
    ['Arabic', 'محمد علي الحسن', 'الحسن علي محمد'],
    ['Hebrew', 'משה כהן', 'כהן משה'],
    ['Syriac', 'ܝܘܚܢܢ ܡܪܝ', 'ܡܪܝ ܝܘܚܢܢ'],
    ['Arabic with a number', 'محمد 12 علي', 'علي 12 محمد'],
    ['Hebrew with Latin', 'משה (Dan) כהן', 'כהן (Dan) משה'],
  ])('prints a name from right to left when it is in %s', async (_, name, fromLeft) => {
    expect(await textOf(contentsOfName(name))).toContain(`Name ${fromLeft} Date of birth`);
  });

  test('keeps the order of a name when it mixes scripts', async () => {
    expect(await textOf(contentsOfName('Ada محمد 陈伟 Łuk'))).toContain('Name Ada محمد 陈伟 Łuk Date of birth');
  });

  test('joins Arabic letters when nothing keeps them apart', async () => {
    const [joined, apart] = await Promise.all(
      ['محمد', 'م\u200Cح\u200Cم\u200Cد'].map(async (name) => picturesOf(await printer.print(contentsOfName(name)), 72)),
    );
    expect(joined![0]!.dots.equals(apart![0]!.dots)).toBe(false);
  });

  test.each([
    ['an emoji', 'Mia 😀', 'Mia [U+1F600]'],
    ['a sequence of emoji', 'Mia 👩\u200D💻❤\uFE0F', 'Mia [U+1F469][U+1F4BB][U+2764]'],
    ['a private character', 'Mia \uE000', 'Mia [U+E000]'],
    ['half a character', 'Mia \uD83D', 'Mia [U+D83D]'],
    ['an invisible character', 'Mia \u202E\u200Bevil', 'Mia evil'],
  ])('prints the number of a character when no font has it: %s', async (_, name, shown) => {
    expect(await textOf(contentsOfName(name))).toContain(`Name ${shown} Date of birth`);
  });

  test.each([
    ['Arabic', 'محمد'.repeat(60)],
    ['Arabic in words', 'عبد الرحمن '.repeat(20)],
    ['Chinese', '陈伟'.repeat(90)],
    ['Thai', 'สมชาย'.repeat(40)],
    ['Devanagari', 'क्षत्रिय'.repeat(30)],
    ['one endless syllable', 'क्'.repeat(200)],
    ['Burmese', 'မြို့'.repeat(40)],
  ])('keeps a long name within the page: %s', async (_, name) => {
    const pictures = picturesOf(await printer.print(contentsOfName(name)), 72);
    for (const { width, dots } of pictures) {
      const outside = [...dots.entries()].filter(([index, dot]) => {
        const x = index % width;
        return dot < 200 && (x < 52 || x > 544);
      });
      expect(outside).toEqual([]);
    }
  });

  test.each([
    ['CN', 'NotoSansSC'],
    ['TW', 'NotoSansTC'],
    ['JP', 'NotoSansJP'],
  ])("prints a name with its country's glyphs when the address is in %s", async (country, font) => {
    expect((await fontNamesOf(contentsOfName('林直骨', country))).join(' ')).toContain(font);
  });
});

test('prints an address and a finding when they are in other scripts', async () => {
  const { applicant } = contentsOf();
  const currentAddress = { line1: '東京都千代田区', line2: null, city: '東京', postalCode: '100-0001', country: 'JP' };
  const notes = [{ created: completed, message: '雇主（上海某某有限公司）已经回复。' }];
  const text = await textOf(contentsOf({ applicant: { ...applicant!, currentAddress } }, { notes }));
  expect(text).toContain('Current address 東京都千代田区, 東京, 100-0001, Japan');
  expect(text).toContain('雇主（上海某某有限公司）已经回复。');
});

test('embeds no other fonts when a report is in Latin', async () => {
  expect(await fontNamesOf(contentsOf())).toHaveLength(2);
});

test('prints the same bytes again when other reports were printed in its scripts', async () => {
  const other = reportPrinter();
  try {
    const contents = contentsOfName('محمد 陈伟 राहुल');
    const first = await printer.print(contents);
    await other.print(contentsOfName('حسن شيخ 伟陈 हरिराम'));
    expect(await other.print(contents)).toEqual(first);
    expect(await printer.print(contents)).toEqual(first);
  } finally {
    await other.stop();
  }
});

test('prints a report when it has thousands of different Chinese characters', async () => {
  const characters = Array.from({ length: 4_000 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  const timeline = Array.from({ length: 4 }, (_, index) => ({
    created: index,
    message: characters.slice(index * 1_000, (index + 1) * 1_000).join(''),
  }));
  const pdf = await printer.print(contentsOf({ timeline }, { notes: [] }));
  expect(pdf.length).toBeLessThan(10_000_000);
  expect(pagesOf(pdf).join('')).toContain('一丁丂');
});
