import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Verdict } from '../../../src/referencing/providers/provider.ts';
import { reportPrinter, type ReportContents } from '../../../src/referencing/report/index.ts';
import {
  fontsOf,
  informationOf,
  metadataOf,
  pagesOf,
  pdfToolsMissing,
  picturesOf,
  structureOf,
  type Picture,
} from '../../support/pdf.ts';
import { completed, contentsOf } from './contents.ts';

const printer = reportPrinter();
afterAll(() => printer.stop());

/** Returns all pages as one text, with white space collapsed. */
async function textOf(contents: ReportContents): Promise<string> {
  return pagesOf(await printer.print(contents))
    .join(' ')
    .replace(/\s+/g, ' ');
}

describe('report texts', () => {
  beforeEach((context) => {
    if (pdfToolsMissing) context.skip(pdfToolsMissing);
  });

  test('states all findings in plain words when a check is complete', async () => {
    const text = await textOf(contentsOf());
    for (const said of [
      'Łukasz Żółć',
      'Prepared for Harper & Sons <Lettings>. Completed on 31 January 2027.',
      'Accept The checks gave no reason against a tenancy. In the words of Canopy: Acceptable',
      'Income covers the rent with room to spare.',
      'No adverse credit.',
      'Canopy reports and recommends. Whether to let is decided by Harper & Sons <Lettings>, and by nobody else.',
      'Date of birth 7 April 1993',
      'Current address 14 Albion Terrace, Flat 3, Bristol, BS1 4QA, United Kingdom',
      'Reference ref_0192f3a4b5c6',
      'Application app_0192f3a4b5c7',
      'Ordered 29 January 2027, 10:45 UTC',
      'Completed 31 January 2027, 10:45 UTC',
      '28% of verified gross income goes on rent, within the 40% line.',
      'Result Passed',
      'Rent £950.00 a month',
      'Verified gross income £40,714.00 a year',
      'Salary, confirmed by the employer.',
      'Credit score 640 of 999',
      'Electoral roll Registered at this address',
      'Passed: the person was found on no sanctions list.',
      'UK, UN and EU lists were searched.',
      'corrected, contact Canopy Disputes: disputes@canopy.example',
      'decides about the tenancy, not Canopy',
    ])
      expect(text).toContain(said);
  });

  test('prints a row with the result of each check', async () => {
    const text = await textOf(contentsOf());
    expect(text).toContain(
      'Identity Passed Passport and picture matched. Employer Referred On probation until May. Former landlord Failed Two months of arrears. Right to rent Not performed No details',
    );
  });

  test('lists progress in order, and once when reference and service both report it', async () => {
    const invited = { created: completed - 86_400, message: 'The applicant was invited.' };
    const text = await textOf(
      contentsOf({}, { notes: [invited, { created: completed - 3_600, message: 'An answer.' }] }),
    );
    expect(text).toContain(
      '30 January 2027, 10:45 The applicant was invited. 31 January 2027, 09:45 An answer. 31 January 2027, 10:45 Completed',
    );
  });

  test('prints the time once when several notes are of one minute', async () => {
    const timeline = [
      { created: completed - 120, message: 'The order was taken.' },
      { created: completed - 90, message: 'The applicant was invited.' },
      { created: completed, message: 'Completed' },
    ];
    const text = await textOf(contentsOf({ timeline }, { notes: [] }));
    expect(text).toContain(
      '31 January 2027, 10:43 The order was taken. The applicant was invited. 31 January 2027, 10:45 Completed',
    );
  });

  test('separates the thousands of a score and its scale', async () => {
    const text = await textOf(contentsOf({}, { credit: { score: 1640, scoreMax: 2000, facts: [] } }));
    expect(text).toContain('Credit score 1,640 of 2,000');
  });

  describe('decisions', () => {
    const decision = {
      outcome: 'high_risk',
      reason: 'The employer told us on the telephone that the contract ends in May.\nThe applicant knows it.',
      by: 'Ada Lovelace, operator',
      at: completed + 3_600,
    } as const;

    test('states both verdicts, the decider and the reason when an account overrules its service', async () => {
      const text = await textOf(contentsOf({ decision }));
      for (const said of [
        'Completed on 31 January 2027. Decided on 31 January 2027.',
        'High risk Decided by Harper & Sons <Lettings> on 31 January 2027. Canopy had found: Accept.',
        'What was decided Outcome High risk Decided by Ada Lovelace, operator',
        'On 31 January 2027, 11:45 UTC',
        'The reason: The employer told us on the telephone that the contract ends in May. The applicant knows it.',
        'This is other than what Canopy found. The decision counts.',
        'What was found Canopy: Accept In the words of Canopy: Acceptable',
        'Income covers the rent with room to spare.',
        'Credit score 640 of 999',
      ])
        expect(text).toContain(said);
      expect(text).not.toContain('The checks gave no reason against a tenancy.');
    });

    test('says that they agree when the account decides as its service', async () => {
      const text = await textOf(contentsOf({ decision: { ...decision, outcome: 'accept', reason: null } }));
      expect(text).toContain('No reason was given. This is the same as what Canopy found.');
    });

    test('names no service and no missing check when the account has made the check itself', async () => {
      const text = await textOf(contentsOf({ decision, providerName: null, findings: null, timeline: [] }));
      expect(text).toContain('Harper & Sons <Lettings> made this check itself. No referencing service was asked.');
      expect(text).toContain('Checked by Harper & Sons <Lettings>');
      for (const missing of ['Canopy', 'was not checked', 'were not checked', 'Progress and notes'])
        expect(text).not.toContain(missing);
    });

    test('prints what a stopped service had reported when the account decides before it', async () => {
      const unfinished = { words: null, percentage: 28, creditScore: 640, sanctionsPassed: true };
      const text = await textOf(contentsOf({ decision, findings: null, unfinished }));
      expect(text).toContain('Canopy had not finished when Harper & Sons <Lettings> decided. It gave no verdict.');
      expect(text).toContain('Rent 28% of gross income Credit score 640 (the scale is not known) Sanctions Passed');
    });

    test('names the earlier report when the findings cannot be read again', async () => {
      const unfinished = { words: 'Acceptable', percentage: null, creditScore: null, sanctionsPassed: null };
      const text = await textOf(contentsOf({ decision, findings: null, unfinished }));
      expect(text).toContain('Canopy, in its own words: Acceptable');
      expect(text).toContain('The report of 31 January 2027 has them.');
    });

    test('prints the whole reason when it is as long as it may be', async () => {
      const reason = `${'The rent is covered. '.repeat(94)}And this ends it.`;
      expect(await textOf(contentsOf({ decision: { ...decision, reason } }))).toContain('And this ends it.');
    });
  });

  test('prints the home, the move-in date and the others who apply when the application has them', async () => {
    const rent = { amount: 95_000, currency: 'gbp', interval: 'month' } as const;
    const home = {
      name: 'Flat 12',
      address: { line1: '3 Station Road', line2: null, city: 'York', postalCode: 'YO1 6AA', country: 'GB' },
    };
    const tenancy = { home, moveInDate: '2027-02-15', rent, coApplicants: ['cus_2'] };
    const text = await textOf(contentsOf({ tenancy }));
    expect(text).toContain(
      'Home Flat 12, 3 Station Road, York, YO1 6AA, United Kingdom Move-in 15 February 2027 Rent of the home £950.00 a month Applies Together with 1 other person: cus_2',
    );
    const alone = { home: null, moveInDate: null, rent: null, coApplicants: [] };
    expect(await textOf(contentsOf({ tenancy: alone }))).toContain(
      'Home Not named Move-in Not agreed Rent of the home Not known Applies Alone',
    );
  });

  test('begins with the letterhead when the account has one', async () => {
    const letterhead = {
      name: 'Harper & Sons Ltd',
      address: { line1: '1 High Street', line2: null, city: 'York', postalCode: 'YO1 8AA', country: 'GB' },
      email: 'lets@harper.example',
      phone: '+44 1904 000000',
      registration: 'Company no. 01234567',
      logo: null,
    };
    const text = await textOf(contentsOf({ letterhead }));
    expect(text).toMatch(/^ ?Harper & Sons Ltd/);
    for (const line of ['1 High Street', 'York YO1 8AA', 'lets@harper.example', 'Company no. 01234567'])
      expect(text.indexOf(line)).toBeLessThan(text.indexOf('Tenant reference report'));
    expect(text).toContain('questions about the decision go there. lets@harper.example, +44 1904 000000');
  });

  test.each<[Verdict, string]>([
    ['accept', 'Accept The checks gave no reason against a tenancy.'],
    ['consider', 'Consider Something in the checks should be weighed by a person'],
    ['high_risk', 'High risk The checks gave strong reasons to be careful.'],
  ])('states the outcome %s without relying on color', async (verdict, said) => {
    expect(await textOf(contentsOf({}, { verdict }))).toContain(said);
  });

  describe('acceptances beyond the income', () => {
    const { affordability } = contentsOf().findings;
    const failed = { affordability: { ...affordability!, status: 'fail', percentage: 58 } };

    test('begins with the condition, and names no guarantor, when the income does not carry the rent', async () => {
      const text = await textOf(contentsOf({}, failed));
      expect(text).toContain('Accept, but not on this income alone The rent is more than the income can carry.');
      expect(text).not.toContain('The checks gave no reason against a tenancy.');
      expect(text).not.toContain('guarantor');
      expect(text).toContain('Result Failed');
    });

    test('names the guarantor when the application has one', async () => {
      const text = await textOf(contentsOf({ hasGuarantor: true }, failed));
      expect(text).toContain('what the acceptance rests on. The application names a guarantor.');
      expect(await textOf(contentsOf({ hasGuarantor: true }))).not.toContain('guarantor');
    });

    test.each<Verdict>(['consider', 'high_risk'])(
      'keeps the headline of %s when the income does not carry the rent',
      async (verdict) => {
        expect(await textOf(contentsOf({}, { ...failed, verdict }))).not.toContain('not on this income alone');
      },
    );
  });

  test('calls no income verified when the service doubts it', async () => {
    const { affordability } = contentsOf().findings;
    const text = await textOf(contentsOf({}, { affordability: { ...affordability!, isIncomeVerified: false } }));
    expect(text).toContain('28% of stated gross income goes on rent, within the 40% line.');
    expect(text).toContain('This income is not verified: its proof is in doubt. Do not rely on the share.');
    expect(text).toContain('Stated gross income £40,714.00 a year, not verified');
    expect(text).not.toMatch(/verified gross income/i);
  });

  test('names the scale of a score only when the service reports it', async () => {
    const text = await textOf(contentsOf({}, { credit: { score: 612, scoreMax: null, facts: [] } }));
    expect(text).toContain('Credit score 612 (the scale is not known)');
  });

  test("states each applicant's share without names when two applicants pay the rent", async () => {
    const rent = { amount: 95_000, currency: 'gbp', interval: 'month' } as const;
    const sharedRent = {
      whole: { ...rent, amount: 190_000 },
      shares: ['cus_1', 'cus_2'].map((customerId) => ({ customerId, rent })),
    };
    const { affordability } = contentsOf().findings;
    for (const checked of [affordability, null]) {
      const text = await textOf(contentsOf({ customerId: 'cus_2', sharedRent }, { affordability: checked }));
      expect(text).toContain('Rent of the home £1,900.00 a month');
      expect(text).toContain('Another applicant £950.00 a month (cus_1) This applicant £950.00 a month (cus_2)');
      expect(text).toContain('is divided equally among its 2 applicants');
      if (checked) expect(text).toContain('Share of this applicant £950.00 a month');
    }
    expect(await textOf(contentsOf())).not.toContain('Rent of the home');
  });

  test('calls a missing credit file no bad sign when none was found', async () => {
    const text = await textOf(contentsOf({}, { credit: { score: null, scoreMax: 999, facts: [] } }));
    expect(text).toContain('No credit file was found. That is no bad sign');
    expect(text).not.toContain('Credit score');
  });

  test('separates passed, failed and open sanctions checks', async () => {
    for (const [passed, said] of [
      [true, 'Sanctions Passed: the person was found on no sanctions list.'],
      [false, 'Sanctions Not passed: the person may be on a sanctions list.'],
      [null, 'Sanctions Not settled: whether the person is on a sanctions list is open.'],
    ] as const)
      expect(await textOf(contentsOf({}, { sanctions: { passed, facts: [] } }))).toContain(said);
  });

  test('prints a sentence in the place of a finding when it was not checked or not reported', async () => {
    const nothing = { affordability: null, credit: null, sanctions: null, reasons: [], checks: [], notes: [] };
    const text = await textOf(contentsOf({ applicant: null, customerId: 'cus_1', timeline: [] }, nothing));
    for (const said of [
      'Customer cus_1',
      'Canopy gave no reasons.',
      'Name, date of birth and address are kept by Harper & Sons <Lettings>, as customer cus_1.',
      'Affordability was not checked.',
      'Credit was not checked.',
      'Sanctions lists were not checked.',
      'No other checks were reported.',
      'Nothing was noted.',
    ])
      expect(text).toContain(said);
    const unknown = {
      status: null,
      percentage: null,
      rent: null,
      annualIncome: null,
      isIncomeVerified: true,
      sources: [],
    };
    expect(await textOf(contentsOf({}, { affordability: unknown }))).toContain(
      'The rent could not be held against a verified income. Result None was given Rent Not known Verified gross income None could be verified No sources',
    );
  });

  test.each([
    [{ amount: 120_050, currency: 'eur', interval: 'week' }, '€1,200.50 a week'],
    [{ amount: 98_000, currency: 'jpy', interval: 'month' }, 'JP¥98,000 a month'],
    [{ amount: 1_234_567, currency: 'kwd', interval: 'year' }, 'KWD 1,234.567 a year'],
    [{ amount: 99, currency: 'shells', interval: 'month' }, '99 shells a month'],
  ] as const)("prints money with its currency's own decimals: %j", async (rent, said) => {
    const affordability = { ...contentsOf().findings.affordability!, rent };
    expect(await textOf(contentsOf({}, { affordability }))).toContain(`Rent ${said}`);
  });

  test.each([
    'Łukasz Żółć',
    'Ελένη Παπαδοπούλου',
    'Юлия Щербакова',
    'Nguyễn Thị Ánh',
    'Şükrü Ağaoğlu',
    'office ﬃ fjord',
  ])('makes a name searchable: %s', async (name) => {
    const { applicant } = contentsOf();
    const text = await textOf(contentsOf({ applicant: { ...applicant!, name: name.normalize('NFD') } }));
    expect(text).toContain(`Name ${name.normalize('NFC')} Date of birth`);
  });

  test('cuts the notes and states their number when there are very many', async () => {
    const timeline = Array.from({ length: 230 }, (_, index) => ({ created: index, message: `Note ${index}.` }));
    const text = await textOf(contentsOf({ timeline }, { notes: [] }));
    expect(text).toContain('Note 199. and 30 more');
    expect(text).not.toContain('Note 200.');
  });

  test('takes as many pages as it needs and loses or covers no word when texts are long', async () => {
    const words = Array.from({ length: 260 }, (_, index) => `w${index}`);
    const timeline = Array.from({ length: 12 }, (_, index) => ({
      created: index,
      message: `${index}: ${words.join(' ')}`,
    }));
    const pdf = await printer.print(contentsOf({ timeline }, { notes: [] }));
    const pages = pagesOf(pdf);
    expect(pages.length).toBeGreaterThan(3);
    const text = pages
      .map((page) => page.replace(/^Tenant reference report: .*$|^Reference ref_.*$|^Page \d+ of \d+$/gm, ''))
      .join(' ');
    for (const { message } of timeline) expect(text.replace(/\s+/g, ' ')).toContain(message);
  });

  test('says that a text was shortened when it is extremely long', async () => {
    const message = `${'word '.repeat(400)}the end`;
    const text = await textOf(contentsOf({ timeline: [{ created: completed, message }] }, { notes: [] }));
    expect(text).toContain('word word … All times are UTC.');
    expect(text).not.toContain('the end');
  });
});

/** Measures how much of each page is as pale as the text across it. */
function paleDotsOf(pdf: Buffer): number[] {
  return picturesOf(pdf, 36).map(({ dots }) => dots.filter((dot) => dot >= 215 && dot < 252).length);
}

/** Measures in dots. Only the bar is dark without a gap over more than a letter's width. */
function longestDarkRun({ width, dots }: Picture): number {
  let longest = 0;
  let run = 0;
  for (const [index, dot] of dots.entries()) {
    run = dot < 130 && index % width > 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

describe('report pages', () => {
  beforeEach((context) => {
    if (pdfToolsMissing) context.skip(pdfToolsMissing);
  });

  test('numbers the pages, and prints at most three in an ordinary report', async () => {
    const pages = pagesOf(await printer.print(contentsOf()));
    expect(pages.length).toBeLessThanOrEqual(3);
    for (const [index, page] of pages.entries()) expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
  });

  test('marks every page as a test in a sandbox, and none in live mode', async () => {
    const timeline = Array.from({ length: 60 }, (_, index) => ({ created: index, message: 'A note.' }));
    const [sandbox, live] = [
      await printer.print(contentsOf({ isTest: true, timeline })),
      await printer.print(contentsOf({ timeline })),
    ];
    const inkOfLive = paleDotsOf(live);
    expect(inkOfLive.length).toBeGreaterThan(2);
    for (const [index, count] of paleDotsOf(sandbox).entries())
      expect(count).toBeGreaterThan(inkOfLive[index]! + 5_000);
    expect(pagesOf(sandbox).join('')).toContain('This is a test, made in the sandbox');
    expect(pagesOf(live).join('')).not.toMatch(/test/i);
  });

  test('prints A4 pages, of which none is empty', async () => {
    const timeline = Array.from({ length: 200 }, (_, index) => ({ created: index, message: 'A note. '.repeat(20) }));
    for (const contents of [contentsOf(), contentsOf({ timeline, isTest: true })]) {
      const pictures = picturesOf(await printer.print(contents), 72);
      for (const { width, height, dots } of pictures) {
        expect([width, height]).toEqual([596, 842]);
        expect(dots.filter((dot) => dot < 128).length).toBeGreaterThan(500);
      }
    }
  });

  test("draws the bar of the rent's share to scale", async () => {
    const fullLength = 353;
    for (const percentage of [28, 62, 100, 250]) {
      const affordability = { ...contentsOf().findings.affordability!, percentage };
      const [first] = picturesOf(await printer.print(contentsOf({}, { affordability })), 72);
      const drawn = longestDarkRun(first!) - (fullLength * Math.min(percentage, 100)) / 100;
      expect(Math.abs(drawn), `${percentage}%`).toBeLessThan(4);
    }
  });
});

describe('PDF documents', () => {
  beforeEach((context) => {
    if (pdfToolsMissing) context.skip(pdfToolsMissing);
  });

  test('stores title, author, language and time in the document', async () => {
    const pdf = await printer.print(contentsOf());
    expect(informationOf(pdf)).toMatchObject({
      Title: 'Tenant reference for Łukasz Żółć',
      Author: 'Harper & Sons <Lettings>',
      CreationDate: '2027-01-31T10:45:00Z',
      Tagged: 'yes',
      JavaScript: 'no',
      Form: 'none',
      'PDF version': '1.7',
    });
    const metadata = metadataOf(pdf);
    expect(metadata).toContain('<rdf:li>Harper &amp; Sons &lt;Lettings&gt;</rdf:li>');
    expect(metadata).toContain('<pdfuaid:part>1</pdfuaid:part>');
    const source = pdf.toString('latin1');
    expect(source).toContain('/Lang (en-GB)');
    expect(source).toContain('/DisplayDocTitle true');
    expect(source).toContain('/Marked true');
    expect(source).toContain('/Type /StructTreeRoot');
  });

  test('tags headings, lists, tables and drawings in reading order, but not the repeated parts of pages', async () => {
    const pdf = await printer.print(contentsOf({ isTest: true }));
    const structure = structureOf(pdf);
    const headings = [...structure.matchAll(/^ *(H\d) .*\n *"(.*)"$/gm)].map(([, tag, text]) => `${tag} ${text}`);
    expect(headings).toEqual([
      'H1 Łukasz Żółć',
      'H2 Accept',
      'H2 What was found',
      'H2 Applicant',
      'H2 This reference',
      'H2 Affordability',
      'H2 Credit',
      'H2 Sanctions',
      'H2 Checks',
      'H2 Progress and notes',
      'H2 If something is wrong',
    ]);
    expect(structure).toMatch(/LI \(block\)\n *Lbl \(block\)\n *"–"\n *LBody \(block\)\n *"No adverse credit."/);
    expect(structure).toMatch(
      /TH:\n *\/Scope \/Row\n *"Identity"\n *TD\n *"Passed"\n *TD\n *"Passport and picture matched."/,
    );
    expect(structure).toMatch(/TH:\n *\/Scope \/Column\n *"Result"/);
    expect(structure).toContain('Figure');
    const alternative = 'A bar from 0% to 100% of gross income: rent takes 28%, within the 40% line.';
    expect(pdf.toString('latin1')).toContain(`/Alt (${alternative})`);
    expect(structure).not.toContain('TEST');
    expect(structure).not.toMatch(/Page \d of/);
    // A line end is not the end of a word.
    expect(structure).toContain('is decided by Harper & Sons <Lettings>, and by nobody else.');
  });

  test('embeds only the used parts of its fonts', async () => {
    const pdf = await printer.print(contentsOf());
    const fonts = fontsOf(pdf);
    expect(fonts.map(({ name }) => name.replace(/^[A-Z]{6}\+/, '')).toSorted()).toEqual([
      'NotoSans-Regular',
      'NotoSans-SemiBold',
    ]);
    for (const font of fonts) expect(font).toMatchObject({ embedded: 'yes', subset: 'yes', unicode: 'yes' });
    expect(pdf.length).toBeLessThan(100_000);
  });
});

describe('reports with any findings', () => {
  test('bounds the size of a report when all its texts are as long as they can be', async () => {
    const long = 'W'.repeat(2_500);
    const many = Array.from({ length: 1_000 }, () => long);
    const contents = contentsOf(
      { accountName: long, timeline: many.map((message, created) => ({ created, message })) },
      {
        reasons: many,
        checks: many.map((name) => ({ name, result: 'refer', detail: long })),
        credit: { score: 1, scoreMax: null, facts: many.map((label) => ({ label, value: long })) },
      },
    );
    // A busy machine takes longer than the server waits.
    const patient = reportPrinter({ turnMsMax: 600_000 });
    onTestFinished(() => patient.stop());
    expect((await patient.print(contents)).length).toBeLessThan(10_000_000);
  });
});
