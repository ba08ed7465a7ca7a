import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import { isFolder, listFiles } from '../../definitions/files.ts';
import { checkout } from './compile-set.ts';
import { folders, viewsBeside } from '../../definitions/source.ts';
import type { DefinitionPlaces } from './load-model.ts';
import type { Start } from '../start.ts';

/** How often the files are compared, in milliseconds: listing a hundred files takes about one. */
const pause = 1_000;

/**
 * Reloads the definitions once their files have changed and then stayed the same for a second, so that half of a copy
 * is not loaded. The files are polled, which works in containers and on network drives too. `before` is their state
 * before the start read them. Ends with the server.
 */
export function watchDefinitions(
  { opened }: Pick<Start, 'opened'>,
  places: DefinitionPlaces,
  before: string,
  reload: () => Promise<unknown>,
): void {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let [loaded, last] = [before, before];
  const step = async (): Promise<void> => {
    const now = await stateOf(places);
    const isSettled = now === last;
    last = now;
    if (!isSettled || now === loaded) return;
    loaded = now;
    await reload();
  };
  const rest = (): void => {
    if (!ended) timer = setTimeout(() => void step().then(rest, rest), pause).unref(); // unreadable: tried again
  };
  rest();
  opened(() => {
    ended = true;
    clearTimeout(timer);
  });
}

/** A digest of names, sizes and times of change of all definition files, and of the links that are not followed. */
export async function stateOf({ definitions, capability, root = checkout }: DefinitionPlaces): Promise<string> {
  const shipped = [capability ?? join(root, 'capability'), join(root, 'searchparameters'), join(root, 'profiles')];
  // A folder of these may itself be a link that leads elsewhere.
  const given = definitions.flatMap(path => [path, ...folders.map(folder => join(path, folder))]);
  const beside = capability === undefined ? [] : [viewsBeside(capability)];
  const lines: string[] = [];
  for (const path of [...shipped, ...beside, ...given]) {
    const { files, problems } = (await isFolder(path))
      ? await listFiles({ path, file: path }, path, true)
      : { files: [{ path }], problems: [] };
    lines.push(...problems.map(({ file, text }) => `${file}\t${text}`));
    for (const { path: file } of files) {
      const found = await stat(file).catch(() => undefined);
      lines.push(`${file}\t${found?.size}\t${found?.mtimeMs}\t${found?.ino}`);
    }
  }
  return hash('sha256', lines.join('\n'));
}
