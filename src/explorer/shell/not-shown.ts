import { isAllowed, scopesFor } from '../../auth/may.ts';
import { restriction } from '../../auth/restrict.ts';
import type { ResourceType } from '../../model/model.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { notice } from '../../pages/parts.ts';
import { typeName } from '../../pages/type-name.ts';
import type { Visit } from './visit.ts';

const en = {
  hidden: 'Not shown, because the scopes of your access do not cover them:',
  by: (scopes: string) => `a scope that covers them is ${scopes}`,
  never: 'no scope of this server covers them',
  partly: 'Shown in part, because your access covers some of the records only:',
};

type NotShownTexts = typeof en;

const fr: NotShownTexts = {
  hidden: 'Non affichés, car les portées de votre accès ne les couvrent pas\u00a0:',
  by: scopes => `une portée qui les couvre est ${scopes}`,
  never: 'aucune portée de ce serveur ne les couvre',
  partly: 'Affichés en partie, car votre accès ne couvre que certains des dossiers\u00a0:',
};

const texts: Readonly<Record<Language, NotShownTexts>> = { en, fr };

/** Most types of which the scopes are listed; more are named alone. */
const mostExplained = 12;

/**
 * Says which of the types that a page is about it does not show, and why: searches of some need scopes that the visitor
 * does not have, of others the visitor's access covers a part. Undefined if all are shown.
 */
export function notShown(visit: Visit, types: readonly ResourceType[]): Markup {
  const { access, language, engine } = visit;
  if (access === undefined) return undefined;
  const words = texts[language];
  const mayNot = types.filter(({ name }) => !isAllowed(access, { interaction: 'search-type', resourceType: name }));
  const isOfPatient = access !== 'open' && access.patient !== undefined;
  const partly = isOfPatient
    ? []
    : types.filter(type => !mayNot.includes(type) && restriction(access, type, 's').kind !== 'all');
  const name = (type: ResourceType): Html => html`<bdi>${typeName(engine.model, type.name, language)}</bdi>`;
  const explained = (type: ResourceType): Html => {
    const scopes = scopesFor(engine.model, { interaction: 'search-type', resourceType: type.name }) ?? [];
    return html`${name(type)} (${scopes.length === 0 ? words.never : words.by(scopes.join(', '))})`;
  };
  const listed = (of: readonly ResourceType[], one: (type: ResourceType) => Html): readonly Html[] =>
    of.map((type, at) => html`${at > 0 && ', '}${one(type)}`);
  const [hidden, some] = [
    mayNot.length === 0
      ? undefined
      : notice(html`${words.hidden} ${listed(mayNot, mayNot.length > mostExplained ? name : explained)}.`),
    partly.length === 0 ? undefined : notice(html`${words.partly} ${listed(partly, name)}.`),
  ];
  return hidden === undefined && some === undefined ? undefined : html`${hidden}${some}`;
}
