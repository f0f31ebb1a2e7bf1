import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { formats } from '../../src/core/formats.ts';
import { breachesOf, edgesOf } from '../support/breaches.ts';
import { nameOf, routesOfKeys } from '../support/routes.ts';
import { serverForTest } from '../support/server.ts';
import { versions } from '../support/versions.ts';
import { bodyOf, bodySchema, takesJson } from './json-bodies.ts';

/* The requests of `schemas.test.ts` break what they are made to break. */

test('breaks the intended rule by the verdict of another validator', async () => {
  const server = await serverForTest();
  for (const route of routesOfKeys(server.context).filter(takesJson)) {
    const schema = bodySchema(server, route, versions[0]!);
    const ajv = new Ajv2020({ allErrors: true, strict: true, ownProperties: true, allowUnionTypes: true });
    ajv.addKeyword('definition');
    ajv.addFormat('date', (text: string) => !Number.isNaN(Date.parse(text)) && /^\d{4}-(?!02-30)\d\d-\d\d$/.test(text));
    for (const [name, faultOf] of Object.entries(formats))
      if (name !== 'date') ajv.addFormat(name, (text: string) => faultOf(text) === null);
    const validate = ajv.compile(schema as object);
    for (const { keyword, param, body } of breachesOf(schema, bodyOf(route))) {
      expect(validate(body), `${nameOf(route)} ${keyword} ${param}`).toBe(false);
      const broken = validate.errors!.filter(
        (error) => error.propertyName === undefined || error.keyword === 'propertyNames',
      );
      expect(broken.map((error) => error.keyword)).toContain(keyword);
      // If one rule cannot be broken without another, both are of the same place.
      expect(new Set(broken.map((error) => error.instancePath)).size).toBe(1);
    }
    for (const { body } of edgesOf(schema, bodyOf(route))) expect(validate(body), JSON.stringify(body)).toBe(true);
  }
});
