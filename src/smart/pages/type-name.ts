import type { Model } from '../../model/model.ts';
import type { Language } from '../../pages/language.ts';

/** The name of a type in a language; its code if the definitions have no name. */
export function typeName({ types }: Model, name: string, language: Language): string {
  return types.get(name)?.plainNames.get(language) ?? name;
}
