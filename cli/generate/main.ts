import { writeFileSync } from 'node:fs';
import { readDocuments } from '../../sdk/generate/files.ts';
import { catalogueOf } from './commands.ts';
import { catalogueFile } from './files.ts';

const [newest] = Object.entries(readDocuments()).sort(([a], [b]) => (a < b ? 1 : -1));
writeFileSync(catalogueFile, `${JSON.stringify(catalogueOf(newest![1]), null, 1)}\n`);
