import { asObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/**
 * A definition reduced to what the engine uses: no prose, no mappings, no history. The R4 pack has definitions in this
 * form, so a full one with the same url is equal if its reduced form is. `resourceType`, `url` and `version` come
 * first, in this order, so that a line of the pack can be indexed without parsing.
 * https://hl7.org/fhir/R4/conformance-module.html
 */
export function reduce(resource: JsonObject): JsonObject {
  const head = pick(resource, ['resourceType', 'url', 'version', 'id', 'name', 'status']);
  const reducer = reducers[String(resource['resourceType'])];
  return reducer === undefined ? head : { ...head, ...reducer(resource) };
}

const reducers: Readonly<Record<string, (resource: JsonObject) => JsonObject>> = {
  StructureDefinition: resource => ({
    ...pick(resource, ['kind', 'abstract', 'context', 'contextInvariant', 'type', 'baseDefinition', 'derivation']),
    snapshot: { element: objectsOf(asObject(resource['snapshot'])['element']).map(reduceElement) },
  }),
  SearchParameter: resource => ({
    ...pick(resource, ['code', 'base', 'type', 'expression', 'xpathUsage', 'target', 'multipleOr', 'multipleAnd']),
    ...pick(resource, ['comparator', 'modifier', 'chain']),
    ...list('component', objectsOf(resource['component']), component => pick(component, ['definition', 'expression'])),
  }),
  CompartmentDefinition: resource => ({
    ...pick(resource, ['code', 'search']),
    ...list('resource', objectsOf(resource['resource']), member => pick(member, ['code', 'param'])),
  }),
  OperationDefinition: resource => ({
    ...pick(resource, ['kind', 'affectsState', 'code', 'base', 'resource', 'system', 'type', 'instance']),
    ...list('parameter', objectsOf(resource['parameter']), reduceOperationParameter),
  }),
  CodeSystem: resource => ({
    ...pick(resource, ['title', 'experimental', 'caseSensitive', 'valueSet', 'hierarchyMeaning', 'compositional']),
    ...pick(resource, ['versionNeeded', 'content', 'supplements', 'filter', 'property']),
    ...list('concept', objectsOf(resource['concept']), reduceConcept),
  }),
  ValueSet: resource => ({
    ...pick(resource, ['title', 'experimental', 'immutable']),
    ...(resource['compose'] === undefined ? {} : { compose: reduceCompose(asObject(resource['compose'])) }),
    ...(resource['expansion'] === undefined ? {} : { expansion: reduceExpansion(asObject(resource['expansion'])) }),
  }),
};

/** Invariants of Element and Extension are on every element of a snapshot; kept on the two types only. */
const everywhere = new Set(['ele-1', 'ext-1']);

const maxValueSet = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';

function reduceElement(element: JsonObject): JsonObject {
  const nested = String(element['path']).includes('.');
  const constraints = objectsOf(element['constraint']).filter(({ key }) => !(nested && everywhere.has(String(key))));
  const values = Object.keys(element).filter(key => /^(fixed|pattern|minValue|maxValue)[A-Z]/.test(key));
  const binding = asObject(element['binding']);
  return {
    ...pick(element, ['id', 'path', 'sliceName', 'sliceIsConstraining']),
    ...(element['slicing'] === undefined
      ? {}
      : { slicing: pick(asObject(element['slicing']), ['discriminator', 'ordered', 'rules']) }),
    ...pick(element, ['min', 'max', 'contentReference']),
    ...list('type', objectsOf(element['type']), type =>
      pick(type, ['extension', 'code', 'profile', 'targetProfile', 'aggregation', 'versioning']),
    ),
    ...pick(element, [...values.sort(), 'maxLength']),
    ...list('constraint', constraints, constraint => pick(constraint, ['key', 'severity', 'human', 'expression'])),
    ...(element['mustSupport'] === true ? { mustSupport: true } : {}),
    ...(element['isModifier'] === true ? { isModifier: true } : {}),
    ...(element['isSummary'] === true ? { isSummary: true } : {}),
    ...(element['binding'] === undefined
      ? {}
      : {
          binding: {
            ...list(
              'extension',
              objectsOf(binding['extension']).filter(({ url }) => url === maxValueSet),
              extension => extension,
            ),
            ...pick(binding, ['strength', 'valueSet']),
          },
        }),
  };
}

function reduceOperationParameter(parameter: JsonObject): JsonObject {
  return {
    ...pick(parameter, ['name', 'use', 'min', 'max', 'type', 'targetProfile', 'searchType']),
    ...list('part', objectsOf(parameter['part']), reduceOperationParameter),
  };
}

function reduceConcept(concept: JsonObject): JsonObject {
  return {
    ...pick(concept, ['code', 'display', 'definition', 'designation', 'property']),
    ...list('concept', objectsOf(concept['concept']), reduceConcept),
  };
}

function reduceCompose(compose: JsonObject): JsonObject {
  const part = (include: JsonObject): JsonObject => ({
    ...pick(include, ['system', 'version']),
    ...list('concept', objectsOf(include['concept']), concept => pick(concept, ['code', 'display', 'designation'])),
    ...list('filter', objectsOf(include['filter']), filter => pick(filter, ['property', 'op', 'value'])),
    ...pick(include, ['valueSet']),
  });
  return {
    ...pick(compose, ['lockedDate', 'inactive']),
    ...list('include', objectsOf(compose['include']), part),
    ...list('exclude', objectsOf(compose['exclude']), part),
  };
}

function reduceExpansion(expansion: JsonObject): JsonObject {
  const entry = (contains: JsonObject): JsonObject => ({
    ...pick(contains, ['system', 'abstract', 'inactive', 'version', 'code', 'display']),
    ...list('contains', objectsOf(contains['contains']), entry),
  });
  return list('contains', objectsOf(expansion['contains']), entry);
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter(key => from[key] !== undefined).map(key => [key, from[key]]));
}

function list(key: string, items: readonly JsonObject[], reduced: (item: JsonObject) => JsonObject): JsonObject {
  return items.length === 0 ? {} : { [key]: items.map(item => reduced(item)) };
}
