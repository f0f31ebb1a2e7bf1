import { Type } from 'typebox';
import { invalidParameter } from '../../../core/errors.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Change } from '../../../model/resource.ts';

/** What an application knows of a guarantor, for its references. */
export interface KnownGuarantor {
  id: string;
  customer: string;
  status: string;
  /** The applicants that the guarantor stands for. Null means all. */
  guarantees: string[] | null;
}

export const GuarantorsKnown = Type.Unsafe<KnownGuarantor[]>(Type.Array(Type.Object({})));

type Guaranteed = StoredRecord & { customers: string[]; guarantors: string[]; guarantors_known: KnownGuarantor[] };

type GuarantorOfApplication = StoredRecord & { customer: string; status: string; guarantees: string[] | null };

/** Updates the application after a write to one of its guarantors. */
export function adaptToGuarantor<Application extends Guaranteed>(
  current: Application,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<Application> {
  const { id } = (after ?? before)!;
  const others = current.guarantors_known.filter((known) => known.id !== id);
  if (!after) return { after: { ...current, guarantors: without(current, id), guarantors_known: others } };
  const { customer, status, guarantees } = after as GuarantorOfApplication;
  const known = { id, customer, status, guarantees };
  const guarantors = current.guarantors.includes(id) ? current.guarantors : [...current.guarantors, id];
  return { after: { ...current, guarantors, guarantors_known: [...others, known] } };
}

function without({ guarantors }: Guaranteed, id: string): string[] {
  return guarantors.filter((known) => known !== id);
}

/** Returns the guarantor that stands, or may come to stand, for the application by this person. */
export function guarantorBy(
  { guarantors_known: known }: Pick<Guaranteed, 'guarantors_known'>,
  customer: string,
): KnownGuarantor | null {
  return known.find((guarantor) => guarantor.customer === customer && isStanding(guarantor)) ?? null;
}

/** Returns whether a guarantor stands by the application, or was asked to. */
export function isStanding({ status }: KnownGuarantor): boolean {
  return status === 'proposed' || status === 'agreed';
}

/**
 * Requires that no guarantor applies, and that each stands for applicants only.
 *
 * @throws {ApiError} `parameter_invalid` for `customers`.
 */
export function requireGuarantorsFit({ id, customers, guarantors_known: known }: Guaranteed): void {
  for (const guarantor of known.filter(isStanding)) {
    const own = customers.indexOf(guarantor.customer);
    if (own >= 0)
      throw invalidParameter(
        `customers[${own}]`,
        `\`${guarantor.customer.slice(0, 80)}\` is a guarantor of ${id}, and cannot apply too. Delete or release ${guarantor.id} first.`,
      );
    const missing = guarantor.guarantees?.find((person) => !customers.includes(person));
    if (missing !== undefined)
      throw invalidParameter(
        'customers',
        `${guarantor.id} stands for \`${missing.slice(0, 80)}\`, so that person must stay an applicant. Delete or release ${guarantor.id} first.`,
      );
  }
}
