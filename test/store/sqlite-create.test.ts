import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { attachmentContract } from './contract-attachments.ts';
import { createContract } from './contract-create.ts';
import { killContract } from './contract-kill.ts';
import type { Place } from './support/fixture.ts';
import { keptFiles } from './support/kept-files.ts';

describe('SQLite', () => {
  createContract({ newPlace });
  attachmentContract({ newPlace }, keptFiles);
  killContract(newPlace, Number(process.env['CRS_TEST_ROUNDS'] ?? 4));
});

async function newPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'create-'));
  return { url: `sqlite:${join(folder, 'records.sqlite')}`, remove: () => rm(folder, { recursive: true }) };
}
