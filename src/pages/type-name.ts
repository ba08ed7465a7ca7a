import type { Model } from '../model/model.ts';
import type { Language } from './language.ts';

/** The name of a type in a language; its code if the definitions have no name. */
export function typeName({ types }: Model, name: string, language: Language): string {
  return types.get(name)?.plainNames.get(language) ?? name;
}

/** The name of a type in a language, with its code. */
export function typeTitle(model: Model, name: string, language: Language): string {
  const own = typeName(model, name, language);
  return own === name ? name : `${own} (${name})`;
}
