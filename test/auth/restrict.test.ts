// A search is confined to the same records whether or not it names what confines it.
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../src/auth/access.ts';
import { restrict, restriction } from '../../src/auth/restrict.ts';
import { loadModel } from '../support/loaded-once.ts';
import type { Query } from '../../src/search/ast.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { print } from '../../src/search/print.ts';
import { simplify } from '../../src/search/simplify.ts';

const { model } = await loadModel({ definitions: [] });
if (model === undefined) throw new Error('The shipped definitions are wrong');
const type = model.types.get('Condition');
if (type === undefined) throw new Error('Condition is not there');
const place = { model, base: 'http://records.example/r4/demo', zone: 'UTC', now: 0 };
const claims = { issuer: 'x', client: 'app', subject: undefined, fhirUser: undefined, partition: 'demo', expires: 1 };
const access = createAccess({ ...claims, scope: 'patient/*.rs', patient: 'p1' }, place);
const rule = restriction(access, type, 's');

const asked = (text: string): Query => {
  const pairs = text === '' ? [] : text.split('&').map(pair => pair.split('=') as [string, string]);
  return parseSearch(type, pairs, { ...place, handling: 'strict' }).query;
};

describe('a search of a patient', () => {
  it.each([
    ['patient=p1', true],
    ['patient=Patient/p1', true],
    ['patient=p1&clinical-status=active', true],
    ['patient=p1&patient=p2', true],
    ['', false],
    ['patient=p2', false],
    ['patient=p1,p2', false],
    ['patient=http://else.example/Patient/p1', false],
    ['category=p1', false],
    ['clinical-status=active', false],
  ])('for `%s` asks for what the rule wants: %s', (text, named) => {
    const query = asked(text);
    const confined = restrict(access, type, 's', query);
    expect(confined === query).toBe(named);
    expect(print(simplify(confined))).toBe(print(simplify({ kind: 'and', of: [query, rule] })));
  });
});
