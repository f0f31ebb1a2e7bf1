type Piece = Record<string, unknown>;

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['const', 'default', 'enum', 'example', 'examples']);

/**
 * Closes a document: objects have no further members, and enums and events no further values. Published documents are open, because later
 * releases add such things. This release may show only what its own documents have.
 *
 * @param events the place of the events. Only a retrieved event has a version, and only a delivered one has an account.
 */
export function closedDocument<Document extends { components: Record<string, Record<string, object>> }>(
  document: Document,
  events: 'retrieved' | 'delivered',
): Document {
  const result = closed(document, document.components.schemas as Record<string, Piece>) as Document;
  for (const [name, schema] of Object.entries(result.components.schemas as Record<string, Piece>)) {
    if (!name.endsWith('Event') || schema.type !== 'object') continue;
    const members = schema.properties as Piece;
    delete members[events === 'retrieved' ? 'account' : 'api_version'];
    if (events === 'retrieved') schema.required = [...(schema.required as string[]), 'api_version'];
  }
  return result;
}

function closed(piece: unknown, schemas: Record<string, Piece>): unknown {
  if (Array.isArray(piece)) return piece.map((one) => closed(one, schemas));
  if (typeof piece !== 'object' || piece === null) return piece;
  const own: Piece = Object.fromEntries(
    Object.entries(piece).map(([keyword, value]) => [
      keyword,
      dataKeywords.has(keyword) ? value : closed(value, schemas),
    ]),
  );
  if (Array.isArray(own.anyOf)) own.anyOf = ofThisRelease(own.anyOf as Piece[], schemas);
  const hasMembers = typeof own.properties === 'object' && Object.keys(own.properties ?? {}).length > 0;
  if (hasMembers && [own.type].flat().includes('object') && own.additionalProperties === undefined)
    own.additionalProperties = false;
  return own;
}

/** Leaves out the choices for later releases: any text besides an enum, and an event of any type. */
function ofThisRelease(choices: Piece[], schemas: Record<string, Piece>): Piece[] {
  const isEnum = ({ $ref, enum: values }: Piece): boolean =>
    values !== undefined || (typeof $ref === 'string' && schemas[$ref.split('/').at(-1)!]?.enum !== undefined);
  const isAnyText = (choice: Piece): boolean => choice.type === 'string' && Object.keys(choice).length === 1;
  const left = choices.some(isEnum) ? choices.filter((choice) => !isAnyText(choice)) : choices;
  return left.filter(({ $ref }) => $ref !== '#/components/schemas/OtherEvent');
}
