import type { Model } from '../../model/model.ts';
import type { Language } from './language.ts';

/** What records of a type are called in a language; the name of the type where nobody says. */
export function typeName({ types }: Model, name: string, language: Language): string {
  return types.get(name)?.plainNames.get(language) ?? name;
}
