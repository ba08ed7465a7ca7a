import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The memory of Linux as a folder. */
const memory = '/dev/shm';
const enough = 6 * 2 ** 30;

/**
 * The folder for temporary files of tests, also of the processes that this one starts. It is in memory where Linux has
 * 6 GiB of it and programs may run there, since each flush to a disk takes milliseconds; otherwise, and where `TMPDIR`
 * is set, it is that of the system. What is in memory is deleted when this process exits. A process that is killed
 * loses no more in memory than on a disk, and simulated faults of disks act on the calls, which are the same.
 */
export function temporaryFolder(): string {
  if (process.env['TMPDIR'] === undefined && isUsable()) {
    const folder = mkdtempSync(join(memory, 'crs-tests-'));
    process.env['TMPDIR'] = folder;
    process.on('exit', () => remove(folder));
  }
  return tmpdir();
}

function isUsable(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const options = mounts.map(line => line.split(' ')).find(([, path]) => path === memory)?.[3] ?? 'noexec';
    return Math.min(bavail * bsize, process.availableMemory()) >= enough && !options.split(',').includes('noexec');
  } catch {
    return false; // a system that has no such folder
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, maxRetries: 3 });
  } catch (error) {
    console.error(`${folder} could not be deleted:`, error); // the result of the tests is not changed by that
  }
}
