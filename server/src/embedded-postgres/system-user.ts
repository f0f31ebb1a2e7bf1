/** Finds the user that PostgreSQL runs as, and checks what that user may access. */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedDatabaseError } from './error.ts';

/** A user of the operating system. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Returns the user that PostgreSQL runs as; null means this process's own. PostgreSQL refuses to run as root. So root hands over to the
 * owner of existing data, or else to the system's unprivileged user.
 */
export function databaseUser(dataDir: string): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const ownerUid = fs.statSync(join(dataDir, 'postgres'), { throwIfNoEntry: false })?.uid;
  const user = (ownerUid ? findUser(ownerUid) : undefined) ?? findUser('nobody');
  if (!user) {
    throw new EmbeddedDatabaseError(
      'PostgreSQL does not run as root and there is no user "nobody" to run as: ' +
        'start Tenure as an ordinary user, or set DATABASE_URL.',
    );
  }
  return user;
}

/** Returns the system's user with that name or id, if there is one. */
export function findUser(nameOrUid: string | number): SystemUser | undefined {
  for (const line of fs.readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , uid, gid] = line.split(':');
    // `>>> 0` because macOS writes the id of its unprivileged user as -2.
    if (name === nameOrUid || Number(uid) >>> 0 === nameOrUid) {
      return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    }
  }
  // Users of macOS and of directories such as LDAP are not in that file.
  try {
    const ask = (flag: string) =>
      execFileSync('id', [flag, String(nameOrUid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    return { name: ask('-un'), uid: Number(ask('-u')) >>> 0, gid: Number(ask('-g')) >>> 0 };
  } catch {
    return undefined;
  }
}

/**
 * Returns the options that start a program as that user. PostgreSQL gets nothing of our environment. Its messages stay English, because the
 * server parses them.
 */
export function asUser(user: SystemUser | null) {
  const environment = { env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }, cwd: '/' };
  // `| 0` because spawn takes the id of that macOS user only as -2.
  return user ? { ...environment, uid: user.uid | 0, gid: user.gid | 0 } : environment;
}

/** Returns the first folder on the way to `path` that `user` cannot enter, or undefined if the way is open. */
export function folderClosedTo(user: SystemUser | null, path: string): string | undefined {
  if (!user) return undefined;
  const folders = [fs.realpathSync(nearestExisting(path))];
  while (folders[0] !== '/') folders.unshift(dirname(folders[0] ?? '/'));
  return folders.find((folder) => !has(user, 'x', folder));
}

/** Returns `path`, or the nearest existing folder above it. */
export function nearestExisting(path: string): string {
  return fs.existsSync(path) || path === '/' ? path : nearestExisting(dirname(path));
}

/** Tells whether the permissions of `path` itself let the user read it, or execute it (for a folder: enter it). */
export function has(user: SystemUser, permission: 'r' | 'x', path: string): boolean {
  const { uid, gid, mode } = fs.statSync(path);
  const bitForOthers = permission === 'r' ? 0o4 : 0o1;
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return (mode & (bitForOthers << shift)) !== 0;
}
