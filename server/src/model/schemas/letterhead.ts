import { Type, type Static, type TString } from 'typebox';
import { ungrouped } from '../../core/bank-details.ts';
import { invalidParameter } from '../../core/errors.ts';
import { LinkedId, SingleLine, StoredLine } from './fields.ts';
import { closedObject, described, named, nullable } from './make.ts';

const Email = Type.String({ maxLength: 255, pattern: '^[^\\s@]+@[^\\s@]+$', examples: ['rent@example.org'] });
const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  examples: ['GB'],
  description: 'ISO 3166-1 alpha-2, such as `GB`.',
});
const addressOf = (line: TString) => ({
  line1: described(line, 'House and street.'),
  line2: described(nullable(line), 'The second line. Null if there is none.'),
  city: described(line, 'Town or city.'),
  postal_code: described(line, 'The postal code, as it is written in the country.'),
});

const about = {
  email: 'The e-mail address for questions. Null if there is none.',
  phone: 'The phone number for questions, as you sent it. Null if there is none.',
  registration: 'What the law requires on a letter, such as the number of a company. Null if there is nothing.',
  bank: 'The account to which tenants pay. Null if invoices name none.',
  logo: 'The id of a file of the account: a JPEG or PNG. It stands at the head of reports, invoices and statements, and on the pages of links. Null if there is none. The id stays when the file is deleted. Then nothing is printed in its place.',
  brand_color: 'The colour of buttons in the portal, such as `#1d4ed8`. Null for the portal’s own.',
};

/** A colour of CSS, in full hexadecimal digits. */
const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#1d4ed8'] });

const aboutBank = {
  account_name: 'The name of the account, as the bank knows it.',
  bank_name: 'The name of the bank. Null if it is not shown.',
  sort_code: 'The sort code of a British bank: six digits.',
  account_number: 'The number of the account, without spaces.',
  iban: 'The IBAN, without spaces.',
  bic: 'The BIC of the bank.',
};

const BankDetails = named(
  'BankDetails',
  'A bank account to which tenants pay.',
  closedObject({
    account_name: described(StoredLine, aboutBank.account_name),
    bank_name: described(nullable(StoredLine), aboutBank.bank_name),
    sort_code: described(nullable(Type.String()), `${aboutBank.sort_code} Null if there is none.`),
    account_number: described(nullable(Type.String()), `${aboutBank.account_number} Null if there is none.`),
    iban: described(nullable(Type.String()), `${aboutBank.iban} Null if there is none.`),
    bic: described(nullable(Type.String()), `${aboutBank.bic} Null if there is none.`),
  }),
);
const bankInput = closedObject({
  account_name: described(SingleLine, aboutBank.account_name),
  bank_name: Type.Optional(described(nullable(SingleLine), aboutBank.bank_name)),
  sort_code: Type.Optional(nullable(Type.String({ format: 'sort-code', description: aboutBank.sort_code }))),
  account_number: Type.Optional(
    nullable(Type.String({ format: 'account-number', description: aboutBank.account_number })),
  ),
  iban: Type.Optional(nullable(Type.String({ format: 'iban', description: aboutBank.iban }))),
  bic: Type.Optional(nullable(Type.String({ format: 'bic', description: aboutBank.bic }))),
});
const BankDetailsInput = named(
  'BankDetailsInput',
  'A bank account to which tenants pay. It needs an `account_number` or an `iban`.',
  bankInput,
);

/** The sender of an account’s invoices, statements and reports. */
export const Letterhead = named(
  'Letterhead',
  'The sender of invoices, statements and reports.',
  closedObject({
    name: described(StoredLine, 'The name of the sender.'),
    address: named(
      'LetterheadAddress',
      'The address of a sender.',
      closedObject({ ...addressOf(StoredLine), country: Country }),
    ),
    email: described(nullable(Email), about.email),
    phone: described(nullable(StoredLine), about.phone),
    registration: described(nullable(StoredLine), about.registration),
    bank: described(nullable(BankDetails), about.bank),
    // Left out in letterheads from before there were logos.
    logo: Type.Optional(described(nullable(LinkedId), about.logo)),
    // Left out in letterheads from before there was a portal.
    brand_color: Type.Optional(described(nullable(Color), about.brand_color)),
  }),
);
export type Letterhead = Static<typeof Letterhead>;

const inputLines = addressOf(SingleLine);
export const LetterheadInput = named(
  'LetterheadInput',
  'The sender of invoices, statements and reports.',
  closedObject({
    name: described(SingleLine, 'The name of the sender.'),
    address: named(
      'LetterheadAddressInput',
      'The address of a sender.',
      closedObject({
        ...inputLines,
        line2: Type.Optional(inputLines.line2),
        country: Type.Unsafe<string>({ ...Country, format: 'country' }),
      }),
    ),
    email: Type.Optional(nullable(Type.Unsafe<string>({ ...Email, format: 'email', description: about.email }))),
    phone: Type.Optional(described(nullable(SingleLine), about.phone)),
    registration: Type.Optional(described(nullable(SingleLine), about.registration)),
    bank: Type.Optional(described(nullable(BankDetailsInput), about.bank)),
    logo: Type.Optional(described(nullable(LinkedId), about.logo)),
    brand_color: Type.Optional(described(nullable(Color), about.brand_color)),
  }),
);

/**
 * Returns the letterhead as it is stored, with null for absent members and numbers without spaces.
 *
 * @throws {ApiError} `parameter_invalid` if its bank account cannot be paid to.
 */
export function letterheadFrom(sent: Static<typeof LetterheadInput>): Letterhead {
  const { name, address, email, phone, registration, bank, logo, brand_color } = sent;
  const { line1, line2, city, postal_code, country } = address;
  return {
    name,
    address: { line1, line2: line2 ?? null, city, postal_code, country },
    email: email ?? null,
    phone: phone ?? null,
    registration: registration ?? null,
    bank: bank ? bankFrom(bank) : null,
    logo: logo ?? null,
    brand_color: brand_color ?? null,
  };
}

/** Returns a number without the spaces and hyphens of its groups. */
function number(text: string | null | undefined): string | null {
  return text ? ungrouped(text) : null;
}

function bankFrom(sent: Static<typeof bankInput>): Static<typeof BankDetails> {
  const bank = {
    account_name: sent.account_name,
    bank_name: sent.bank_name ?? null,
    sort_code: number(sent.sort_code),
    account_number: number(sent.account_number),
    iban: number(sent.iban),
    bic: number(sent.bic),
  };
  if (bank.account_number === null && bank.iban === null)
    throw invalidParameter(
      'letterhead[bank]',
      'The bank account has no number, so tenants cannot pay to it. Send its `account_number` or its `iban`.',
    );
  if (bank.sort_code !== null && bank.account_number !== null && !/^\d{8}$/.test(bank.account_number))
    throw invalidParameter(
      'letterhead[bank][account_number]',
      '`letterhead[bank][account_number]` must have eight digits beside a `sort_code`. Put zeros before a shorter one.',
    );
  return bank;
}
