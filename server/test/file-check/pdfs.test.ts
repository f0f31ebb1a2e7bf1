import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Office } from '../rent-documents/office.ts';
import { objectStream, pdfWith } from '../support/active-pdfs.ts';
import { startLetting } from '../letting/agency.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { jpegOf } from '../support/pictures.ts';
import { expectRefusal, invalid } from '../support/refusals.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

function upload(contents: Uint8Array): Promise<ApiResponse> {
  return api.post('/v1/files', formOf({ purpose: 'income_evidence' }, contents, 'payslip.pdf'));
}

const megabyte = 1024 * 1024;

function inflatesTo(megabytes: number): Buffer {
  return objectStream(['<< >>'], { pack: () => deflateSync(Buffer.alloc(megabytes * megabyte)) });
}

/** Makes an object stream with four objects at the same place, which is a long array. */
function fourObjectsIn(megabytes: number): Buffer {
  const array = Buffer.concat([Buffer.from('1 0 2 0 3 0 4 0 ['), Buffer.alloc(megabytes * megabyte, ' 0')]);
  const bytes = deflateSync(array);
  const head = Buffer.from('9 0 obj << /Type /ObjStm /N 4 /First 16 /Filter /FlateDecode >> stream\n');
  return Buffer.concat([head, bytes, Buffer.from('\nendstream endobj')]);
}

async function rows(): Promise<unknown[]> {
  const { rows: counts } = await server.context.database.readers.query(`
    select (select count(*) from files) as files, (select count(*) from file_parts) as parts,
      (select count(*) from file_uploads) as uploads`);
  return counts;
}

const script = /is a PDF with a script/;
const program = /starts a program/;
const attachment = /another file, a film or a model inside/;
const closed = /cannot be checked for scripts/;
const alert = '/S /JavaScript /JS (app.alert\\(1\\))';

describe('documents with active content', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['a script when it is opened', pdfWith(`/OpenAction << ${alert} >>`), script],
    ['a script behind a reference', pdfWith('/OpenAction 5 0 R', `5 0 obj << ${alert} >> endobj`), script],
    ['a script on a page', pdfWith('', `5 0 obj << /AA << /O << ${alert} >> >> >> endobj`), script],
    ['a named script', pdfWith(`/Names << /JavaScript << /Names [(a) << ${alert} >>] >> >>`), script],
    ['a script with an escaped name', pdfWith('/OpenAction << /#53 /J#61vaScript /J#53 (x) >>'), script],
    ['a script without spaces', pdfWith('/OpenAction<</S/JavaScript/JS(x)>>'), script],
    ['a script behind a comment', pdfWith('/OpenAction << /S % a kind\r /JavaScript /JS 7 0 R >>'), script],
    [
      'a kind of action behind a reference',
      pdfWith('/OpenAction << /S 6 0 R >>', '6 0 obj /JavaScript endobj'),
      script,
    ],
    ['a script in an earlier version', pdfWith('', `1 0 obj << /OpenAction << ${alert} >> >> endobj`), script],
    ['a script in its trailer', pdfOf(`trailer << /Root << /OpenAction << ${alert} >> >> >>`), script],
    ['a script behind an open text', pdfWith('', '5 0 obj (open', `6 0 obj << ${alert} >> endobj`), script],
    [
      'a script within a page of text',
      pdfWith('', `5 0 obj << /Length 9 >> stream\n6 0 obj << ${alert} >> endobj endstream`),
      script,
    ],
    ['a script in an object stream', pdfWith('', objectStream(['<< /Type /Catalog >>', `<< ${alert} >>`])), script],
    ['a kind of action in an object stream', pdfWith('', objectStream(['7', '/JavaScript'])), script],
    [
      'a script in an object stream without a type',
      pdfWith('', objectStream([`<< ${alert} >>`], { type: '' })),
      script,
    ],
    [
      'a script in a plain object stream',
      pdfWith('', objectStream([`<< ${alert} >>`], { pack: (bytes) => bytes, filter: '' })),
      script,
    ],
    [
      'a script in an object stream with a list of filters',
      pdfWith('', objectStream([`<< ${alert} >>`], { filter: '/Filter [/FlateDecode]' })),
      script,
    ],
    ['a script in a model', pdfWith('', '5 0 obj << /Type /3D /OnInstantiate 6 0 R >> endobj'), script],
    ['a form of scripts', pdfWith('/AcroForm << /XFA [(template) 5 0 R] >>'), /form that runs scripts/],
    ['a program to start', pdfWith('/OpenAction << /S /Launch /F (cmd.exe) >>'), program],
    ['data to import', pdfWith('', '5 0 obj << /S /ImportData /F (x.fdf) >> endobj'), program],
    ['a file inside', pdfWith('/Names << /EmbeddedFiles << /Names [(a.exe) 5 0 R] >> >>'), attachment],
    ['a file inside without a type', pdfWith('', '5 0 obj << /F (a.exe) /EF << /F 6 0 R >> >> endobj'), attachment],
    ['a file at an annotation', pdfWith('', '5 0 obj << /Subtype /FileAttachment >> endobj'), attachment],
    ['a film', pdfWith('', '5 0 obj << /Subtype /RichMedia >> endobj'), attachment],
    ['an encrypted object stream', pdfWith('', objectStream(['<< >>'], { pack: () => randomBytes(200) })), closed],
    [
      'an object stream in an unusual form',
      pdfWith('', objectStream(['<< >>'], { filter: '/Filter [/ASCIIHexDecode /FlateDecode]' })),
      closed,
    ],
    ['an object stream behind a reference', pdfWith('', objectStream(['<< >>'], { filter: '/Filter 8 0 R' })), closed],
    ['two object streams that inflate to 40 megabytes', pdfWith('', inflatesTo(20), inflatesTo(20)), closed],
    [
      'an object stream of more objects than programs write',
      pdfWith('', '9 0 obj << /Type /ObjStm /N 100001 /First 0 >> stream\nendstream endobj'),
      closed,
    ],
    ['an object stream whose objects begin at one place', pdfWith('', fourObjectsIn(3)), closed],
    [
      'an object stream that inflates without end',
      pdfWith('', objectStream(['<< >>'], { pack: () => deflateSync(Buffer.alloc(64 * 1024 * 1024)) })),
      closed,
    ],
    ['objects within objects without end', pdfOf('\n1 0 obj ('.repeat(200_000)), closed],
  ])('refuses the file with a reason, and keeps nothing, when it has %s', async (_name, contents, says) => {
    const before = await rows();
    expectRefusal(await upload(contents), { ...invalid('file'), says });
    expect(await rows()).toEqual(before);
  });

  test('refuses a large document with a script at its end, and keeps nothing', async () => {
    const before = await rows();
    const large = pdfWith('', Buffer.alloc(3_000_000, 'a picture '), `5 0 obj << ${alert} >> endobj`);
    expectRefusal(await upload(large), { ...invalid('file'), says: script });
    expect(await rows()).toEqual(before);
  });
});

describe('usual documents', () => {
  test.each<[string, Uint8Array | Promise<Uint8Array>]>([
    ['it opens at a place', pdfWith('/OpenAction [3 0 R /XYZ null null 0]')],
    ['it opens by a move to a page', pdfWith('/OpenAction << /S /GoTo /D [3 0 R /Fit] >>')],
    [
      'it links to pages about scripts',
      pdfWith('', '5 0 obj << /S /URI /URI (https://example.com/S/JavaScript/Launch) >> endobj'),
    ],
    [
      'its texts are about scripts',
      pdfWith('', '5 0 obj << /Title (A guide to /S /JavaScript, \\(/EF <<\\)) >> endobj'),
    ],
    [
      'its pages are about scripts',
      pdfWith('', '5 0 obj << /Length 40 >> stream\nBT (/S /JavaScript /JS) Tj ET /S /Launch\nendstream endobj'),
    ],
    ['it has destinations with such names', pdfWith('/Dests << /JavaScript [3 0 R /Fit] /Launch [3 0 R /Fit] >>')],
    ['it has fonts with such names', pdfWith('', '5 0 obj << /Font << /JS 6 0 R /S 7 0 R >> >> endobj')],
    ['it has a form without scripts', pdfWith('/AcroForm << /Fields [] /NeedAppearances true >>')],
    ['it has object streams', pdfWith('', objectStream(['<< /Type /Font >>', '[1 2 3]', '(a text /S /JavaScript)']))],
    ['it has an empty object stream', pdfWith('', objectStream([]))],
    [
      'it is protected and has no object streams',
      pdfWith('', '5 0 obj << /Filter /Standard /V 2 /R 3 /O (x) >> endobj'),
    ],
    [
      'it has a picture',
      jpegOf().then((jpeg) =>
        pdfWith(
          '',
          Buffer.concat([Buffer.from('5 0 obj << /Subtype /Image >> stream\n'), jpeg, Buffer.from('endstream endobj')]),
        ),
      ),
    ],
    ['it is ten megabytes of noise', pdfOf(randomBytes(10 * 1024 * 1024 - pdfOf('').length))],
  ])('stores the file as it is when %s', async (_name, contents) => {
    const sent = Buffer.from(await contents);
    const { body: file } = await good(upload(sent));
    const response = await fetch(`${server.url}/v1/files/${file.id}/contents`, {
      headers: { authorization: `Bearer ${server.secretKey}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
  });

  test('stores a statement that the server has printed itself', async () => {
    const own = await startLetting();
    onTestFinished(() => own.stop());
    const office = await Office.on(own);
    await good(own.api.post('/v1/files', formOf({}, await office.statementPdf())));
  });
});
