import * as driver from 'mongodb';
import { describe, expect, it } from 'vitest';
import { openingError, portError } from '../../../src/store/mongo/failures.ts';
import { DeadlinePassed, KeyUsed, StoreUnavailable } from '../../../src/store/port/errors.ts';

/** An error as the server words it, with what it says of the transaction. */
function serverError(code: number, message: string, ...labels: readonly string[]): driver.MongoServerError {
  const error = new driver.MongoServerError({ message, code, codeName: 'Said' });
  for (const label of labels) error.addErrorLabel(label);
  return error;
}

/** An error as Node words it. */
const nodeError = (syscall: string): Error => Object.assign(new Error(`${syscall} FAILED`), { syscall });

/** The driver does not export this one. */
class PoolClosed extends driver.MongoDriverError {
  override get name(): string {
    return 'MongoPoolClosedError';
  }
}

const unavailable: readonly [string, unknown, 'no-store' | 'timeout'][] = [
  ['a client that is closed and connects again', new driver.MongoClientClosedError(), 'no-store'],
  ['a pool that is closed', new PoolClosed('closed'), 'no-store'],
  ['a server that is not found', new driver.MongoNetworkError('connect ECONNREFUSED'), 'no-store'],
  ['a socket that ends while it is written', nodeError('write'), 'no-store'],
  [
    'a socket that the other side has ended',
    Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' }),
    'no-store',
  ],
  ['a name that is not found', nodeError('querySrv'), 'no-store'],
  ['a transaction that never comes through', serverError(112, 'conflict', 'TransientTransactionError'), 'timeout'],
  ['a commit with an unknown result', serverError(50, 'limit', 'UnknownTransactionCommitResult'), 'timeout'],
];

describe('an error of the driver', () => {
  it.each(unavailable)('%s: the store is unavailable', (_, error, reason) => {
    expect(portError(error, 1)).toBeInstanceOf(StoreUnavailable);
    expect(portError(error, 1)).toHaveProperty('reason', reason);
  });

  it('of the time that a statement had is the deadline', () => {
    expect(portError(serverError(50, 'operation exceeded time limit'), 1)).toBeInstanceOf(DeadlinePassed);
  });

  it('that the port does not know is reported by its code: its message may contain stored data', () => {
    const error = portError(serverError(11_000, 'E11000 dup key: { _id: "1/secret" }'), 1);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(/Said.*11000/);
    expect((error as Error).stack).not.toContain('secret');
    expect((error as Error).stack).toContain('failures.test.ts');
  });

  it('of the port itself stays what it is', () => {
    const error = new KeyUsed();
    expect(portError(error, 1)).toBe(error);
  });

  it('at the start, of a name that is not found, says so', () => {
    expect(openingError(nodeError('querySrv'))).toBeInstanceOf(StoreUnavailable);
    expect(String(openingError(nodeError('querySrv')))).toContain('querySrv FAILED');
  });
});
