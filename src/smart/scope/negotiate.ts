import type { Model } from '../../model/model.ts';
import { isClinician, parseFhirUser } from '../../auth/fhir-user.ts';
import { orderHint, parseScope } from '../../auth/scope.ts';
import type { Scope } from '../../auth/scope.ts';
import { mostScopes } from '../../auth/access.ts';
import {
  covers,
  includes,
  intersection,
  printScope,
  printVersionOne,
  within,
  works,
} from '../../auth/resource-scope.ts';
import type { Piece } from '../../auth/resource-scope.ts';
import { isScopeWord } from '../../auth/scope-words.ts';

/** The rules for a request for scopes. */
export interface ScopeRules {
  readonly model: Model;
  /** The scopes that the client is registered for. */
  readonly registered: readonly string[];
  /** `app`: the client acts for a user; `backend`: without one. */
  readonly flow: 'app' | 'backend';
  /** Whether the request has a launch token of an EHR. */
  readonly launch: boolean;
  /** Whether that launch has an encounter in context. */
  readonly encounter?: boolean;
}

/** The scopes that can be granted. */
export interface Negotiated {
  /**
   * Each once, in the requested order; version 1 forms stay in version 1 if that is exactly what is granted. `join('
   * ')` is the `scope` of the token answer.
   */
  readonly scopes: readonly string[];
  /** True if the token needs a patient, whom the user chooses if the launch names none. */
  readonly needsPatient: boolean;
}

/**
 * The whole request fails with `invalid_scope`; the message is its `error_description`.
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export class ScopeRefused extends Error {
  /** The scope at fault; undefined if it is no single one. */
  readonly scope: string | undefined;
  constructor(message: string, scope?: string) {
    super(message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")); // the characters that an error_description may have
    this.name = 'ScopeRefused';
    this.scope = scope;
  }
}

/**
 * Decides the scopes to grant for a `scope` parameter. Version 1 forms and wildcards are narrowed to the listed and
 * registered scopes; a wildcard that registered wildcards cover stays one scope, without letters that no type lists.
 * Any other scope is granted as requested, or the request fails. Throws ScopeRefused for a scope that does not exist,
 * has too many letters, is not registered, or has nothing left, and for an empty request.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
 */
export function negotiateScopes(requested: string | undefined, rules: ScopeRules): Negotiated {
  const asked = wordsOf(requested);
  if (rules.launch && !asked.includes('launch')) {
    throw new ScopeRefused('The request has a launch token, but not the scope `launch`.', 'launch');
  }
  const granted = new Set<string>();
  for (const scope of asked) {
    for (const one of grant(scope, asked, rules)) granted.add(one);
    requireFew(granted.size); // before the more expensive work
  }
  if (granted.size === 0 && asked.every(scope => openIdScopes.has(scope))) throw unknownScope(asked[0] ?? '');
  return negotiated([...granted]);
}

/**
 * The scopes that a user may grant; `fhirUser` is the user's resource in the partition (`Type/id`), if any. Throws
 * ScopeRefused for `user/` scopes of a user who is not a clinician; the scope `fhirUser` is dropped for a user without
 * a resource.
 */
export function narrowForUser(
  { scopes }: Negotiated,
  { fhirUser, model }: { readonly fhirUser: string | undefined; readonly model: Pick<Model, 'clinicians'> },
): Negotiated {
  const clinical = scopes.find(scope => parseScope(scope)?.context === 'user');
  if (clinical !== undefined && !isClinician(parseFhirUser(fhirUser, 'http://localhost'), model)) {
    throw new ScopeRefused(`The scope \`${clinical}\` is for clinicians, and the user is not one.`, clinical);
  }
  const kept = scopes.filter(scope => scope !== 'fhirUser' || fhirUser !== undefined);
  if (kept.length === 0)
    throw new ScopeRefused(
      'The user has no resource here, so `fhirUser`, the only requested scope, cannot be granted.',
    );
  return negotiated(kept);
}

/**
 * The scopes of an access token from a refresh token: all granted ones if none are requested, else the requested ones,
 * never more. Throws ScopeRefused for others. https://www.rfc-editor.org/rfc/rfc6749#section-6
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
  const exact = new Set(granted); // also if the definitions have changed since
  return [...new Set(asked.flatMap(scope => (exact.has(scope) ? [scope] : grant(scope, asked, rules))))];
}

/** The result for scopes that are already granted, such as those that a user has consented to. */
export function negotiated(granted: readonly string[]): Negotiated {
  const scopes = [...new Set(granted)];
  requireFew(scopes.length);
  return {
    scopes,
    needsPatient: scopes.some(scope => scope === 'launch/patient' || parseScope(scope)?.context === 'patient'),
  };
}

/**
 * Splits at spaces; repeated, leading and trailing spaces are ignored.
 * https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */
function wordsOf(requested: string | undefined): readonly string[] {
  const words = [...new Set((requested ?? '').split(' '))].filter(word => word !== '');
  if (words.length === 0)
    throw new ScopeRefused('The parameter `scope` is missing: name the scopes that the app needs.');
  requireFew(words.length);
  return words;
}

function requireFew(count: number): void {
  if (count > mostScopes) throw new ScopeRefused(`That is more than the ${mostScopes} scopes that a token may have.`);
}

/** With a refresh token, `registered` holds the granted scopes. */
type Rules = ScopeRules & { readonly isRefresh?: boolean };

function grant(text: string, asked: readonly string[], rules: Rules): readonly string[] {
  const scope = parseScope(text);
  return scope === undefined ? grantWord(text, asked, rules) : grantResources(text, scope, rules);
}

function grantWord(text: string, asked: readonly string[], rules: Rules): readonly string[] {
  const { model, registered, flow, launch, encounter = false } = rules;
  if (openIdScopes.has(text) && flow === 'app') return [];
  if (!isScopeWord(text, model)) throw unknownScope(text);
  if (flow === 'backend') {
    throw new ScopeRefused(
      `The scope ${quoted(text)} is for apps; a backend service requests \`system/\` scopes.`,
      text,
    );
  }
  if (!registered.includes(text)) throw scopeNotAllowed(text, rules);
  if (text === 'launch/encounter') {
    if (launch) return encounter ? [text] : []; // an app may request it however the EHR starts it
    throw new ScopeRefused(
      'The scope `launch/encounter` requires the launch token of an EHR, which names the encounter.',
      text,
    );
  }
  if (text !== 'launch' || launch) return [text];
  if (asked.includes('launch/patient')) return []; // apps that support both launches request both each time
  throw new ScopeRefused(
    'The scope `launch` requires the launch token of an EHR; without one, request `launch/patient`.',
    text,
  );
}

/**
 * Scopes of OpenID Connect for claims that no user has here: apps request them with `openid`, and work without.
 * https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims
 */
const openIdScopes: ReadonlySet<string> = new Set(['email', 'address', 'phone']);

function grantResources(text: string, scope: Scope, rules: Rules): readonly string[] {
  const { model, registered, flow } = rules;
  if ((scope.context === 'system') !== (flow === 'backend')) {
    const whose = flow === 'backend' ? 'for apps; a backend service requests `system/` scopes' : 'for backend services';
    throw new ScopeRefused(`The scope ${quoted(text)} is ${whose}.`, text);
  }
  const types = [...model.types.values()].filter(
    ({ name }) => scope.resourceType === '*' || scope.resourceType === name,
  );
  const isVersionOne = /\.(?:read|write|\*)$/.test(text);
  const isBroad = scope.resourceType === '*' || isVersionOne;
  const print = isVersionOne ? printVersionOne : printScope;
  const asked: Piece = { letters: scope.letters, criteria: scope.criteria };
  const wild = scope.resourceType === '*' ? registered.filter(isWildcard) : [];
  const granted: string[] = [];
  let exists = false;
  let isOne = wild.length > 0;
  for (const type of types) {
    if (asked.criteria !== undefined && !works(asked.criteria, type, model)) continue;
    const listed = within([asked], scope, type, type.smartScopes, model);
    exists ||= listed.length > 0;
    const letters = new Set(listed.flatMap(piece => piece.letters));
    if (!isBroad && !asked.letters.every(letter => letters.has(letter))) throw unknownScope(text);
    const allowed = within(listed, scope, type, registered, model);
    if (!isBroad && !listed.every(piece => covers(allowed, piece))) throw scopeNotAllowed(text, rules);
    if (isOne) {
      const byWildcards = within(listed, scope, type, wild, model);
      isOne = allowed.every(piece => includes(byWildcards, piece));
    }
    const isWhole = !isBroad && covers(allowed, asked);
    granted.push(...(isWhole ? [text] : allowed.map(piece => print(scope.context, type.name, piece))));
  }
  if (granted.length > 0 && isOne) {
    const whole = listedPieces([asked], scope, model);
    const allowed = listedPieces(intersection(whole, scope, wild), scope, model);
    const pieces = whole.every(piece => covers(allowed, piece)) ? whole : allowed;
    return pieces.map(piece => print(scope.context, '*', piece));
  }
  if (granted.length > 0) return granted;
  throw exists ? scopeNotAllowed(text, rules) : unknownScope(text, searchOf(scope, types));
}

/** The parts of wildcards that any type lists. */
function listedPieces(pieces: readonly Piece[], scope: Scope, model: Model): readonly Piece[] {
  const types = [...model.types.values()];
  return pieces.flatMap(piece => {
    const fits = types.filter(type => piece.criteria === undefined || works(piece.criteria, type, model));
    const listed = fits.flatMap(type => within([piece], scope, type, type.smartScopes, model));
    const letters = piece.letters.filter(letter => listed.some(one => one.letters.includes(letter)));
    return letters.length === 0 ? [] : { ...piece, letters };
  });
}

const isWildcard = (text: string): boolean => parseScope(text)?.resourceType === '*';

/** A hint for a scope whose search may be the problem. */
const searchOf = ({ criteria }: Scope, types: readonly unknown[]): string =>
  criteria === undefined || types.length === 0 ? '' : ' Its search may not be valid for the type.';

function unknownScope(scope: string, more = ''): ScopeRefused {
  const hint = orderHint(scope).slice(0, 300) || ' `scopes_supported` lists those that do.';
  return new ScopeRefused(`The scope ${quoted(scope)} does not exist.${hint}${more}`, scope);
}

const scopeNotAllowed = (scope: string, { isRefresh }: Rules): ScopeRefused =>
  new ScopeRefused(
    isRefresh
      ? `The scope ${quoted(scope)} was not granted: request the granted scopes, or some of them.`
      : `The client is not registered for the scope ${quoted(scope)}.`,
    scope,
  );

const quoted = (scope: string): string => `\`${scope.length > 200 ? `${scope.slice(0, 200)}...` : scope}\``;
