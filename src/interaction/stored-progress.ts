import type { Model } from '../model/model.ts';
import { withDescriptions } from '../model/stored-above.ts';
import type { Engine } from './interaction.ts';

interface Described {
  /** What is said of which parameters. */
  readonly key: string;
  readonly engine: Engine;
}

/** The last one of each engine: documents that are made of it are made again when a tenth more is indexed. */
const described = new WeakMap<Engine, Described>();

/** The types with search parameters that records define, by model. */
const definedTypes = new WeakMap<Model, readonly string[]>();

/**
 * The engine of a partition for what describes it: the descriptions of search parameters that records define say how
 * far their indexes are. The engine itself if all of them are complete.
 */
export async function withProgress(engine: Engine, partition: string): Promise<Engine> {
  const { model, store } = engine;
  if (model.below === undefined) return engine;
  const names = definedTypes.get(model) ?? typesWithStored(model);
  definedTypes.set(model, names);
  const texts = new Map<string, Map<string, string>>();
  for (const type of names)
    for (const { param: code, done, of } of await store.indexes.status({ partition, type, state: 'pending' })) {
      const param = model.types.get(type)?.parameters.get(code);
      if (param?.stored !== true) continue;
      const percent = 10 * Math.floor((10 * done) / Math.max(1, of));
      const state = `Its index is being built (${percent} %): until it is complete, searches by it are answered 503.`;
      const text = param.description === undefined ? state : `${param.description} ${state}`;
      texts.set(type, new Map([...(texts.get(type) ?? []), [code, text]]));
    }
  if (texts.size === 0) return engine;
  const key = JSON.stringify([...texts].map(([type, of]) => [type, ...of]));
  const known = described.get(engine);
  if (known?.key === key) return known.engine;
  const made = { ...engine, model: withDescriptions(model, texts) };
  described.set(engine, { key, engine: made });
  return made;
}

const typesWithStored = ({ types }: Model): readonly string[] =>
  [...types.values()]
    .filter(({ parameters }) => parameters.values().some(({ stored }) => stored === true))
    .map(({ name }) => name);
