/** The log level: a line per request, faults and refusals only, or nothing. */
export type LogLevel = 'info' | 'error' | 'off';

/** JSON objects, short lines for people, or `auto`: those on a terminal, JSON elsewhere. */
export type LogFormat = 'auto' | 'json' | 'text';

/** The logged properties of a request: never a query, an id or a name. */
export interface RequestLine {
  readonly method: string;
  /** The pattern of the path: `/r4/:partition/:type/:id`. */
  readonly route: string;
  readonly interaction: string | undefined;
  readonly status: number;
  /** False if the client disconnected before the answer was complete. */
  readonly complete: boolean;
  readonly milliseconds: number;
  readonly requestId: string;
  readonly client: string;
}

export interface Log {
  /** Whether requests are logged. */
  readonly requests: boolean;
  request(line: RequestLine): void;
  /** A bug or a broken store, with the request id that the client received. */
  fault(error: unknown, requestId: string): void;
  /** A notice for the operator. */
  notice(text: string): void;
  /** What the operator wanted and did not get: logged unless the log is off. */
  refused(text: string): void;
  /** Why the server ends, or does not start: logged at every level. */
  fatal(text: string, error?: unknown): void;
}

/** The output of the log. */
export interface LogTarget {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Writes one line for each entry. */
export function createLog(
  level: LogLevel,
  target: LogTarget = process.stderr,
  now: () => number = Date.now,
  format: LogFormat = 'auto',
): Log {
  const people = format === 'auto' ? target.isTTY === true : format === 'text';
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
    refused(text) {
      if (level !== 'off') write({ level: 'error', text }, text);
    },
    fatal(text, error) {
      if (error === undefined) write({ level: 'fatal', text }, text);
      else write({ level: 'fatal', text, error: textOf(error) }, `${text} ${textOf(error)}`);
    },
  };
}

/**
 * The stack trace, with the causes that add to it. Messages of the JSON parser quote its input, which may be a record,
 * and thrown values that are not errors may be anything: both are left out.
 */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return `A value that is not an error was thrown (${typeof error}); it is left out`;
  const { cause } = error;
  const text = error instanceof SyntaxError ? withoutMessage(error) : (error.stack ?? error.message);
  if (!(cause instanceof Error) || cause === error || text.includes(cause.message)) return text;
  return `${text}\nCaused by: ${textOf(cause)}`;
}

function withoutMessage({ stack = '' }: SyntaxError): string {
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  return ['SyntaxError (its message may quote a record and is left out)', ...frames].join('\n');
}
