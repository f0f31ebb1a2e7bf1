import type { Findings, Note, Verdict } from '../providers/provider.ts';
import type { ReportContents, ReportDecision, Unfinished } from './contents.ts';
import { digestOf } from '../../print/digest.ts';
import type { Fonts } from '../../print/fonts.ts';
import { drawSender } from '../../print/letterhead.ts';
import { atRight, oneLine, watermark } from '../../print/margins.ts';
import { countMore, factPlaces, factTable, section } from '../../print/sections.ts';
import { column, ink, page, Sheet, styles } from '../../print/sheet.ts';
import { rule } from '../../print/table.ts';
import { addressLines, calendarDay, dateOf, dayOf, minuteOf, money } from '../../print/words.ts';
import { addressText, percentText, rentText, scoreText } from './words.ts';

/** Rows of a kind that are shown. More are only counted. */
const shownMax = { notes: 200, others: 60 };

/** Per cent of gross income. The rent takes at most this share if the income is thirty times the monthly rent. */
const rentShareMax = 40;

/** The first page has no line above its text. */
const firstLineY = 60;

type Check = Findings['checks'][number];

/** The meaning of each outcome for the reader. Color and sign repeat it, and never stand alone. */
const verdicts: Record<Verdict, { title: string; meaning: string; color: string; tint: string }> = {
  accept: {
    title: 'Accept',
    meaning: 'The checks gave no reason against a tenancy.',
    color: '#1c6b4c',
    tint: '#eef6f1',
  },
  consider: {
    title: 'Consider',
    meaning: 'Something in the checks should be weighed by a person before a tenancy is agreed.',
    color: '#8a5a06',
    tint: '#fbf5e6',
  },
  high_risk: {
    title: 'High risk',
    meaning: 'The checks gave strong reasons to be careful.',
    color: ink.alarm,
    tint: '#fbefee',
  },
};

const colors = { pass: verdicts.accept.color, refer: verdicts.consider.color, fail: verdicts.high_risk.color };

const checkResults: Record<Check['result'], { title: string; color: string }> = {
  pass: { title: 'Passed', color: colors.pass },
  refer: { title: 'Referred', color: colors.refer },
  fail: { title: 'Failed', color: colors.fail },
  not_performed: { title: 'Not performed', color: ink.muted },
};

/** Explains a status of affordability, such as `refer`, in common words. */
const affordabilityStatuses: ReadonlyMap<string, string> = new Map([
  ['pass', 'Passed'],
  ['refer', 'Referred: to be looked at by a person'],
  ['fail', 'Failed'],
]);

/**
 * Returns the report of a completed reference as a PDF. The same contents give the same bytes.
 *
 * @throws nothing for any text and any number.
 */
export function layOutReport(contents: ReportContents, fonts: Fonts): Buffer {
  const { referenceId, completed, accountName, applicant, decision, findings, letterhead } = contents;
  const sheet = new Sheet(fonts, {
    title: applicant ? `Tenant reference for ${applicant.name}` : `Tenant reference ${referenceId}`,
    author: accountName,
    created: dateOf(decision?.at ?? completed),
    digest: digestOf(contents),
  });
  sheet.y = firstLineY;
  if (letterhead) layOutLetterhead(sheet, letterhead);
  layOutTitle(sheet, contents);
  layOutOutcome(sheet, contents);
  if (decision) layOutDecision(sheet, contents, decision);
  layOutFound(sheet, contents);
  layOutApplicant(sheet, contents);
  layOutTenancy(sheet, contents);
  layOutReference(sheet, contents);
  if (findings) layOutFindings(sheet, contents, findings);
  else layOutShares(sheet, contents);
  if (contents.providerName !== null) layOutNotes(sheet, [...contents.timeline, ...(findings?.notes ?? [])]);
  layOutDispute(sheet, contents);
  return sheet.finish((number, count) => {
    drawMargins(sheet, contents, number, count);
    if (contents.isTest) watermark(sheet, ['TEST']);
  });
}

function layOutFindings(sheet: Sheet, contents: ReportContents, findings: Findings): void {
  layOutAffordability(sheet, contents, findings);
  layOutShares(sheet, contents);
  layOutCredit(sheet, findings.credit);
  layOutSanctions(sheet, findings.sanctions);
  layOutChecks(sheet, findings.checks);
}

function layOutLetterhead(sheet: Sheet, letterhead: NonNullable<ReportContents['letterhead']>): void {
  drawSender(sheet, letterhead);
  rule(sheet, ink.hairline);
  sheet.y += 22;
}

function layOutTitle(sheet: Sheet, contents: ReportContents): void {
  const { applicant, customerId, accountName, completed, decision, isTest } = contents;
  const width = page.right - page.left;
  const subject =
    applicant?.name ?? (customerId ? `Customer ${customerId}` : 'An applicant whose name is kept elsewhere');
  sheet.paragraph('Tenant reference report', styles.label, { x: page.left, width });
  sheet.y += 2;
  sheet.paragraph(sheet.shortenBeside(subject), styles.title, { tag: 'H1', x: page.left, width });
  sheet.y += 3;
  const decided = decision ? ` Decided on ${dayOf(decision.at)}.` : '';
  sheet.paragraph(`Prepared for ${accountName}. Completed on ${dayOf(completed)}.${decided}`, styles.label, {
    x: page.left,
    width,
  });
  if (isTest) {
    const warning = 'This is a test, made in the sandbox: nothing in it was found out about anybody.';
    sheet.paragraph(warning, { ...styles.strong, color: colors.fail }, { x: page.left, width });
  }
  sheet.y += 18;
}

/** Adds the condition to an acceptance that the income alone does not support. */
function verdictOf({ verdict, affordability }: Findings, hasGuarantor: boolean): typeof verdicts.accept {
  if (verdict !== 'accept' || affordability?.status !== 'fail') return verdicts[verdict];
  const guarantor = hasGuarantor ? ' The application names a guarantor.' : '';
  return {
    ...verdicts.accept,
    title: 'Accept, but not on this income alone',
    meaning: `The rent is more than the income can carry. The reasons below say what the acceptance rests on.${guarantor}`,
  };
}

/** What the box at the top says. A decision comes before what was found. */
interface Headline {
  verdict: Verdict;
  title: string;
  meaning: string;
  /** A further line in small type. Null if there is none. */
  said: string | null;
}

function headlineOf(contents: ReportContents): Headline {
  const { findings, decision, providerName, accountName, hasGuarantor } = contents;
  if (decision) {
    const { outcome, at } = decision;
    return {
      verdict: outcome,
      title: verdicts[outcome].title,
      meaning: `Decided by ${accountName} on ${dayOf(at)}.`,
      said: findings && `${providerName} had found: ${verdicts[findings.verdict].title}. Both are explained below.`,
    };
  }
  // Without a decision, a service has completed it.
  if (!findings) return { verdict: 'consider', ...verdicts.consider, said: null };
  const { title, meaning } = verdictOf(findings, hasGuarantor);
  return { verdict: findings.verdict, title, meaning, said: `In the words of ${providerName}: ${findings.words}` };
}

/** Draws the outcome at the most visible place. */
function layOutOutcome(sheet: Sheet, contents: ReportContents): void {
  const { verdict, title, meaning, said } = headlineOf(contents);
  const { color, tint } = verdicts[verdict];
  const x = page.left + 64;
  const width = page.right - 20 - x;
  const titleLines = sheet.linesOf(title, styles.verdict, width);
  const meaningLines = sheet.linesOf(meaning, styles.body, width);
  const saidText = said === null ? null : sheet.shortenBeside(said);
  const saidLines = saidText === null ? [] : sheet.linesOf(saidText, styles.label, width);
  const textHeight =
    titleLines.length * styles.verdict.leading + (meaningLines.length + saidLines.length) * styles.body.leading + 2;
  const height = textHeight + 28;
  sheet.ensure(height);
  const top = sheet.y;
  sheet.artifact('Layout', () => {
    sheet.document.roundedRect(page.left, top, page.right - page.left, height, 6).fill(tint);
    drawSign(sheet, verdict, page.left + 34, top + height / 2, color);
  });
  sheet.y = top + 14;
  sheet.within('Sect', () => {
    sheet.paragraph(title, { ...styles.verdict, color }, { tag: 'H2', x, width });
    sheet.y += 2;
    sheet.paragraph(meaning, styles.body, { x, width });
    if (saidText !== null) sheet.paragraph(saidText, styles.label, { x, width });
  });
  sheet.y = top + height + 24;
}

/** Characters. A longer text would be shortened by the sheet. */
const paragraphMax = 1_000;

/** Splits a text at its line breaks, and long parts between words. Beyond some lines, its breaks become spaces. */
function paragraphsOf(text: string): string[] {
  const lines = text.split(/\s*\n\s*/).filter((line) => line !== '');
  const shown = lines.slice(0, shownMax.others);
  const joined = lines.slice(shownMax.others).join(' ');
  return [...shown, ...(joined === '' ? [] : [joined])].flatMap((line) => {
    const parts: string[] = [];
    let rest = line;
    while (rest.length > paragraphMax) {
      const space = rest.lastIndexOf(' ', paragraphMax);
      const end = space > 0 ? space : paragraphMax;
      parts.push(rest.slice(0, end).toWellFormed());
      rest = rest.slice(end).trimStart().toWellFormed();
    }
    return [...parts, rest];
  });
}

/** Draws what a person or a program has decided, and why. */
function layOutDecision(
  sheet: Sheet,
  { accountName, providerName, findings }: ReportContents,
  { outcome, reason, by, at }: ReportDecision,
): void {
  section(sheet, 'What was decided', () => {
    factTable(sheet, [
      ['Outcome', verdicts[outcome].title],
      ['Decided by', by],
      ['For', accountName],
      ['On', `${minuteOf(at)} UTC`],
    ]);
    sheet.y += 6;
    if (reason === null) sheet.paragraph('No reason was given.', styles.label);
    else {
      sheet.paragraph('The reason:', styles.label);
      for (const part of paragraphsOf(reason)) sheet.paragraph(part, styles.body);
    }
    if (!findings) return;
    sheet.y += 6;
    const isSame = findings.verdict === outcome;
    const compared = isSame ? 'the same as' : 'other than';
    sheet.paragraph(`This is ${compared} what ${providerName} found. The decision counts.`, styles.strong);
  });
}

/** Draws the verdict of the service with its reasons, or why there is none. */
function layOutFound(sheet: Sheet, contents: ReportContents): void {
  const { accountName, providerName, findings, unfinished, decision, hasGuarantor } = contents;
  section(sheet, 'What was found', () => {
    if (providerName === null) {
      const byHand = `${accountName} made this check itself. No referencing service was asked.`;
      return sheet.paragraph(byHand, styles.body);
    }
    if (!findings) return layOutUnfinished(sheet, contents, unfinished);
    if (decision) {
      sheet.paragraph(`${providerName}: ${verdictOf(findings, hasGuarantor).title}`, styles.strong);
      sheet.paragraph(`In the words of ${providerName}: ${findings.words}`, styles.label);
      sheet.y += 4;
    }
    if (findings.reasons.length === 0) sheet.paragraph(`${providerName} gave no reasons.`, styles.body);
    else bulletList(sheet, findings.reasons);
    sheet.y += 6;
    sheet.paragraph(
      `${providerName} reports and recommends. Whether to let is decided by ${accountName}, and by nobody else.`,
      styles.label,
    );
  });
}

/** Draws the reports of a service that was stopped, or whose findings cannot be read any more. */
function layOutUnfinished(sheet: Sheet, contents: ReportContents, unfinished: Unfinished | null): void {
  const { accountName, providerName, completed } = contents;
  const words = unfinished?.words ?? null;
  if (words === null) {
    sheet.paragraph(`${providerName} had not finished when ${accountName} decided. It gave no verdict.`, styles.body);
  } else {
    sheet.paragraph(`${providerName}, in its own words: ${words}`, styles.strong);
    const where = `The findings could not be read again for this report. The report of ${dayOf(completed)} has them.`;
    sheet.paragraph(where, styles.body);
  }
  if (!unfinished) return;
  const { percentage, creditScore, sanctionsPassed } = unfinished;
  sheet.y += 4;
  factTable(sheet, [
    ...(percentage === null ? [] : [['Rent', `${percentText(percentage)} of gross income`]]),
    ...(creditScore === null ? [] : [['Credit score', scoreText(creditScore, null)]]),
    ...(sanctionsPassed === null ? [] : [['Sanctions', sanctionsPassed ? 'Passed' : 'Not passed']]),
  ]);
}

function layOutApplicant(sheet: Sheet, { applicant, customerId, accountName }: ReportContents): void {
  section(sheet, 'Applicant', () => {
    if (!applicant) {
      const whose = customerId ? `as customer ${customerId}` : 'in a system of its own';
      return sheet.paragraph(`Name, date of birth and address are kept by ${accountName}, ${whose}.`, styles.body);
    }
    const { name, dateOfBirth, currentAddress } = applicant;
    factTable(sheet, [
      ['Name', name],
      ['Date of birth', dateOfBirth ? calendarDay(dateOfBirth) : 'Not given'],
      ['Current address', currentAddress ? addressText(currentAddress) : 'Not given'],
    ]);
  });
}

/** Draws the home that the person applies for, and the terms. */
function layOutTenancy(sheet: Sheet, { tenancy, sharedRent }: ReportContents): void {
  if (!tenancy) return;
  const { home, moveInDate, rent, coApplicants } = tenancy;
  const address = home?.address ? addressLines(home.address).join(', ') : null;
  const others = coApplicants.length === 1 ? '1 other person' : `${coApplicants.length} other persons`;
  section(sheet, 'The tenancy', () => {
    factTable(sheet, [
      ['Home', home ? [home.name, address].filter((part) => part !== null).join(', ') : 'Not named'],
      ['Move-in', moveInDate === null ? 'Not agreed' : calendarDay(moveInDate)],
      // The shares of a shared rent have a section of their own.
      ...(sharedRent ? [] : [['Rent of the home', rent ? rentText(rent) : 'Not known']]),
      ['Applies', coApplicants.length === 0 ? 'Alone' : `Together with ${others}: ${coApplicants.join(', ')}`],
    ]);
  });
}

function layOutReference(sheet: Sheet, contents: ReportContents): void {
  const { applicationId, referenceId, providerName, accountName, created, completed } = contents;
  section(sheet, 'This reference', () => {
    factTable(sheet, [
      ['Reference', referenceId],
      ['Application', applicationId],
      ['Checked by', providerName ?? accountName],
      ['Ordered', `${minuteOf(created)} UTC`],
      ['Completed', `${minuteOf(completed)} UTC`],
    ]);
  });
}

function layOutAffordability(sheet: Sheet, contents: ReportContents, { affordability }: Findings): void {
  section(sheet, 'Affordability', () => {
    if (!affordability) return sheet.paragraph('Affordability was not checked.', styles.body);
    const { status, percentage, rent, annualIncome, isIncomeVerified, sources } = affordability;
    if (percentage === null) sheet.paragraph('The rent could not be held against a verified income.', styles.body);
    else layOutRentShare(sheet, percentage, isIncomeVerified);
    sheet.y += 6;
    const income = annualIncome && `${money(annualIncome)} a year`;
    factTable(sheet, [
      ['Result', status === null ? 'None was given' : (affordabilityStatuses.get(status) ?? status)],
      [contents.sharedRent ? 'Share of this applicant' : 'Rent', rent ? rentText(rent) : 'Not known'],
      isIncomeVerified
        ? ['Verified gross income', income ?? 'None could be verified']
        : ['Stated gross income', income ? `${income}, not verified` : 'None could be verified'],
    ]);
    sheet.y += 6;
    if (sources.length === 0) sheet.paragraph('No sources of the income were named.', styles.label);
    else bulletList(sheet, sources);
  });
}

/** Draws what each of the co-tenants pays. */
function layOutShares(sheet: Sheet, { sharedRent, customerId, applicationId }: ReportContents): void {
  if (!sharedRent) return;
  const { whole, shares } = sharedRent;
  section(sheet, 'Shared rent', () => {
    factTable(sheet, [
      ['Rent of the home', rentText(whole)],
      ...shares.map(({ customerId: id, rent }) => [
        id === customerId ? 'This applicant' : 'Another applicant',
        `${rentText(rent)} (${id})`,
      ]),
    ]);
    const how = `The rent of ${applicationId} is divided equally among its ${shares.length} applicants, because the application says nothing else. Shares are rounded.`;
    sheet.paragraph(how, styles.small);
  });
}

/** Draws the share in large type and as a bar. The bar's scale is the whole income, with a line at the rule's limit. */
function layOutRentShare(sheet: Sheet, percentage: number, isIncomeVerified: boolean): void {
  const isWithin = percentage <= rentShareMax;
  const share = percentText(percentage);
  const limit = `${rentShareMax}%`;
  const judgement = isWithin ? `within the ${limit} line` : `above the ${limit} line`;
  const income = `${isIncomeVerified ? 'verified' : 'stated'} gross income`;
  sheet.paragraph(`${share} of ${income} goes on rent, ${judgement}.`, styles.strong);
  if (!isIncomeVerified) {
    const doubt = 'This income is not verified: its proof is in doubt. Do not rely on the share.';
    sheet.paragraph(doubt, { ...styles.strong, color: colors.fail });
  }
  sheet.ensure(46);
  sheet.y += 6;
  const box = { x: column.x, y: sheet.y, width: column.width, height: 40 };
  const barY = box.y + 4;
  const at = (value: number): number => box.x + (box.width * Math.min(Math.max(value, 0), 100)) / 100;
  sheet.figure(
    `A bar from 0% to 100% of ${isIncomeVerified ? '' : 'stated '}gross income: rent takes ${share}, ${judgement}.`,
    box,
    () => {
      const { document } = sheet;
      document.rect(box.x, barY, box.width, 14).fill(ink.track);
      if (percentage > 0) document.rect(box.x, barY, at(percentage) - box.x, 14).fill(ink.bar);
      if (!isWithin) document.rect(at(rentShareMax), barY, at(percentage) - at(rentShareMax), 14).fill(colors.fail);
      document.rect(at(rentShareMax) - 0.75, barY - 4, 1.5, 22).fill(ink.text);
      const baseline = barY + 29;
      sheet.line('0%', styles.small, box.x, baseline);
      const ruleWidth = sheet.widthOf(limit, { ...styles.small, weight: 'semibold' });
      sheet.line(
        limit,
        { ...styles.small, weight: 'semibold', color: ink.text },
        at(rentShareMax) - ruleWidth / 2,
        baseline,
      );
      const whole = '100% of income';
      sheet.line(whole, styles.small, page.right - sheet.widthOf(whole, styles.small), baseline);
    },
  );
  sheet.y = box.y + box.height;
  sheet.paragraph(`At ${limit}, the yearly gross income is thirty times the monthly rent.`, styles.small);
}

function layOutCredit(sheet: Sheet, credit: Findings['credit']): void {
  section(sheet, 'Credit', () => {
    if (!credit) return sheet.paragraph('Credit was not checked.', styles.body);
    const { score, scoreMax, facts } = credit;
    if (score === null) {
      const noFile =
        'No credit file was found. That is no bad sign: it is usual for people who are young, new to the country or have never borrowed.';
      sheet.paragraph(noFile, styles.body);
      sheet.y += facts.length > 0 ? 6 : 0;
    }
    const rows = [
      ...(score === null ? [] : [['Credit score', scoreText(score, scoreMax)]]),
      ...facts.map(({ label, value }) => [label, value]),
    ];
    factTable(sheet, rows);
    if (score !== null && facts.length === 0)
      sheet.paragraph('Nothing else was reported of the credit file.', styles.label);
  });
}

function layOutSanctions(sheet: Sheet, sanctions: Findings['sanctions']): void {
  section(sheet, 'Sanctions', () => {
    if (!sanctions) return sheet.paragraph('Sanctions lists were not checked.', styles.body);
    const { passed, facts } = sanctions;
    if (passed === null)
      sheet.paragraph('Not settled: whether the person is on a sanctions list is open.', styles.strong);
    else if (passed) sheet.paragraph('Passed: the person was found on no sanctions list.', styles.body);
    else {
      const alarm = 'Not passed: the person may be on a sanctions list. Agree to nothing until that has been settled.';
      sheet.paragraph(alarm, { ...styles.strong, color: colors.fail });
    }
    sheet.y += 4;
    if (facts.length > 0) bulletList(sheet, facts);
  });
}

function layOutChecks(sheet: Sheet, checks: readonly Check[]): void {
  section(sheet, 'Checks', () => {
    if (checks.length === 0) return sheet.paragraph('No other checks were reported.', styles.body);
    const places = [
      { x: column.x, width: 94 },
      { x: column.x + 104, width: 70 },
      { x: column.x + 184, width: page.right - column.x - 184 },
    ] as const;
    const heading = { tag: 'TH', style: { ...styles.small, leading: 14 } } as const;
    const shown = checks.slice(0, shownMax.others);
    sheet.within('Table', () => {
      const titles = ['Check', 'Result', 'What came of it'];
      sheet.row(
        'TR',
        places.map((place, index) => ({ ...heading, scope: 'Column', text: titles[index]!, ...place })),
      );
      for (const { name, result, detail } of shown) {
        const { title, color } = checkResults[result];
        sheet.row('TR', [
          { tag: 'TH', scope: 'Row', text: name, style: styles.body, ...places[0] },
          { tag: 'TD', text: title, style: { ...styles.strong, color }, ...places[1] },
          { tag: 'TD', text: detail ?? 'No details', style: detail ? styles.body : styles.label, ...places[2] },
        ]);
        sheet.y += 2;
      }
    });
    countMore(sheet, checks, shown);
  });
}

function layOutNotes(sheet: Sheet, notes: readonly Note[]): void {
  section(sheet, 'Progress and notes', () => {
    const inOrder = distinctNotes(notes).toSorted((left, right) => left.created - right.created);
    if (inOrder.length === 0) return sheet.paragraph('Nothing was noted.', styles.body);
    const shown = inOrder.slice(0, shownMax.notes);
    sheet.within('L', () => {
      // Notes of one minute share its time.
      let last: string | null = null;
      for (const { created, message } of shown) {
        const text = minuteOf(created);
        const when = { tag: 'Lbl', text, style: styles.label, x: column.x, width: factPlaces.label.width } as const;
        const what = { tag: 'LBody', text: message, style: styles.body, ...factPlaces.value } as const;
        sheet.row('LI', text === last ? [what] : [when, what]);
        sheet.y += 2;
        last = text;
      }
    });
    countMore(sheet, inOrder, shown);
    sheet.y += 4;
    sheet.paragraph('All times are UTC.', styles.small);
  });
}

function layOutDispute(sheet: Sheet, { accountName, providerName, findings, letterhead }: ReportContents): void {
  section(sheet, 'If something is wrong', () => {
    if (findings) {
      const { service, contact } = findings.dispute;
      sheet.paragraph(`To have a mistake in this report corrected, contact ${service}:`, styles.body);
      sheet.paragraph(contact, styles.strong);
      sheet.y += 6;
    }
    const whomToAsk =
      providerName === null
        ? `${accountName} made this check and decides about the tenancy: questions go there.`
        : `${accountName} decides about the tenancy, not ${providerName}: questions about the decision go there.`;
    sheet.paragraph(whomToAsk, styles.body);
    const reached = [letterhead?.email, letterhead?.phone].filter((line) => typeof line === 'string');
    if (reached.length > 0) sheet.paragraph(reached.join(', '), styles.strong);
  });
}

function bulletList(sheet: Sheet, sentences: readonly string[]): void {
  const shown = sentences.slice(0, shownMax.others);
  sheet.within('L', () => {
    for (const text of shown) {
      sheet.row('LI', [
        { tag: 'Lbl', text: '–', style: styles.label, x: column.x, width: 10 },
        { tag: 'LBody', text, style: styles.body, x: column.x + 12, width: column.width - 12 },
      ]);
    }
  });
  countMore(sheet, sentences, shown);
}

/** Drops repeats: the service and the reference may both report a note. */
function distinctNotes(notes: readonly Note[]): Note[] {
  return [...new Map(notes.map((note) => [`${note.created} ${note.message}`, note])).values()];
}

/** Draws a tick, an exclamation mark in a triangle, or a cross in a square. They differ without their colors. */
function drawSign({ document }: Sheet, verdict: Verdict, x: number, y: number, color: string): void {
  document.save().lineWidth(2.6).lineCap('round').lineJoin('round');
  if (verdict === 'accept') {
    document.circle(x, y, 14).fill(color);
    document
      .moveTo(x - 6, y + 0.5)
      .lineTo(x - 1.8, y + 4.8)
      .lineTo(x + 6.2, y - 4.6)
      .stroke('#ffffff');
  } else if (verdict === 'consider') {
    document
      .moveTo(x, y - 13)
      .lineTo(x + 14, y + 12)
      .lineTo(x - 14, y + 12)
      .closePath()
      .fillAndStroke(color, color);
    document
      .moveTo(x, y - 4)
      .lineTo(x, y + 3)
      .stroke('#ffffff');
    document.circle(x, y + 8, 1.6).fill('#ffffff');
  } else {
    document.roundedRect(x - 13, y - 13, 26, 26, 4).fill(color);
    document
      .moveTo(x - 5, y - 5)
      .lineTo(x + 5, y + 5)
      .moveTo(x + 5, y - 5)
      .lineTo(x - 5, y + 5)
      .stroke('#ffffff');
  }
  document.restore();
}

/** Draws the text above and below each page's contents. */
function drawMargins(sheet: Sheet, contents: ReportContents, number: number, count: number): void {
  const { applicant, referenceId, providerName, accountName, isTest } = contents;
  sheet.artifact('Pagination', () => {
    if (number > 1) {
      sheet.line(
        oneLine(sheet, 'Tenant reference report: ', applicant?.name ?? referenceId),
        styles.small,
        page.left,
        52,
      );
      if (isTest) atRight(sheet, 'Test', 52);
    }
    const source = `${referenceId}, checked by ${providerName ?? accountName}`;
    sheet.line(oneLine(sheet, 'Reference ', source), styles.small, page.left, 808);
    atRight(sheet, `Page ${number} of ${count}`, 808);
  });
}
