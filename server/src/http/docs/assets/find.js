/**
 * @typedef {object} Entry A section of a guide, or an error.
 * @property {string} url relative to `/docs/`
 * @property {string} page
 * @property {string} heading
 * @property {string} text
 */

/**
 * Returns the entries with all words, the best first. A word in a heading counts most.
 *
 * @param {Entry[]} entries
 * @param {string[]} words
 */
export function find(entries, words) {
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 */
function scoreOf({ page, heading, text }, words) {
  let score = 0;
  for (const word of words) {
    const own =
      12 * matchOf(heading.toLowerCase(), word) +
      5 * matchOf(page.toLowerCase(), word) +
      2 * matchOf(text.toLowerCase(), word);
    if (own === 0) return 0;
    score += own;
  }
  return score;
}

/**
 * Returns 1 for a whole word, less for the beginning of a word, and still less for any other part.
 *
 * @param {string} text
 * @param {string} word
 */
function matchOf(text, word) {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 1; at = text.indexOf(word, at + 1)) {
    const begins = !/[\p{L}\p{N}]/u.test(text.charAt(at - 1));
    const ends = !/[\p{L}\p{N}]/u.test(text.charAt(at + word.length));
    best = Math.max(best, begins && ends ? 1 : begins ? 0.6 : 0.2);
  }
  return best;
}
