import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isCommonPassword } from '../../src/sign-in/common-passwords.ts';
import { Passwords, refuseWeakPassword } from '../../src/sign-in/passwords.ts';

const names = ['ada@northern-homes.example', 'Ada Lovelace', 'Northern Homes Limited'];

describe('a new password', () => {
  test.each([
    ['fifteen letters', 'qwzmvbxkrtplsdf'],
    ['only digits', '839201746552019'],
    ['spaces at its ends', '  a b c d e f g'],
    ['fifteen emojis', '🏠'.repeat(15)],
    ['256 characters', 'x9'.repeat(128)],
  ])('is accepted when it has %s', async (_, password) => {
    await refuseWeakPassword(password, { hasSecondFactor: false, names });
  });

  test.each([
    ['fourteen characters', 'qwzmvbxkrtplsd', false],
    ['seven emojis, which have fourteen code units', '🏠'.repeat(7), true],
    ['seven characters beside a second factor', 'qwzmvbx', true],
    ['a common one', 'Password123', true],
    ['the own address', 'ada@northern-homes.example', false],
    ['the own name in capitals', 'ADA LOVELACE 12', false],
    ['the name of the account', 'Northern Homes Limited', false],
    ['the name of the product', 'tenuretenuretenure', false],
  ])('is refused when it is %s', async (_, password, hasSecondFactor) => {
    await expect(refuseWeakPassword(password, { hasSecondFactor, names })).rejects.toMatchObject({
      code: 'password_weak',
      param: 'password',
    });
  });

  test('needs eight characters when there is a second factor', async () => {
    await refuseWeakPassword('qwzmvbxk', { hasSecondFactor: true, names });
    expect(await isCommonPassword('12345678')).toBe(true);
  });
});

test('compares a password exactly as it was typed', async () => {
  const passwords = new Passwords((length) => randomBytes(length));
  const password = ' Grüße aus Köln 🏠';
  const hash = await passwords.hash(password, null);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.matches(password, hash, null)).toBe(true);
  for (const other of [password.trim(), password.toLowerCase(), password.normalize('NFD'), `${password} `, ''])
    expect(await passwords.matches(other, hash, null)).toBe(false);
  expect(await passwords.matches(password, null, null)).toBe(false);
});
