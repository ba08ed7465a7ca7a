import { isLoopbackHost } from '../fetch/addresses.ts';
import type { Fetch } from '../fetch/fetch.ts';
import { readAnswer } from './answer.ts';
import { createAnswers } from './answers.ts';
import { createBreaker } from './breaker.ts';
import { isAskable, keyOf } from './question.ts';
import type { Answer, Question } from './question.ts';

/** A FHIR server that knows more code systems than are loaded here. */
export interface TerminologyServer {
  /** What it has said of a question; undefined where it was not asked, or long ago. */
  known(question: Question): Answer | undefined;
  /** Asks it, or gives what is known. Never rejects, and takes no longer than the time of the options. */
  ask(question: Question): Promise<Answer>;
}

export interface TerminologyServerOptions {
  /** Base URL: https, or http on this machine. */
  readonly url: string;
  /** Milliseconds for one answer. */
  readonly timeout: number;
  /** Certificates (PEM) in place of the usual ones. */
  readonly authorities?: string;
  /** Milliseconds; the clock of the machine where it is left out. */
  readonly now?: () => number;
}

/** Most bytes of an answer, and most questions at a time: others are `unreachable` when their time is over. */
const limits = { bytes: 262_144, atOnce: 8, waiting: 1_000 };

/**
 * Asks a terminology server by `ValueSet/$validate-code`. What leaves is a ValueSet, a system and a code. Answers are kept for
 * a day; a server that does not answer is left alone for a while. Node's https is loaded with the first question.
 * https://hl7.org/fhir/R4/valueset-operation-validate-code.html
 */
export function createTerminologyServer(options: TerminologyServerOptions): TerminologyServer {
  const now = options.now ?? (() => performance.now());
  const answers = createAnswers(now);
  const breaker = createBreaker(now);
  const running = new Map<string, Promise<Answer>>();
  const turn = createTurns(limits.atOnce, limits.waiting);
  let fetch: Fetch | undefined;

  async function exchange(question: Question, time: number): Promise<Answer> {
    if (!breaker.allows()) return 'unreachable';
    let answer: Answer;
    try {
      fetch ??= await openFetch(options);
      const response = await within(time, fetch(urlOf(options.url, question), { headers: { accept: 'application/fhir+json' } })); // prettier-ignore
      answer = readAnswer(await response.json());
    } catch (error) {
      answer = isRefusal(error) ? 'unsure' : 'unreachable';
    }
    if (answer === 'unreachable') breaker.failed();
    else breaker.succeeded();
    return answer;
  }

  async function inTurn(question: Question): Promise<Answer> {
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

/** As in Config. */
export interface TerminologySettings {
  readonly terminologyServer: string | undefined;
  /** Milliseconds. */
  readonly terminologyTimeout: number;
}

/** The server of the settings; undefined where none is named. */
export function terminologyServerOf(settings: TerminologySettings): TerminologyServer | undefined {
  const { terminologyServer: url, terminologyTimeout: timeout } = settings;
  return url === undefined ? undefined : createTerminologyServer({ url, timeout });
}

async function openFetch({ url, timeout, authorities }: TerminologyServerOptions): Promise<Fetch> {
  const { createFetch } = await import('../fetch/fetch.ts');
  const reach = isLoopbackHost(new URL(url).hostname) ? 'loopback' : 'private';
  return createFetch({ reach, plain: true, authorities, bytes: limits.bytes, time: timeout });
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

/** An answer of a server that works, though it has nothing to say to this. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && [400, 404, 410, 422].includes(Number(error.status));

async function within<Value>(time: number, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The time is over.')), time);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** So many at a time; `take` gives false where its time ends before its turn comes, or too many wait already. */
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
