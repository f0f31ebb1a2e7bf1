/** A page of the docs beside `/docs`: the guides and the errors. */
export interface Page {
  title: string;
  /** The way from the page to `/docs/`: empty, or `../`. Relative links work behind any proxy. */
  up: '' | '../';
  current: 'guides' | 'errors';
  /** HTML. */
  content: string;
  /** HTML of the list beside the content. */
  aside?: string;
  /** A worker serves only the pages of errors. */
  hasGuides: boolean;
}

/** What the pages may load: their own style sheet, script, pictures and search index. */
export const pagePolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Returns the HTML of a page. */
export function pageHtml({ title, up, current, content, aside, hasGuides }: Page): string {
  const links = [
    ...(hasGuides
      ? [link('API docs', `${up}../docs`, false), link('Guides', `${up}guides`, current === 'guides')]
      : []),
    link('Errors', `${up}errors`, current === 'errors'),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} - Tenure API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}docs.css">
${hasGuides ? `<script src="${up}search.js" type="module"></script>\n` : ''}</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<strong>Tenure</strong>
<nav aria-label="Documentation">${links.join('')}</nav>
${hasGuides ? searchBox(up) : ''}</header>
<div class="columns">
${aside === undefined ? '' : `<aside>${aside}</aside>\n`}<main id="main">
${content}
</main>
</div>
</body>
</html>
`;
}

function link(text: string, href: string, isCurrent: boolean): string {
  return `<a href="${href}"${isCurrent ? ' aria-current="true"' : ''}>${text}</a>`;
}

/** The box is hidden until its script runs. */
function searchBox(up: string): string {
  return `<search hidden data-up="${up}">
<input type="search" role="combobox" aria-label="Search guides and errors" aria-expanded="false" aria-controls="results" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search guides and errors ( / )">
<div class="found" hidden><p role="status"></p><ul id="results" role="listbox" aria-label="Results"></ul></div>
</search>
`;
}

/** Escapes a text for HTML, also within quotes. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Converts a text to HTML. It marks code by backticks. */
export function withCode(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
