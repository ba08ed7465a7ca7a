import type { ElementDefinition } from '../../model/element.ts';
import type { Model, ResourceType, SearchParam } from '../../model/model.ts';
import { fewCodesOf } from '../../openapi/few-codes.ts';
import type { FewCodes } from '../../openapi/few-codes.ts';
import { elementAt, exampleOf } from '../../openapi/example-value.ts';
import { prefixes } from '../../search/parse/comparator.ts';
import { offeredModifiers } from '../../search/parse/modifiers.ts';
import type { QueryPair } from '../../search/request.ts';

/** How a value is entered. */
export type Input =
  | { readonly kind: 'text' }
  | { readonly kind: 'date' }
  /** One of these, or none. */
  | { readonly kind: 'choice'; readonly codes: readonly string[] }
  /** Any text; these are suggested. */
  | { readonly kind: 'suggestions'; readonly codes: readonly string[] }
  /** A reference to one of these types; none for any. */
  | { readonly kind: 'reference'; readonly targets: readonly string[] };

/** A search parameter as a field of a form. */
export interface FormField {
  readonly param: SearchParam;
  readonly modifiers: readonly string[];
  readonly prefixes: readonly string[];
  readonly input: Input;
  readonly example: string;
  /** The values of the search that the form begins with. */
  readonly modifier: string;
  readonly prefix: string;
  readonly value: string;
}

/** The fields of a type's search, with the values of a query. */
export function formFields(model: Model, type: ResourceType, query: readonly QueryPair[]): readonly FormField[] {
  const source = { model, fewCodes: fewCodesOf(model) };
  return [...type.parameters.values()].map(param => {
    const [name = '', given = ''] = query.find(([key]) => key.split(':')[0] === param.code) ?? [];
    const ordered = param.type === 'date' || param.type === 'number' || param.type === 'quantity';
    const prefix = (ordered && prefixes.find(one => given.startsWith(one))) || '';
    const value = given.slice(prefix.length);
    const input = inputOf(param, elementAt(param.expression, source), source.fewCodes);
    return {
      param,
      modifiers: offeredModifiers(param),
      prefixes: ordered ? prefixes : [],
      // a field of dates holds whole days only
      input: input.kind === 'date' && value !== '' && !/^\d{4}-\d{2}-\d{2}$/.test(value) ? { kind: 'text' } : input,
      example: exampleOf(param, source),
      modifier: name.slice(param.code.length + 1),
      prefix,
      value,
    };
  });
}

function inputOf(
  { type, dataTypes, targets }: SearchParam,
  element: ElementDefinition | undefined,
  fewCodes: FewCodes,
): Input {
  if (type === 'date') return { kind: 'date' };
  if (type === 'reference') return { kind: 'reference', targets };
  if (type !== 'token') return { kind: 'text' };
  if (dataTypes.size === 1 && dataTypes.has('boolean')) return { kind: 'choice', codes: ['true', 'false'] };
  const codes = element?.binding === undefined ? undefined : fewCodes(element.binding.valueSet);
  if (codes === undefined) return { kind: 'text' };
  return { kind: element?.binding?.strength === 'required' ? 'choice' : 'suggestions', codes };
}

/** The names of the inputs of a parameter in the form. */
export const inputNames = (
  code: string,
): { readonly value: string; readonly modifier: string; readonly prefix: string } => ({
  value: `v.${code}`,
  modifier: `m.${code}`,
  prefix: `p.${code}`,
});

/** The query of a sent form, by the parameters of the type; empty fields are left out. */
export function queryOf(type: ResourceType, form: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  for (const code of type.parameters.keys()) {
    const names = inputNames(code);
    const [value = '', modifier = '', prefix = ''] = [names.value, names.modifier, names.prefix].map(
      name => form.get(name)?.trim() ?? '',
    );
    if (value !== '') query.append(modifier === '' ? code : `${code}:${modifier}`, `${prefix}${value}`);
  }
  for (const name of ['_sort', '_count']) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') query.append(name, value);
  }
  for (const name of ['_include', '_revinclude']) for (const value of form.getAll(name)) query.append(name, value);
  return query;
}
