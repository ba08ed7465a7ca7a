import { badValue, type FhirError } from '../../fhir/error.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import type { Include, IncludeLink } from '../include.ts';
import type { QueryPair } from '../request.ts';
import { emptyValue, unsupportedModifier, unsupportedParameter } from './errors.ts';
import { Ignorable } from './ignorable.ts';
import { mayTarget } from './targets.ts';

export const isInclude = (name: string): boolean => /^_(?:rev)?include(?::|$)/.test(name);

/**
 * Parses `_include` or `_revinclude`. Throws `Ignorable` if the type supports none, FhirError 400 for a value that
 * names no reference or that the type does not support.
 */
export function parseInclude(type: ResourceType, [name, value]: QueryPair, { types }: Model): Include {
  const [control = '', modifier, ...others] = name.split(':');
  const reverse = control === '_revinclude';
  const offered = reverse ? type.includes.reverse : type.includes.forward;
  if (offered.size === 0) throw new Ignorable(unsupportedParameter(name));
  if (value === '') throw new Ignorable(emptyValue(name));
  const iterate = modifier === 'iterate' || modifier === 'recurse';
  if ((modifier !== undefined && !iterate) || others.length > 0) {
    throw unsupportedModifier(control, name.slice(control.length + 1), ['iterate']);
  }
  const [source = '', code = '*', target, ...more] = value.split(':');
  if (more.length > 0 || (source !== '*' && code === '')) throw malformed(name, value);
  const every = source === '*';
  if (every && value !== '*') throw malformed(name, value);
  const from = every ? undefined : types.get(source);
  if (!every && from === undefined) {
    throw badValue(name, `\`${source}\` in \`${value}\` is no type of this server.${didYouMean(source, types.keys())}`);
  }
  if (!every && !value.includes(':')) throw malformed(name, value);
  const own = iterate && from !== undefined ? (reverse ? from.includes.reverse : from.includes.forward) : offered;
  if (!isOffered(value, offered) && !isOffered(value, own)) throw notOffered(name, value, offered);
  const wildcard = every || code === '*';
  const sources = from !== undefined ? [from] : reverse || iterate ? [...types.values()] : [type];
  const links = sources.flatMap(one => linksOf(one, wildcard ? undefined : code));
  if (!wildcard && links.length === 0) throw noReference(name, value, code, from);
  const fitting = links.filter(
    ({ param }) =>
      (target === undefined || mayTarget(param, target)) && (!reverse || iterate || mayTarget(param, type.name)),
  );
  if (!wildcard && fitting.length === 0) {
    throw badValue(name, `\`${code}\` of ${source} does not refer to ${target ?? type.name}.`);
  }
  return { written: `${name}=${value}`, reverse, iterate, wildcard, links: fitting, target };
}

function linksOf(type: ResourceType, code: string | undefined): readonly IncludeLink[] {
  const named = code === undefined ? [...type.parameters.values()] : [type.parameters.get(code) ?? []].flat();
  return named.filter(param => param.type === 'reference').map(param => ({ type, param }));
}

/** True if the value, or a more general one, is supported. */
function isOffered(value: string, offered: ReadonlySet<string>): boolean {
  const [source = '', code = ''] = value.split(':');
  return ['*', value, `${source}:*`, `${source}:${code}`].some(one => offered.has(one));
}

function notOffered(name: string, value: string, offered: ReadonlySet<string>): FhirError {
  const list = [...offered].map(one => `\`${one}\``).join(', ');
  return badValue(name, `\`${value}\` is not offered for \`${name}\`.${didYouMean(value, offered)} It offers ${list}.`);
}

function noReference(name: string, value: string, code: string, type: ResourceType | undefined): FhirError {
  const codes = type === undefined ? [] : linksOf(type, undefined).map(({ param }) => param.code);
  return badValue(name, `\`${value}\` names no reference parameter of its type.${didYouMean(code, codes)}`);
}

const malformed = (name: string, value: string): FhirError =>
  badValue(
    name,
    `\`${value}\` is not a value for \`${name}\`: write \`Type:parameter\`, \`Type:parameter:target\` or \`*\`.`,
  );
