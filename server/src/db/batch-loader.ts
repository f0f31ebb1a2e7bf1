/** Two queries under way keep the database busy while the next one gathers. */
const inFlightMax = 2;

/** More in one query brings nothing further, and would make a lone reader wait for a large answer. */
const togetherMax = 200;

/** Stands for an answer that a query had no room for: the question goes into the next one. */
export const unanswered = Symbol('unanswered');

interface Waiting<Question, StoredResponse> {
  question: Question;
  resolve: (answer: StoredResponse) => void;
  reject: (error: unknown) => void;
}

/**
 * Answers single questions by asking many at once: what arrives while earlier queries are under way goes into the next one.
 * No timer: a lone question is asked at once.
 *
 * @param askAll answers each question, in the order asked, or leaves it `unanswered`; at least one is answered.
 */
export function coalesce<Question, StoredResponse>(
  askAll: (questions: Question[]) => Promise<(StoredResponse | typeof unanswered)[]>,
): (question: Question) => Promise<StoredResponse> {
  let waiting: Waiting<Question, StoredResponse>[] = [];
  let inFlight = 0;
  let scheduled = false;

  async function askNext(): Promise<void> {
    const asked = waiting.slice(0, togetherMax);
    waiting = waiting.slice(togetherMax);
    inFlight++;
    try {
      const answers = await askAll(asked.map(({ question }) => question));
      const left: Waiting<Question, StoredResponse>[] = [];
      for (const [index, one] of asked.entries()) {
        const answer = answers[index] as StoredResponse | typeof unanswered;
        if (answer === unanswered) left.push(one);
        else one.resolve(answer);
      }
      if (left.length > 0) waiting = [...left, ...waiting];
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
      // Requests that one turn of the event loop reads are asked about together.
      setImmediate(() => {
        scheduled = false;
        pump();
      });
    });
}
