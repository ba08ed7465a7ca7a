import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/** A system call that fails on files of a path, as shim.c has it. */
export interface Fault {
  readonly operation: 'read' | 'write' | 'fsync' | 'open' | 'truncate';
  readonly error: 'EIO' | 'ENOSPC' | 'EROFS' | 'EDQUOT' | 'EACCES' | 'EMFILE';
  /** Part of the path; with `$` at the end, the end of it. */
  readonly path: string;
  /** Calls that succeed before; default none. */
  readonly skip?: number;
  /** Calls that fail; default all. */
  readonly count?: number;
}

/** The faults of the processes that are started with `env`. */
export interface Faults {
  readonly env: Readonly<Record<string, string>>;
  /** Has these calls fail from now on, and no others. */
  set(...faults: readonly Fault[]): void;
  /** The calls that failed so far, one line each. */
  fired(): readonly string[];
}

/** Why no fault can be injected here; undefined where it can. */
export const noFaults: string | undefined = reason();

/** Goes into the title of what needs faults, so that a skip says why. */
export const unlessFaults = noFaults === undefined ? '' : ` (left out: ${noFaults})`;

/** Faults that are controlled by a file in this folder. Compiles the library at first use. */
export function createFaults(folder: string): Faults {
  const control = join(folder, 'faults');
  writeFileSync(control, '');
  return {
    env: { LD_PRELOAD: library(), DISK_FAULTS: control },
    set(...faults) {
      const lines = faults.map(({ operation, error, path, skip = 0, count = -1 }) =>
        [operation, constants.errno[error as 'EIO'], skip, count, path].join(' '),
      );
      writeFileSync(`${control}.new`, lines.map(line => `${line}\n`).join(''));
      renameSync(`${control}.new`, control);
    },
    fired() {
      const path = `${control}.fired`;
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    },
  };
}

function reason(): string | undefined {
  if (process.platform !== 'linux') return 'LD_PRELOAD needs Linux';
  return spawnSync('cc', ['--version']).status === 0 ? undefined : 'no C compiler `cc`';
}

function library(): string {
  const source = join(import.meta.dirname, 'shim.c');
  const folder = join(import.meta.dirname, '../../../.cache/faults');
  const digest = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const path = join(folder, `shim-${digest}.so`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const made = `${path}.${process.pid}`;
  execFileSync('cc', [
    '-Wall',
    '-Wextra',
    '-Werror',
    '-O1',
    '-shared',
    '-fPIC',
    '-o',
    made,
    source,
    '-ldl',
    '-lpthread',
  ]);
  renameSync(made, path);
  return path;
}

/** A mounted file system. */
export interface Disk {
  /** From now on nothing on it can be changed. */
  makeReadOnly(): void;
  unmount(): void;
}

/** A file system of a few bytes at a folder, which ends with it; or the reason why root cannot mount one here. */
export function mountTmpfs(folder: string, bytes: number): Disk | { readonly reason: string } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return { reason: 'only root mounts a tmpfs' };
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  if (mounted.status !== 0) return { reason: `mount: ${String(mounted.stderr ?? mounted.error).trim()}` };
  return {
    makeReadOnly() {
      execFileSync('mount', ['-o', 'remount,ro', folder]);
    },
    unmount() {
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
