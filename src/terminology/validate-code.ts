import type { IssueCode, IssueSeverity } from '../fhir/outcome.ts';
import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { CodeSystem, Concept } from './code-system.ts';
import { grammars } from './grammars.ts';
import { nameIn, nameOf, speaks } from './languages.ts';
import type { Languages, Names } from './languages.ts';
import { drainInTurns, emptyListing } from './listing.ts';
import { namesOf } from './names.ts';
import { withReads } from './reads.ts';
import type { TerminologyService } from './service.ts';
import type { NotExpandedKind } from './members.ts';
import type { SystemPart, ValueSet } from './value-set.ts';
import { matchesVersion, newest } from './versions.ts';

/** A code that is validated. */
export interface GivenCoding {
  readonly system: string | undefined;
  readonly version: string | undefined;
  readonly code: string | undefined;
  readonly display: string | undefined;
}

/** A finding about a code, with a code of the terminology services' own list. */
export interface CodeIssue {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  /** A code of http://hl7.org/fhir/tools/CodeSystem/tx-issue-type */
  readonly type: string;
  readonly text: string;
  /** The part of the coding: empty for the coding itself, undefined if it is about none. */
  readonly at: 'code' | 'system' | 'version' | 'display' | '' | undefined;
}

/** What is said of one code. */
export interface Judged {
  readonly isValid: boolean;
  readonly issues: readonly CodeIssue[];
  readonly system: string | undefined;
  readonly version: string | undefined;
  /** The right display. */
  readonly display: string | undefined;
  readonly inactive: boolean;
  /** The code as its system writes it, if that differs. */
  readonly normalized: string | undefined;
  /** Canonicals of systems that are not known here. */
  readonly unknown: readonly string[];
  /** True if another server may know more: its system, or a value set, is not loaded. */
  readonly isUndecided: boolean;
}

export interface CodeOptions {
  /** False: abstract codes are not valid. */
  readonly abstract: boolean | undefined;
  readonly activeOnly: boolean;
  readonly inferSystem: boolean;
  /** A wrong display is a warning. */
  readonly lenientDisplay: boolean;
  /** Only whether the code is in the set counts. */
  readonly membershipOnly: boolean;
  readonly languages: Languages | undefined;
}

/** A value set that cannot be evaluated, so that nothing is said of a code. */
export class SetUnusable extends Error {
  readonly kind: NotExpandedKind;

  constructor(kind: NotExpandedKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Judges a code: whether it is one of its system, and whether it is in a value set, if one is given. Throws SetUnusable
 * for a value set that is wrong. https://hl7.org/fhir/R4/valueset-operation-validate-code.html
 */
export async function judgeCode(
  service: TerminologyService,
  set: ValueSet | undefined,
  given: GivenCoding,
  options: CodeOptions,
): Promise<Judged> {
  return withReads(() => new Judging(service, set, options).judge(given));
}

class Judging {
  readonly #service: TerminologyService;
  readonly #set: ValueSet | undefined;
  readonly #options: CodeOptions;
  readonly #issues: CodeIssue[] = [];
  readonly #unknown: string[] = [];
  #isUndecided = false;

  constructor(service: TerminologyService, set: ValueSet | undefined, options: CodeOptions) {
    this.#service = service;
    this.#set = set;
    this.#options = options;
  }

  async judge(given: GivenCoding): Promise<Judged> {
    const { code } = given;
    if (code === undefined) {
      this.#add('error', 'invalid', 'invalid-data', 'The Coding has no code.', '');
      return this.#result(given, undefined, undefined);
    }
    const system = given.system ?? this.#infer(code);
    if (system === undefined) return this.#result(given, undefined, undefined);
    this.#checkSystem(system);
    const found = this.#findSystem(system, given.version);
    const concept = found?.concept(code);
    await found?.stored?.read([code]);
    const decided = await this.#membership({ ...given, code, system }, found, concept);
    if (found === undefined) this.#unknownSystem(system, given.version, decided);
    else this.#ofSystem({ ...given, code, system }, found, concept);
    if (decided === false) this.#notInSet({ ...given, system });
    return this.#result({ ...given, system }, found, concept);
  }

  #add(severity: IssueSeverity, code: IssueCode, type: string, text: string, at: CodeIssue['at']): void {
    this.#issues.push({ severity, code, type, text, at });
  }

  /** The one system of the value set that has a code. */
  #infer(code: string): string | undefined {
    const set = this.#set;
    const urls = set === undefined ? [] : [...new Set(systemsOf(set, this.#service).map(one => one.system))];
    const having = this.#options.inferSystem ? urls.filter(url => set?.contains(code, url) === true) : [];
    const [only, other] = having;
    if (only !== undefined && other === undefined) return only;
    this.#notInSet({ system: undefined, version: undefined, code, display: undefined });
    if (this.#options.inferSystem) {
      const why =
        only === undefined ? 'no system of the value set has it' : `several have it: ${having.map(quoted).join(', ')}`;
      this.#add(
        'error',
        'not-found',
        'cannot-infer',
        `The system of the code ${quoted(code)} cannot be found: ${why}.`,
        'code',
      );
    } else {
      const text = 'The Coding has no system, so that its code has no meaning: send the `system`.';
      this.#add('error', 'invalid', 'invalid-data', text, '');
    }
    return undefined;
  }

  #checkSystem(system: string): void {
    if (!/^[a-z][a-z0-9+.-]*:/i.test(system))
      this.#add('error', 'invalid', 'invalid-data', `The system ${quoted(system)} must be an absolute URI.`, 'system');
    else if (this.#service.source.find('ValueSet', system) !== undefined)
      this.#add(
        'error',
        'invalid',
        'invalid-data',
        `${quoted(system)} is a ValueSet; the system of a code is a CodeSystem.`,
        'system',
      );
  }

  /** The system that counts: of the version that the value set states, else of that of the code. */
  #findSystem(url: string, version: string | undefined): CodeSystem | undefined {
    const { rules } = this.#service;
    const part =
      this.#set === undefined ? undefined : systemsOf(this.#set, this.#service).find(one => one.system === url);
    const stated = this.#set === undefined ? version : part?.version;
    const effective = rules === undefined ? stated : rules.versionOf(url, stated);
    const found = this.#service.system(url, stated);
    if (found === undefined && effective !== undefined && effective !== version) this.#unknownVersion(url, effective);
    const loaded = this.#service.versions(url);
    const wanted =
      version === undefined ? undefined : newest(loaded.filter(one => matchesVersion(one.version, version)));
    if (version !== undefined && wanted === undefined && loaded.length > 0) this.#unknownVersion(url, version);
    const check = found === undefined ? undefined : rules?.problemOf(url, found.version);
    if (check !== undefined) this.#add('error', 'exception', 'version-error', `${capitalized(check)}.`, 'version');
    if (this.#set !== undefined && part !== undefined && version !== undefined && loaded.length > 0)
      this.#compareVersions(url, version, { found, effective, isKnown: wanted !== undefined });
    if (found === undefined && wanted !== undefined) return this.#service.read(wanted);
    return found;
  }

  #compareVersions(
    url: string,
    version: string,
    { found, effective, isKnown }: { found: CodeSystem | undefined; effective: string | undefined; isKnown: boolean },
  ): void {
    const used = found?.version ?? effective;
    if (used === undefined || matchesVersion(used, version)) return;
    const severity = effective === undefined && !isKnown ? 'warning' : 'error';
    const text =
      `The value set has the version ${quoted(used)} of ${quoted(url)}, and the code is of the version ` +
      `${quoted(version)}.`;
    this.#add(severity, 'invalid', 'vs-invalid', text, 'version');
  }

  #unknownVersion(url: string, version: string): void {
    const loaded = this.#service.versions(url).map(one => one.version ?? 'without a version');
    const list =
      loaded.length === 0 ? 'none is' : `${loaded.map(quoted).join(', ')} ${loaded.length === 1 ? 'is' : 'are'}`;
    const text = `The version ${quoted(version)} of the CodeSystem ${quoted(url)} is not loaded; ${list}.`;
    this.#add('error', 'not-found', 'not-found', text, 'system');
    this.#unknown.push(`${url}|${version}`);
  }

  /** Whether the set has the code; undefined without a set, and if that is not decided. */
  async #membership(
    { code, system }: GivenCoding & { readonly code: string; readonly system: string },
    found: CodeSystem | undefined,
    concept: Concept | undefined,
  ): Promise<boolean | undefined> {
    const set = this.#set;
    if (set === undefined) return undefined;
    const listed = set.contains(concept?.code ?? code, system);
    const decided = listed === true && this.#options.activeOnly && concept?.inactive === true ? false : listed;
    if (decided !== undefined) return decided;
    if (found !== undefined && !found.complete && concept === undefined) return undefined; // a fragment
    const { problem, kind = 'undecided' } = await drainInTurns(() => set.list(emptyListing(1_000_000)));
    const isFound = found !== undefined || grammars.has(system);
    if (problem === undefined || (kind === 'missing' && !isFound && !problem.startsWith('no ValueSet')))
      return undefined;
    this.#isUndecided = true;
    if (kind === 'missing')
      this.#add('error', 'not-found', 'not-found', `The value set is not known completely: ${problem}.`, undefined);
    else if (kind === 'version' || kind === 'version-check') this.#requireIssue(problem);
    else throw new SetUnusable(kind, problem);
    return undefined;
  }

  /** An issue says already that the version of a system is unknown or not allowed; else this does. */
  #requireIssue(problem: string): void {
    if (this.#issues.some(({ severity }) => severity === 'error')) return;
    this.#add('error', 'not-found', 'not-found', `The value set is not known completely: ${problem}.`, undefined);
  }

  #unknownSystem(system: string, version: string | undefined, decided: boolean | undefined): void {
    if (grammars.has(system) || this.#unknown.length > 0) return;
    const known = version === undefined ? '' : ` in the version ${quoted(version)}`;
    // A set that lists the code knows it; only its display cannot be compared.
    const severity = decided === true ? 'warning' : 'error';
    const text = `The CodeSystem ${quoted(system)} is not loaded${known}, so that its codes cannot be validated.`;
    this.#add(severity, 'not-found', 'not-found', text, 'system');
    if (decided === true) return;
    this.#isUndecided = decided === undefined;
    this.#unknown.push(version === undefined ? system : `${system}|${version}`);
  }

  /** What the system says of the code. */
  #ofSystem(given: GivenCoding & { readonly code: string }, system: CodeSystem, concept: Concept | undefined): void {
    const { code } = given;
    const { content, versionNeeded } = system.resource;
    if (this.#options.membershipOnly) return;
    if (versionNeeded === true && given.version === undefined)
      this.#add(
        'error',
        'required',
        'version-error',
        `Codes of ${quoted(system.url)} need the version of the system.`,
        'version',
      );
    this.#checkStatus(system.resource);
    if (this.#set !== undefined) this.#checkStatus(this.#set.resource);
    if (concept === undefined) {
      const named = `${quoted(code)} is not a code of ${quoted(printVersioned(system))}`;
      if (system.complete) this.#add('error', 'code-invalid', 'invalid-code', `${named}.`, 'code');
      else if (content === 'fragment') {
        const text = `${named}, of which only a fragment is loaded: it may be valid.`;
        this.#add('warning', 'code-invalid', 'invalid-code', text, 'code');
        this.#isUndecided = true;
      } else {
        const text = `The codes of ${quoted(printVersioned(system))} are not loaded (content: ${String(content)}).`;
        this.#add('error', 'not-found', 'not-found', text, 'system');
        this.#unknown.push(system.url);
        this.#isUndecided = true;
      }
      return;
    }
    if (concept.code !== code) {
      const text = `The code ${quoted(code)} is written ${quoted(concept.code)}; case does not matter in this system.`;
      this.#add('information', 'business-rule', 'code-rule', text, 'code');
    }
    if (concept.abstract && this.#options.abstract === false) {
      this.#add(
        'error',
        'business-rule',
        'code-rule',
        `The code ${quoted(code)} is abstract, which is not allowed here.`,
        'code',
      );
      this.#notInSet(given);
    }
    if (concept.inactive) {
      if (this.#options.activeOnly)
        this.#add(
          'error',
          'business-rule',
          'code-rule',
          `The code ${quoted(code)} is valid, but no longer active.`,
          'code',
        );
      this.#add(
        'warning',
        'business-rule',
        'code-comment',
        `The code ${quoted(code)} is inactive: review its use.`,
        '',
      );
    }
    this.#checkDisplay(given, system, concept);
  }

  /** https://hl7.org/fhir/R4/extension-structuredefinition-standards-status.html */
  #checkStatus({ resourceType, url, version, status, extension, experimental }: JsonObject): void {
    const standard = objectsOf(extension).find(one => one['url'] === standardsStatus)?.['valueCode'];
    const canonical = [url, version].flatMap(one => asString(one) ?? []).join('|');
    const named = `${String(resourceType)} ${quoted(canonical)}`;
    const states = [standard, status, experimental === true ? 'experimental' : undefined];
    const state = states.flatMap(one => asString(one) ?? []).find(one => noted.has(one));
    if (state === undefined || url === undefined || this.#issues.some(({ text }) => text.includes(named))) return;
    this.#add('information', 'business-rule', 'status-check', `The ${named} is ${state}.`, undefined);
  }

  #checkDisplay({ code = '', display }: GivenCoding, system: CodeSystem, concept: Concept): void {
    if (display === undefined) return;
    const { languages, lenientDisplay } = this.#options;
    const names = namesOfSystem(concept, system);
    const all = [...(names.display === undefined ? [] : [names.display]), ...names.designations.flatMap(nameOf)];
    if (all.length === 0) return;
    const spoken = languages === undefined ? all : all.filter(({ language }) => speaks(language, languages));
    const accepted = spoken.length === 0 ? all.slice(0, 1) : spoken;
    if (languages !== undefined && spoken.length === 0 && accepted.some(({ value }) => value === display)) {
      const asked = languages.tags.map(quoted).join(', ');
      const text = `${quoted(code)} has no display in ${asked}; ${quoted(display)} is its own.`;
      this.#add('information', 'invalid', 'invalid-display', text, 'display');
      return;
    }
    if (accepted.some(({ value }) => value === display)) return;
    const isNear = accepted.some(({ value }) => folded(value) === folded(display));
    const list = accepted
      .slice(0, 5)
      .map(({ value }) => quoted(value))
      .join(', ');
    const text = isNear
      ? `The display ${quoted(display)} of ${quoted(code)} differs in case or spaces from ${list}.`
      : `${quoted(display)} is not a display of ${quoted(code)}: use ${list}.`;
    this.#add(isNear || lenientDisplay ? 'warning' : 'error', 'invalid', 'invalid-display', text, 'display');
  }

  #notInSet({ system, version, code }: GivenCoding): void {
    if (this.#set === undefined || this.#issues.some(({ type }) => type === 'not-in-vs')) return;
    const named = `${system ?? ''}${version === undefined ? '' : `|${version}`}#${code ?? ''}`;
    const text = `The code ${quoted(named)} is not in the value set ${quoted(this.#set.canonical)}.`;
    this.#add('error', 'code-invalid', 'not-in-vs', text, 'code');
  }

  #result(given: GivenCoding, system: CodeSystem | undefined, concept: Concept | undefined): Judged {
    const names = concept && system && namesOfSystem(concept, system);
    return {
      isValid: this.#issues.every(({ severity }) => severity !== 'error'),
      issues: this.#issues,
      system: given.system,
      version: system?.version,
      display: names && (nameIn(names, this.#options.languages) ?? names.display)?.value,
      inactive: concept?.inactive === true,
      normalized: concept === undefined || concept.code === given.code ? undefined : concept.code,
      unknown: this.#unknown,
      isUndecided: this.#isUndecided,
    };
  }
}

const namesOfSystem = (concept: Concept, { resource }: CodeSystem): Names =>
  namesOf(concept, undefined, { ofSystem: asString(resource['language']), ofSet: undefined });

/** The systems in the parts of a set and of those that it imports, with the versions that they state. */
export function systemsOf(set: ValueSet, service: TerminologyService): readonly SystemPart[] {
  const seen = new Set<ValueSet>();
  const open = [set];
  const found: SystemPart[] = [];
  for (let one = open.pop(); one !== undefined && seen.size < 1_000; one = open.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    found.push(...one.systems);
    open.push(...one.imports.flatMap(canonical => service.set(canonical) ?? []));
  }
  return found;
}

const standardsStatus = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status';

/** States of definitions that users of their codes should know. */
const noted: ReadonlySet<string> = new Set(['draft', 'retired', 'deprecated', 'withdrawn', 'experimental']);

const quoted = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const folded = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
const printVersioned = ({ url, version }: CodeSystem): string => (version === undefined ? url : `${url}|${version}`);
