import type { ElementDefinition } from '../model/element.ts';
import type { QueryParameter, SearchParam, SearchParamType } from '../model/model.ts';
import type { Source } from './source.ts';

/** What examples are made from. */
export type ExampleSource = Pick<Source, 'model' | 'fewCodes'>;

/** A value that searches by the parameter accept. */
export function exampleOf(param: SearchParam, source: ExampleSource): string {
  const { type, special, components, dataTypes, targets, reads } = param;
  switch (type) {
    case 'token':
      return tokenExample(param, source);
    case 'reference':
      if (dataTypes.size > 0 && !dataTypes.has('Reference')) return examples.uri;
      return `${targets[0] ?? source.model.types.keys().next().value ?? ''}/123`;
    case 'composite':
      return components.map(component => exampleOf(component.param, source)).join('$');
    case 'special':
      return special?.kind === 'near' ? '43.65|-79.38|5|km' : '123';
    case 'string':
      return reads === 'words' ? 'chest pain' : examples.string;
    case 'date':
    case 'number':
    case 'quantity':
    case 'uri':
      return examples[type];
    default:
      return type satisfies never;
  }
}

/** A value of a parameter of a named query. */
export const exampleOfQuery = ({ type }: QueryParameter): string => examples[type];

const examples: Readonly<Record<Exclude<SearchParamType, 'composite' | 'special'>, string>> = {
  date: 'ge2024-01-01',
  number: 'gt0.5',
  quantity: '5.4|http://unitsofmeasure.org|mg',
  reference: '123',
  string: 'ann',
  token: 'http://example.org/system|code',
  uri: 'http://example.org/definition',
};

/** The first code that the element may have, if its codes are known. */
function tokenExample({ expression, dataTypes }: SearchParam, source: ExampleSource): string {
  if (dataTypes.size === 1 && dataTypes.has('boolean')) return 'true';
  if (dataTypes.has('id')) return '123';
  const binding = elementAt(expression, source)?.binding;
  const codes = binding?.strength === 'required' ? source.fewCodes(binding.valueSet) : undefined;
  if (codes?.[0] !== undefined) return codes[0];
  if (dataTypes.has('Identifier')) return 'http://example.org/ids|123';
  if (dataTypes.has('ContactPoint')) return expression.includes("'email'") ? 'ann@example.org' : '416-555-0123';
  return dataTypes.has('CodeableConcept') || dataTypes.has('Coding') ? examples.token : 'code';
}

/** The element at a plain path such as `Patient.contact.gender`; undefined for other expressions. */
export function elementAt(expression: string, { model }: Pick<Source, 'model'>): ElementDefinition | undefined {
  if (!/^[\w.]+$/.test(expression)) return undefined;
  const [root = '', ...names] = expression.split('.');
  let owner = model.definitions.get(root);
  let found: ElementDefinition | undefined;
  for (const name of names) {
    found = owner?.elements.get(name);
    const type = found?.types.length === 1 ? found.types[0] : undefined;
    owner = type?.content ?? model.definitions.get(type?.code ?? '');
  }
  return found;
}
