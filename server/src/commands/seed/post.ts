export type Body = Record<string, unknown>;

/** Sends a POST, and returns the response. `name` becomes its idempotency key. */
export type Post = (name: string, path: string, body: Body | FormData) => Promise<Body & { id: string }>;

/** Days around the server's own today. */
export interface Calendar {
  /** Returns the day so many days after today, or before it if negative. */
  daysFromNow: (days: number) => string;
  /** Returns the first day of the month that comes so many months after this one. */
  month: (months: number) => string;
}
