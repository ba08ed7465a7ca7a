import { PartitionExists } from '../port/errors.ts';
import type { PartitionAdmin, PartitionSettings } from '../port/partitions.ts';
import { type Core, partitionIndex, submit, valueOf } from './core.ts';
import { wantedIndexes } from './declared-indexes.ts';
import { parseSettings } from './dictionary.ts';

export class SqlitePartitions implements PartitionAdmin {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async add(id: string, settings: PartitionSettings): Promise<void> {
    const result = await submit(this.#core, latest => ({
      kind: 'addPartition',
      id,
      settings: JSON.stringify({ zone: settings.zone }),
      types: wantedIndexes(latest.options.model, settings.zone),
    }));
    if (valueOf(result) === null && partitionIndex(this.#core, id)?.settings.zone !== settings.zone)
      throw new PartitionExists(id);
  }

  async list(): ReturnType<PartitionAdmin['list']> {
    const rows = this.#core.database.all('SELECT id, settings FROM partitions WHERE id IS NOT NULL ORDER BY id');
    return rows.map(([id, settings]) => ({ id: String(id), settings: parseSettings(settings).settings }));
  }

  async remove(id: string): Promise<boolean> {
    const [n] = this.#core.database.get('SELECT n FROM partitions WHERE id = ?', [id]) ?? [];
    if (n === undefined) return false;
    const hidden = valueOf(await submit(this.#core, () => ({ kind: 'hidePartition', id })));
    const isLeft = (): boolean => this.#core.database.get('SELECT 1 FROM partitions WHERE n = ?', [n]) !== undefined;
    while (isLeft()) await submit(this.#core, () => ({ kind: 'sweep', now: this.#core.options.now() }));
    return hidden === 1;
  }
}
