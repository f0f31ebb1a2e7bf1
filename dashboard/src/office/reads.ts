import type { Application, Customer, Event, Reference, Unit } from 'tenure';
import { defineRead } from '../api/requests.ts';
import { idOf } from './words.ts';

/* What several pages of the office read. */

/** The most records that a choice offers. */
const choicesMax = 500;

/** People to choose from, the newest first. */
export const peopleRead = defineRead<Customer[]>((tenure, _, options) =>
  tenure.customers.list({}, options).toArray({ limit: choicesMax }),
);

/** Homes to choose from, with their buildings. */
export const homesRead = defineRead<Unit[]>(async (tenure, _, options) => {
  const homes = await tenure.units.list({ expand: ['data.building'] }, options).toArray({ limit: choicesMax });
  return homes.filter(({ archived }) => !archived);
});

/** The links of an application that pages show. */
const applicationLinks = ['customers', 'unit.building'];

export const inApplication = applicationLinks.map((link) => `data.${link}`);

/** An application with its people, its home and its guarantors. */
export const applicationRead = defineRead<Application, { id: string }>((tenure, { id }, options) =>
  tenure.applications.retrieve(id, { expand: [...applicationLinks, 'guarantors.customer'] }, options),
);

/** The links of a check that pages show. */
const referenceLinks = ['customer', 'application.customers', 'application.unit.building'];

export const inReference = referenceLinks.map((link) => `data.${link}`);

export const referenceRead = defineRead<Reference, { id: string }>((tenure, { id }, options) =>
  tenure.references.retrieve(id, { expand: [...referenceLinks, 'reference_pdf', 'earlier_reports'] }, options),
);

/** Returns the ids of the reports of a check, the newest first. */
export function reportsOf({ reference_pdf: pdf, earlier_reports: earlier }: Reference): string[] {
  return [...(pdf === null ? [] : [pdf]), ...earlier.toReversed()].map(idOf);
}

/** The most checks of a page. More are on the page of the checks. */
const checksMax = 50;

/** The checks of an application or of a person, the newest first. */
export const checksRead = defineRead<Reference[], { application?: string; customer?: string }>(
  async (tenure, filter, options) => {
    const { data } = await tenure.references.list({ ...filter, limit: checksMax, expand: inReference }, options).page();
    return data;
  },
);

/** The most events of a page. */
export const eventsMax = 50;

/** The most reports of a page whose links are looked for. */
const filesMax = 5;

/**
 * What happened to a record or to records that link to it, the newest first. With files, also what happened to their links. With
 * `evidence_for`, also which evidence for a check was added and deleted.
 */
export const eventsRead = defineRead<
  Event[],
  { object_id?: string; related_object?: string; files?: string; evidence_for?: string }
>(async (tenure, { files = '', evidence_for: check, ...filter }, options) => {
  const related = files === '' ? [] : files.split(',').slice(0, filesMax);
  const newest = async (each: { object_id?: string; related_object?: string }): Promise<Event[]> => {
    const { data } = await tenure.events.list({ ...each, limit: eventsMax }, options).page();
    return data;
  };
  const [own, ofCheck, ...ofLinks] = await Promise.all([
    newest(filter),
    check === undefined ? [] : newest({ related_object: check }),
    ...related.map((file) => newest({ related_object: file })),
  ]);
  const others = [
    ...ofCheck.filter(({ type }) => type.startsWith('file.')),
    ...ofLinks.flat().filter(({ type }) => type.startsWith('file_link.')),
  ];
  if (others.length === 0) return own;
  return [...own, ...others].toSorted((one, other) => other.created - one.created).slice(0, eventsMax);
});

/** The service that makes checks if the person chooses none. Null if the account has none. */
export const usualServiceRead = defineRead<string | null>(async (tenure, _, options) => {
  const { default_provider: provider } = await tenure.account.retrieve({}, options);
  return provider;
});
