/*
 * HTTP messages: correct, nearly correct, and forbidden. They vary line ends, methods, targets, versions, hosts, fields and lengths. They
 * also vary chunks, trailers, connections, and requests inside the body of other requests. The cases are those of llhttp's tests and of
 * Http11Probe. They are written anew from RFC 9110 and RFC 9112, as bytes to one route of this API.
 */

/** Stands for the secret key. */
export const keyMark = '{key}';

/** The name of a message, its bytes, and the statuses of its responses. */
type Answered = [name: string, bytes: string, statuses: string];
type Message = [name: string, bytes: string];

const body = '{"application":"app_1"}';
const length = body.length;
const hex = length.toString(16);
const chunk = `${hex}\r\n${body}\r\n`;
const chunks = `${chunk}0\r\n\r\n`;
const chunked = 'Transfer-Encoding: chunked';
const authorization = `Authorization: Bearer ${keyMark}`;
const list = '/v1/references?limit=1';

/** The application of each smuggled record. Only a server that reads a body, or a part of one, as a request makes such a record. */
export const smuggledApplication = 'app_smuggled';
const smuggledBody = JSON.stringify({ application: smuggledApplication });

function fields(...lines: string[]): string {
  return ['Host: x', authorization, 'Content-Type: application/json', ...lines].map((line) => `${line}\r\n`).join('');
}

function get(...lines: string[]): string {
  return `GET ${list} HTTP/1.1\r\n${fields(...lines)}\r\n`;
}

function asked(requestLine: string, ...lines: string[]): string {
  return `${requestLine}\r\n${fields(...lines)}\r\n`;
}

/** Returns a POST request. `framing` holds the header lines that give the length of its body. */
function post(framing: string[], bytes: string): string {
  return `POST /v1/references HTTP/1.1\r\n${fields(...framing)}\r\n${bytes}`;
}

const smuggled = `POST /v1/references HTTP/1.1\r\n${fields(`Content-Length: ${smuggledBody.length}`)}\r\n${smuggledBody}`;
const smuggledLength = smuggled.length - keyMark.length;

/** Returns a request with a second request hidden in its body. A server that reads chunks sees an empty body, then the second request. */
function hidden(...framing: string[]): string {
  return post(framing, `0\r\n\r\n${smuggled}`);
}

/** The `Content-Length` after the key is filled in. All keys have the same length. */
const hiddenLength = 5 + smuggledLength + 46;

/** RFC 9112 forbids these messages, or lets the server choose and ours refuses. Each gets one 4xx, and the connection ends. */
export const refused: Message[] = [
  // Line ends (RFC 9112, section 2.2).
  ['a request line that ends with a line feed alone', `GET ${list} HTTP/1.1\n${fields()}\r\n`],
  ['a field that ends with a line feed alone', `GET ${list} HTTP/1.1\r\nHost: x\nX-Odd: x\r\n\r\n`],
  ['line feeds alone', `GET ${list} HTTP/1.1\nHost: x\n\n`],
  ['carriage returns alone', `GET ${list} HTTP/1.1\rHost: x\r\r`],
  ['an end of the head without its carriage return', `GET ${list} HTTP/1.1\r\nHost: x\r\n\n`],
  ['an end of the head without its line feed', `GET ${list} HTTP/1.1\r\nHost: x\r\n\rX`],
  ['a carriage return within a value', get('X-Odd: one\rX-Even: two')],
  ['a line feed within a value', get('X-Odd: one\nX-Even: two')],
  ['a carriage return within a name', get('X-O\rdd: one')],
  ['two carriage returns before a line feed', `GET ${list} HTTP/1.1\r\r\nHost: x\r\n\r\n`],
  // The request line (section 3).
  ['no target', 'GET HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no target but its spaces', 'GET  HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no method', `${list} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a method alone', 'GET\r\nHost: x\r\n\r\n'],
  ['a tab after the method', asked(`GET\t${list} HTTP/1.1`)],
  ['a tab before the version', asked(`GET ${list}\tHTTP/1.1`)],
  ['a space within the target', asked('GET /v1/references ?limit=1 HTTP/1.1')],
  ['a space after the version', asked(`GET ${list} HTTP/1.1 `)],
  ['a word after the version', asked(`GET ${list} HTTP/1.1 more`)],
  ['a space before the method', asked(` GET ${list} HTTP/1.1`)],
  ['a line of spaces', `   \r\n${get()}`],
  ['a method in small letters', asked(`get ${list} HTTP/1.1`)],
  ['a method in mixed letters', asked(`Get ${list} HTTP/1.1`)],
  ['a method that begins like one', asked(`GETS ${list} HTTP/1.1`)],
  ['a method that is none', asked(`FOO ${list} HTTP/1.1`)],
  ['a method with a bracket', asked(`GE[T ${list} HTTP/1.1`)],
  ['a method with a NUL', asked(`GE\0T ${list} HTTP/1.1`)],
  ['a method of 100 kB', asked(`${'A'.repeat(100_000)} ${list} HTTP/1.1`)],
  ['a method of RTSP', asked('ANNOUNCE /v1/references HTTP/1.1')],
  ['a tunnel', asked('CONNECT x:443 HTTP/1.1')],
  ['a tunnel to a path', asked(`CONNECT ${list} HTTP/1.1`)],
  ['a tunnel with a body', asked('CONNECT x:443 HTTP/1.1', `Content-Length: ${length}`) + body],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a PRI of HTTP/1.1', asked('PRI * HTTP/1.1')],
  // The target (section 3.2).
  ['a target with a NUL', asked('GET /v1/references\0 HTTP/1.1')],
  ['a target with a control character', asked('GET /v1/refer\x01ences HTTP/1.1')],
  ['a target with DEL', asked('GET /v1/references\x7f HTTP/1.1')],
  ['a target beyond ASCII', asked('GET /v1/r\xc3\xa9ferences HTTP/1.1')],
  ['a target with an overlong slash', asked('GET /v1\xc0\xafreferences HTTP/1.1')],
  ['a target without a slash', asked('GET v1/references HTTP/1.1')],
  ['a target of backslashes', asked('GET \\v1\\references HTTP/1.1')],
  ['a target of 100 kB', asked(`GET /v1/${'x'.repeat(100_000)} HTTP/1.1`)],
  // The version (section 2.3).
  ['no version', `GET ${list}\r\nHost: x\r\n\r\n`],
  ['HTTP/0.9', `GET ${list} HTTP/0.9\r\nHost: x\r\n\r\n`],
  ['HTTP/1.2', asked(`GET ${list} HTTP/1.2`)],
  ['HTTP/3.0', asked(`GET ${list} HTTP/3.0`)],
  ['HTTP/9.9', asked(`GET ${list} HTTP/9.9`)],
  ['a version without its second number', asked(`GET ${list} HTTP/1`)],
  ['a version with a dot and nothing behind it', asked(`GET ${list} HTTP/1.`)],
  ['a version with a comma', asked(`GET ${list} HTTP/1,1`)],
  ['a version with zeros before it', asked(`GET ${list} HTTP/01.01`)],
  ['a version with a third number', asked(`GET ${list} HTTP/1.1.1`)],
  ['a version of two digits', asked(`GET ${list} HTTP/1.10`)],
  ['a version with a space in it', asked(`GET ${list} HTTP/ 1.1`)],
  ['a version in small letters', asked(`GET ${list} http/1.1`)],
  ['a version of letters', asked(`GET ${list} HTTP/a.b`)],
  ['a version of a streaming protocol', asked(`GET ${list} ICE/1.0`)],
  ['a version of a protocol that ends like ours', asked(`GET ${list} XHTTP/1.1`)],
  // Fields (section 5, RFC 9110 section 5).
  ['a space before the colon', get('X-Odd : x')],
  ['a tab before the colon', get('X-Odd\t: x')],
  ['a name with a space', get('X Odd: x')],
  ['a name with brackets', get('X[Odd]: x')],
  ['a name with a slash', get('X/Odd: x')],
  ['a name with an at sign', get('X@Odd: x')],
  ['a name beyond ASCII', get('X-\xc3\xabdd: x')],
  ['a name with a NUL', get('X-O\0dd: x')],
  ['a name with a tab', get('X-O\tdd: x')],
  ['a name with DEL', get('X-\x7f: x')],
  ['a line without a colon', get('no colon here')],
  ['no name', get(': x')],
  ['a folded value', get('X-Odd: one\r\n two')],
  ['a value folded by a tab', get('X-Odd: one\r\n\ttwo')],
  ['a folded value with nothing on its first line', get('X-Odd:\r\n one')],
  ['a space before the first field', `GET ${list} HTTP/1.1\r\n Host: x\r\n\r\n`],
  ['a tab before the first field', `GET ${list} HTTP/1.1\r\n\tHost: x\r\n\r\n`],
  ['a line of spaces among the fields', get('   ', 'X-Odd: x')],
  ['a value with a NUL', get('X-Odd: a\0b')],
  ['a value with a control character', get('X-Odd: a\x01b')],
  ['a value with a bell', get('X-Odd: a\x07b')],
  ['a value with a backspace', get('X-Odd: a\x08b')],
  ['a value with an escape', get('X-Odd: a\x1bb')],
  ['a value with DEL', get('X-Odd: a\x7fb')],
  ['a value of 100 kB', get(`X-Odd: ${'x'.repeat(100_000)}`)],
  ['a name of 100 kB', get(`${'x'.repeat(100_000)}: x`)],
  ['ten thousand fields', get(...Array.from({ length: 10_000 }, (_, index) => `X-${index}: x`))],
  // Bytes of other protocols.
  ['a hello of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a greeting of SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a command of SMTP', 'EHLO mail.example.com\r\n'],
  ['a command of Redis', '*1\r\n$4\r\nPING\r\n'],
  ['a greeting of PostgreSQL', '\0\0\0\x08\x04\xd2\x16\x2f'],
  ['a header of the PROXY protocol', `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${get()}`],
  ['JSON', '{"application":"app_1"}\r\n\r\n'],
  ['an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['bytes of no meaning', '\xde\xad\xbe\xef\x00\xff\xfe\r\n\r\n'],
  // Lengths (RFC 9112, sections 6.2 and 6.3).
  ['two lengths', post([`Content-Length: ${length}`, 'Content-Length: 5'], body)],
  ['two lengths that are the same', post([`Content-Length: ${length}`, `Content-Length: ${length}`], body)],
  ['a list of lengths', post([`Content-Length: ${length}, 5`], body)],
  ['a list of lengths that are the same', post([`Content-Length: ${length}, ${length}`], body)],
  ['a list of three lengths', post([`Content-Length: ${length},${length},${length}`], body)],
  ['an empty length', post(['Content-Length: '], body)],
  ['a negative length', post(['Content-Length: -1'], body)],
  ['a length of minus nothing', post(['Content-Length: -0'], '')],
  ['a length with a plus', post([`Content-Length: +${length}`], body)],
  ['a hexadecimal length', post([`Content-Length: 0x${hex}`], body)],
  ['an octal length', post(['Content-Length: 0o27'], body)],
  ['a length with an underscore', post(['Content-Length: 2_3'], body)],
  ['a length with a space', post(['Content-Length: 2 3'], body)],
  ['a length with a dot', post([`Content-Length: ${length}.0`], body)],
  ['a length with an exponent', post(['Content-Length: 23e0'], body)],
  ['a length with a letter', post([`Content-Length: ${length}b`], body)],
  ['a length in quotes', post([`Content-Length: "${length}"`], body)],
  ['a length of words', post(['Content-Length: all'], body)],
  ['a length beyond 64 bits', post([`Content-Length: ${'9'.repeat(20)}`], body)],
  ['a length that is small again beyond 64 bits', post([`Content-Length: ${2n ** 64n + BigInt(length)}`], body)],
  ['a length with a vertical tab', post([`Content-Length: \x0b${length}`], body)],
  ['a length on a folded line', post([`Content-Length:\r\n ${length}`], body)],
  ['a length with a space before its colon', post([`Content-Length : ${length}`], body)],
  ['a length with a carriage return for its hyphen', post([`Content\rLength: ${length}`], body)],
  // Transfer codings (section 6.1).
  ['a length, then chunks', post([`Content-Length: ${length}`, chunked], chunks)],
  ['chunks, then a length', post([chunked, `Content-Length: ${chunks.length}`], chunks)],
  ['chunks and a length of nothing', post([chunked, 'Content-Length: 0'], chunks)],
  ['a coding like chunked', post(['Transfer-Encoding: xchunked'], chunks)],
  ['a coding that ends like chunked', post(['Transfer-Encoding: chunkedchunked'], chunks)],
  ['a coding that begins like chunked', post(['Transfer-Encoding: chunke'], chunks)],
  ['chunked in quotes', post(['Transfer-Encoding: "chunked"'], chunks)],
  ['identity', post(['Transfer-Encoding: identity'], body)],
  ['identity and a length', post(['Transfer-Encoding: identity', `Content-Length: ${length}`], body)],
  ['an unknown coding', post(['Transfer-Encoding: pigeons'], body)],
  ['an empty coding and a length', post(['Transfer-Encoding: ', `Content-Length: ${length}`], body)],
  ['chunked twice', post(['Transfer-Encoding: chunked, chunked'], chunks)],
  ['chunked on two lines', post([chunked, chunked], chunks)],
  ['chunked, then another', post(['Transfer-Encoding: chunked, gzip'], chunks)],
  ['chunked, then another on a line of its own', post([chunked, 'Transfer-Encoding: gzip'], chunks)],
  ['chunked with a parameter', post(['Transfer-Encoding: chunked;q=1'], chunks)],
  ['chunked with a NUL behind it', post(['Transfer-Encoding: chunked\0'], chunks)],
  ['chunked behind a vertical tab', post(['Transfer-Encoding: \x0bchunked'], chunks)],
  ['chunked behind a form feed', post(['Transfer-Encoding: \x0cchunked'], chunks)],
  ['chunked on a folded line', post(['Transfer-Encoding:\r\n chunked'], chunks)],
  ['chunked with something folded behind it', post(['Transfer-Encoding: chunked\r\n abc'], chunks)],
  ['chunked with a space before its colon', post(['Transfer-Encoding : chunked'], chunks)],
  ['chunked with a tab before its colon', post(['Transfer-Encoding\t: chunked'], chunks)],
  // Chunks (section 7.1).
  ['a chunk of no readable length', post([chunked], `zz\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk of no length', post([chunked], `\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk of negative length', post([chunked], `-1\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with a plus', post([chunked], `+${hex}\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with 0x', post([chunked], `0x${hex}\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with an underscore', post([chunked], `1_7\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with a dot', post([chunked], `${hex}.0\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with a space before its length', post([chunked], ` ${hex}\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with a space behind its length', post([chunked], `${hex} \r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with a tab behind its length', post([chunked], `${hex}\t\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with a word behind its length', post([chunked], `${hex} a=b\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk beyond 64 bits', post([chunked], `${'f'.repeat(17)}\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk that is small again beyond 64 bits', post([chunked], `1${hex.padStart(16, '0')}\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk shorter than its bytes', post([chunked], `5\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk without an end', post([chunked], `${hex}\r\n${body}0\r\n\r\n`)],
  ['a chunk that ends with a line feed alone', post([chunked], `${hex}\r\n${body}\n0\r\n\r\n`)],
  ['a chunk whose length ends with a line feed alone', post([chunked], `${hex}\n${body}\r\n0\r\n\r\n`)],
  ['a chunk whose length ends with a carriage return alone', post([chunked], `${hex}\r${body}\r\n0\r\n\r\n`)],
  ['a chunk whose extension ends with a line feed', post([chunked], `${hex};a\n${body}\r\n0\r\n\r\n`)],
  ['a chunk whose extension has a carriage return', post([chunked], `${hex};a\rb\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk whose extension has a NUL', post([chunked], `${hex};a=\0\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk whose extension has no name', post([chunked], `${hex};\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk whose extension has a bracket', post([chunked], `${hex};a[b]\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk whose extension has a quote without an end', post([chunked], `${hex};a="b\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk with 64 kB of extensions', post([chunked], `${hex};${'e'.repeat(65_536)}\r\n${body}\r\n0\r\n\r\n`)],
  ['chunks that end with line feeds alone', post([chunked], `${chunk}0\n\n`)],
  ['chunks that end with a plus and nothing', post([chunked], `${chunk}+0\r\n\r\n`)],
  // Trailers (section 7.1.2).
  ['a trailer that tells a length', post([chunked], `${chunk}0\r\nContent-Length: 5\r\n\r\n`)],
  ['a trailer that tells a coding', post([chunked], `${chunk}0\r\n${chunked}\r\n\r\n`)],
  ['a trailer that is folded', post([chunked], `${chunk}0\r\nX-Odd: a\r\n b\r\n\r\n`)],
  ['a trailer without a colon', post([chunked], `${chunk}0\r\nodd\r\n\r\n`)],
  ['trailers without end', post([chunked], `${chunk}0\r\n${'a: b\r\n'.repeat(5_000)}\r\n`)],
  // A request within the body of another. A server that ended the body too early would execute it.
  ['a request behind the chunks of a length', hidden(`Content-Length: ${hiddenLength}`, chunked)],
  ['a request behind the chunks of a length told last', hidden(chunked, `Content-Length: ${hiddenLength}`)],
  ['a request behind a length with a plus', hidden(`Content-Length: +${hiddenLength}`, chunked)],
  ['a request behind a length with a letter', hidden(`Content-Length: ${hiddenLength}x`, chunked)],
  ['a request behind a folded coding', hidden(`Content-Length: ${hiddenLength}`, 'Transfer-Encoding:\r\n chunked')],
  ['a request behind a coding with a space', hidden(`Content-Length: ${hiddenLength}`, `${chunked} `)],
  ['a request behind a coding with a comma', hidden(`Content-Length: ${hiddenLength}`, 'Transfer-Encoding: , chunked')],
  ['a request behind a coding in capitals', hidden(`Content-Length: ${hiddenLength}`, 'TRANSFER-ENCODING: CHUNKED')],
  ['a request behind two codings', hidden(`Content-Length: ${hiddenLength}`, chunked, 'Transfer-Encoding: odd')],
  ['a request behind an odd coding', hidden(`Content-Length: ${hiddenLength}`, 'Transfer-Encoding: x')],
  ['a request behind a coding with a tab', hidden(`Content-Length: ${hiddenLength}`, 'Transfer-Encoding:\tchunked')],
  ['a request behind two lengths', hidden('Content-Length: 5', `Content-Length: ${hiddenLength}`)],
  ['a request behind a list of lengths', hidden(`Content-Length: 5, ${hiddenLength}`)],
  ['a request behind a chunk with a plus', post([chunked], `+0\r\n\r\n${smuggled}`)],
  ['a request behind a chunk without a length', post([chunked], `\r\n\r\n${smuggled}`)],
  ['a request behind a chunk with a semicolon and line feed', post([chunked], `${hex};\n${body}\r\n0\n\n${smuggled}`)],
];

/** Ordinary requests. Each gets the response of its route, and so does the request that follows on the connection. */
export const read: Answered[] = [
  ['a list', get(), '200'],
  ['a record', post([`Content-Length: ${length}`], body), '200'],
  ['two requests at once', get() + get(), '200 200'],
  ['a record and a list at once', post([`Content-Length: ${length}`], body) + get(), '200 200'],
  ['an empty line before', `\r\n${get()}`, '200'],
  ['empty lines before', `\r\n\r\n\r\n${get()}`, '200'],
  ['an empty line between two', `${post([`Content-Length: ${length}`], body)}\r\n${get()}`, '200 200'],
  // Where the RFC lets a server be lenient, ours is no stricter than its platform.
  ['two spaces after the method', asked(`GET  ${list} HTTP/1.1`), '200'],
  ['the whole URL', asked(`GET http://x${list} HTTP/1.1`), '200'],
  ['the whole URL of another host', asked(`GET http://other.example${list} HTTP/1.1`), '200'],
  ['a fragment', asked('GET /v1/references#odd HTTP/1.1'), '200'],
  ['a target with a bar', asked('GET /v1/references?a|b HTTP/1.1'), '400'],
  ['a target with quotes', asked('GET /v1/"references" HTTP/1.1'), '404'],
  ['a target with two question marks', asked('GET /v1/references??limit=1 HTTP/1.1'), '400'],
  ['a target of 8,000 characters', asked(`GET /v1/references/${'x'.repeat(8_000)} HTTP/1.1`), '404'],
  ['a target with a backslash', asked('GET /v1\\references HTTP/1.1'), '404'],
  ['a target with an encoded NUL', asked('GET /v1/references/%00 HTTP/1.1'), '404'],
  ['a target with encoded line ends', asked('GET /v1/references/%0d%0aX-Odd:%20x HTTP/1.1'), '404'],
  ['a target with an encoded slash', asked('GET /v1/references%2f HTTP/1.1'), '404'],
  ['a target with two slashes', asked('GET //v1/references HTTP/1.1'), '404'],
  ['a target with folders', asked('GET /v1/customers/../references HTTP/1.1'), '404'],
  ['a star', asked('GET * HTTP/1.1'), '302'],
  ['OPTIONS of a star', asked('OPTIONS * HTTP/1.1'), '404'],
  ['OPTIONS of a route', asked(`OPTIONS ${list} HTTP/1.1`), '405'],
  ['OPTIONS with a body', asked(`OPTIONS ${list} HTTP/1.1`, 'Content-Length: 5') + 'hello', '405'],
  ['HEAD', asked(`HEAD ${list} HTTP/1.1`), '200'],
  ['HEAD with a body', asked(`HEAD ${list} HTTP/1.1`, 'Content-Length: 5') + 'hello', '200'],
  ['TRACE', asked(`TRACE ${list} HTTP/1.1`), '405'],
  ['TRACE with a body', asked(`TRACE ${list} HTTP/1.1`, 'Content-Length: 5') + 'hello', '405'],
  ['PUT', asked(`PUT ${list} HTTP/1.1`, 'Content-Length: 0'), '405'],
  ['PATCH', asked(`PATCH ${list} HTTP/1.1`, `Content-Length: ${length}`) + body, '405'],
  ['PURGE', asked(`PURGE ${list} HTTP/1.1`), '405'],
  ['M-SEARCH', asked('M-SEARCH * HTTP/1.1'), '404'],
  ['SEARCH', asked(`SEARCH ${list} HTTP/1.1`), '405'],
  ['LINK', asked(`LINK ${list} HTTP/1.1`), '405'],
  ['QUERY', asked(`QUERY ${list} HTTP/1.1`, 'Content-Length: 2') + '{}', '405'],
  // Hosts (section 3.2).
  ['no host', `GET ${list} HTTP/1.1\r\n${authorization}\r\n\r\n`, '400'],
  ['two hosts', get('Host: other.example'), '400'],
  ['two hosts that are the same', get('Host: x'), '400'],
  ['a host with a user', `GET ${list} HTTP/1.1\r\nHost: user@x\r\n${authorization}\r\n\r\n`, '400'],
  ['a host with a path', `GET ${list} HTTP/1.1\r\nHost: x/odd\r\n${authorization}\r\n\r\n`, '400'],
  ['a list of hosts', `GET ${list} HTTP/1.1\r\nHost: x, other.example\r\n${authorization}\r\n\r\n`, '400'],
  ['a host with a port that is none', `GET ${list} HTTP/1.1\r\nHost: x:odd\r\n${authorization}\r\n\r\n`, '400'],
  ['a host beyond ASCII', `GET ${list} HTTP/1.1\r\nHost: \xc3\xa9\r\n${authorization}\r\n\r\n`, '400'],
  ['a host with a port', `GET ${list} HTTP/1.1\r\nHost: example.com:4000\r\n${authorization}\r\n\r\n`, '200'],
  ['a host that is an address', `GET ${list} HTTP/1.1\r\nHost: [::1]:4000\r\n${authorization}\r\n\r\n`, '200'],
  ['a host with an underscore', `GET ${list} HTTP/1.1\r\nHost: a_b.example\r\n${authorization}\r\n\r\n`, '200'],
  ['an empty host', `GET ${list} HTTP/1.1\r\nHost:\r\n${authorization}\r\n\r\n`, '200'],
  // Fields.
  ['no space behind a colon', get('X-Odd:x'), '200'],
  ['tabs around a value', get('X-Odd:\tx\t'), '200'],
  ['an empty value', get('X-Odd:'), '200'],
  ['a name of all that it may have', get("!#$%&'*+-.^_`|~0aA: x"), '200'],
  ['a value beyond ASCII', get('X-Odd: \xc3\xa9\xff'), '200'],
  ['a thousand ranges', get(`Range: bytes=${'0-1,'.repeat(1_000)}0-1`), '200'],
  ['a range that is none', get('Range: odd'), '200'],
  ['a range of a record', post(['Range: bytes=0-1', `Content-Length: ${length}`], body), '200'],
  ['an Accept that is none', get('Accept: odd/nonsense'), '200'],
  [
    'an unknown type of content',
    'POST /v1/references HTTP/1.1\r\n' +
      `Host: x\r\n${authorization}\r\nContent-Type: odd/odd\r\nContent-Length: ${length}\r\n\r\n${body}`,
    '415',
  ],
  ['two types of content', post(['Content-Type: text/plain', `Content-Length: ${length}`], body), '400'],
  ['an expectation that nobody knows', get('Expect: cake'), '200'],
  ['a name with an underscore for its hyphen', post([`Content_Length: ${length}`], ''), '400'],
  [
    'a coding with an underscore for its hyphen',
    post(['Transfer_Encoding: chunked', `Content-Length: ${length}`], body),
    '200',
  ],
  // Connections (section 9).
  ['keep-alive', get('Connection: keep-alive'), '200'],
  ['a list of connection options', get('Connection: keep-alive, x-odd'), '200'],
  ['a connection option that is none', get('Connection: odd'), '200'],
  ['an upgrade that the connection does not name', get('Upgrade: websocket'), '200'],
  // Bodies.
  ['no length', post([], ''), '400'],
  ['a length of nothing', post(['Content-Length: 0'], ''), '400'],
  ['a length of two zeros', post(['Content-Length: 00'], ''), '400'],
  ['a length with zeros before it', post([`Content-Length: 00${length}`], body), '200'],
  ['a length with spaces around it', post([`Content-Length:   ${length}  `], body), '200'],
  ['a length with tabs around it', post([`Content-Length:\t${length}\t`], body), '200'],
  ['a GET with a body', get('Content-Length: 5') + 'hello', '200'],
  ['a GET whose body looks like a request', get(`Content-Length: ${smuggledLength + 46}`) + smuggled, '200'],
  ['a GET with chunks', get(chunked) + chunks, '200'],
  ['a POST whose body looks like a request', post([`Content-Length: ${smuggledLength + 46}`], smuggled), '400'],
  [
    'an OPTIONS whose body looks like a request',
    asked(`OPTIONS ${list} HTTP/1.1`, `Content-Length: ${smuggledLength + 46}`) + smuggled,
    '405',
  ],
  ['chunks', post([chunked], chunks), '200'],
  ['chunks in capitals', post(['TRANSFER-ENCODING: CHUNKED'], chunks), '200'],
  [
    'many chunks',
    post([chunked], `${Array.from(body, (character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`),
    '200',
  ],
  ['no chunks', post([chunked], '0\r\n\r\n'), '400'],
  ['a chunk in capital digits', post([chunked], `A\r\n{"applicat\r\nD\r\nion":"app_1"}\r\n0\r\n\r\n`), '200'],
  ['a chunk with zeros before its length', post([chunked], `000${hex}\r\n${body}\r\n000\r\n\r\n`), '200'],
  ['a chunk with extensions', post([chunked], `${hex};a=b;c="d;e"\r\n${body}\r\n0;f\r\n\r\n`), '200'],
  [
    'a chunk that looks like a request',
    post([chunked], `${(smuggledLength + 46).toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`),
    '400',
  ],
  ['a trailer', post(['Trailer: X-Odd', chunked], `${chunk}0\r\nX-Odd: x\r\n\r\n`), '200'],
  ['a trailer that tells a host', post([chunked], `${chunk}0\r\nHost: other.example\r\n\r\n`), '200'],
  ['a trailer that tells a key', post([chunked], `${chunk}0\r\nAuthorization: Bearer other\r\n\r\n`), '200'],
  ['a trailer that tells a type', post([chunked], `${chunk}0\r\nContent-Type: text/plain\r\n\r\n`), '200'],
  ['a body that waits to be asked for', post(['Expect: 100-continue', `Content-Length: ${length}`], body), '100 200'],
];

/** The server executes these requests and ends the connection with their response. It ignores what follows. */
export const last: Answered[] = [
  ['close', get('Connection: close'), '200'],
  ['close in capitals', get('Connection: CLOSE'), '200'],
  ['close among others', get('Connection: x-odd, close'), '200'],
  ['close to a proxy', get('Proxy-Connection: close'), '200'],
  // The parser reads every version that it knows, and closes the connection unless the version is 1.1.
  ['HTTP/2.0', asked(`GET ${list} HTTP/2.0`), '400'],
  ['a version of RTSP, which is read as that of HTTP', asked(`GET ${list} RTSP/1.0`), '200'],
  ['close and a request behind it', get('Connection: close') + smuggled, '200'],
  ['HTTP/1.0', asked(`GET ${list} HTTP/1.0`), '200'],
  ['HTTP/1.0 without a host', `GET ${list} HTTP/1.0\r\n${authorization}\r\n\r\n`, '200'],
  [
    'HTTP/1.0 that asks for an upgrade',
    asked(`GET ${list} HTTP/1.0`, 'Connection: Upgrade', 'Upgrade: websocket'),
    '200',
  ],
  [
    'HTTP/1.0 that waits to be asked',
    asked('POST /v1/references HTTP/1.0', 'Expect: 100-continue', `Content-Length: ${length}`) + body,
    '200',
  ],
  ['no length, but a body', post([], body), '400 400'],
  ['a length of nothing, but a body', post(['Content-Length: 0'], body), '400 400'],
  ['a body that is longer than it says', post([`Content-Length: ${length}`], `${body}more\r\n\r\n`), '200 400'],
];

/** These messages are incomplete. If nothing more arrives, nothing has happened. */
export const unfinished: Message[] = [
  ['nothing at all', ''],
  ['an empty line', '\r\n'],
  ['half of a method', 'GE'],
  ['half of a request line', 'GET /v1/refer'],
  ['a request line', `GET ${list} HTTP/1.1\r\n`],
  ['half of a field', `GET ${list} HTTP/1.1\r\nHost`],
  ['fields without an end', `GET ${list} HTTP/1.1\r\n${fields()}`],
  ['half of the end', `GET ${list} HTTP/1.1\r\n${fields()}\r`],
  ['half of a body', post([`Content-Length: ${length}`], body.slice(0, 10))],
  ['no body', post([`Content-Length: ${length}`], '')],
  ['a body with its last byte missing', post([`Content-Length: ${length + 1}`], body)],
  ['half of a chunk', post([chunked], `${hex}\r\n${body.slice(0, 10)}`)],
  ['chunks without an end', post([chunked], chunk)],
  ['half of the end of chunks', post([chunked], `${chunk}0\r\n`)],
  ['a chunk longer than its bytes', post([chunked], `${hex.padStart(3, '1')}\r\n${body}\r\n0\r\n\r\n`)],
  ['half of a trailer', post([chunked], `${chunk}0\r\nX-Odd`)],
];
