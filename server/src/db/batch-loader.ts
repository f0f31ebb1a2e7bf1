/** Two queries under way keep the database busy while the next one gathers. */
const inFlightMax = 2;

/** Questions per query. More are not faster, and would make a single reader wait for a large result. */
const togetherMax = 200;

/** Marks a question that a query had no room for. It goes into a later query. */
export const noResult = Symbol('unanswered');

interface Waiting<Question, StoredResponse> {
  question: Question;
  resolve: (result: StoredResponse) => void;
  reject: (error: unknown) => void;
}

/**
 * Combines single questions into one query. Questions that arrive during a query go into the next one. There is no timer: a single
 * question is asked at once.
 *
 * @param askAll answers the questions in their order, or leaves some `unanswered`. It answers at least one.
 */
export function coalesce<Question, StoredResponse>(
  askAll: (questions: Question[]) => Promise<(StoredResponse | typeof noResult)[]>,
): (question: Question) => Promise<StoredResponse> {
  let waiting: Waiting<Question, StoredResponse>[] = [];
  let inFlight = 0;
  let scheduled = false;

  async function askNext(): Promise<void> {
    const asked = waiting.slice(0, togetherMax);
    waiting = waiting.slice(togetherMax);
    inFlight++;
    try {
      const results = await askAll(asked.map(({ question }) => question));
      const left: Waiting<Question, StoredResponse>[] = [];
      for (const [index, one] of asked.entries()) {
        const result = results[index] as StoredResponse | typeof noResult;
        if (result === noResult) left.push(one);
        else one.resolve(result);
      }
      // Behind the others, so that questions about large records do not delay all others.
      waiting.push(...left);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      inFlight--;
      pump();
    }
  }

  function pump(): void {
    while (waiting.length > 0 && inFlight < inFlightMax) void askNext();
  }

  return (question) =>
    new Promise<StoredResponse>((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      // All questions of one turn of the event loop share a query.
      setImmediate(() => {
        scheduled = false;
        pump();
      });
    });
}
