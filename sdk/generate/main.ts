import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedDir, readDocuments, readStyle } from './files.ts';
import { generateSdk } from './sdk.ts';

const files = await generateSdk(readDocuments(), readStyle());
mkdirSync(generatedDir, { recursive: true });
for (const name of readdirSync(generatedDir)) if (!files.has(name)) rmSync(join(generatedDir, name));
for (const [name, text] of files) writeFileSync(join(generatedDir, name), text);
