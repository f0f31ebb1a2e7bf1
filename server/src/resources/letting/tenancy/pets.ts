import { invalidParameter, missingParameter } from '../../../core/errors.ts';
import { addDays } from '../../../core/calendar.ts';
import { isObject, type Json } from '../../../core/json-diff.ts';
import { judge, type Judgement } from '../../../law/index.ts';
import type { Rules } from '../../../core/vocabulary/law-rules.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus } from '../../../model/status.ts';
import { emptied } from '../../../model/traits/personal-texts.ts';
import { withWarnings } from '../warnings.ts';
import { later } from '../days.ts';
import { petRequestsMax, type PetRequest, type TenancyRecord } from './fields.ts';

/** Days for the landlord's answer (Housing Act 1988, s16A). Further days follow the information that the landlord asked for. */
const answerDays = 28;
const answerDaysAfterInformation = 7;

export interface PetRequestInput {
  customer: string;
  description: string;
  number?: number | null;
}

/** `POST /v1/tenancies/{id}/request_pet`: a new request, or the information that the landlord asked for. */
export function requestPet(current: TenancyRecord, caller: Caller, input: PetRequestInput): Change<TenancyRecord> {
  requireStatus(
    current,
    ['signed', 'active', 'notice'],
    'tenancy',
    'Only the tenants of a signed tenancy can ask for a pet.',
  );
  const { customer, description, number } = input;
  if (!current.customers.includes(customer))
    throw invalidParameter(
      'customer',
      `\`${customer.slice(0, 80)}\` is no tenant of ${current.id}. Send one of its \`customers\`.`,
    );
  const requests =
    number === null || number === undefined
      ? added(current, caller, customer, description)
      : informed(current, caller, number, description);
  return judged(current, { ...current, pet_requests: requests }, caller, 'pet_requested');
}

/** Returns the requests without the texts of those that erased persons made. */
export function withoutPetsOf(requests: Json, ids: ReadonlySet<string>): Json {
  if (!Array.isArray(requests)) return requests;
  return requests.map((request) =>
    isObject(request) && typeof request.customer === 'string' && ids.has(request.customer)
      ? emptied(request, { description: '[erased]', reason: null })
      : request,
  );
}

function added(
  { id, pet_requests: known }: TenancyRecord,
  { today }: Caller,
  customer: string,
  description: string,
): PetRequest[] {
  if (known.length === petRequestsMax)
    throw invalidParameter(
      'description',
      `The tenancy ${id} has ${petRequestsMax} pet requests, the most that it can have. To add information to one, send its \`number\`.`,
    );
  const request: PetRequest = {
    number: known.length + 1,
    customer,
    description,
    requested_on: today,
    answer_by: addDays(today, answerDays),
    status: 'open',
    reason: null,
  };
  return [...known, request];
}

function informed(current: TenancyRecord, { today }: Caller, number: number, description: string): PetRequest[] {
  const request = requestOf(current, number);
  if (request.status !== 'information_asked')
    throw invalidParameter(
      'number',
      `The pet request ${number} does not wait for information. Leave \`number\` out for a new request.`,
    );
  const answerBy = later(addDays(today, answerDaysAfterInformation), request.answer_by);
  return replaced(current, { ...request, description, status: 'open', answer_by: answerBy });
}

export interface PetAnswerInput {
  number: number;
  answer: 'granted' | 'refused' | 'information_asked';
  reason?: string | null;
}

/** `POST /v1/tenancies/{id}/answer_pet`. A refusal needs a reason. */
export function answerPet(
  current: TenancyRecord,
  caller: Caller,
  { number, answer, reason }: PetAnswerInput,
): Change<TenancyRecord> {
  requireStatus(current, ['signed', 'active', 'notice'], 'tenancy', 'Its pet requests need no answer.');
  const request = requestOf(current, number);
  if (request.status === 'granted' || request.status === 'refused')
    throw invalidParameter(
      'number',
      `The pet request ${number} was ${request.status} already. The tenant can make a new one.`,
    );
  if (answer === 'refused' && !reason)
    throw missingParameter('reason', 'A refusal needs a `reason` (Housing Act 1988, s16A). Send it in a sentence.');
  const requests = replaced(current, { ...request, status: answer, reason: reason ?? null });
  return judged(current, { ...current, pet_requests: requests }, caller, 'pet_answered');
}

function requestOf({ id, pet_requests: requests }: TenancyRecord, number: number): PetRequest {
  const request = requests.find((candidate) => candidate.number === number);
  if (!request) throw invalidParameter('number', `The tenancy ${id} has no pet request ${number}.`);
  return request;
}

function replaced({ pet_requests: requests }: TenancyRecord, request: PetRequest): PetRequest[] {
  return requests.map((known) => (known.number === request.number ? request : known));
}

function judged(before: TenancyRecord, after: TenancyRecord, caller: Caller, verb: string): Change<TenancyRecord> {
  const judgement = judgePets(after, caller.account.rules, caller.today);
  return withWarnings(
    before,
    { after: { ...after, judged_on: caller.today }, verbs: [verb] },
    [judgement],
    caller.nowSeconds,
  );
}

/** Returns the last days for the answers that are due. While the tenant is asked for information, no answer is due. */
export function petDeadlines({ pet_requests: requests }: TenancyRecord): { number: number; answerBy: string }[] {
  return requests
    .filter(({ status }) => status === 'open')
    .map(({ number, answer_by: answerBy }) => ({ number, answerBy }));
}

/** Judges whether pet requests were answered in time. */
export function judgePets(tenancy: TenancyRecord, rules: Rules, today: string): Judgement {
  const { jurisdiction, type } = tenancy;
  return judge(rules, 'answer_pets', today, { jurisdiction, type, openPetRequests: petDeadlines(tenancy) });
}
