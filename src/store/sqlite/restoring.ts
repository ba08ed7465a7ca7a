import { existsSync } from 'node:fs';
import { StoreRefused } from '../errors.ts';

/** The folder beside the file of a store in which `restore` works. */
export const restoringFolder = (file: string): string => `${file}.restoring`;

/** Throws `StoreRefused` if a restore into the file was interrupted: a new, empty store would be unexpected there. */
export function refuseInterrupted(path: string): void {
  if (existsSync(path) || !existsSync(restoringFolder(path))) return;
  const left = restoringFolder(path);
  throw new StoreRefused(`A restore of \`${path}\` was interrupted; run it again, or remove \`${left}\` to start over`);
}
