import { isLoopbackHost } from '../fetch/addresses.ts';
import type { Fetch } from '../fetch/fetch.ts';
import { createAnswers, readAnswer } from './answer.ts';
import { createBreaker } from './breaker.ts';
import { isAskable, keyOf } from './question.ts';
import type { Membership, Question } from './question.ts';

/** A FHIR server with more code systems than are loaded here. */
export interface TerminologyServer {
  /** The cached answer to a question; undefined without one. */
  known(question: Question): Membership | undefined;
  /** Asks the server, or returns the cached answer. Never rejects, and takes no longer than the timeout. */
  ask(question: Question): Promise<Membership>;
}

export interface TerminologyServerOptions {
  /** Base URL: https, or http on this machine. */
  readonly url: string;
  /** Timeout of one answer in milliseconds. */
  readonly timeout: number;
  /** Certificates (PEM) of the accepted authorities instead of the default ones. */
  readonly authorities?: string;
  /** Milliseconds; the machine's clock by default. */
  readonly now?: () => number;
  /** The processes of this server, which share the concurrent questions. */
  readonly processes?: number | undefined;
}

/** Maximum bytes of an answer and concurrent questions: others are `unreachable` after their timeout. */
const limits = { bytes: 262_144, atOnce: 8, waiting: 1_000 };

/**
 * Sends questions to a terminology server by `ValueSet/$validate-code`: a ValueSet, a system and a code. Answers are
 * cached for a day; a server that does not answer is not called for a while. Node's https is loaded with the first
 * question. https://hl7.org/fhir/R4/valueset-operation-validate-code.html
 */
export function createTerminologyServer(options: TerminologyServerOptions): TerminologyServer {
  const now = options.now ?? (() => performance.now());
  const answers = createAnswers(now);
  const breaker = createBreaker(now);
  const running = new Map<string, Promise<Membership>>();
  const turn = createTurns(Math.max(1, Math.floor(limits.atOnce / (options.processes ?? 1))), limits.waiting);
  let fetch: Fetch | undefined;

  async function exchange(question: Question, time: number): Promise<Membership> {
    if (!breaker.allows()) return 'unreachable';
    let answer: Membership;
    try {
      fetch ??= await openFetch(options);
      const response = await within(
        time,
        fetch(urlOf(options.url, question), { headers: { accept: 'application/fhir+json' } }),
      );
      answer = readAnswer(await response.json());
    } catch (error) {
      answer = isRefusal(error) ? 'unsure' : 'unreachable';
    }
    if (answer === 'unreachable') breaker.failed();
    else breaker.succeeded();
    return answer;
  }

  async function inTurn(question: Question): Promise<Membership> {
    const end = performance.now() + options.timeout;
    if (!(await turn.take(options.timeout))) return 'unreachable';
    try {
      return await exchange(question, Math.max(1, end - performance.now()));
    } finally {
      turn.give();
    }
  }

  return {
    known: question => answers.get(keyOf(question)),
    ask(question) {
      if (!isAskable(question)) return Promise.resolve('unsure');
      const key = keyOf(question);
      const there = answers.get(key);
      if (there !== undefined) return Promise.resolve(there);
      const asked = running.get(key);
      if (asked !== undefined) return asked;
      const asking = inTurn(question)
        .then(answer => {
          answers.set(key, answer);
          return answer;
        })
        .finally(() => running.delete(key));
      running.set(key, asking);
      return asking;
    },
  };
}

/** The settings of the terminology server in Config. */
export interface TerminologySettings {
  readonly terminologyServer: string | undefined;
  /** Milliseconds. */
  readonly terminologyTimeout: number;
  readonly processes?: number;
}

/** The server of the settings; undefined if none is configured. */
export function terminologyServerOf(settings: TerminologySettings): TerminologyServer | undefined {
  const { terminologyServer: url, terminologyTimeout: timeout, processes } = settings;
  return url === undefined ? undefined : createTerminologyServer({ url, timeout, processes });
}

async function openFetch({ url, timeout, authorities }: TerminologyServerOptions): Promise<Fetch> {
  const { createFetch } = await import('../fetch/fetch.ts');
  const addresses = isLoopbackHost(new URL(url).hostname) ? 'loopback' : 'private';
  return createFetch({ addresses, plain: true, authorities, bytes: limits.bytes, time: timeout });
}

function urlOf(base: string, { valueSet, system, code }: Question): string {
  const [url = '', version] = valueSet.split('|');
  const query = new URLSearchParams({
    url,
    ...(version === undefined ? {} : { valueSetVersion: version }),
    system,
    code,
  });
  return `${base}/ValueSet/$validate-code?${query.toString()}`;
}

/** An answer of a working server that cannot answer this question. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && [400, 404, 410, 422].includes(Number(error.status));

async function within<Value>(time: number, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The request timed out.')), time);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A limit of concurrent questions; `take` returns false if its time ends before its turn, or too many wait already. */
function createTurns(atOnce: number, waiting: number): { take(time: number): Promise<boolean>; give(): void } {
  let free = atOnce;
  const queue = new Set<(mine: boolean) => void>();
  return {
    take(time) {
      if (free > 0) {
        free--;
        return Promise.resolve(true);
      }
      if (queue.size >= waiting) return Promise.resolve(false);
      return new Promise(resolve => {
        const timer = setTimeout(() => finish(false), time);
        const finish = (mine: boolean): void => {
          clearTimeout(timer);
          queue.delete(finish);
          resolve(mine);
        };
        queue.add(finish);
      });
    },
    give() {
      const [next] = queue;
      if (next === undefined) free++;
      else next(true);
    },
  };
}
