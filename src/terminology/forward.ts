import { isLoopbackHost } from '../fetch/addresses.ts';
import type { Fetch } from '../fetch/fetch.ts';
import { isObject } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { createBreaker } from './breaker.ts';
import { printRefusal, refusalOf } from './refusal.ts';
import type { TerminologySettings } from './server.ts';

/** Calls operations of a terminology server. */
export interface TerminologyOperations {
  /**
   * Calls an operation on a type with Parameters. Resolves to its resource, to what the server said if it cannot answer
   * this call, and to `unreachable` if it does not answer. Never rejects, and takes no longer than the timeout.
   */
  call(type: string, operation: string, parameters: JsonObject): Promise<JsonObject | Refused | 'unreachable'>;
}

/** What a terminology server said, as a part of a sentence (refusal.ts). */
export interface Refused {
  readonly refused: string;
}

export interface TerminologyOperationsOptions {
  /** Base URL: https, or http on this machine. */
  readonly url: string;
  /** Timeout of one answer in milliseconds. */
  readonly timeout: number;
  /** Milliseconds; the machine's clock by default. */
  readonly now?: () => number;
}

/** Most bytes of an answer. */
const mostBytes = 4_000_000;

/** A server that does not answer is not called for a while. https://hl7.org/fhir/R4/terminology-service.html */
function createTerminologyOperations(options: TerminologyOperationsOptions): TerminologyOperations {
  const breaker = createBreaker(options.now ?? (() => performance.now()));
  let fetch: Fetch | undefined;
  return {
    async call(type, operation, parameters) {
      if (!breaker.allows()) return 'unreachable';
      try {
        fetch ??= await openFetch(options);
        const response = await fetch(`${options.url}/${type}/$${operation}`, {
          method: 'POST',
          headers: { accept: 'application/fhir+json', 'content-type': 'application/fhir+json' },
          body: JSON.stringify(parameters),
        });
        const answer: unknown = await response.json();
        breaker.succeeded();
        if (isObject(answer) && answer['resourceType'] !== 'OperationOutcome') return answer;
        return { refused: printRefusal(response.status, answer) };
      } catch (error) {
        const refused = refusalOf(error);
        if (refused !== undefined) return { refused };
        breaker.failed();
        return 'unreachable';
      }
    },
  };
}

/** The server of the settings; undefined if none is configured. */
export function terminologyOperationsOf(settings: TerminologySettings): TerminologyOperations | undefined {
  const { terminologyServer: url, terminologyTimeout: timeout } = settings;
  return url === undefined ? undefined : createTerminologyOperations({ url, timeout });
}

async function openFetch({ url, timeout }: TerminologyOperationsOptions): Promise<Fetch> {
  const { createFetch } = await import('../fetch/fetch.ts');
  const addresses = isLoopbackHost(new URL(url).hostname) ? 'loopback' : 'private';
  return createFetch({ addresses, plain: true, authorities: undefined, bytes: mostBytes, time: timeout });
}
