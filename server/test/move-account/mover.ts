import { randomBytes } from 'node:crypto';
import { Encryption } from '../../src/core/secrets/encryption.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { moveTree } from '../../src/move-account/move.ts';

/* Moves a tree as the command does. The process kills itself at the beginning of a step. */

export interface MoverInput {
  source: Connection;
  target: Connection;
  masterKey: string;
  root: string;
  diesAt: string;
}

const { source, target, masterKey, root, diesAt } = JSON.parse(process.argv[2]!) as MoverInput;
const encryption = new Encryption(Buffer.from(masterKey, 'base64'), (length) => randomBytes(length));
await withClient(source, (here) =>
  withClient(target, (there) =>
    moveTree(
      { source: here, target: there, encryption },
      { root, cell: 'eu2', moveId: randomBytes(8).toString('hex') },
      (step) => {
        if (step === diesAt) process.kill(process.pid, 'SIGKILL');
      },
    ),
  ),
);
