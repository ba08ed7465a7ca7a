import type { Model } from '../model/model.ts';
import type { Language } from './language.ts';

/** What records of a type are called in a language; the name of the type where nobody says. */
export function typeName(_model: Model, name: string, _language: Language): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
