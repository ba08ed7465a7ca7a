import type { ResourceType, SearchParam } from '../../../src/model/model.ts';
import { offeredModifiers } from '../../../src/search/parse/modifiers.ts';

/** A form in which a parameter can be searched: the name and the value of a query. */
export interface Form {
  readonly name: string;
  readonly value: string;
  /** Undefined where no index can serve it: the complement of something. */
  readonly by: 'index' | undefined;
}

const prefixes = ['', 'eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'];

/** Every form of a parameter: each kind of value, each prefix, each modifier that it offers. */
export function formsOf(param: SearchParam): readonly Form[] {
  const { code } = param;
  const plain = valuesOf(param).map((value): Form => ({ name: code, value, by: 'index' }));
  const modified = offeredModifiers(param).flatMap((modifier): Form[] => {
    const name = `${code}:${modifier}`;
    if (modifier === 'missing')
      return [
        { name, value: 'true', by: undefined },
        { name, value: 'false', by: undefined },
      ];
    const by = modifier === 'not' || modifier === 'not-in' ? undefined : 'index';
    return valuesWith(modifier, param).map(value => ({ name, value, by }));
  });
  return [...plain, ...modified];
}

function valuesOf(param: SearchParam): readonly string[] {
  const { type, components, reads } = param;
  if (reads === 'words') return words;
  const each = (value: string): readonly string[] => prefixes.map(prefix => `${prefix}${value}`);
  switch (type) {
    case 'string':
      return ['rare', 'rare,common'];
    case 'token':
      return ['rare', 'http://rare|rare', '|rare', 'http://rare|', 'rare,http://rare|other', 'true'];
    case 'reference':
      return referencesOf(param);
    case 'date':
      return [...each('2020-05'), '2020', 'ge2020-05-06T07:08:09Z'];
    case 'number':
      return each('5');
    case 'quantity':
      return [...each('5'), '5|http://unitsofmeasure.org|mg', '5||mg', 'gt5|http://rare|pill'];
    case 'uri':
      return ['http://rare/a', 'urn:oid:1.2.3'];
    case 'composite': {
      const parts = components.map(({ param: of }) => valuesOf(of)[0] ?? '');
      return [parts.join('$')];
    }
    case 'special':
      return [];
    default:
      return type satisfies never;
  }
}

/** Of full-text search. */
const words = ['rare', 'rare,common', 'rare common', '"rare common"', 'ra*', '"rare co*" x'];

function referencesOf({ targets, dataTypes }: SearchParam): readonly string[] {
  const target = targets[0] ?? 'Device';
  const canonical = dataTypes.has('canonical') || dataTypes.has('uri');
  return [`${target}/rare`, 'rare', `http://rare/${target}/rare`, ...(canonical ? ['http://rare/x|1'] : [])];
}

function valuesWith(modifier: string, param: SearchParam): readonly string[] {
  switch (modifier) {
    case 'exact':
    case 'contains':
      return ['rare'];
    case 'text':
      return param.type === 'string' ? words : ['rare'];
    case 'not':
    case 'identifier':
      return ['rare', 'http://rare|rare', 'true'];
    case 'of-type':
      return ['http://rare|rare|rare'];
    case 'in':
    case 'not-in':
      return ['http://hl7.org/fhir/ValueSet/administrative-gender'];
    case 'above':
    case 'below':
      if (param.type === 'reference') return ['rare'];
      return param.type === 'uri'
        ? ['http://rare/a', 'http://rare/']
        : ['http://terminology.hl7.org/CodeSystem/condition-clinical|inactive'];
    default:
      return ['rare']; // `:[type]` takes an id
  }
}

/** The orders by one parameter for which a store has an index. */
export function ordersOf(type: ResourceType, hasIndex: (param: SearchParam) => boolean): readonly string[] {
  const codes = [...type.parameters.values()].filter(hasIndex).map(({ code }) => code);
  return ['_id', '_lastUpdated', ...codes].flatMap(code => [code, `-${code}`]);
}
