import { didYouMean } from '../fhir/suggest.ts';

/** An object of the settings file, read key by key; a key that nobody asked for is a problem. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #file: string;
  readonly #problems: string[];
  readonly #asked = new Set<string>();
  #found = false;

  /** `path` is where it stands in the file: `issuers[0].claims`; empty for the file itself. */
  constructor(values: object, path: string, file: string, problems: string[]) {
    this.#values = { ...values };
    this.#path = path;
    this.#file = file;
    this.#problems = problems;
  }

  names(): readonly string[] {
    return Object.keys(this.#values);
  }

  /** A text; what `read` throws goes on from the name of the key. */
  text(key: string, read: (text: string) => string): string | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.problem(key, 'must be a text.');
    return this.#read(key, value, read);
  }

  /** A text, or a list of texts that is not empty. */
  texts(key: string, read: (text: string) => string): readonly string[] | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const texts = items.filter(item => typeof item === 'string');
    if (texts.length === 0 || texts.length < items.length)
      return this.problem(key, 'must be a text or a list of texts.');
    return texts.flatMap(text => this.#read(key, text, read) ?? []);
  }

  number(key: string, low: number, high: number): number | undefined {
    const value = this.#value(key);
    if (value === undefined || (typeof value === 'number' && value >= low && value <= high)) return value;
    return this.problem(key, `must be a number from ${low} to ${high}.`);
  }

  truth(key: string): boolean | undefined {
    const value = this.#value(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.problem(key, 'must be true or false.');
  }

  inner(key: string): Fields | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (isObject(value)) return new Fields(value, `${this.#path}.${key}`, this.#file, this.#problems);
    return this.problem(key, 'must be an object.');
  }

  isInner(key: string): boolean {
    return isObject(this.#value(key));
  }

  /** Anything that `read` takes; what it throws goes on from the name of the key. */
  value<T>(key: string, read: (value: unknown) => T): T | undefined {
    return this.#read(key, this.#value(key), read);
  }

  has(key: string): boolean {
    return this.#value(key) !== undefined;
  }

  /** The key must be there: the sentence goes on from `is missing`. */
  require(key: string, text: string): void {
    if (!this.has(key)) this.problem(key, `is missing${text}`);
  }

  /** The key is wrong: the sentence goes on from its name. */
  problem(key: string, text: string): undefined {
    this.#found = true;
    this.#problems.push(`\`${this.#path === '' ? '' : `${this.#path}.`}${key}\` in ${this.#file} ${text}`);
  }

  /** The object as a whole is wrong: the sentence goes on from its name. */
  wrong(text: string): undefined {
    this.#found = true;
    this.#problems.push(`\`${this.#path}\` in ${this.#file} ${text}`);
  }

  /** True where nothing was wrong with a key so far. */
  isSound(): boolean {
    return !this.#found;
  }

  /** To be called when all is read. */
  end(): void {
    for (const key of this.names()) {
      if (!this.#asked.has(key)) this.problem(key, `is not a setting.${didYouMean(key, this.#asked)}`);
    }
  }

  #value(key: string): unknown {
    this.#asked.add(key);
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  #read<V, T>(key: string, value: V, read: (value: V) => T): T | undefined {
    try {
      return read(value);
    } catch (error) {
      return this.problem(key, error instanceof Error ? withStop(error.message) : String(error));
    }
  }
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withStop = (text: string): string => (text.endsWith('.') ? text : `cannot be read: ${text}.`);
