import type { Model } from '../model/model.ts';
import { isClinician, parseFhirUser } from '../auth/fhir-user.ts';
import { parseScope } from '../auth/scope.ts';
import type { Scope } from '../auth/scope.ts';
import { mostScopes } from '../auth/access.ts';
import { covers, printScope, printVersionOne, within, works } from './resource-scope.ts';
import type { Piece } from './resource-scope.ts';
import { isScopeWord } from './scope-words.ts';

/** By what a request for scopes is decided. */
export interface ScopeRules {
  readonly model: Model;
  /** What the client is registered for. */
  readonly registered: readonly string[];
  /** `app`: the client acts for a user; `backend`: for itself. */
  readonly flow: 'app' | 'backend';
  /** Whether the launch value of an EHR came with the request. */
  readonly launch: boolean;
  /** Whether that launch has an encounter in context. */
  readonly encounter?: boolean;
}

/** What can be granted. */
export interface Negotiated {
  /** Each once, in the order asked for; those asked for in version 1 are, as far as it can say what is granted. `join(' ')` is the `scope` of the token answer. */
  readonly scopes: readonly string[];
  /** True where the token is for one patient, who is to be chosen if the launch names none. */
  readonly needsPatient: boolean;
}

/** The whole request fails with `invalid_scope`; the message is its `error_description`. https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export class ScopeRefused extends Error {
  /** The scope at fault; undefined where it is none alone. */
  readonly scope: string | undefined;
  constructor(message: string, scope?: string) {
    super(message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")); // what an error_description may hold
    this.name = 'ScopeRefused';
    this.scope = scope;
  }
}

/**
 * What is granted of a `scope` parameter. Version 1 forms and wildcards are narrowed to what types list and the client is registered
 * for; any other scope is granted as asked, or the request fails: ScopeRefused for one that does not exist, has a letter too many, is
 * not registered, or of which nothing is left, and for none at all.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
 */
export function negotiateScopes(requested: string | undefined, rules: ScopeRules): Negotiated {
  const asked = wordsOf(requested);
  if (rules.launch && !asked.includes('launch')) {
    throw new ScopeRefused('A launch value is there, but not the scope `launch` that it belongs to.', 'launch');
  }
  const granted = new Set<string>();
  for (const scope of asked) {
    for (const one of grant(scope, asked, rules)) granted.add(one);
    requireFew(granted.size); // before more work is done for it
  }
  return negotiated([...granted]);
}

/**
 * What of it a user may grant, who is a resource of the partition (`Type/id`) or none. Throws ScopeRefused for `user/` scopes of
 * who is no clinician; `fhirUser` goes where no resource stands for the user.
 */
export function narrowForUser(
  { scopes }: Negotiated,
  { fhirUser }: { readonly fhirUser: string | undefined },
): Negotiated {
  const clinical = scopes.find(scope => parseScope(scope)?.context === 'user');
  if (clinical !== undefined && !isClinician(parseFhirUser(fhirUser, 'http://localhost'))) {
    throw new ScopeRefused(`The scope \`${clinical}\` is for clinicians, and the user is not one.`, clinical);
  }
  const kept = scopes.filter(scope => scope !== 'fhirUser' || fhirUser !== undefined);
  if (kept.length === 0) throw new ScopeRefused('No record stands for the user, which is all that is asked for.');
  return negotiated(kept);
}

/**
 * The scopes of an access token that is asked for with a refresh token: all that were granted where none are asked for, else
 * those of them, never more. Throws ScopeRefused for others. https://www.rfc-editor.org/rfc/rfc6749#section-6
 */
export function narrowRefresh(
  granted: readonly string[],
  requested: string | undefined,
  model: Model,
): readonly string[] {
  if (requested === undefined || requested.trim() === '') return granted;
  const asked = wordsOf(requested);
  const launch = granted.includes('launch');
  const rules: Rules = { model, registered: granted, flow: 'app', launch, encounter: launch, isRefresh: true };
  const exact = new Set(granted); // also where the definitions have changed since
  return [...new Set(asked.flatMap(scope => (exact.has(scope) ? [scope] : grant(scope, asked, rules))))];
}

/** What follows from scopes that are granted, such as those that a user has agreed to. */
export function negotiated(granted: readonly string[]): Negotiated {
  const scopes = [...new Set(granted)];
  requireFew(scopes.length);
  return {
    scopes,
    needsPatient: scopes.some(scope => scope === 'launch/patient' || parseScope(scope)?.context === 'patient'),
  };
}

/** Of a list with single spaces between; more of them, also before and after, mean nothing. https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
function wordsOf(requested: string | undefined): readonly string[] {
  const words = [...new Set((requested ?? '').split(' '))].filter(word => word !== '');
  if (words.length === 0) throw new ScopeRefused('No scope is asked for: `scope` names what the token is to be for.');
  requireFew(words.length);
  return words;
}

function requireFew(count: number): void {
  if (count > mostScopes) throw new ScopeRefused(`That is more than the ${mostScopes} scopes that a token may have.`);
}

/** With a refresh token `registered` is what was granted. */
type Rules = ScopeRules & { readonly isRefresh?: boolean };

function grant(text: string, asked: readonly string[], rules: Rules): readonly string[] {
  const scope = parseScope(text);
  return scope === undefined ? grantWord(text, asked, rules) : grantResources(text, scope, rules);
}

function grantWord(text: string, asked: readonly string[], rules: Rules): readonly string[] {
  const { model, registered, flow, launch, encounter = false } = rules;
  if (!isScopeWord(text, model)) throw unknown(text);
  if (flow === 'backend') {
    throw new ScopeRefused(
      `The scope ${quoted(text)} is for apps; a client that acts for itself has \`system/\`.`,
      text,
    );
  }
  if (!registered.includes(text)) throw beyond(text, rules);
  if (text === 'launch/encounter') {
    if (launch) return encounter ? [text] : []; // an app may ask for it however the EHR starts it
    throw new ScopeRefused(
      'The scope `launch/encounter` needs the launch value of an EHR, which names the encounter.',
      text,
    );
  }
  if (text !== 'launch' || launch) return [text];
  if (asked.includes('launch/patient')) return []; // apps that begin either way ask for both each time
  throw new ScopeRefused(
    'The scope `launch` needs the launch value of an EHR; without one, ask for `launch/patient`.',
    text,
  );
}

function grantResources(text: string, scope: Scope, rules: Rules): readonly string[] {
  const { model, registered, flow } = rules;
  if ((scope.context === 'system') !== (flow === 'backend')) {
    const whose =
      flow === 'backend'
        ? 'for apps; a client that acts for itself has `system/`'
        : 'for clients that act for themselves';
    throw new ScopeRefused(`The scope ${quoted(text)} is ${whose}.`, text);
  }
  const types = [...model.types.values()].filter(
    ({ name }) => scope.resourceType === '*' || scope.resourceType === name,
  );
  const isVersionOne = /\.(?:read|write|\*)$/.test(text);
  const isBroad = scope.resourceType === '*' || isVersionOne;
  const print = isVersionOne ? printVersionOne : printScope;
  const asked: Piece = { letters: scope.letters, criteria: scope.criteria };
  const granted: string[] = [];
  let exists = false;
  for (const type of types) {
    if (asked.criteria !== undefined && !works(asked.criteria, type, model)) continue;
    const listed = within([asked], scope, type, type.smartScopes, model);
    exists ||= listed.length > 0;
    const letters = new Set(listed.flatMap(piece => piece.letters));
    if (!isBroad && !asked.letters.every(letter => letters.has(letter))) throw unknown(text);
    const allowed = within(listed, scope, type, registered, model);
    if (!isBroad && !listed.every(piece => covers(allowed, piece))) throw beyond(text, rules);
    const isWhole = !isBroad && covers(allowed, asked);
    granted.push(...(isWhole ? [text] : allowed.map(piece => print(scope.context, type.name, piece))));
  }
  if (granted.length > 0) return granted;
  throw exists ? beyond(text, rules) : unknown(text, searchOf(scope, types));
}

/** Said beside where it is the search that does not work. */
const searchOf = ({ criteria }: Scope, types: readonly unknown[]): string =>
  criteria === undefined || types.length === 0 ? '' : ' Its search may be none that works on the type.';

const unknown = (scope: string, more = ''): ScopeRefused =>
  new ScopeRefused(
    `The scope ${quoted(scope)} does not exist here: \`scopes_supported\` lists those that do.${more}`,
    scope,
  );

const beyond = (scope: string, { isRefresh }: Rules): ScopeRefused =>
  new ScopeRefused(
    isRefresh
      ? `The scope ${quoted(scope)} was not granted: a refresh gives what was, or less of it.`
      : `The client is not registered for the scope ${quoted(scope)}.`,
    scope,
  );

const quoted = (scope: string): string => `\`${scope.length > 200 ? `${scope.slice(0, 200)}...` : scope}\``;
