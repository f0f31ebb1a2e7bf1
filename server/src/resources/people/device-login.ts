import { Type } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource } from '../../model/resource.ts';
import { nullable } from '../../model/schemas/make.ts';
import { silent } from '../../model/traits/silent.ts';

export type DeviceLoginRecord = StoredRecord & {
  device_code_hash: string;
  user_code_hash: string;
  /** The name that the machine gives itself. */
  machine: string;
  ip_address: string | null;
  /** In seconds of real time. */
  expires_at: number;
  /** Null while it waits for a person. */
  decision: 'approved' | 'denied' | null;
  decided_by: string | null;
  /** The account of the key: that of the person. Null unless it is approved. */
  key_account_id: string | null;
  key_id: string | null;
  /** The secret of the key, until the command has picked it up. */
  secret: Buffer | null;
};

const Time = Type.Integer();
const Word = Type.String({ maxLength: 500 });

/** A sign-in of the command line, for which a person makes an API key in the dashboard. It belongs to the oldest account of the deployment. */
export const deviceLogin = defineResource<DeviceLoginRecord>(
  {
    object: 'device_login',
    prefix: 'dvl',
    path: 'device_logins',
    table: 'device_logins',
    fields: {
      device_code_hash: { column: 'text', schema: Word },
      user_code_hash: { column: 'text', schema: Word },
      machine: { column: 'text', schema: Word },
      ip_address: { column: 'text', schema: nullable(Word) },
      expires_at: { column: 'bigint', schema: Time },
      decision: { column: 'text', schema: nullable(Word) },
      decided_by: { column: 'text', schema: nullable(Word) },
      key_account_id: { column: 'text', schema: nullable(Word) },
      key_id: { column: 'text', schema: nullable(Word) },
      secret: { column: 'encrypted', schema: nullable(Word) },
    },
  },
  silent(),
);
