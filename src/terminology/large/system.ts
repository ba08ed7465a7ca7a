import type { JsonObject } from '../../fhir/json-object.ts';
import { Cache } from '../../limits/cache.ts';
import { PROPERTIES_OF_ALL } from '../code-system.ts';
import type { CodeSelection, CodeSystem, Concept, SelectionPage, StoredSystem } from '../code-system.ts';
import { NotRead } from '../reads.ts';
import {
  conceptsInPart,
  isAbstractFlag,
  isInactiveFlag,
  partCollection,
  partKey,
  propertyTerm,
  wordTerm,
} from './layout.ts';
import type { ArrayPart, DocumentPlace, Head, StoredConcept, StoredTerm } from './layout.ts';

/** What is kept of a system: its codes and hierarchy, some 100 bytes a concept. */
interface Skeleton {
  readonly codes: readonly string[];
  /** Positions in the order of the codes. */
  readonly order: Int32Array;
  readonly starts: Int32Array;
  readonly parents: Int32Array;
  readonly childStarts: Int32Array;
  readonly children: Int32Array;
  readonly flags: Int32Array;
}

/** Documents with concepts, documents with terms, and sets of codes that are kept of a system. */
const most = { concepts: 500, terms: 300, sets: 20 };

/** Reads the codes and the hierarchy of a system. */
export async function openSystem(place: DocumentPlace, partition: string, head: Head): Promise<CodeSystem> {
  const documents = place.documents(partCollection);
  const read = (kind: string, at: number): Promise<unknown> =>
    documents.get(partKey(partition, head.generation, kind, at)).then(value => {
      if (value === undefined) throw new Error(`The code system \`${head.url}\` was replaced while it was read`);
      return value;
    });
  const array = async (kind: ArrayPart): Promise<Int32Array> => {
    const parts: Int32Array[] = [];
    for (let at = 0; at < head.parts[kind]; at += 1) parts.push(decode(String(await read(kind, at))));
    const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
    let offset = 0;
    for (const part of parts) {
      all.set(part, offset);
      offset += part.length;
    }
    return all;
  };
  const codes: string[] = [];
  for (let at = 0; at < head.parts.codes; at += 1)
    for (const code of (await read('codes', at)) as string[]) codes.push(code); // as writeSystem writes it
  const [order, starts, parents, flags] = [
    await array('order'),
    await array('starts'),
    await array('parents'),
    await array('flags'),
  ];
  return new LargeSystem(head, { codes, order, starts, parents, flags, ...childrenOf(starts, parents) }, read);
}

const decode = (text: string): Int32Array => {
  const bytes = Buffer.from(text, 'base64');
  return new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};

function childrenOf(starts: Int32Array, parents: Int32Array): Pick<Skeleton, 'childStarts' | 'children'> {
  const childStarts = new Int32Array(starts.length);
  for (const parent of parents) childStarts[parent + 1]! += 1; // each parent is a position
  for (let at = 1; at < childStarts.length; at += 1) childStarts[at]! += childStarts[at - 1]!; // both exist
  const next = childStarts.slice();
  const children = new Int32Array(parents.length);
  for (let at = 0; at < starts.length - 1; at += 1)
    for (let one = starts[at] ?? 0; one < (starts[at + 1] ?? 0); one += 1) {
      const parent = parents[one] ?? 0;
      children[next[parent]!] = at; // within the children of the parent
      next[parent]! += 1;
    }
  return { childStarts, children };
}

/** A system whose concepts are read from the store when they are needed: `NotRead` is thrown until then. */
class LargeSystem implements CodeSystem, StoredSystem {
  readonly url: string;
  readonly version: string | undefined;
  readonly resource: JsonObject;
  readonly complete = true;
  readonly caseSensitive = true;
  readonly skeleton: Skeleton;
  readonly #terms: readonly string[];
  readonly #read: (kind: string, at: number) => Promise<unknown>;
  readonly #concepts = new Cache<readonly StoredConcept[], number>(most.concepts);
  readonly #pages = new Cache<readonly StoredTerm[], number>(most.terms);
  readonly #selections = new Cache<Selection>(most.sets);
  readonly #properties: ReadonlySet<unknown>;

  constructor(head: Head, skeleton: Skeleton, read: (kind: string, at: number) => Promise<unknown>) {
    this.url = head.url;
    this.version = head.version;
    this.resource = head.resource;
    this.skeleton = skeleton;
    this.#terms = head.terms;
    this.#read = read;
    const declared = (head.resource['property'] ?? []) as readonly JsonObject[]; // as loads make it
    this.#properties = new Set([...PROPERTIES_OF_ALL, ...declared.map(({ code }) => code)]);
  }

  get stored(): StoredSystem {
    return this;
  }

  get codes(): readonly string[] {
    return this.skeleton.codes;
  }

  hasProperty(code: string): boolean {
    return this.#properties.has(code);
  }

  concept(code: string): Concept | undefined {
    const position = this.#positionOf(code);
    return position === undefined ? undefined : new LargeConcept(this, position);
  }

  conceptAt(position: number): Concept {
    return new LargeConcept(this, position);
  }

  below(code: string): CodeSelection {
    return this.#select(`below ${code}`, seen => {
      const first = this.#positionOf(code);
      const { childStarts, children } = this.skeleton;
      const open = first === undefined ? [] : [first];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (seen[at] === 1) continue;
        seen[at] = 1;
        for (let one = childStarts[at] ?? 0; one < (childStarts[at + 1] ?? 0); one += 1) {
          const child = children[one] ?? 0;
          if (seen[child] === 0) open.push(child);
        }
      }
    });
  }

  having(property: string, test: (value: string) => boolean, key: string): CodeSelection {
    const prefix = propertyTerm(property, '');
    return this.#select(`having ${property} ${key}`, seen => {
      this.#withTerms(prefix, seen, term => test(term.slice(prefix.length)));
    });
  }

  named(word: string): CodeSelection {
    return this.#select(`named ${word}`, seen => this.#withTerms(wordTerm(word), seen, () => true));
  }

  page(
    selections: readonly CodeSelection[],
    { offset, count, without }: SelectionPage,
  ): { readonly total: number; readonly concepts: readonly Concept[] } {
    const { codes, flags } = this.skeleton;
    const marks = selections.flatMap(one => (one instanceof Selection ? [one.marks] : []));
    const concepts: Concept[] = [];
    let total = 0;
    const take = (position: number): void => {
      if (total >= offset && concepts.length < count) concepts.push(this.conceptAt(position));
      total += 1;
    };
    if (marks.length === 0 && without === undefined) {
      for (let at = offset; at < Math.min(codes.length, offset + count); at += 1) concepts.push(this.conceptAt(at));
      return { total: codes.length, concepts };
    }
    const hidden = without === 'inactive' ? isInactiveFlag : 0;
    for (let at = 0; at < codes.length; at += 1) {
      let isIn = ((flags[at] ?? 0) & hidden) === 0;
      for (let one = 0; isIn && one < marks.length; one += 1) isIn = marks[one]?.[at] === 1;
      if (isIn) take(at);
    }
    return { total, concepts };
  }

  /** The cached codes of a question; `mark` sets 1 at the positions of those that belong. */
  #select(key: string, mark: (marks: Uint8Array) => void): Selection {
    const known = this.#selections.get(key);
    if (known !== undefined) return known;
    const marks = new Uint8Array(this.skeleton.codes.length);
    mark(marks);
    const made = new Selection(marks, code => this.#positionOf(code));
    this.#selections.put(key, made);
    return made;
  }

  read(codes: readonly string[]): Promise<void> | undefined {
    const missing = new Set<number>();
    for (const code of codes) {
      const position = this.#positionOf(code);
      if (position === undefined) continue;
      const at = Math.floor(position / conceptsInPart);
      if (this.#concepts.get(at) === undefined) missing.add(at);
    }
    return missing.size === 0 ? undefined : this.#load([...missing]);
  }

  /** Throws NotRead until the concept has been read. */
  storedAt(position: number): StoredConcept {
    const at = Math.floor(position / conceptsInPart);
    const page = this.#concepts.get(at);
    if (page === undefined) throw new NotRead(this.#load([at]));
    return page[position % conceptsInPart] ?? [null, null, [], []];
  }

  async #load(pages: readonly number[]): Promise<void> {
    for (const at of pages) {
      const read = await this.#read('concepts', at);
      this.#concepts.put(at, read as readonly StoredConcept[]); // as writeSystem writes it
    }
  }

  /** Marks the codes with terms that begin with a prefix. Throws NotRead until these have been read. */
  #withTerms(prefix: string, marks: Uint8Array, test: (term: string) => boolean): void {
    const first = Math.max(
      0,
      this.#terms.findLastIndex(one => one <= prefix),
    );
    const last = this.#terms.findLastIndex(one => isBefore(one, prefix));
    const missing = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter(
      at => this.#pages.get(at) === undefined,
    );
    if (missing.length > 0) throw new NotRead(this.#readTerms(missing));
    for (let at = first; at <= last; at += 1)
      for (const [term, positions] of this.#pages.get(at) ?? [])
        if (term.startsWith(prefix) && test(term)) for (const position of positions) marks[position] = 1;
  }

  async #readTerms(pages: readonly number[]): Promise<void> {
    for (const at of pages) {
      const read = await this.#read('terms', at);
      this.#pages.put(at, read as readonly StoredTerm[]); // as writeSystem writes it
    }
  }

  #positionOf(code: string): number | undefined {
    const { codes, order } = this.skeleton;
    let [low, high] = [0, order.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const position = order[middle] ?? 0;
      const found = codes[position] ?? '';
      if (found === code) return position;
      if (found < code) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}

/** Codes of a system, by their positions. */
class Selection implements CodeSelection {
  readonly marks: Uint8Array;
  readonly #positionOf: (code: string) => number | undefined;

  constructor(marks: Uint8Array, positionOf: (code: string) => number | undefined) {
    this.marks = marks;
    this.#positionOf = positionOf;
  }

  has(code: string): boolean {
    const position = this.#positionOf(code);
    return position !== undefined && this.marks[position] === 1;
  }
}

/** Whether terms with a prefix may follow a term. */
const isBefore = (term: string, prefix: string): boolean => term <= prefix || term.startsWith(prefix);

class LargeConcept implements Concept {
  readonly #system: LargeSystem;
  readonly #position: number;
  readonly extensions = [];

  constructor(system: LargeSystem, position: number) {
    this.#system = system;
    this.#position = position;
  }

  get code(): string {
    return this.#system.skeleton.codes[this.#position] ?? '';
  }

  get display(): string | undefined {
    return this.#system.storedAt(this.#position)[0] ?? undefined;
  }

  get definition(): string | undefined {
    return this.#system.storedAt(this.#position)[1] ?? undefined;
  }

  get designations(): readonly JsonObject[] {
    return this.#system.storedAt(this.#position)[2];
  }

  get properties(): readonly JsonObject[] {
    return this.#system.storedAt(this.#position)[3];
  }

  get parents(): readonly string[] {
    const { codes, starts, parents } = this.#system.skeleton;
    return codesAt(codes, parents, starts[this.#position], starts[this.#position + 1]);
  }

  get children(): readonly string[] {
    const { codes, childStarts, children } = this.#system.skeleton;
    return codesAt(codes, children, childStarts[this.#position], childStarts[this.#position + 1]);
  }

  get within(): string | undefined {
    return this.parents[0];
  }

  get abstract(): boolean {
    return ((this.#system.skeleton.flags[this.#position] ?? 0) & isAbstractFlag) !== 0;
  }

  get inactive(): boolean {
    return ((this.#system.skeleton.flags[this.#position] ?? 0) & isInactiveFlag) !== 0;
  }
}

const codesAt = (
  codes: readonly string[],
  positions: Int32Array,
  from: number | undefined,
  to: number | undefined,
): readonly string[] => Array.from(positions.subarray(from, to), position => codes[position] ?? '');
