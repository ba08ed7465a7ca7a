import { Cache } from '../limits/cache.ts';
import { isLoopbackHost } from '../fetch/addresses.ts';
import type { Fetch } from '../fetch/fetch.ts';
import { createBreaker } from './breaker.ts';
import type { Codes, Expansion, Expansions } from './expansion.ts';
import { MOST_CODES } from './expansion.ts';
import { readExpansion } from './published.ts';
import { isCode, isUri } from './question.ts';
import { refusalOf } from './refusal.ts';
import type { TerminologySettings } from './server.ts';

/** A set of codes: a value set by canonical, or a concept with those above or below it. */
export type CodeSet =
  { readonly valueSet: string } | { readonly system: string; readonly code: string; readonly how: 'above' | 'below' };

/** Expands what the loaded definitions cannot expand, on a terminology server. */
export interface Expander {
  /** The cached codes of a set; undefined without them. */
  known(set: CodeSet): Codes | undefined;
  /** Asks the server. Never rejects, and takes no longer than the timeout. */
  ask(set: CodeSet): Promise<Expansion | 'unreachable'>;
}

export interface ExpanderOptions {
  /** Base URL: https, or http on this machine. */
  readonly url: string;
  /** Timeout of one answer in milliseconds. */
  readonly timeout: number;
  /** Milliseconds; the machine's clock by default. */
  readonly now?: () => number;
}

/** Most bytes of an answer, and expansions in the cache, which lasts a day. */
const limits = { bytes: 4_000_000, cached: 20, lifetime: 24 * 3_600_000 };

/**
 * Expands by `ValueSet/$expand`. Only canonicals, systems and codes of searches are sent, in the form of such. A server
 * that does not answer is not called for a while.
 * https://hl7.org/fhir/R4/valueset-operation-expand.html
 */
function createExpander(options: ExpanderOptions): Expander {
  const now = options.now ?? (() => performance.now());
  const cache = new Cache<Codes>(limits.cached);
  const breaker = createBreaker(now);
  let fetch: Fetch | undefined;
  return {
    known: set => cache.get(JSON.stringify(set), now()),
    async ask(set) {
      if (!isAskable(set)) return { problem: 'it is not a set of codes' };
      if (!breaker.allows()) return 'unreachable';
      try {
        fetch ??= await openFetch(options);
        const response = await fetch(`${options.url}/ValueSet/$expand`, {
          method: 'POST',
          headers: { accept: 'application/fhir+json', 'content-type': 'application/fhir+json' },
          body: JSON.stringify(requestOf(set)),
        });
        const answer = readExpansion(await response.json());
        breaker.succeeded();
        if ('codes' in answer) cache.put(JSON.stringify(set), answer.codes, now() + limits.lifetime);
        return answer;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal !== undefined) return { problem: refusal };
        breaker.failed();
        return 'unreachable';
      }
    },
  };
}

/** The expander of the settings; undefined if no server is configured. */
export function expanderOf(settings: TerminologySettings): Expander | undefined {
  const { terminologyServer: url, terminologyTimeout: timeout } = settings;
  return url === undefined ? undefined : createExpander({ url, timeout });
}

/** Loaded definitions first, then what the server has answered before. */
export function withKnown(loaded: Expansions, expander: Pick<Expander, 'known'>): Expansions {
  const either = (here: Expansion, set: CodeSet): Expansion => {
    const codes = 'codes' in here ? undefined : expander.known(set);
    return codes === undefined ? here : { codes };
  };
  return {
    valueSet: valueSet => either(loaded.valueSet(valueSet), { valueSet }),
    related: (system, code, how) => either(loaded.related(system, code, how), { system, code, how }),
  };
}

/** https://hl7.org/fhir/R4/valueset-filter-operator.html */
const operators = { below: 'is-a', above: 'generalizes' } as const;

function requestOf(set: CodeSet): object {
  const count = { name: 'count', valueInteger: MOST_CODES + 1 };
  if ('valueSet' in set) {
    const [url = '', version] = set.valueSet.split('|');
    const versioned = version === undefined ? [] : [{ name: 'valueSetVersion', valueString: version }];
    return { resourceType: 'Parameters', parameter: [{ name: 'url', valueUri: url }, ...versioned, count] };
  }
  const filter = [{ property: 'concept', op: operators[set.how], value: set.code }];
  const valueSet = {
    resourceType: 'ValueSet',
    status: 'active',
    compose: { include: [{ system: set.system, filter }] },
  };
  return { resourceType: 'Parameters', parameter: [{ name: 'valueSet', resource: valueSet }, count] };
}

/** Canonicals, systems and codes have valid forms and lengths, so that no misplaced text is sent. */
function isAskable(set: CodeSet): boolean {
  if ('valueSet' in set) return isUri(set.valueSet);
  return isUri(set.system) && isCode(set.code);
}

async function openFetch({ url, timeout }: ExpanderOptions): Promise<Fetch> {
  const { createFetch } = await import('../fetch/fetch.ts');
  const addresses = isLoopbackHost(new URL(url).hostname) ? 'loopback' : 'private';
  return createFetch({ addresses, plain: true, authorities: undefined, bytes: limits.bytes, time: timeout });
}
