import type { Access, AccessContext } from '../auth/access.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import type { AuditedRequest } from './request.ts';

/**
 * What an event of a request tells that others do not: a third of the AuditEvent that is made of it when it is read. One is kept
 * for each request, for more than a year.
 */
export interface ShortEvent {
  /** By which the log of the server names the request. */
  readonly request: string;
  /** Of the AuditEvent. */
  readonly id: string;
  /** The public URL of the server. */
  readonly url: string;
  /** Of the client; absent where it is not known. */
  readonly address?: string;
  /** Whose the ids of client and user are, where it is not the server itself; absent as well where it is not known who asks. */
  readonly issuer?: string;
  /** The user that the client acts for. */
  readonly subject?: string;
  readonly fhirUser?: string;
  /** What was asked for; absent where nothing is offered that the request could mean. */
  readonly did?: InteractionCode;
  readonly method: string;
  /** Of HTTP; absent where a write begins, which has no outcome yet. */
  readonly status?: number;
  /** The type of the patients that stand beside it; and how many there are, where they are more than are named. */
  readonly owner?: string;
  readonly patients?: number;
  /** `Type/id/_history/version` of what was shown; and how many there were, where they were more than are named. */
  readonly records?: readonly string[];
  readonly shown?: number;
  /** `Type/id` of what was asked for and not shown, or is to be written. */
  readonly target?: string;
  /** Ids of the events by which the request began to write: a client may give other requests the same name. */
  readonly begun?: readonly string[];
  /** The digest of the key that makes a write repeatable. */
  readonly key?: string;
  /** Type and parameters, as in a URL. */
  readonly query?: string;
}

/** What becomes of a request, and whom it is about. */
export type Told = {
  readonly [Name in 'status' | 'owner' | 'patients' | 'records' | 'shown' | 'target' | 'begun' | 'key' | 'query']?:
    ShortEvent[Name] | undefined;
};

/** JSON of a short event with an id. Put together from texts: it is made for each request. Ids, types and codes need no escapes. */
export function printShortEvent(
  id: string,
  url: string,
  { requestId, access, address, method, interaction }: AuditedRequest,
  { status, owner, patients, records, shown, target, begun, key, query }: Told,
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
  const search = query === undefined ? '' : `,"query":${JSON.stringify(query)}`;
  return (
    `${start}${JSON.stringify(requestId)},"id":"${id}","url":${callerOf(url, access, address)}` +
    `,"method":${JSON.stringify(method)}${did}${ended}${of}${who}${what}${all}${one}${before}${once}${search}}`
  );
}

/** Undefined where a text is an event already. */
export const parseShortEvent = (text: string): ShortEvent | undefined =>
  text.startsWith(start) ? (JSON.parse(text) as ShortEvent) : undefined; // as it was printed above

const start = '{"request":';

/** The JSON of the URL and of who asks, mostly again and from one address. */
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
