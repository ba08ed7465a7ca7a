import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { Turns } from '../limits/turns.ts';
import type { CodeSelection, CodeSystem, Concept } from './code-system.ts';
import { nameIn, nameOf } from './languages.ts';
import type { Languages } from './languages.ts';
import { namesOf } from './names.ts';
import { withReads } from './reads.ts';
import type { TerminologyService } from './service.ts';
import type { SetMember } from './members.ts';
import { selectionOf } from './value-set-filter.ts';
import type { ValueSet } from './value-set.ts';

/** A page of a set, whose codes before and after it are not listed. */
export interface StoredPage {
  readonly members: readonly SetMember[];
  readonly total: number;
  readonly system: CodeSystem;
}

/**
 * The page of a set that selects codes of one system in the store by filters that its indexes answer; undefined for any
 * other set. Throws NotRead.
 */
export function storedPage(
  { only }: ValueSet,
  service: TerminologyService,
  { page, words, activeOnly, selectableOnly, excluded }: ExpandOptions,
): StoredPage | undefined {
  if (only === undefined || page === undefined || selectableOnly || excluded.length > 0) return undefined;
  const system = service.system(only.system.system, only.system.version);
  if (system?.stored === undefined) return undefined;
  if (service.rules?.problemOf(system.url, system.version) !== undefined) return undefined;
  const { stored } = system;
  const selections = only.filters.map(filter => selectionOf(filter, system));
  const known = selections.filter(one => one !== undefined);
  if (known.length < selections.length) return undefined;
  const named = words.map(word => stored.named(word));
  const { total, concepts } = stored.page([...known, ...named], {
    ...page,
    without: activeOnly ? 'inactive' : undefined,
  });
  const members = concepts.map(concept => ({
    system: system.url,
    version: system.version,
    code: concept.code,
    concept,
    stated: undefined,
  }));
  return { members, total, system };
}

/** What an expansion shows. https://hl7.org/fhir/R4/valueset-operation-expand.html */
export interface ExpandOptions {
  /** Words in lower case, all of which begin words of the code or of its names. */
  readonly words: readonly string[];
  readonly activeOnly: boolean;
  /** Abstract codes are left out. */
  readonly selectableOnly: boolean;
  /** Canonicals of systems that are left out. */
  readonly excluded: readonly string[];
  readonly languages: Languages | undefined;
  readonly withDesignations: boolean;
  /** Languages, or `system|code` of uses or of languages; empty for all. */
  readonly designations: readonly string[];
  /** Codes of properties. */
  readonly properties: readonly string[];
  /** The page of a flat expansion; undefined for all codes, nested unless `flat`. */
  readonly page: { readonly offset: number; readonly count: number } | undefined;
  readonly flat: boolean;
}

/** The items of an expansion. */
export interface Expanded {
  /** The text of each item of `contains`. */
  readonly items: readonly string[];
  readonly total: number;
  /** The properties that items have: codes with their uris. */
  readonly properties: ReadonlyMap<string, string | undefined>;
}

/**
 * Selects and prints the codes of a value set, in turns with other requests. `take` gets the length of each item, and
 * may throw. https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.expansion.contains
 */
export async function expandMembers(
  members: readonly SetMember[],
  set: ValueSet,
  service: TerminologyService,
  options: ExpandOptions,
  take: (characters: number) => void,
  cut?: StoredPage,
): Promise<Expanded> {
  const turns = new Turns();
  const printer = createPrinter(members, set, service, options);
  const chosen: SetMember[] = [];
  await withReads(() => printer.prepare());
  for (const member of cut === undefined ? members : []) {
    await turns.next();
    if (isChosen(member, printer, options)) chosen.push(member);
  }
  const { page } = options;
  const print = async (member: SetMember, below: string): Promise<string> => {
    await turns.next();
    await service.system(member.system, member.version)?.stored?.read([member.code]);
    const text = JSON.stringify(printer.item(member));
    const whole = below === '' ? text : `${text.slice(0, -1)},"contains":[${below}]}`;
    take(text.length + 20);
    return whole;
  };
  const items: string[] = [];
  if (cut !== undefined) {
    await cut.system.stored?.read(cut.members.map(({ code }) => code));
    for (const member of cut.members) items.push(await print(member, ''));
  } else if (page !== undefined || options.flat) {
    const { offset, count } = page ?? { offset: 0, count: Infinity };
    for (const member of chosen.slice(offset, offset + count)) items.push(await print(member, ''));
  } else {
    const { roots, childrenOf } = nested(chosen, service);
    const printAll = async (list: readonly SetMember[], depth: number): Promise<string[]> => {
      const texts: string[] = [];
      if (depth === deepest) {
        const open = [...list].reverse();
        for (let one = open.pop(); one !== undefined; one = open.pop()) {
          texts.push(await print(one, ''));
          for (const child of [...(childrenOf.get(one) ?? [])].reverse()) open.push(child);
        }
        return texts;
      }
      for (const one of list)
        texts.push(await print(one, (await printAll(childrenOf.get(one) ?? [], depth + 1)).join(',')));
      return texts;
    };
    items.push(...(await printAll(roots, 1)));
  }
  return { items, total: cut?.total ?? chosen.length, properties: printer.properties };
}

/** The levels of a nested expansion; what is below the last one is beside it. */
const deepest = 50;

function isChosen(
  member: SetMember,
  printer: Printer,
  { activeOnly, selectableOnly, excluded, words }: ExpandOptions,
): boolean {
  const { concept, system, version } = member;
  if (activeOnly && concept?.inactive === true) return false;
  if (selectableOnly && concept?.abstract === true) return false;
  if (excluded.some(one => one === system || one === `${system}|${version ?? ''}`)) return false;
  if (words.length === 0) return true;
  const stored = printer.named(member);
  if (stored !== undefined) return stored.every(codes => codes.has(member.code));
  const found = printer.texts(member).flatMap(text => text.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  const whole = member.code.toLowerCase();
  return words.every(word => whole.startsWith(word) || found.some(text => text.startsWith(word)));
}

/** Codes below those that are above them in their system; those between that are not in the set are skipped. */
function nested(
  chosen: readonly SetMember[],
  service: TerminologyService,
): { readonly roots: readonly SetMember[]; readonly childrenOf: ReadonlyMap<SetMember, readonly SetMember[]> } {
  const own = new Map(chosen.filter(({ stated }) => stated === undefined).map(one => [keyOf(one), one]));
  const childrenOf = new Map<SetMember, SetMember[]>();
  const roots: SetMember[] = [];
  for (const member of chosen) {
    const above = member.stated === undefined ? aboveOf(member, own, service) : undefined;
    const below = above === undefined ? roots : (childrenOf.get(above) ?? []);
    below.push(member);
    if (above !== undefined) childrenOf.set(above, below);
  }
  // Codes whose parents lead back to them are below none.
  const reached = new Set<SetMember>(roots);
  for (const one of reached) for (const child of childrenOf.get(one) ?? []) reached.add(child);
  for (const one of chosen) if (!reached.has(one)) childrenOf.delete(one);
  return { roots: [...roots, ...chosen.filter(one => !reached.has(one))], childrenOf };
}

function aboveOf(
  member: SetMember,
  own: ReadonlyMap<string, SetMember>,
  service: TerminologyService,
): SetMember | undefined {
  const system = service.system(member.system, member.version);
  const seen = new Set([member.code]);
  let concept = member.concept;
  for (;;) {
    const parent: string | undefined = concept?.within ?? concept?.parents[0];
    if (parent === undefined || seen.has(parent)) return undefined;
    seen.add(parent);
    const found = own.get(keyOf({ ...member, code: parent }));
    if (found !== undefined) return found;
    concept = system?.concept(parent);
  }
}

const keyOf = ({ system, version, code }: Pick<SetMember, 'system' | 'version' | 'code'>): string =>
  JSON.stringify([system, version, code]);

interface Printer {
  item(member: SetMember): JsonObject;
  /** Reads what is asked of systems in the store. Throws NotRead. */
  prepare(): void;
  /** For each word the codes that have it, if the system of a code is in the store. */
  named(member: SetMember): readonly CodeSelection[] | undefined;
  /** The names of a code in which words are looked for. */
  texts(member: SetMember): readonly string[];
  readonly properties: Map<string, string | undefined>;
}

const containsProperty = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.contains.property';
const concepts = 'http://hl7.org/fhir/concept-properties#';

/** Extensions of concepts that are properties in an expansion, with the code of the property. */
const asProperties: ReadonlyMap<string, string> = new Map([
  ['http://hl7.org/fhir/StructureDefinition/codesystem-label', 'label'],
  ['http://hl7.org/fhir/StructureDefinition/valueset-label', 'label'],
  ['http://hl7.org/fhir/StructureDefinition/codesystem-conceptOrder', 'order'],
  ['http://hl7.org/fhir/StructureDefinition/valueset-conceptOrder', 'order'],
  ['http://hl7.org/fhir/StructureDefinition/itemWeight', 'weight'],
  ['http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status', 'status'],
]);

/** Extensions of concepts that an expansion repeats. */
const repeated: ReadonlySet<unknown> = new Set([
  'http://hl7.org/fhir/StructureDefinition/rendering-style',
  'http://hl7.org/fhir/StructureDefinition/rendering-xhtml',
  'http://hl7.org/fhir/StructureDefinition/valueset-concept-definition',
]);

const uris: Readonly<Record<string, string>> = { weight: 'itemWeight' };

function createPrinter(
  members: readonly SetMember[],
  set: ValueSet,
  service: TerminologyService,
  options: ExpandOptions,
): Printer {
  const systems = new Map<string, CodeSystem | undefined>();
  const systemOf = ({ system, version }: SetMember): CodeSystem | undefined => {
    const key = `${system}|${version ?? ''}`;
    if (!systems.has(key)) systems.set(key, service.system(system, version));
    return systems.get(key);
  };
  const versions = new Map<string, Set<string | undefined>>();
  for (const { system, version } of members) versions.set(system, (versions.get(system) ?? new Set()).add(version));
  const ofSet = asString(set.resource['language']);
  const properties = new Map<string, string | undefined>();
  const names = (member: SetMember) =>
    namesOf(member.concept, member.stated, { ofSystem: asString(systemOf(member)?.resource['language']), ofSet });
  const named = new Map<string, readonly CodeSelection[]>();
  return {
    properties,
    prepare() {
      for (const [url, own] of versions)
        for (const version of own) {
          const stored = service.system(url, version)?.stored;
          if (stored !== undefined)
            named.set(
              `${url}|${version ?? ''}`,
              options.words.map(word => stored.named(word)),
            );
        }
    },
    named: ({ system, version, stated }) =>
      stated === undefined ? named.get(`${system}|${version ?? ''}`) : undefined,
    texts(member) {
      const { display, designations } = names(member);
      const listed = designations.flatMap(nameOf).map(({ value }) => value);
      return display === undefined ? listed : [display.value, ...listed];
    },
    item(member) {
      const { system, version, code, concept, stated } = member;
      const own = names(member);
      const display = nameIn(own, options.languages);
      const shown = options.withDesignations ? designationsBeside(display?.value, own, options) : [];
      const extensions = [...objectsOf(stated?.['extension']), ...(concept?.extensions ?? [])];
      const values = propertiesOf(extensions, concept, systemOf(member), options.properties, properties);
      const extension = [...extensions.filter(({ url }) => repeated.has(url)), ...values];
      return {
        ...(extension.length === 0 ? {} : { extension }),
        system,
        ...(concept?.abstract === true ? { abstract: true } : {}),
        ...(concept?.inactive === true ? { inactive: true } : {}),
        ...(version !== undefined && (versions.get(system)?.size ?? 0) > 1 ? { version } : {}),
        code,
        ...(display === undefined ? {} : { display: display.value }),
        ...(shown.length === 0 ? {} : { designation: shown }),
      };
    },
  };
}

/** The designations that are asked for, without that which is the display; with the own display if another is shown. */
function designationsBeside(
  shown: string | undefined,
  { display, designations }: ReturnType<typeof namesOf>,
  { designations: wanted, languages }: ExpandOptions,
): readonly JsonObject[] {
  const own =
    display === undefined || display.value === shown || languages === undefined
      ? []
      : [
          {
            ...(display.language === undefined ? {} : { language: display.language }),
            use: preferred,
            value: display.value,
          },
        ];
  const isShown = ({ value }: JsonObject): boolean => value === shown && shown !== display?.value;
  return [...own, ...designations.filter(one => !isShown(one))].filter(one => isWanted(one, wanted));
}

const preferred = { system: 'http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra', code: 'preferredForLanguage' };

/** Whether a list of languages and uses, as tokens, names a designation. */
export function isWanted({ language, use }: JsonObject, wanted: readonly string[]): boolean {
  const [coding] = objectsOf([use]);
  const names = [
    language,
    `urn:ietf:bcp:47|${String(language)}`,
    `${String(coding?.['system'])}|${String(coding?.['code'])}`,
  ];
  return wanted.length === 0 || names.some(name => typeof name === 'string' && wanted.includes(name));
}

/** The requested properties of a code as extensions of R5, with those that extensions state and the status. */
function propertiesOf(
  extensions: readonly JsonObject[],
  concept: Concept | undefined,
  system: CodeSystem | undefined,
  wanted: readonly string[],
  used: Map<string, string | undefined>,
): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const add = (code: string, uri: string | undefined, value: JsonObject): void => {
    used.set(code, uri);
    found.push({
      url: containsProperty,
      extension: [
        { url: 'code', valueCode: code },
        { url: 'value', ...value },
      ],
    });
  };
  for (const one of extensions) {
    const code = asProperties.get(String(one['url']));
    const value = code === undefined ? {} : valueOf(one);
    if (code === undefined) continue;
    const number = code === 'order' ? { valueDecimal: Number(Object.values(value)[0]) } : value;
    add(code, `${concepts}${uris[code] ?? code}`, number);
  }
  if (concept === undefined) return found;
  if (wanted.includes('definition') && concept.definition !== undefined)
    add('definition', `${concepts}definition`, { valueString: concept.definition });
  for (const name of ['parent', 'child'])
    if (wanted.includes(name))
      for (const valueCode of name === 'parent' ? concept.parents : concept.children)
        add(name, concepts + name, { valueCode });
  const declared = objectsOf(system?.resource['property']);
  for (const property of concept.properties) {
    const code = String(property['code']);
    const isStatus = code === 'status' && concept.inactive;
    if (!wanted.includes(code) && !isStatus) continue;
    const uri = asString(declared.find(one => one['code'] === code)?.['uri']);
    add(code, uri ?? (code === 'status' ? `${concepts}status` : undefined), valueOf(property));
  }
  if (wanted.includes('inactive') && !concept.properties.some(({ code }) => code === 'inactive'))
    add('inactive', `${concepts}inactive`, { valueBoolean: concept.inactive });
  return found;
}

const valueOf = (property: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(property).filter(([name]) => name.startsWith('value')));
