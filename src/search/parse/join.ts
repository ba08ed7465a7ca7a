import { badValue, FhirError, fhirError } from '../../fhir/error.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { containerIndex, isInside } from '../../model/contained-index.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Join, Query } from '../ast.ts';
import { unknownParameter, unsupportedParameter } from './errors.ts';
import { Ignorable } from './ignorable.ts';
import { mayTarget } from './targets.ts';
import type { SearchContext } from './value.ts';

/** A complete parameter as the client wrote it, while its steps are parsed. */
export interface WrittenJoin {
  /** With all steps, for errors. */
  readonly name: string;
  readonly text: string;
  readonly context: SearchContext;
  /** The kinds of the steps before. */
  readonly joins: readonly Join['kind'][];
  /** Parses the rest of the name as a parameter of the type that the steps before have reached. */
  readonly parse: (type: ResourceType, step: string, written: WrittenJoin) => Query;
}

/** Most steps of one parameter: each may expand to all types that a reference may have. */
const MOST_STEPS = 8;

/**
 * Parses a chain (`subject.name`, `subject:Patient.name`) or a reverse chain (`_has:Observation:patient:code`);
 * undefined for any other name. Throws FhirError 400 if the type does not support it, and for a step without a target:
 * ignoring it would widen the answer. https://hl7.org/fhir/R4/search.html#chaining
 * https://hl7.org/fhir/R4/search.html#has
 */
export function parseJoin(type: ResourceType, step: string, written: WrittenJoin): Query | undefined {
  if (type.parameters.has(step)) return undefined;
  const kind = step === '_has' || step.startsWith('_has:') ? 'has' : isChain(type, step) ? 'chain' : undefined;
  if (kind === undefined) return undefined;
  const { name, context, joins } = written;
  if (context.joins === undefined || !type.searchFeatures.has(kind)) throw unsupportedParameter(name);
  if (joins.length === MOST_STEPS) {
    throw fhirError(400, 'too-costly', `\`${name}\` has more than ${MOST_STEPS} steps: write fewer.`, `http.${name}`);
  }
  const next: WrittenJoin = { ...written, joins: [...joins, kind] };
  return kind === 'has' ? parseHas(type, step, next) : parseChain(type, step, next);
}

/** True for `code.rest` and `code:Type.rest`; a dot in the value of a modifier does not separate a chain. */
function isChain(type: ResourceType, step: string): boolean {
  const dot = step.indexOf('.');
  if (dot === -1) return false;
  const [code = ''] = step.slice(0, dot).split(':');
  const param = type.parameters.get(code);
  return param === undefined || param.type === 'reference' || !step.slice(0, dot).includes(':');
}

function parseHas(type: ResourceType, step: string, written: WrittenJoin): Query {
  const { name } = written;
  const [, source = '', code = '', ...more] = step.split(':');
  const rest = more.join(':');
  if (rest === '') {
    throw badValue(name, `\`${name}\` is incomplete: write \`_has:Type:reference:parameter\`.`);
  }
  const from = searchable(source, written);
  const param = from.parameters.get(code);
  if (param === undefined) throw unknownParameter(from, code, name);
  if (param.type !== 'reference' || !mayTarget(param, type.name)) {
    const fitting = [...from.parameters.values()].filter(one => leadsTo(one, type)).map(one => `\`${one.code}\``);
    const offer = fitting.length === 0 ? 'None of its parameters does' : `These do: ${fitting.join(', ')}`;
    throw badValue(name, `\`${code}\` of ${source} does not refer to ${type.name}. ${offer}.`);
  }
  const types = [...written.context.model.types.values()];
  const containers = types.filter(one => containerIndex(one) !== undefined).map(one => ({ type: one }));
  return { kind: 'has', target: type, type: from, param, of: inner(from, rest, written), containers };
}

function parseChain(type: ResourceType, step: string, written: WrittenJoin): Query {
  const { name, context } = written;
  const dot = step.indexOf('.');
  const [code = '', wanted, ...more] = step.slice(0, dot).split(':');
  const rest = step.slice(dot + 1);
  const param = type.parameters.get(code);
  if (param === undefined) throw unknownParameter(type, code, name);
  if (param.type !== 'reference') {
    throw badValue(name, `\`${code}\` of ${type.name} is no reference, so nothing can follow it.`);
  }
  if (rest === '' || more.length > 0) throw badValue(name, `\`${name}\` is no chain: write \`${code}.parameter\`.`);
  if (wanted !== undefined) {
    const target = searchable(wanted, written);
    if (!leadsTo(param, target)) throw badValue(name, `\`${code}\` does not refer to ${wanted}. ${targetsOf(param)}`);
    return { kind: 'chain', from: type, param, type: target, of: inner(target, rest, written) };
  }
  const targets = [...context.model.types.values()].filter(one => isSearchable(one) && leadsTo(param, one));
  if (targets.length === 0) {
    throw badValue(name, `No type to which \`${code}\` refers can be searched here. ${targetsOf(param)}`);
  }
  return { kind: 'or', of: chains(type, param, targets, rest, written) };
}

/** A chain for each of the types that has the rest; throws the error of one if none has it. */
function chains(
  from: ResourceType,
  param: SearchParam,
  targets: readonly ResourceType[],
  rest: string,
  written: WrittenJoin,
): readonly Query[] {
  const errors: FhirError[] = [];
  const found = targets.flatMap((type): readonly Query[] => {
    try {
      return [{ kind: 'chain', from, param, type, of: inner(type, rest, written) }];
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      errors.push(error);
      return [];
    }
  });
  // The error for an impossible value is more specific than that for an unknown parameter.
  const error = errors.find(({ issues }) => issues[0]?.code !== 'not-supported') ?? errors[0];
  if (found.length === 0 && error !== undefined) throw error;
  return found;
}

/** The step after a join. Its errors are errors under lenient handling, too. */
function inner(type: ResourceType, rest: string, written: WrittenJoin): Query {
  try {
    return written.parse(type, rest, written);
  } catch (error) {
    throw error instanceof Ignorable ? error.cause : error;
  }
}

function searchable(name: string, { name: whole, context }: WrittenJoin): ResourceType {
  const type = context.model.types.get(name);
  if (type !== undefined && isSearchable(type)) return type;
  const offered = [...context.model.types.values()].filter(isSearchable).map(one => one.name);
  throw badValue(whole, `\`${name}\` is no type that can be searched here.${didYouMean(name, offered)}`);
}

const isSearchable = (type: ResourceType): boolean => type.interactions.has('search-type');

/** Canonicals can refer to types with a parameter `url`. */
function leadsTo(param: SearchParam, type: ResourceType): boolean {
  if (param.type !== 'reference' || !mayTarget(param, type.name)) return false;
  return param.dataTypes.has('Reference') || isInside(param) || type.parameters.get('url')?.type === 'uri';
}

function targetsOf({ code, targets }: SearchParam): string {
  if (targets.length === 0) return `\`${code}\` may refer to any type.`;
  return `\`${code}\` refers to ${targets.map(target => `\`${target}\``).join(', ')}.`;
}
