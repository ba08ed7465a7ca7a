import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchedFrom } from '../cli/process.ts';
import type { Launched } from '../cli/process.ts';

/** A folder of this machine that is visible below the root. */
export interface Mounted {
  readonly from: string;
  readonly to: string;
  readonly writable?: boolean;
}

export interface SystemRoot {
  readonly mounts: readonly Mounted[];
  /** Paths of empty folders that are writable, such as `/tmp`. */
  readonly temporary: readonly string[];
  readonly user: { readonly name: string; readonly id: number };
}

/** A program in a root. */
export interface RootProgram {
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Why no root can be made here; undefined if it can. */
export const noRoot: string | undefined =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'only root of Linux can'
    : spawnSync('unshare', ['--mount', 'true']).status === 0
      ? undefined
      : 'this kernel does not permit it';

/**
 * Runs a program as a user without privileges below a read-only root that has the system of this machine (`/usr`) and
 * the given folders, in a namespace of its own: as systemd and containers do.
 */
export function runInRoot(root: SystemRoot, { command, folder, env }: RootProgram): Launched {
  const place = mkdtempSync(join(tmpdir(), 'root-'));
  const { name, id } = root.user;
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const at = (path: string): string => quote(join(place, path));
  const bind = ({ from, to, writable = false }: Mounted): string[] => [
    `mkdir -p ${at(to)}`,
    `mount --bind ${quote(from)} ${at(to)}`,
    ...(writable ? [] : [`mount -o remount,bind,ro ${at(to)}`]),
  ];
  const lines = [
    'set -e',
    'mount --make-rprivate /',
    `mount -t tmpfs -o mode=755 tmpfs ${quote(place)}`,
    ...bind({ from: '/usr', to: '/usr' }),
    `mkdir -p ${['/etc', '/proc', '/dev', ...root.temporary].map(at).join(' ')}`,
    `for name in bin sbin lib lib64; do test -L /$name && ln -s usr/$name ${quote(place)}/$name; done; true`,
    `mount --rbind /proc ${at('/proc')}`,
    `mount --rbind /dev ${at('/dev')}`,
    `echo ${quote(`${name}:x:${id}:${id}::/:/usr/sbin/nologin`)} > ${at('/etc/passwd')}`,
    ...root.mounts.flatMap(bind),
    ...root.temporary.map(path => `mount -t tmpfs -o mode=1777 tmpfs ${at(path)}`),
    `mount -o remount,ro ${quote(place)}`,
    ['exec chroot', quote(place), 'setpriv', `--reuid ${id} --regid ${id} --clear-groups --no-new-privs`]
      .concat(['--bounding-set=-all --inh-caps=-all', 'env -i', `--chdir=${quote(folder)}`])
      .concat(Object.entries(env).map(([key, value]) => quote(`${key}=${value}`)))
      .concat(command.map(quote))
      .join(' '),
  ];
  const launched = launchedFrom(spawn('unshare', ['--mount', 'sh', '-c', lines.join('\n')]));
  void launched.ended.then(() => rmSync(place, { recursive: true, force: true }));
  return launched;
}
