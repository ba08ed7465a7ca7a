/** A record that a search parameter does not find, since its expression fails on it. */
export interface NotIndexed {
  readonly type: string;
  readonly id: string;
  readonly param: string;
  /** Without any value of the record. */
  readonly why: string;
}

export type ReportNotIndexed = (failure: NotIndexed) => void;

/** The failure of a parameter on a resource; what the error quotes of the resource is left out. */
export function failureOf(type: string, param: string, resource: object, { message }: Error): NotIndexed {
  const { id } = resource as { id?: unknown }; // an object of JSON
  const why = message.replace(/\[.*\]|\{.*\}|"[^"]*"|'[^']*'/g, '…').slice(0, 200);
  return { type, id: typeof id === 'string' ? id : '', param, why };
}

/** Counts records that are not indexed, by type, parameter and reason. */
export class NotIndexedCounts {
  readonly #counts = new Map<string, { readonly first: NotIndexed; last: string; records: number }>();

  /** Of several failures in a row on one record the first counts. */
  readonly add: ReportNotIndexed = failure => {
    const key = [failure.type, failure.param, failure.why].join('\n');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { first: failure, last: failure.id, records: 1 });
    else if (known.last !== failure.id) {
      known.last = failure.id;
      known.records++;
    }
  };

  /** In the order in which they came. */
  get all(): readonly { readonly first: NotIndexed; readonly records: number }[] {
    return [...this.#counts.values()].map(({ first, records }) => ({ first, records }));
  }
}

/** Tells the operator of the first failure of each parameter. */
export function firstFailures(tell: (text: string) => void): ReportNotIndexed {
  const known = new Set<string>();
  return ({ type, param, why }) => {
    const key = `${type}?${param}`;
    if (known.has(key)) return;
    known.add(key);
    tell(
      `A search by ${key} does not find some records, on which its expression fails: ${why}; \`index status\` counts them.`,
    );
  };
}
