/** Returns a request as a command for `curl`. The key is a variable, so that the command runs and shows no secret. */
export function curlOf(url: string, { method = 'GET', headers, body }: RequestInit): string {
  const lines = [`curl${method === 'GET' || (method === 'POST' && body) ? '' : ` -X ${method}`} ${quoted(url)}`];
  for (const [name, value] of Object.entries((headers ?? {}) as Record<string, string>)) {
    if (name === 'user-agent' || name === 'accept') continue;
    if (name === 'authorization') lines.push('-H "Authorization: Bearer $TENURE_API_KEY"');
    else lines.push(`-H ${quoted(`${titled(name)}: ${value}`)}`);
  }
  if (typeof body === 'string') lines.push(`-d ${quoted(body)}`);
  if (body instanceof FormData) {
    for (const [name, value] of body) {
      lines.push(`-F ${quoted(typeof value === 'string' ? `${name}=${value}` : `${name}=@${value.name}`)}`);
    }
  }
  return lines.join(' \\\n  ');
}

/** Converts `content-type` to `Content-Type`. */
function titled(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** Quotes a text for a shell, if it needs quotes. */
function quoted(text: string): string {
  return /^[\w:/.,@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
