import { fhirError } from '../fhir/error.ts';
import type { Buckets } from '../limits/token-buckets.ts';
import type { ChargeClient, FhirRequest } from './interaction.ts';

/**
 * One bucket for each client and user, so that one user of an app does not stop the others. Without access control
 * there are no clients, and nothing is charged.
 */
export function createClientLimit(buckets: Buckets): ChargeClient {
  return request => {
    const { access } = request;
    if (access === 'open') return;
    const { issuer, client, subject = '' } = access;
    takeOrRefuse(buckets, 'client', JSON.stringify([issuer, client, subject]), requestCost(request));
  };
}

/**
 * Takes the cost of a request from a bucket. Throws FhirError 429 with Retry-After and the headers of
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 if there are too few tokens. `whose` is
 * the name of the policy; the key never leaves the server.
 */
export function takeOrRefuse(buckets: Buckets, whose: 'client' | 'address', key: string, cost: number): void {
  const { capacity, perSecond } = buckets.rate;
  const { left, retryAfter } = buckets.take(key, cost);
  if (retryAfter === undefined) return;
  const window = Math.ceil(capacity / perSecond);
  const seconds = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  const text = `Too many requests of this ${whose}: wait ${seconds}, then send fewer, or cheaper searches.`;
  throw fhirError(429, 'throttled', text, undefined, {
    'Retry-After': String(retryAfter),
    'RateLimit-Policy': `"${whose}";q=${capacity};w=${window}`,
    RateLimit: `"${whose}";r=${left};t=${retryAfter}`,
  });
}

/** The cost of a request in tokens of its client; the entries of a batch are charged one by one. */
export function requestCost({ interaction, parameters }: Pick<FhirRequest, 'interaction' | 'parameters'>): number {
  if (interaction === 'operation') return costs.operation;
  if (!several.has(interaction) && !system.has(interaction)) return 1;
  let cost: number = system.has(interaction) ? costs.system : costs.several;
  for (const [name, value] of parameters) {
    if (isJoin(name) || (name === '_total' && value === 'accurate')) cost += costs.join;
    if (name === '_count')
      cost += costs.hundred * Math.floor(Math.min(mostMatches, Math.max(0, Number(value) || 0)) / 100);
  }
  return cost;
}

/** Chains have a dot before any modifier of their last parameter, such as `subject:Type.name`. */
function isJoin(name: string): boolean {
  const [first = '', modifier = ''] = name.split(':');
  return joins.has(first) || name.includes('.') || joinModifiers.has(modifier);
}

/** The costs of parts of a request, in tokens; a read costs one. */
const costs = {
  /** A search or a history. */
  several: 2,
  /** A search of all types, or of a compartment. */
  system: 10,
  /** A parameter that joins, counts or reads other records. */
  join: 5,
  /** An operation, which may read many records. */
  operation: 5,
  /** A hundred matches on a page. */
  hundred: 1,
} as const;

/** The largest page that is charged: `_count` may ask for more than a page has. */
const mostMatches = 1_000;

const several: ReadonlySet<string> = new Set(['search-type', 'history-instance', 'history-type']);
const system: ReadonlySet<string> = new Set(['search-system', 'history-system']);

/** Parameters that cost a join by their name, without modifiers. https://hl7.org/fhir/R4/search.html#all */
const joins: ReadonlySet<string> = new Set([
  '_has',
  '_include',
  '_revinclude',
  '_filter',
  '_list',
  '_query',
  '_text',
  '_content',
  '_contained',
]);
const joinModifiers: ReadonlySet<string> = new Set(['in', 'not-in', 'above', 'below', 'contains', 'identifier']);
