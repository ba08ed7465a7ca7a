import type { CheckId } from '../../../src/conformance/clauses.ts';
import type { Area } from '../../../src/conformance/run.ts';
import type { Asked, Given, Plant } from '../faulty-proxy.ts';

/** A kind of fault: where it is planted, and its checks: at least one must fail. */
export interface Planted extends Plant {
  readonly kind: string;
  readonly areas: readonly Area[];
  readonly types: readonly string[];
  readonly write?: true;
  readonly found: readonly CheckId[];
}

/** The part of a searchset that plants change. */
export interface Bundle {
  resourceType: string;
  type: string;
  total?: number;
  link?: { relation: string; url: string }[] | undefined;
  entry?:
    | {
        fullUrl: string;
        resource: Record<string, unknown> & { resourceType: string; id: string };
        search: { mode: string };
      }[]
    | undefined;
}

export const patient = ['Patient'];
export const observation = ['Observation', 'Patient'];
export const isSearch = ({ path, method }: Asked, type = 'Patient'): boolean =>
  method === 'GET' && (path === type || path.startsWith(`${type}?`));
export const isRead = ({ path, method }: Asked): boolean => method === 'GET' && /^Patient\/[^/?]+$/.test(path);

/** Changes the searchsets of a type to which a pattern of the query applies. */
export const inBundle =
  (change: (bundle: Bundle) => void, query = /./, type = 'Patient') =>
  (given: Given, asked: Asked): void => {
    if (given.status !== 200 || !isSearch(asked, type) || !query.test(decodeURIComponent(asked.path))) return;
    const bundle = JSON.parse(given.text) as Bundle;
    change(bundle);
    given.text = JSON.stringify(bundle);
  };

/** Changes the query that the server receives; the self link shows what was sent. */
export const inQuery =
  (from: RegExp, to: string, type = 'Patient'): NonNullable<Plant['request']> =>
  asked => {
    if (isSearch(asked, type))
      asked.path = decodeURIComponent(asked.path).replace(from, to).replace(/[ "]/g, encodeURIComponent);
  };

const showing =
  (type = 'Patient'): NonNullable<Plant['answer']> =>
  (given, asked) =>
    inBundle(
      ({ link = [] }) => {
        for (const one of link) if (one.relation === 'self') one.url = `http://localhost/${asked.path}`;
      },
      /./,
      type,
    )(given, asked);

/** The server answers another query than was sent, and says that it used the sent one. */
export const rewritten = (from: RegExp, to: string, type?: string): Plant => ({
  request: inQuery(from, to, type),
  answer: showing(type),
});

export const html = (given: Given): void => {
  given.text = '<html><body>Sorry</body></html>';
  given.headers['content-type'] = 'text/html';
};

export const search = { areas: ['search'], types: patient } as const;
export const read = { areas: ['read'], types: patient } as const;
export const write = { areas: [], types: patient, write: true } as const;
