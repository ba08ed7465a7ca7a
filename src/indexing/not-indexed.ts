/** A record that a search parameter does not index, since its expression fails on it. */
export interface NotIndexed {
  readonly type: string;
  readonly id: string;
  readonly param: string;
  /** Without any value of the record. */
  readonly why: string;
}

export type ReportNotIndexed = (failure: NotIndexed) => void;

/** The failure of a parameter on a resource, without the values that the error quotes. */
export function failureOf(type: string, param: string, resource: object, { message }: Error): NotIndexed {
  const { id } = resource as { id?: unknown }; // an object of JSON
  const why = message.replace(/\[.*\]|\{.*\}|"[^"]*"|'[^']*'/g, '…').slice(0, 200);
  return { type, id: typeof id === 'string' ? id : '', param, why };
}

/** Counts records that are not indexed, by type, parameter and reason. */
export class NotIndexedCounts {
  readonly #counts = new Map<string, { readonly first: NotIndexed; last: string; records: number }>();

  /** The first of several failures in a row on one record counts. */
  readonly add: ReportNotIndexed = failure => {
    const key = [failure.type, failure.param, failure.why].join('\n');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { first: failure, last: failure.id, records: 1 });
    else if (known.last !== failure.id) {
      known.last = failure.id;
      known.records++;
    }
  };

  /** In the order of their occurrence. */
  get all(): readonly { readonly first: NotIndexed; readonly records: number }[] {
    return [...this.#counts.values()].map(({ first, records }) => ({ first, records }));
  }
}

/** Reports the first failure of each parameter to the operator. */
export function firstFailures(report: (text: string) => void): ReportNotIndexed {
  const known = new Set<string>();
  return ({ type, param, why }) => {
    const key = `${type}?${param}`;
    if (known.has(key)) return;
    known.add(key);
    report(
      `A search by ${key} misses some records, on which its expression fails: ${why}; \`index status\` counts them.`,
    );
  };
}
