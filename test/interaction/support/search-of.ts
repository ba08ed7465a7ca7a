import type { Query } from '../../../src/search/ast.ts';
import { parsePairs } from '../../../src/search/parse/pairs.ts';
import { parseSearch } from '../../../src/search/parse/search.ts';
import type { Served } from '../../support/serve.ts';

/** The query of a search as the server understands it, such as `Location?near=43|-79|2`. */
export function queryOf({ running, base }: Served, path: string): Query {
  const { model } = running.engine;
  const [name = '', query = ''] = path.split('?');
  const type = model.types.get(name);
  if (type === undefined) throw new Error(name);
  const context = { model, base, zone: 'UTC', handling: 'strict', now: 0, joins: true } as const;
  return parseSearch(type, parsePairs(query), context).query;
}

interface Found {
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
}

/** The ids of a searchset in its order, with spaces between them. */
export const idsIn = ({ entry = [] }: Found): string => entry.map(({ resource }) => resource.id).join(' ');
