import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly meta: { readonly versionId: string; readonly lastUpdated: string };
  readonly [name: string]: unknown;
}

type Data = any; // eslint-disable-line typescript/no-explicit-any -- its own data

type Test = (resource: Data, value: string) => boolean;

/**
 * A small FHIR server that shares no code with this one, and does what R4 leaves open otherwise: XML by default, its
 * own order, absolute references, pages by number with links that have nothing of the query, at most five matches on a
 * page, an OperationOutcome in each searchset, no totals, unknown parameters ignored, few modifiers and prefixes, times
 * with an offset, no Last-Modified, no SMART configuration. It only reads.
 */
export async function otherServer(): Promise<{ readonly base: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body, headers = {} }) => {
      const wantsJson =
        /json/.test(new URL(request.url ?? '', 'http://x').searchParams.get('_format') ?? '') ||
        /json/.test(request.headers.accept ?? '');
      const type = wantsJson ? 'application/fhir+json;charset=UTF-8' : 'application/fhir+xml;charset=UTF-8';
      const text = wantsJson ? JSON.stringify(body) : `<${String(body['resourceType'])} xmlns="http://hl7.org/fhir"/>`;
      response.writeHead(status, { ...headers, 'Content-Type': type }).end(status === 304 ? undefined : text);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/other/fhir`; // it listens on a port
  const records = recordsAt(base);
  const pages = new Map<string, { readonly self: string; readonly of: readonly object[] }>();

  async function answer(request: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
    const url = new URL(request.url ?? '', 'http://x');
    const [type = '', id, , version] = url.pathname.slice('/other/fhir/'.length).split('/');
    const query = new URLSearchParams(url.search + (chunks.length === 0 ? '' : `&${Buffer.concat(chunks).toString()}`));
    const stored = query.get('page');
    if (type === '' && stored !== null) return page(stored);
    if (type === 'metadata') return { status: 200, body: statement };
    if (!Object.hasOwn(tests, type)) return refusal(404, 'not-supported', `${type} is unknown`);
    if (id === undefined || id === '_search') return search(type, query);
    const found = records.find(one => one.resourceType === type && one.id === id);
    if (found === undefined || (version !== undefined && version !== found.meta.versionId))
      return refusal(404, 'not-found', 'There is no such record');
    const tag = `W/"${found.meta.versionId}"`;
    return { status: request.headers['if-none-match'] === tag ? 304 : 200, body: found, headers: { ETag: tag } };
  }

  function search(type: string, query: URLSearchParams): Answer {
    const used = new URLSearchParams();
    let found = records.filter(({ resourceType }) => resourceType === type);
    for (const [name, value] of query) {
      if (controls.has(name)) continue;
      const [code = '', modifier] = name.split(':');
      const test = tests[type]?.[code];
      if (test === undefined && !/[.:]/.test(name) && !name.startsWith('_has')) continue; // ignored, and not in `self`
      if (test === undefined) return refusal(400, 'not-supported', `${name} is not supported`);
      used.append(name, value);
      const values = value.split(/(?<!\\),/);
      try {
        const any = (one: Resource): boolean => values.some(text => test(one, text));
        if (modifier === undefined) found = found.filter(any);
        else if (modifier === 'missing' && code === 'message')
          found = found.filter(one => (headerOf(one) === undefined) === (value === 'true'));
        else if (modifier === 'not' && tokens.has(code)) found = found.filter(one => !any(one));
        else return refusal(400, 'not-supported', `${name} is not supported`);
      } catch {
        return refusal(400, 'invalid', `${value} is no value of ${name}`);
      }
    }
    const sort = query.get('_sort');
    if (sort !== null) {
      if (!/^-?birthdate$/.test(sort)) return refusal(400, 'not-supported', `_sort=${sort} is not supported`);
      const sign = sort.startsWith('-') ? -1 : 1;
      found = found.toSorted((a, b) => sign * birthOf(a).localeCompare(birthOf(b)));
      used.append('_sort', sort);
    }
    const self = `${base}/${type}?${used.toString()}`;
    if (query.get('_summary') === 'count')
      return {
        status: 200,
        body: {
          resourceType: 'Bundle',
          type: 'searchset',
          total: found.length,
          link: [{ relation: 'self', url: self }],
        },
      };
    const names = query.get('_elements')?.split(',');
    const shown = found.map(one => (names === undefined ? one : subset(one, names)));
    const size = Math.min(5, Number(query.get('_count') ?? 3));
    const slices: object[][] = [];
    for (let at = 0; at < shown.length || at === 0; at += size) {
      const matches = shown.slice(at, at + size);
      slices.push([...matches.map(one => entry(one, 'match')), ...included(type, matches, query.getAll('_include'))]);
    }
    const key = `q${pages.size}`;
    for (const [at, of] of slices.entries()) pages.set(`${key}.${at}`, { self, of });
    return page(`${key}.0`);
  }

  const entry = (resource: Resource, mode: string) => ({
    search: { mode },
    resource,
    fullUrl: `${base}/${resource.resourceType}/${resource.id}`,
  });

  function included(type: string, matches: readonly Resource[], includes: readonly string[]): readonly object[] {
    if (type !== 'Observation' || !includes.some(one => one === 'Observation:subject')) return [];
    const wanted = new Set(matches.map(one => (one['subject'] as { reference: string }).reference));
    return records
      .filter(({ id, resourceType }) => wanted.has(`${base}/${resourceType}/${id}`))
      .map(one => entry(one, 'include'));
  }

  function page(key: string): Answer {
    const found = pages.get(key);
    if (found === undefined) return refusal(410, 'expired', 'The page has expired');
    const [search = '', at = '0'] = key.split('.');
    const link = (relation: string, number: number) =>
      pages.has(`${search}.${number}`) ? [{ relation, url: `${base}?page=${search}.${number}` }] : [];
    const outcome = { resourceType: 'OperationOutcome', issue: [{ severity: 'information', code: 'informational' }] };
    return {
      status: 200,
      body: {
        resourceType: 'Bundle',
        type: 'searchset',
        link: [
          ...link('previous', Number(at) - 1),
          ...link('next', Number(at) + 1),
          { relation: 'self', url: found.self },
        ],
        entry: [{ resource: outcome, search: { mode: 'outcome' } }, ...found.of],
      },
    };
  }

  return { base, close: () => new Promise(resolve => void server.close(() => resolve())) };
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const birthOf = ({ birthDate }: Data): string => birthDate ?? '';

const refusal = (status: number, code: string, diagnostics: string): Answer => ({
  status,
  body: { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code, diagnostics }] },
});

const controls: ReadonlySet<string> = new Set([
  '_count',
  '_sort',
  '_summary',
  '_elements',
  '_include',
  '_total',
  '_format',
  'page',
]);

const subset = (one: Resource, names: readonly string[]): Resource => ({
  ...(Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name))) as object),
  resourceType: one.resourceType,
  id: one.id,
  meta: {
    ...one.meta,
    tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }],
  } as Resource['meta'],
});

/** Without case and accents, as R4 recommends. */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const token =
  (read: (resource: Data) => readonly { system?: string; code: string }[]): Test =>
  (resource, value) => {
    const [system, code] = value.includes('|') ? value.split('|') : [undefined, value];
    return read(resource).some(
      one => (system === undefined || (one.system ?? '') === system) && (code === '' || one.code === code),
    );
  };

/** A date of the data is a day; a searched one may be a month or a year. */
const date =
  (read: (resource: Data) => string | undefined): Test =>
  (resource, value) => {
    const [, prefix = 'eq', day = ''] = /^([a-z]{2})?(\d{4}(?:-\d\d(?:-\d\d)?)?)$/.exec(value) ?? [];
    if (day === '' || !['eq', 'ne', 'gt', 'lt', 'ge', 'le'].includes(prefix)) throw new Error('No date');
    const own = read(resource);
    if (own === undefined) return false;
    const [start, end] = [day.padEnd(10, '-01'), `${day}-99`.slice(0, 10)];
    const isWithin = own.startsWith(day);
    if (prefix === 'eq' || prefix === 'ne') return isWithin === (prefix === 'eq');
    const [above, below] = [!isWithin && own > end.slice(0, day.length), !isWithin && own < start];
    return prefix.startsWith('g') ? above || (prefix === 'ge' && isWithin) : below || (prefix === 'le' && isWithin);
  };

const tokens: ReadonlySet<string> = new Set(['gender', 'identifier', 'code']);

const tests: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  Patient: {
    _id: ({ id }, value) => id === value,
    family: ({ name }, value) => plain(name[0].family).startsWith(plain(value)),
    gender: token(({ gender }) => (gender === undefined ? [] : [{ code: gender }])),
    identifier: token(({ identifier }) =>
      identifier.map((one: { system: string; value: string }) => ({ ...one, code: one.value })),
    ),
    active: ({ active }, value) => {
      if (value !== 'true' && value !== 'false') throw new Error('No truth');
      return String(active) === value;
    },
    birthdate: date(({ birthDate }) => birthDate),
  },
  Observation: {
    _id: ({ id }, value) => id === value,
    code: token(({ code }) => code.coding),
    subject: ({ subject: { reference } }, value) => reference === value || reference.endsWith(`/${value}`),
  },
  Bundle: {
    _id: ({ id }, value) => id === value,
    message: (bundle, value) =>
      headerOf(bundle) !== undefined &&
      `/MessageHeader/${headerOf(bundle)}`.endsWith(value.replace(/^http.*\/fhir/, '')),
  },
};

/** Only a MessageHeader is a message, and not what else a Bundle may begin with. */
const headerOf = ({ entry }: Data): string | undefined =>
  entry[0].resource.resourceType === 'MessageHeader' ? entry[0].resource.id : undefined;

const kinds: Readonly<Record<string, string>> = {
  family: 'string',
  birthdate: 'date',
  subject: 'reference',
  message: 'reference',
};

const statement = {
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2024-01-01',
  kind: 'instance',
  fhirVersion: '4.0.1',
  format: ['application/fhir+xml', 'json'],
  rest: [
    {
      mode: 'server',
      resource: Object.entries(tests).map(([type, parameters]) => ({
        type,
        versioning: 'versioned',
        conditionalRead: 'not-match',
        interaction: ['search-type', 'read', 'vread'].map(code => ({ code })),
        searchParam: Object.keys(parameters).map(name => ({ name, type: kinds[name] ?? 'token' })),
        searchInclude: type === 'Observation' ? ['Observation:subject'] : [],
      })),
    },
  ],
};

/** In an order of their own. */
function recordsAt(base: string): readonly Resource[] {
  const families = ['Roy', "O'Neil", 'Bélanger', 'Bell', 'van der Berg', 'Tremblay', 'ROYAL', 'Quon'];
  const meta = (at: number) => ({ versionId: `v${at}.1`, lastUpdated: `2024-05-0${1 + at}T22:10:00.250-04:00` });
  const bundle = (type: string, first: string, at: number): Resource => ({
    resourceType: 'Bundle',
    id: `${type}-1`,
    meta: meta(at),
    type,
    entry: [{ fullUrl: `${base}/${first}/first`, resource: { resourceType: first, id: 'first' } }],
  });
  const bundles = [bundle('document', 'Composition', 1), bundle('message', 'MessageHeader', 2)];
  const people = families.flatMap((family, at): readonly Resource[] => [
    {
      resourceType: 'Observation',
      id: `obs.${9 - at}`,
      meta: meta(at),
      status: 'final',
      code: { text: 'Measured', coding: [{ system: 'http://loinc.org', code: at % 2 === 0 ? '29463-7' : '8302-2' }] },
      subject: { reference: `${base}/Patient/Person-${at % 3}` },
    },
    {
      resourceType: 'Patient',
      id: `Person-${at}`,
      meta: meta(at),
      identifier: [{ system: `http://example.org/${at % 2}`, value: `A-${at}` }],
      name: [{ family, given: ['Ann'] }],
      ...(at % 3 === 0 ? {} : { gender: at % 2 === 0 ? 'male' : 'female' }),
      ...(at === 5 ? {} : { birthDate: `19${50 + at * 4}-0${1 + at}-1${at}` }),
    },
  ]);
  return [...people, ...bundles];
}
