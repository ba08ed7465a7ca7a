import { readFileSync } from 'node:fs';
import { TokenRefused } from '../../../src/auth/claims.ts';
import type { Claims } from '../../../src/auth/claims.ts';
import { answerForParent } from '../../../src/cli/answer-for-parent.ts';
import type { Log } from '../../../src/observability/log.ts';
import type { FromChild, Given, ToChild } from './start.ts';

// The program of a child of a server under test: verifies tokens, and logs, in the process of the test, whose clock it
// reads from a file.

const send = (message: FromChild): void => void process.send?.(message);
const waiting = new Map<number, { resolve: (claims: Claims) => void; reject: (error: unknown) => void }>();
let number = 0;

process.on('message', (message: unknown) => {
  if (typeof message !== 'object' || message === null || !('test' in message)) return;
  const { test } = message as ToChild; // of start.ts
  if (test.kind === 'given') begin(test.given);
  else {
    const call = waiting.get(test.number);
    waiting.delete(test.number);
    if (test.claims === undefined) call?.reject(new TokenRefused(test.why ?? ''));
    else call?.resolve(test.claims);
  }
});

function begin({ verifies, logs, clock }: Given): void {
  answerForParent({
    ...(verifies ? { verify } : {}),
    ...(clock === undefined ? {} : { now: () => Number(readFileSync(clock, 'utf8')) }),
    ...(logs === undefined ? {} : { log: logTo(logs.requests) }),
  });
}

function verify(token: string, partition: string): Promise<Claims> {
  return new Promise((resolve, reject) => {
    number += 1;
    waiting.set(number, { resolve, reject });
    send({ test: { kind: 'verify', number, token, partition } });
  });
}

const logTo = (requests: boolean): Log => ({
  requests,
  request: line => send({ test: { kind: 'log', how: 'request', values: [line] } }),
  fault: (error, requestId) => send({ test: { kind: 'log', how: 'fault', values: [error, requestId] } }),
  notice: text => send({ test: { kind: 'log', how: 'notice', values: [text] } }),
  refused: text => send({ test: { kind: 'log', how: 'refused', values: [text] } }),
  fatal: (text, error) => send({ test: { kind: 'log', how: 'fatal', values: [text, error] } }),
});
