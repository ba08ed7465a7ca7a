import { setTimeout } from 'node:timers/promises';
import { media, png } from '../../support/media.ts';

/** A request and what came of it. */
export interface Exchange {
  readonly what: 'create' | 'read' | 'search';
  /** Of a create: its number. */
  readonly number: number | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

export interface Load {
  readonly exchanges: readonly Exchange[];
  /** Waits until so many more creates were acknowledged; rejects after a minute. */
  created(more: number): Promise<void>;
  /** Waits until a request was refused. */
  refused(): Promise<void>;
  /** Lets what is in flight end. */
  stop(): Promise<void>;
}

/** Of the next create: none is used twice, so that loads may follow each other on one store. */
let next = 0;

/** Clients that create, read and search without a pause, each at one of the servers. */
export function startLoad(bases: readonly string[], clients = 8): Load {
  const exchanges: Exchange[] = [];
  const stopping = new AbortController();
  const client = async (base: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      const number = next++;
      const created = await create(base, number);
      exchanges.push(created);
      // as a client that is refused does, if not for as long as Retry-After says
      if (created.status !== 201) await setTimeout(200);
      exchanges.push(await ask('read', `${base}/Patient/p1`));
      exchanges.push(await ask('search', `${base}/Patient?name=tremblay`));
    }
  };
  const running = Array.from({ length: clients }, (_, at) => client(bases[at % bases.length] ?? ''));
  const until = async (enough: () => boolean, what: string): Promise<void> => {
    const started = performance.now();
    while (!enough()) {
      if (performance.now() - started > 60_000) throw new Error(`Waited a minute for ${what}`);
      await setTimeout(10);
    }
  };
  const acknowledged = (): number => exchanges.filter(({ what, status }) => what === 'create' && status === 201).length;
  return {
    exchanges,
    created: more => {
      const goal = acknowledged() + more;
      return until(() => acknowledged() >= goal, `${more} creates`);
    },
    refused: () => {
      const before = exchanges.length;
      return until(() => exchanges.slice(before).some(({ status }) => status >= 500), 'a refusal');
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** Creates a picture under a key of its own: the same number again is the same request again. */
export async function create(base: string, number: number): Promise<Exchange> {
  const headers = { 'Content-Type': 'application/fhir+json', 'Idempotency-Key': `load-${number}` };
  // each with bytes of its own
  const body = JSON.stringify(media({}, { data: png(1_000 + number).toString('base64') }));
  return ask('create', `${base}/Media`, { method: 'POST', headers, body }, number);
}

/** Sends a request; a connection that breaks is status 0. */
export async function ask(
  what: Exchange['what'],
  url: string,
  options: RequestInit = {},
  number?: number,
): Promise<Exchange> {
  const started = performance.now();
  const exchange = (status: number, retryAfter: string | null, text: string): Exchange => {
    return { what, number, status, milliseconds: performance.now() - started, retryAfter, text };
  };
  try {
    const response = await fetch(url, options);
    return exchange(response.status, response.headers.get('Retry-After'), await response.text());
  } catch (error) {
    return exchange(0, null, String(error));
  }
}
