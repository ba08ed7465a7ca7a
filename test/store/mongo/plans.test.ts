import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexEntry, IndexValue } from '../../../src/indexing/entry.ts';
import type { ResourceType, SearchParam } from '../../../src/model/model.ts';
import type { Position, Query, Sort, Test } from '../../../src/search/ast.ts';
import { print, printSort } from '../../../src/search/print.ts';
import { hasSortIndex } from '../../../src/search/sort.ts';
import { sortKindOf } from '../../../src/search/sort-value.ts';
import { searchPage } from '../../../src/store/mongo/search.ts';
import * as made from '../../search/thing.ts';
import { modelOfR4, shippedModel } from '../support/shipped.ts';
import { shapesOf } from '../support/shapes.ts';
import { type Explained, openSeen, type Seen } from './support/explained.ts';

/** Of so many resources each parameter has its rare value in one of a hundred, and its common one in all others. */
const resources = 2_000;
const every = 100;
const page = 10;

const shipped = await shippedModel();
const ofR4 = await modelOfR4();
const sortable = [...made.thing.indexed.values()].filter(param => sortKindOf(param) !== undefined);
const madeUp: ResourceType = {
  ...made.thing,
  sortDate: made.thing.indexed.get('born'),
  sortIndexes: new Set(sortable.map(({ code }) => code)),
};
const types: readonly (readonly [name: string, type: ResourceType])[] = [
  ...[...shipped.types.values()].map(type => [type.name, type] as const),
  ['of every kind', madeUp],
  ['of every shape in R4', shapesOf(ofR4, madeUp)],
  ...(process.env['CRS_TEST_PLANS'] === undefined
    ? []
    : [...ofR4.types].map(([name, type]) => [`${name} of R4`, type] as const)),
];

describe.each(types)('plans of a type: %s', (_, type) => {
  let seen: Seen;
  beforeAll(async () => {
    seen = await openSeen({ ...shipped, types: new Map([[type.name, type]]) });
    const params = [...type.indexed.values()];
    const entries = Array.from({ length: resources }, (__, at) =>
      params.flatMap((param, which) => {
        const value = valueOf(param, (at + 7 * which) % every === 0 ? 'rare' : 'common', at);
        return value === undefined ? [] : [{ param: param.code, value } satisfies IndexEntry];
      }),
    );
    await seen.put(type, entries);
  });
  afterAll(() => seen.close());

  const params = [...type.indexed.values()];
  const found = params.flatMap(param => forms(param).map(form => [`${param.code}, ${form.title}`, form] as const));
  const byTerms = found.filter(([, { by }]) => by === 'term');
  const byValue = found.filter(([, { by }]) => by === 'value');
  const orders: readonly (readonly Sort[])[] = [
    [{ by: 'default', descending: true }],
    [{ by: 'id', descending: false }],
    [{ by: 'id', descending: true }],
    [{ by: 'lastUpdated', descending: false }],
    [{ by: 'lastUpdated', descending: true }],
    ...(type.sortDate?.single === true ? [[{ by: 'param', param: type.sortDate, descending: false } as const]] : []),
  ];

  it.each(byTerms)('%s: a range of an index, in the order of any sort, also beside another', async (__, form) => {
    expect(await plansOf([form.rare, form.common], orders, inOrder)).toEqual([]);
    expect(await plansOf(beside(form), orders.slice(0, 2), inOrder)).toEqual([]);
  });

  // They lie in the order of their values: the few are sorted, and of many a walk in order finds a page soon.
  it.each(byValue)('%s: a range of an index, and no sort of many', async (__, form) => {
    expect(await plansOf([form.rare, ...beside(form)], orders.slice(0, 2), ofFew)).toEqual([]);
    expect(await plansOf([form.common], orders.slice(0, 2), inOrder)).toEqual([]);
  });

  const sortDates = type.sortDate?.single === true ? [type.sortDate] : [];
  it.each(sortDates)('a window of $code, by which the type is sorted: a range of an index', async param => {
    const window = since(param, at(400), at(700));
    const narrowed = byTerms.slice(0, 1).map(([, { common }]) => and(window, common));
    const sorts = [true, false].map(descending => [{ by: 'param', param, descending } as const]);
    expect(await plansOf([window, since(param, at(400)), ...narrowed], sorts, inOrder)).toEqual([]);
  });

  it.each(params.filter(param => hasSortIndex(type, param)))(
    '$code as the order, forward and back: no sort',
    async param => {
      const sorts = [true, false].map(descending => [{ by: 'param', param, descending } as const]);
      expect(await plansOf([{ kind: 'all' }], sorts, inOrder)).toEqual([]);
    },
  );

  /** The rare value of one parameter beside the common one of another, in both orders. */
  function beside({ param, rare }: Form): readonly Query[] {
    const other = byTerms.find(([, form]) => form.param !== param)?.[1];
    return other === undefined ? [] : [and(rare, other.common), and(other.common, rare)];
  }

  /** What the server does for the first page and the one behind it, where it is not what it should be. */
  async function plansOf(
    queries: readonly Query[],
    sorts: readonly (readonly Sort[])[],
    isGood: (plan: Explained) => boolean,
  ): Promise<readonly unknown[]> {
    const bad: unknown[] = [];
    for (const query of queries)
      for (const sort of sorts) {
        const first = await pageOf(query, sort, undefined);
        const second = first.next === undefined ? undefined : await pageOf(query, sort, first.next);
        for (const plan of [...first.plans, ...(second?.plans ?? [])])
          if (!isGood(plan)) bad.push({ search: `${print(query)} ${printSort(sort)}`, ...plan });
      }
    return bad;
  }

  async function pageOf(
    query: Query,
    sort: readonly Sort[],
    after: Position | undefined,
  ): Promise<{ plans: readonly Explained[]; next: Position | undefined }> {
    const search = { query, sort, limit: page, ...(after === undefined ? {} : { after }) };
    let next: Position | undefined;
    const questions = await seen.asked(async () => {
      ({ next } = await searchPage(seen.core, seen.partition, type, search));
    });
    const plans = [];
    for (const question of questions) plans.push(await seen.explain(question));
    if (plans.length === 0) throw new Error('The server was not asked');
    return { plans, next };
  }
});

/** An index scan without a sort, that looks at little more than it returns. */
function inOrder({ stages, indexes, keys, documents, returned }: Explained): boolean {
  const isBlocking = stages.includes('SORT') || stages.includes('COLLSCAN');
  return !isBlocking && indexes.length > 0 && Math.max(keys, documents) <= 2 * returned + 8;
}

/** An index scan that looks at little more than the few that match. */
function ofFew({ stages, indexes, keys, documents }: Explained): boolean {
  return !stages.includes('COLLSCAN') && indexes.length > 0 && Math.max(keys, documents) <= 4 * (resources / every);
}

interface Form {
  readonly title: string;
  readonly param: SearchParam;
  /** A term finds it, or a range of values. */
  readonly by: 'term' | 'value';
  readonly rare: Query;
  readonly common: Query;
}

/** The forms of a parameter that an index serves. */
function forms(param: SearchParam): readonly Form[] {
  const form = (title: string, by: Form['by'], test: (which: Which) => Test): Form => ({
    title,
    param,
    by,
    rare: { kind: 'param', param, test: test('rare') },
    common: { kind: 'param', param, test: test('common') },
  });
  if (param.reads === 'words') {
    const phrase = (text: string, isPrefix = false): Test => ({ kind: 'words', phrases: [{ text, isPrefix }] });
    return [
      form('a word', 'term', phrase),
      form('a phrase', 'term', which => phrase(`${which} words`)),
      form('the beginning of a word', 'value', which => phrase(which.slice(0, 3), true)),
    ];
  }
  switch (param.type) {
    case 'token':
      return [
        form('code', 'term', code => ({ kind: 'token', code })),
        form('system|code', 'term', code => ({ kind: 'token', system: `http://${code}`, code })),
        form('system|', 'term', code => ({ kind: 'token', system: `http://${code}` })),
      ];
    case 'reference':
      if (param.dataTypes.has('canonical'))
        return [form('url', 'term', which => ({ kind: 'reference', url: `http://${which}` }))];
      return [
        form('Type/id', 'term', id => ({ kind: 'reference', type: targetOf(param), id })),
        ...(param.targets.length > 0 ? [] : [form('id', 'term', id => ({ kind: 'reference', id }))]),
      ];
    case 'uri':
      return [
        form('uri', 'term', which => ({ kind: 'uri', uri: `http://${which}/a` })),
        form('above', 'term', which => ({ kind: 'uri', uri: `http://${which}/a/b`, tree: 'above' })),
        form('below', 'value', which => ({ kind: 'uri', uri: `http://${which}`, tree: 'below' })),
        form('below a slash', 'value', which => ({ kind: 'uri', uri: `http://${which}/`, tree: 'below' })),
      ];
    case 'string':
      return [
        form('exact', 'term', text => ({ kind: 'string', how: 'exact', text })),
        form('the beginning', 'value', which => ({ kind: 'string', how: 'starts', text: which.slice(0, 3) })),
      ];
    case 'date':
    case 'number':
      return [form('a range', 'value', which => ({ kind: 'range', bounds: boundsOf(which, param.type === 'date') }))];
    case 'quantity':
      return [form('a range', 'value', which => ({ kind: 'quantity', unit: 'mg', bounds: boundsOf(which, false) }))];
    case 'composite':
    case 'special':
      if (param.components.length === 0) return [];
      return [
        form('of its components', 'value', which => ({
          kind: 'composite',
          of: param.components.flatMap(({ param: of }) => testOf(forms(of)[0]?.[which]) ?? []),
        })),
      ];
    default:
      return param.type satisfies never;
  }
}

const testOf = (query: Query | undefined): Test | undefined => (query?.kind === 'param' ? query.test : undefined);

type Which = 'rare' | 'common';

const day = 86_400_000;
const at = (number: number): number => Date.UTC(2020, 0, 1) + number * day;
const targetOf = ({ targets }: SearchParam): string => targets[0] ?? 'Device';
/** Rare dates and numbers are far behind the common ones. */
const far = 100_000;

function valueOf(param: SearchParam, which: Which, number: number): IndexValue | undefined {
  const amount = which === 'rare' ? far + number : number;
  if (param.reads === 'words') return made.words(`${which} words of ${which} texts`);
  switch (param.type) {
    case 'token':
      return made.token(`http://${which}`, which);
    case 'reference':
      return param.dataTypes.has('canonical')
        ? made.canonical(`http://${which}`)
        : made.reference(targetOf(param), which);
    case 'uri':
      return { kind: 'uri', uri: `http://${which}/a` };
    case 'string':
      return made.text(which);
    case 'date':
      return { kind: 'date', low: at(amount), high: at(amount + 1) };
    case 'number':
      return made.number(amount);
    case 'quantity':
      return made.quantity(amount, undefined, 'mg');
    case 'composite':
    case 'special':
      if (param.components.length === 0) return undefined;
      return {
        kind: 'composite',
        of: param.components.map(({ param: of }) => {
          const value = valueOf(of, which, number);
          return value === undefined || value.kind === 'composite' || value.kind === 'unsearchable' ? [] : [value];
        }),
      };
    default:
      return param.type satisfies never;
  }
}

function boundsOf(which: Which, isDate: boolean): Extract<Test, { kind: 'range' }>['bounds'] {
  const value = isDate ? at(far) : far;
  return which === 'rare' ? [{ end: 'high', is: '>', value }] : [{ end: 'low', is: '<', value }];
}

function since(param: SearchParam, from: number, to = Infinity): Query {
  const bounds = [
    { end: 'high', is: '>', value: from } as const,
    ...(to === Infinity ? [] : [{ end: 'low', is: '<', value: to } as const]),
  ];
  return { kind: 'param', param, test: { kind: 'range', bounds } };
}

function and(...of: readonly Query[]): Query {
  return { kind: 'and', of };
}
