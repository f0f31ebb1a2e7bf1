import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escaped } from '../docs/layout.ts';
import type { SharedFile, Verdict } from './summary.ts';

/* The pages of a link to a file. They are for persons without an account, on a phone first. The summary needs no script, except to show a picture. */

/** Returns a file that the pages load. */
export function readAsset(file: 'links.css' | 'links.js'): string {
  return readFileSync(join(import.meta.dirname, 'assets', file), 'utf8');
}

/** The page at the address of a link. It shows nothing of the file, so that a preview of the link shows nothing either. */
export function coverPage({ isSandbox }: { isSandbox: boolean }): string {
  return pageHtml(
    'A document for you',
    `${isSandbox ? sandboxHtml : ''}<div class="card">
<h1>A document was shared with you</h1>
<p>A letting agent has sent you this link. It is for you alone: please do not pass it on.</p>
<div data-with-script hidden>
${formTo('links/open', 'Open the document', '')}
</div>
<noscript><p>This page needs JavaScript to read the link. Turn it on, or ask the sender for the document.</p></noscript>
</div>`,
    { isCover: true },
  );
}

/** The page after the button: what was found, for which home, whom to ask, and the file. */
export function summaryPage(shared: SharedFile, token: string, { isSandbox }: { isSandbox: boolean }): string {
  const { sender, verdict } = shared;
  const title = verdict ? `Check of ${verdict.person ?? 'an applicant'}` : shared.filename;
  const isPicture = shared.contentType.startsWith('image/');
  const what = isPicture ? 'picture' : shared.isReplaced ? 'earlier report' : verdict ? 'report' : 'document';
  return pageHtml(
    title,
    `${isSandbox ? sandboxHtml : ''}${logoHtml(sender)}<p class="sender">From ${escaped(sender.name)}</p>
<div class="card">
<h1>${escaped(title)}</h1>
${verdict ? verdictHtml(verdict) : ''}
${isPicture ? pictureHtml(shared.filename) : ''}
${formTo('contents', `Download the ${what} (${formatOf(shared)}, ${sizeText(shared.size)})`, token)}
</div>
<div class="card">
<h2>Questions?</h2>
${contactHtml(sender)}
</div>
<p class="quiet">The link works until ${escaped(shared.worksUntil)}.</p>`,
    { hasScript: isPicture },
  );
}

/** The one page for every link that opens nothing. It does not tell whether the link ever existed. */
export function closedPage({ isSandbox }: { isSandbox: boolean }): string {
  return pageHtml(
    'This link opens nothing',
    `${isSandbox ? sandboxHtml : ''}<div class="card">
<h1>This link opens nothing</h1>
<p>It has expired, the sender has revoked it, or its document was deleted. Ask the sender for a new link.</p>
</div>`,
  );
}

/** The page if the server cannot open the link at this moment. */
export function laterPage({ isSandbox }: { isSandbox: boolean }): string {
  return pageHtml(
    'Please try again',
    `${isSandbox ? sandboxHtml : ''}<div class="card">
<h1>Please try again in a moment</h1>
<p>The server is busy. Go back, and press the button once more.</p>
</div>`,
  );
}

/** Nothing in a sandbox is about a real person, which a reader could not see otherwise. */
const sandboxHtml = '<p class="sandbox"><strong>Sandbox</strong> This is a test. Nothing here is real.</p>\n';

function pageHtml(title: string, content: string, { isCover = false, hasScript = false } = {}): string {
  // Relative addresses work behind any proxy. The other pages are one level below the cover.
  const folder = isCover ? 'links/' : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}links.css">
${isCover || hasScript ? `<script src="${folder}links.js" type="module"></script>\n` : ''}</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

function formTo(path: string, button: string, token: string): string {
  return `<form method="post" action="${path}"><input type="hidden" name="token" value="${escaped(token)}"><button>${escaped(button)}</button></form>`;
}

/** The sender stands beside it as a text, and a link page loads nothing from elsewhere. */
function logoHtml({ name, logo }: SharedFile['sender']): string {
  if (!logo) return '';
  return `<img class="logo" alt="${escaped(`Logo of ${name}`)}" src="data:${logo.type};base64,${logo.base64}">\n`;
}

/** The script fills it, because the token is in no address. Without the script, the button downloads the picture. */
function pictureHtml(filename: string): string {
  return `<img data-picture alt="${escaped(`The shared picture, ${filename}`)}" hidden>`;
}

function formatOf({ contentType }: SharedFile): string {
  return contentType.replace(/^.*\//, '').toUpperCase();
}

function verdictHtml({ tone, title, text, facts }: Verdict): string {
  const rows = facts.map(([term, value]) => `<dt>${escaped(term)}</dt><dd>${escaped(value)}</dd>`);
  return `<p class="outcome ${tone}"><strong>${escaped(title)}</strong>${escaped(text)}</p>
<dl>${rows.join('\n')}</dl>`;
}

function contactHtml({ name, phone, email }: SharedFile['sender']): string {
  const ways = [
    ...(phone === null ? [] : [`ring <a href="tel:${escaped(phone.replaceAll(/[^\d+]/g, ''))}">${escaped(phone)}</a>`]),
    ...(email === null ? [] : [`write to <a href="mailto:${escaped(encodeURI(email))}">${escaped(email)}</a>`]),
  ];
  if (ways.length === 0) return `<p>Ask ${escaped(name)}.</p>`;
  const sentence = ways.join(', or ');
  return `<p>${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.</p>`;
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
