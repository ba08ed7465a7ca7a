import type { Access, AccessContext } from '../auth/access.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { AuditedRequest } from './request.ts';

/**
 * The variable properties of a request's event: a third of the size of the AuditEvent that is made of it when it is
 * read. One is stored for each request, for more than a year.
 */
export interface ShortEvent {
  /** The request id of the server's log. */
  readonly request: string;
  /** The id of the AuditEvent. */
  readonly id: string;
  /** The public URL of the server. */
  readonly url: string;
  /** The client's address; absent if it is unknown. */
  readonly address?: string;
  /** The authority of client and user ids, if it is not the server itself; also absent if the caller is unknown. */
  readonly issuer?: string;
  /** The user that the client acts for. */
  readonly subject?: string;
  readonly fhirUser?: string;
  /** The interaction; absent if the request matches no supported one. */
  readonly did?: InteractionCode;
  readonly method: string;
  /** HTTP status; absent for the begin of a write, which has no outcome yet. */
  readonly status?: number;
  /** The type of the entry's patients; and their number, if only a part is listed. */
  readonly owner?: string;
  readonly patients?: number;
  /** `Type/id/_history/version` of the returned records; and their number, if only a part is listed. */
  readonly records?: readonly string[];
  readonly shown?: number;
  /** `Type/id` of the record that was requested and not returned, or is to be written. */
  readonly target?: string;
  /** Ids of the request's begin events: a client may give other requests the same id. */
  readonly begun?: readonly string[];
  /** The digest of the idempotency key. */
  readonly key?: string;
  /** The id of the job that the request started, or was for. */
  readonly job?: string;
  /** Type and parameters, as in a URL. */
  readonly query?: string;
}

/** The outcome of a request, and its patients. */
export type EventOutcome = {
  readonly [
    Name in 'status' | 'owner' | 'patients' | 'records' | 'shown' | 'target' | 'begun' | 'key' | 'job' | 'query'
  ]?: ShortEvent[Name] | undefined;
};

/**
 * JSON of a short event with an id. Concatenated, since it is made for each request. Ids, types and codes need no
 * escapes.
 */
export function printShortEvent(
  id: string,
  url: string,
  { requestId, access, address, method, interaction }: AuditedRequest,
  { status, owner, patients, records, shown, target, begun, key, job, query }: EventOutcome,
): string {
  const did = interaction === undefined ? '' : `,"did":"${interaction}"`;
  const ended = status === undefined ? '' : `,"status":${status}`;
  const of = owner === undefined ? '' : `,"owner":"${owner}"`;
  const who = patients === undefined ? '' : `,"patients":${patients}`;
  const what = records === undefined || records.length === 0 ? '' : `,"records":["${records.join('","')}"]`;
  const all = shown === undefined ? '' : `,"shown":${shown}`;
  const one = target === undefined ? '' : `,"target":"${target}"`;
  const before = begun === undefined ? '' : `,"begun":["${begun.join('","')}"]`;
  const once = key === undefined ? '' : `,"key":${JSON.stringify(key)}`;
  const ofJob = job === undefined ? '' : `,"job":${JSON.stringify(job)}`;
  const search = query === undefined ? '' : `,"query":${JSON.stringify(query)}`;
  return (
    `${start}${JSON.stringify(requestId)},"id":"${id}","url":${callerOf(url, access, address)}` +
    `,"method":${JSON.stringify(method)}${did}${ended}${of}${who}${what}${all}${one}${before}${once}${ofJob}${search}}`
  );
}

/** Undefined for a text that is a whole event. */
export const parseShortEvent = (text: string): ShortEvent | undefined =>
  text.startsWith(start) ? (JSON.parse(text) as ShortEvent) : undefined; // printed above

const start = '{"request":';

/** The JSON of the URL and the caller, cached since they repeat. */
function callerOf(url: string, access: Access, address: string): string {
  if (access === 'open') return printCaller(url, {}, address);
  const kept = callers.get(access);
  if (kept?.address === address && kept.url === url) return kept.text;
  const text = printCaller(url, access, address);
  callers.set(access, { url, address, text });
  return text;
}

const callers = new WeakMap<AccessContext, { readonly url: string; readonly address: string; readonly text: string }>();

function printCaller(
  url: string,
  { issuer, subject, fhirUser }: Partial<Pick<AccessContext, 'issuer' | 'subject' | 'fhirUser'>>,
  address: string,
): string {
  const named = {
    ...(address === '' ? {} : { address }),
    ...(issuer === undefined || issuer === url ? {} : { issuer }),
    ...(subject === undefined ? {} : { subject }),
    ...(fhirUser === undefined ? {} : { fhirUser: fhirUser.reference }),
  };
  const more = JSON.stringify(named).slice(1, -1);
  return more === '' ? JSON.stringify(url) : `${JSON.stringify(url)},${more}`;
}
