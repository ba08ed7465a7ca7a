import { foldString } from '../../indexing/normalize.ts';
import { anyText, insideWordTerm, wholeTerm } from '../../indexing/contained.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Query, Test } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';

/**
 * A query for a superset of the records inside of which a resource of a type matches, by their index of such resources
 * (indexing/contained.ts): codes, identifiers, references, URLs and the beginnings of texts are found by the texts in
 * the resource, all else by its type. `base` is the URL of the partition.
 */
export function containedSuperset(index: SearchParam, { name }: ResourceType, of: Query, base: string): Query {
  const uri = (text: string, tree?: 'starts'): Query => ({
    kind: 'param',
    param: index,
    test: { kind: 'uri', uri: text, ...(tree === undefined ? {} : { tree }) },
  });
  const said = termsOf(simplify(of));
  if (said === undefined) return uri(name);
  return { kind: 'or', of: [uri(`${name} ${anyText}`), said] };

  /** Undefined if the texts of a matching resource say nothing. */
  function termsOf(query: Query): Query | undefined {
    switch (query.kind) {
      case 'and': {
        const parts = query.of.flatMap(part => termsOf(part) ?? []);
        return parts.length === 0 ? undefined : { kind: 'and', of: parts };
      }
      case 'or': {
        const parts = query.of.map(termsOf);
        return parts.every(part => part !== undefined) ? { kind: 'or', of: parts } : undefined;
      }
      case 'param': {
        const found = textsOf(query.param, query.test, base);
        if (found === undefined) return undefined;
        return {
          kind: 'or',
          of: found.map(({ term, isStart }) => uri(`${name} ${term}`, isStart ? 'starts' : undefined)),
        };
      }
      case 'all':
      case 'not':
      case 'id':
      case 'lastUpdated':
      case 'owner':
      case 'present':
      case 'entry':
      case 'chain':
      case 'inside':
      case 'has':
      case 'tree':
      case 'contained':
        return undefined;
      default:
        return query satisfies never;
    }
  }
}

interface Term {
  readonly term: string;
  readonly isStart: boolean;
}

/** The terms of which a resource has one if an entry of it passes a test; undefined if that is not known. */
function textsOf(param: SearchParam, test: Test, base: string): readonly Term[] | undefined {
  const { dataTypes, delegated, reads } = param;
  const isOf = (types: ReadonlySet<string>): boolean =>
    dataTypes.size > 0 && [...dataTypes].every(one => types.has(one));
  if (delegated || (reads !== undefined && reads !== 'text')) return undefined;
  const whole = (...texts: readonly string[]): readonly Term[] =>
    texts.map(text => ({ term: wholeTerm(text), isStart: false }));
  switch (test.kind) {
    case 'token':
      if (test.code === undefined || !isOf(codes)) return undefined;
      return whole(test.code);
    case 'reference': {
      const { type, id, url } = test;
      if (!isOf(references)) return undefined;
      if (id === undefined) return url === undefined ? undefined : whole(url);
      return type === undefined ? undefined : whole(`${type}/${id}`, `${test.base ?? base}/${type}/${id}`);
    }
    case 'references':
      if (!isOf(references)) return undefined;
      return whole(...test.ids.flatMap(id => [`${test.type}/${id}`, `${test.base}/${test.type}/${id}`]));
    case 'uri':
      return test.tree === undefined && isOf(uris) && !test.uri.includes('|') ? whole(test.uri) : undefined;
    case 'string': {
      if (test.how === 'contains' || !isOf(texts)) return undefined;
      const [word = '', ...others] = foldString(test.text).split(' ');
      return [{ term: insideWordTerm(word), isStart: others.length === 0 && test.how === 'starts' }];
    }
    case 'codes': {
      const all = test.codes.flatMap(one => one.codes);
      return all.length > MOST_CODES || !isOf(codes) ? undefined : whole(...all);
    }
    case 'otherCode':
    case 'range':
    case 'quantity':
    case 'words':
    case 'composite':
      return undefined;
    default:
      return test satisfies never;
  }
}

/** Most codes of a set that are sought one by one. */
const MOST_CODES = 100;

/** Types of elements whose entries are texts of them. */
const uris: ReadonlySet<string> = new Set(['uri', 'url', 'oid', 'uuid']);
const codes: ReadonlySet<string> = new Set([
  'CodeableConcept',
  'Coding',
  'code',
  'Identifier',
  'string',
  'id',
  ...uris,
]);
const references: ReadonlySet<string> = new Set(['Reference']);
const texts: ReadonlySet<string> = new Set(['string', 'markdown', 'HumanName', 'Address', 'CodeableConcept', 'Coding']);
