// The part of PromQL that the dashboard uses, evaluated on scraped samples as Prometheus does.
// https://prometheus.io/docs/prometheus/latest/querying/basics/

/** The samples of one scrape. */
export interface Scrape {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

/** A parsed query. */
export type Expression =
  | { readonly kind: 'selector'; readonly name: string; readonly matchers: readonly Matcher[] }
  | { readonly kind: 'rate'; readonly of: Expression }
  | { readonly kind: 'sum'; readonly by: readonly string[]; readonly of: Expression }
  | { readonly kind: 'quantile'; readonly q: number; readonly of: Expression }
  | { readonly kind: 'divide'; readonly left: Expression; readonly right: Expression };

export interface Matcher {
  readonly label: string;
  readonly test: (value: string) => boolean;
}

/** The samples in the text format of Prometheus. https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function parseScrape(text: string, at: number): Scrape {
  const samples = text.split('\n').flatMap(line => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', of = '']) => [label, of]);
    return [{ name, labels: Object.fromEntries(pairs) as Labels, value: Number(value?.replace('Inf', 'Infinity')) }];
  });
  return { at, samples };
}

/** Throws Error where a query is not of this part. */
export function parseQuery(text: string): Expression {
  let rest = text.trim();
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const match = new RegExp(`^(?:${pattern.source})\\s*`).exec(rest);
    if (match === null) return undefined;
    rest = rest.slice(match[0].length);
    return match;
  };
  const need = (pattern: RegExp): RegExpExecArray => {
    const match = take(pattern);
    if (match === undefined) throw new Error(`${String(pattern)} is missing in ${text} at ${rest}`);
    return match;
  };
  const inner = (): Expression => {
    need(/\(/);
    const found = expression();
    need(/\)/);
    return found;
  };
  const operand = (): Expression => {
    const sum = take(/sum by \(([\w, ]*)\)/);
    if (sum !== undefined) return { kind: 'sum', by: sum[1]?.split(/,\s*/) ?? [], of: inner() };
    if (take(/histogram_quantile/) !== undefined) {
      need(/\(/);
      const q = Number(need(/([\d.]+),/)[1]);
      const of = expression();
      need(/\)/);
      return { kind: 'quantile', q, of };
    }
    if (take(/rate(?=\()/) !== undefined) {
      need(/\(/);
      const of = selector();
      need(/\[\$__rate_interval\]/);
      need(/\)/);
      return { kind: 'rate', of };
    }
    return selector();
  };
  const selector = (): Expression => {
    const name = need(/([a-z_]\w*)/)[1] ?? '';
    const matchers: Matcher[] = [];
    if (take(/\{/) !== undefined) {
      do {
        const [, label = '', operator = '', value = ''] = need(/(\w+)(=~|!=|=)"([^"]*)"/);
        const whole = new RegExp(`^(?:${value})$`);
        const test = (of: string): boolean =>
          operator === '=~' ? whole.test(of) : (of === value) === (operator === '=');
        matchers.push({ label, test });
      } while (take(/,/) !== undefined);
      need(/\}/);
    }
    return { kind: 'selector', name, matchers };
  };
  const expression = (): Expression => {
    const left = operand();
    return take(/\//) === undefined ? left : { kind: 'divide', left, right: operand() };
  };
  const found = expression();
  if (rest !== '') throw new Error(`${text} has more: ${rest}`);
  return found;
}

/** The names of metrics in a query, each with the labels that it names. */
export function namesIn(query: Expression, labels: readonly string[] = []): readonly (readonly [string, string[]])[] {
  if (query.kind === 'selector') return [[query.name, [...labels, ...query.matchers.map(({ label }) => label)]]];
  if (query.kind === 'divide') return [query.left, query.right].flatMap(side => namesIn(side, labels));
  return namesIn(query.of, query.kind === 'sum' ? [...labels, ...query.by] : labels);
}

/** A value with its labels. */
export interface Value {
  readonly labels: Labels;
  readonly value: number;
}

/** The value of a query at the last scrape; a rate is that since the first one. */
export function evaluate(query: Expression, scrapes: readonly Scrape[]): readonly Value[] {
  switch (query.kind) {
    case 'selector':
      return select(query, scrapes.at(-1));
    case 'rate':
      return rate(query.of, scrapes);
    case 'sum':
      return sum(evaluate(query.of, scrapes), query.by);
    case 'quantile':
      return quantiles(query.q, evaluate(query.of, scrapes));
    case 'divide': {
      const right = new Map(evaluate(query.right, scrapes).map(({ labels, value }) => [keyOf(labels), value]));
      return evaluate(query.left, scrapes).flatMap(({ labels, value }) => {
        const by = right.get(keyOf(labels));
        return by === undefined ? [] : [{ labels, value: value / by }];
      });
    }
    default:
      return query satisfies never;
  }
}

function select(query: Expression, scrape: Scrape | undefined): readonly Value[] {
  if (query.kind !== 'selector' || scrape === undefined) return [];
  const { name, matchers } = query;
  return scrape.samples.filter(
    sample => sample.name === name && matchers.every(({ label, test }) => test(sample.labels[label] ?? '')),
  );
}

/** A series that did not exist at the first scrape began with 0 after it. */
function rate(query: Expression, scrapes: readonly Scrape[]): readonly Value[] {
  const [first, last] = [scrapes[0], scrapes.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at) return [];
  const before = new Map(select(query, first).map(({ labels, value }) => [keyOf(labels), value]));
  const seconds = (last.at - first.at) / 1_000;
  return select(query, last).map(({ labels, value }) => ({
    labels,
    value: (value - (before.get(keyOf(labels)) ?? 0)) / seconds,
  }));
}

const keyOf = (labels: Labels): string =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

function sum(values: readonly Value[], by: readonly string[]): readonly Value[] {
  const only = (labels: Labels): Labels => Object.fromEntries(by.map(name => [name, labels[name] ?? '']));
  return [...Map.groupBy(values, ({ labels }) => keyOf(only(labels))).values()].map(group => ({
    labels: only(group[0]?.labels ?? {}),
    value: group.reduce((total, { value }) => total + value, 0),
  }));
}

/** Linear within the bucket. https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile */
function quantiles(q: number, values: readonly Value[]): readonly Value[] {
  const without = (labels: Labels): Labels =>
    Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'le'));
  return [...Map.groupBy(values, ({ labels }) => keyOf(without(labels))).values()].flatMap(group => {
    const buckets = group
      .map(({ labels, value }) => ({ le: Number(labels['le']?.replace('+Inf', 'Infinity')), count: value }))
      .sort((a, b) => a.le - b.le);
    const rank = q * (buckets.at(-1)?.count ?? 0);
    const at = buckets.findIndex(({ count }) => count >= rank);
    const [upper, lower] = [buckets[at], buckets[at - 1] ?? { le: 0, count: 0 }];
    if (upper === undefined || rank === 0) return [];
    const share = (rank - lower.count) / (upper.count - lower.count);
    const value = upper.le === Infinity ? lower.le : lower.le + (upper.le - lower.le) * share;
    return [{ labels: without(group[0]?.labels ?? {}), value }];
  });
}
