import type { Model } from '../model/model.ts';

/** Most codes of an `enum`. */
const most = 50;

/** Finds the codes of a value set (canonical); undefined if they cannot be expanded here, or are more than 50. */
export type FewCodes = (valueSet: string) => readonly string[] | undefined;

/** The finder of a model, which expands each value set once. */
export function fewCodesOf(model: Model): FewCodes {
  const found = made.get(model) ?? createFewCodes(model);
  made.set(model, found);
  return found;
}

const made = new WeakMap<Model, FewCodes>();

function createFewCodes({ expansions }: Model): FewCodes {
  const known = new Map<string, readonly string[] | undefined>();
  return valueSet => {
    if (!known.has(valueSet)) known.set(valueSet, expand(valueSet));
    return known.get(valueSet);
  };

  function expand(valueSet: string): readonly string[] | undefined {
    const expansion = expansions.valueSet(valueSet);
    if ('problem' in expansion) return undefined;
    const codes = new Set(expansion.codes.flatMap(({ codes }) => codes));
    return codes.size === 0 || codes.size > most ? undefined : [...codes];
  }
}
