import { foldString } from '../../indexing/normalize.ts';
import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { textField } from '../../pages/parts.ts';
import { typeName } from '../../pages/type-name.ts';
import type { Visit } from './visit.ts';

/** The parameter with the typed words. */
export const typesParameter = '_types';

/** Lists of fewer types have no filter. */
const fewest = 16;

const en = {
  label: 'Find a type',
  hint: 'A part of its name, such as medication',
  submit: 'Filter',
  all: 'Show all types',
  shown: (shown: number, of: number) => `${shown} of ${of} types.`,
};

type FilterTexts = typeof en;

const fr: FilterTexts = {
  label: 'Trouver un type',
  hint: 'Une partie de son nom, comme medication',
  submit: 'Filtrer',
  all: 'Afficher tous les types',
  shown: (shown, of) => `${shown} de ${of} types.`,
};

const texts: Readonly<Record<Language, FilterTexts>> = { en, fr };

/**
 * The filter of a list of types, and those of them that it shows: all words that the visitor typed are in the name of
 * the type. `href`: the link to the page, whose other parameters are dropped. A short list has no filter.
 */
export function filterTypes<T extends Pick<ResourceType, 'name'>>(
  { engine, language, options }: Visit,
  types: readonly T[],
  href: string,
): { readonly shown: readonly T[]; readonly filter: Markup } {
  if (types.length < fewest) return { shown: types, filter: undefined };
  const typed = (options.get(typesParameter) ?? '').slice(0, 100);
  const words = foldString(typed).split(/\s+/).filter(Boolean);
  const shown = types.filter(({ name }) => {
    const text = foldString(`${name} ${typeName(engine.model, name, language)}`);
    return words.every(word => text.includes(word));
  });
  const { label, hint, submit, all, shown: count } = texts[language];
  const filter = html`<search>
      <form class="search" method="get" action="${href}">
        ${textField({
          id: 'types',
          name: typesParameter,
          label,
          hint,
          value: typed,
          input: html`type="search" autocomplete="off" spellcheck="false"`,
        })}
        <button class="quiet">${submit}</button>
      </form>
    </search>
    ${
      words.length > 0 && html`<p role="status">${count(shown.length, types.length)} <a href="${href}">${all}</a></p>`
    }`;
  return { shown, filter };
}
