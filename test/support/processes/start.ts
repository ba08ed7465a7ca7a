import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TokenRefused } from '../../../src/auth/claims.ts';
import type { Claims, TokenVerifier } from '../../../src/auth/claims.ts';
import type { Config } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import type { EngineParts, RunningEngine } from '../../../src/engine/engine.ts';
import { createLog } from '../../../src/observability/log.ts';
import type { Log } from '../../../src/observability/log.ts';
import { startProcesses } from '../../../src/processes/parent.ts';

/** The number of processes of the servers of tests. */
export const testProcesses = Number(process.env['CRS_TEST_PROCESSES'] ?? '1');

/** What a child gets from the test. */
export interface Given {
  readonly verifies: boolean;
  readonly logs: { readonly requests: boolean } | undefined;
  /** Path of a file with the time. */
  readonly clock: string | undefined;
}

export interface ToChild {
  readonly test:
    | { readonly kind: 'given'; readonly given: Given }
    | {
        readonly kind: 'verified';
        readonly number: number;
        readonly claims: Claims | undefined;
        readonly why: string | undefined;
      };
}

export interface FromChild {
  readonly test:
    | { readonly kind: 'verify'; readonly number: number; readonly token: string; readonly partition: string }
    | { readonly kind: 'log'; readonly how: Exclude<keyof Log, 'requests'>; readonly values: readonly unknown[] };
}

const program = fileURLToPath(new URL('./child.ts', import.meta.url));

export interface ServerParts extends EngineParts {
  /** Path of a file with the time of a clock of the test (`sharedClock`). */
  readonly clock?: string | undefined;
  /** The test changes objects of the server in its own process. */
  readonly isOneProcess?: boolean;
}

/**
 * Starts a server as `startEngine` does; with CRS_TEST_PROCESSES, of so many processes, unless it has ids or a clock
 * that cannot be shared.
 */
export async function startServer(
  config: Config,
  log?: Log,
  { clock, isOneProcess = false, ...parts }: ServerParts = {},
): Promise<RunningEngine> {
  const { newId, verify, now, ...rest } = parts;
  if (testProcesses === 1 || isOneProcess || newId !== undefined || (now !== undefined && clock === undefined))
    return startEngine(config, log, parts);
  const given: Given = { verifies: verify !== undefined, logs: log && { requests: log.requests }, clock };
  return startProcesses({ ...config, processes: testProcesses }, log ?? createLog(config.log), {
    ...rest,
    ...(verify === undefined ? {} : { verify }),
    ...(now === undefined ? {} : { now }),
    program,
    forked(child) {
      child.on('message', (message: unknown) => {
        if (typeof message !== 'object' || message === null || !('test' in message)) return;
        answer(child, message as FromChild, log, verify); // of child.ts
      });
      send(child, { test: { kind: 'given', given } });
    },
  });
}

function answer(child: ChildProcess, { test }: FromChild, log: Log | undefined, verify?: TokenVerifier): void {
  if (test.kind === 'log') {
    const write = log?.[test.how] as ((...values: readonly unknown[]) => void) | undefined; // as the child called it
    write?.call(log, ...test.values);
    return;
  }
  const { number, token, partition } = test;
  const verified = async (): Promise<Claims | undefined> => verify?.(token, partition);
  verified().then(
    claims => send(child, { test: { kind: 'verified', number, claims, why: undefined } }),
    (error: unknown) => {
      const why = error instanceof TokenRefused ? error.message : String(error);
      send(child, { test: { kind: 'verified', number, claims: undefined, why } });
    },
  );
}

const send = (child: ChildProcess, message: ToChild): void => void (child.connected && child.send(message));

/** A clock of a test, which children of a server read too. */
export interface SharedClock {
  now: number;
  readonly file: string;
}

export function sharedClock(start: number): SharedClock {
  const file = join(mkdtempSync(join(tmpdir(), 'crs-clock-')), 'now');
  let now = start;
  writeFileSync(file, String(now));
  return {
    file,
    get now() {
      return now;
    },
    set now(time) {
      now = time;
      writeFileSync(`${file}.new`, String(now));
      renameSync(`${file}.new`, file);
    },
  };
}
