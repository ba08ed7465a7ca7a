/** How much is written: a line a request, faults alone, or nothing. */
export type LogLevel = 'info' | 'error' | 'off';

/** What is told of a request: never a query, an id or a name. */
export interface RequestLine {
  readonly method: string;
  /** The pattern of the path: `/r4/:partition/:type/:id`. */
  readonly route: string;
  readonly interaction: string | undefined;
  readonly status: number;
  /** False where the client was gone before the answer was out. */
  readonly complete: boolean;
  readonly milliseconds: number;
  readonly requestId: string;
  readonly client: string;
}

export interface Log {
  /** Whether requests are written down. */
  readonly requests: boolean;
  request(line: RequestLine): void;
  /** A bug or a broken store, with the id under which the client was told of it. */
  fault(error: unknown, requestId: string): void;
  /** What the operator should know. */
  notice(text: string): void;
  /** Why the server ends: written at every level. */
  fatal(text: string, error: unknown): void;
}

/** Where lines go. */
export interface LogTarget {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Writes JSON, one object a line, or a short line for people where the target is a terminal. */
export function createLog(level: LogLevel, target: LogTarget = process.stderr, now: () => number = Date.now): Log {
  const people = target.isTTY === true;
  const write = (fields: Readonly<Record<string, unknown>>, short: string): void => {
    const time = new Date(now()).toISOString();
    target.write(people ? `${time.slice(11, 19)} ${short}\n` : `${JSON.stringify({ time, ...fields })}\n`);
  };
  return {
    requests: level === 'info',
    request(line) {
      if (level !== 'info') return;
      const ms = Math.round(line.milliseconds * 10) / 10;
      const { method, route, interaction, status, requestId, client } = line;
      const aborted = line.complete ? {} : { aborted: true };
      write(
        { level: 'info', method, route, interaction, status, ...aborted, ms, requestId, client },
        `${method} ${route} ${status}${line.complete ? '' : ' aborted'} ${ms} ms ${requestId}`,
      );
    },
    fault(error, requestId) {
      if (level === 'off') return;
      const text = textOf(error);
      write({ level: 'error', requestId, error: text }, `fault ${requestId} ${text}`);
    },
    notice(text) {
      if (level === 'info') write({ level: 'notice', text }, text);
    },
    fatal(text, error) {
      write({ level: 'fatal', text, error: textOf(error) }, `${text} ${textOf(error)}`);
    },
  };
}

/**
 * With where it was thrown, and with its causes as far as they say more. A message of the JSON parser quotes what it read, which may be
 * a record, and so may anything that is no error: those are left out.
 */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return `A value was thrown that is no error (${typeof error}); it is left out`;
  const { cause } = error;
  const text = error instanceof SyntaxError ? withoutMessage(error) : (error.stack ?? error.message);
  if (!(cause instanceof Error) || cause === error || text.includes(cause.message)) return text;
  return `${text}\nCaused by: ${textOf(cause)}`;
}

function withoutMessage({ stack = '' }: SyntaxError): string {
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  return ['SyntaxError (its message may quote a record and is left out)', ...frames].join('\n');
}
