// https://sqlite.org/rescode.html#primary_result_code_list and
// https://docs.libuv.org/en/v1.x/errors.html#error-constants
import { getSystemErrorMap } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fileCodes } from '../../../src/store/files/failures.ts';
import { failureOf, sqliteCodes } from '../../../src/store/sqlite/failures.ts';

/** Of networks, processes and terminals: no file of a store gives them. */
const others = new Set(
  `E2BIG EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAI_ADDRFAMILY EAI_AGAIN EAI_BADFLAGS EAI_BADHINTS EAI_CANCELED EAI_FAIL
  EAI_FAMILY EAI_MEMORY EAI_NODATA EAI_NONAME EAI_OVERFLOW EAI_PROTOCOL EAI_SERVICE EAI_SOCKTYPE EALREADY ECHARSET
  ECONNABORTED ECONNREFUSED ECONNRESET EDESTADDRREQ EHOSTUNREACH EISCONN EMSGSIZE ENETDOWN ENETUNREACH ENOBUFS ENONET
  ENOPROTOOPT ENOTCONN ENOTSOCK EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ESHUTDOWN ESRCH EOF EHOSTDOWN ENOTTY
  ESOCKTNOSUPPORT EUNATCH ENOEXEC`.split(/\s+/),
);

describe('what a failure means', () => {
  it('is said for every primary result code of SQLite', () => {
    expect(Object.keys(sqliteCodes).map(Number)).toEqual(Array.from({ length: 28 }, (_, at) => at + 1));
  });

  it('is said for every code that Node gives for files', () => {
    const known = [...getSystemErrorMap().values()].map(([name]) => name);
    expect(known.filter(name => !others.has(name) && !Object.hasOwn(fileCodes, name))).toEqual([]);
    expect([...others].filter(name => Object.hasOwn(fileCodes, name))).toEqual([]);
  });

  const sqlite = (errcode: number): Error => Object.assign(new Error('as SQLite says'), { errcode });
  const node = (code: string, errno: number): Error => Object.assign(new Error('as the system says'), { code, errno });
  it.each([
    [
      'a full disk',
      sqlite(13),
      'no-store',
      'exception',
      /The disk is full \(SQLITE_FULL: as SQLite says\)\. Free disk/,
    ],
    ['a failed sync, an extended code', sqlite(1034), 'no-store', 'exception', /I\/O error \(SQLITE_IOERR/],
    ['damage', sqlite(11), 'exception', 'exception', /damaged \(SQLITE_CORRUPT.*Run `verify`/],
    ['a lock', sqlite(5), 'transient', 'transient', /Another process holds a lock/],
    ['a read-only file', sqlite(8), 'no-store', 'exception', /read-only/],
    ['a full disk under attachments', node('ENOSPC', -28), 'no-store', 'exception', /disk is full \(ENOSPC/],
    [
      'a quota, for which libuv has only the number',
      node('Unknown system error -122', -122),
      'no-store',
      'exception',
      /quota is exhausted \(EDQUOT/,
    ],
    ['too many open files', node('EMFILE', -24), 'transient', 'transient', /ulimit/],
  ] as const)('%s', (_, error, write, read, text) => {
    const written = failureOf(error, 'write', '/data/records.sqlite');
    expect([written?.reason, failureOf(error, 'read', '/data/records.sqlite')?.reason]).toEqual([write, read]);
    expect(written?.message).toMatch(text);
    expect(written?.message).toMatch(/^`\/data\/records\.sqlite` could not be written\./);
    expect(written?.summary).not.toContain('/data');
  });

  it.each([
    ['a mistake in a statement', sqlite(1)],
    ['a broken constraint', sqlite(19)],
    ['a misuse', sqlite(21)],
    ['a bad argument', node('EINVAL', -22)],
    ['an error of the engine', new Error('a bug')],
    ['no error', 'text'],
  ])('%s is a fault of the engine', (_, error) => {
    expect(failureOf(error, 'write', 'file')).toBeUndefined();
  });
});
