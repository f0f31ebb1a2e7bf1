/** The most common ones, of those that are long enough to be a password. */
const countedMax = 3_000;
const lengthMin = 8;

let common: Promise<ReadonlySet<string>> | null = null;

/** Returns whether many people use this password. Case does not matter. */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= readCommon();
  return (await common).has(password.toLowerCase());
}

/** Reads the list at the first use, because few processes ever need it. */
async function readCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const byFrequency = dictionary['passwords-common'].filter(({ length }) => length >= lengthMin);
  return new Set(byFrequency.slice(0, countedMax).map((password) => password.toLowerCase()));
}
